//! Tests bots that are started for matches on a server that requires keys.

use std::{fs, path::Path};

use crate::{
    attending::{ADA, attend},
    keys::add,
    kit::{
        program::{Background, PROGRAM, quoted, run},
        results::LAGGING,
        served::Served,
    },
};

/// Returns a command that records the key that it receives, and plays.
fn noting_bot(notes: &Path) -> String {
    let notes = notes.display();
    let script = format!("echo \"key:$BRIDGEMASTER_KEY\" >>{notes}; exec {PROGRAM} bot random");
    format!("sh -c {}", quoted(&script))
}

fn contest(server: &Served, folder: &Path, more: &str) -> String {
    let game = "contest --game bridges_to_nowhere --format round-robin --rounds 1";
    let at = format!("--server {} --folder {}", server.url, folder.display());
    format!("{game} {LAGGING} {at} --bot here=random {more}")
}

#[test]
fn bots_get_the_bot_key_of_a_contest_and_never_the_key_of_the_contest() {
    let folder = tempfile::tempdir().unwrap();
    let [data, notes, kept] = ["data", "notes", "contest"].map(|name| folder.path().join(name));
    let organiser = add(&data, "organiser", "create");
    let player = add(&data, "player", "play");
    let server = Served::start(format!("--data {} --require-keys", data.display()));
    let bot = quoted(&format!("noting={}", noting_bot(&notes)));
    let with_key = format!("--bot {bot} --key {organiser}");

    run(contest(&server, &kept, &with_key)).fails(2, &["--bot-key"]);
    let same = format!("{with_key} --bot-key {organiser}");
    run(contest(&server, &kept, &same)).exits(2);
    assert!(!notes.exists(), "no bot was started");

    let _ = fs::remove_dir_all(&kept);
    let other = format!("{with_key} --bot-key {player}");
    run(contest(&server, &kept, &other)).exits(0);
    let noted = fs::read_to_string(&notes).unwrap();
    assert_eq!(noted, format!("key:{player}\n").repeat(2));
}

#[test]
fn attend_gives_its_key_to_bots_only_if_the_server_requires_keys() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let organiser = add(&data, "organiser", "create");
    let player = add(&data, "ada", "play");
    let keyed = format!("--data {} --require-keys", data.display());
    // The contest also starts a second bot, which has another key.
    let keys = format!("--key {organiser} --bot-key {player}");
    for (number, (flags, keys, key)) in
        [(&*keyed, &*keys, &*player), ("", "", "")].into_iter().enumerate()
    {
        let server = Served::start(flags);
        let notes = folder.path().join(format!("notes-{number}"));
        let bot = noting_bot(&notes);
        let line = format!("attend --queue cup {ADA} --key {player} -- {bot}");
        let there = attend(&server, &line);
        let kept = folder.path().join(format!("contest-{number}"));
        let more = format!("--queue cup --bot there=@ada {keys}");
        Background::start(contest(&server, &kept, &more)).ended().exits(0);
        there.ended().exits(0);
        let noted = fs::read_to_string(&notes).unwrap();
        assert_eq!(noted, format!("key:{key}\n").repeat(2));
    }
}
