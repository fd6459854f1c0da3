//! Bots that are started for matches on a server that asks for keys.

#![cfg(unix)]

use std::{fs, path::Path, process::Stdio};

use crate::{
    attending::Attendant,
    keys::add,
    program::{Ran, bridgemaster, run},
    served_match::Served,
};

/// A command whose process notes the key that it is given, and plays.
fn noting_bot(notes: &Path) -> String {
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let notes = notes.display();
    format!("echo \"key:$BRIDGEMASTER_KEY\" >>{notes}; exec {program} bot random")
}

fn contest<'a>(server: &'a Served, folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let flags = [
        "contest",
        "--game",
        "bridges_to_nowhere",
        "--format",
        "round-robin",
        "--rounds",
        "1",
        "--referee-lag-limit-ms",
        "10000",
        "--server",
        &server.url,
        "--folder",
        folder,
        "--bot",
        "here=random",
    ];
    [&flags[..], more].concat()
}

#[test]
fn bots_get_the_bot_key_of_a_contest_and_never_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let organiser = add(&data, "organiser", &["create"]);
    let player = add(&data, "player", &["play"]);
    let server = Served::start(&["--data", data.to_str().unwrap(), "--require-keys"]);
    let notes = folder.path().join("notes");
    let bot = format!("noting=sh -c '{}'", noting_bot(&notes));
    let kept = folder.path().join("contest").display().to_string();
    let with_key = ["--bot", &bot, "--key", &organiser];

    let ran = run(contest(&server, &kept, &with_key));
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("--bot-key"), "{}", ran.err);
    let same = [&with_key[..], &["--bot-key", &organiser]].concat();
    let ran = run(contest(&server, &kept, &same));
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(!notes.exists(), "no bot was started");

    let _ = fs::remove_dir_all(&kept);
    let other = [&with_key[..], &["--bot-key", &player]].concat();
    let ran = run(contest(&server, &kept, &other));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let noted = fs::read_to_string(&notes).unwrap();
    assert_eq!(noted, format!("key:{player}\n").repeat(2));
}

#[test]
fn attend_gives_its_key_to_bots_only_where_the_server_requires_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let organiser = add(&data, "organiser", &["create"]);
    let player = add(&data, "ada", &["play"]);
    let data = data.to_str().unwrap().to_owned();
    for is_keyed in [true, false] {
        let flags = [&["--data", &data, "--require-keys"][..], &[]];
        let server = Served::start(flags[usize::from(!is_keyed)]);
        let notes = folder.path().join(format!("notes-{is_keyed}"));
        let bot = noting_bot(&notes);
        let attend = ["attend", "--queue", "cup", "--name", "ada", "--bot-version"];
        let attend = [&attend[..], &[env!("CARGO_PKG_VERSION"), "--key", &player]].concat();
        let there = [&attend[..], &["--", "sh", "-c", &bot]].concat();
        let there = Attendant::start(&server, &there);
        let kept = folder.path().join(format!("contest-{is_keyed}"));
        let kept = kept.display().to_string();
        // The bot of the contest is started too, and has the key of another.
        let keys = ["--key", &organiser, "--bot-key", &player];
        let keys = &keys[..if is_keyed { 4 } else { 0 }];
        let more = [&["--queue", "cup", "--bot", "there=@ada"][..], keys].concat();
        let contest = bridgemaster(contest(&server, &kept, &more))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let ran = Ran::from(contest.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let (code, output) = there.ended();
        assert_eq!(code, Some(0), "{output}");
        let key = if is_keyed { &*player } else { "" };
        let noted = fs::read_to_string(&notes).unwrap();
        assert_eq!(noted, format!("key:{key}\n").repeat(2));
    }
}
