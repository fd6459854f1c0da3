//! Tests bots that cannot play, or cannot play to the end: `bridgemaster contest` ends with an exit
//! code and recommends what to do.

use std::{fs, path::Path};

use crate::{
    contest::Contest,
    kit::{
        program::{PROGRAM, Ran, quoted},
        results::seats,
    },
};

/// Plays a contest with a bot that is started by this command.
fn play(command: &str, flags: &str, code: i32, said: &[&str]) -> (Contest, Ran) {
    let contest = Contest::new();
    let bot = quoted(&format!("mine={command}"));
    let ran = contest.run(format!("--bot {bot} --against random --groups 2 {flags}"));
    (contest, ran.says(code, said))
}

#[test]
fn a_bot_that_cannot_play_ends_the_contest_with_a_remedy() {
    let missing = &["mine", "program \"./no/such/bot.py\" not found", "PATH"];
    play("./no/such/bot.py", "", 51, missing);
    let ended = &["mine: exited before it took its seat (exit code 3)", "boom"];
    play("sh -c 'echo boom >&2; exit 3'", "", 52, ended);
    let absent = &["mine: did not connect within 3000 ms", "check-bot"];
    // This is enough time for the other bot, even on a busy machine.
    play("sh -c 'sleep 60'", "--startup-ms 3000", 53, absent);
    // Prints the message that an SDK prints if the bot does not play the game.
    let other_games = "sh -c 'echo the server refused: GAME_NOT_PLAYED >&2; exit 1'";
    let said = &["mine: does not play carcassonne", "Hello", "--game"];
    play(other_games, "", 54, said);
    if cfg!(target_os = "linux") {
        let starved =
            &["mine: ran out of memory before it took its seat", "--bot-memory allows 64 MiB"];
        play("sh -c 'tail /dev/zero'", "--bot-memory 64M", 55, starved);
    }
}

#[test]
fn a_fault_ends_the_contest_or_excludes_its_group() {
    for (faults, said) in [
        ("fail", ["mine had a fault", "NEVER_CONNECTED"]),
        (
            "exclude",
            [
                "excluded, with their groups, because a bot had a fault",
                "no match counts: every group had a bot fault",
            ],
        ),
    ] {
        // This bot joins only its first match.
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let mark = mark.display();
        let bot = format!("sh -c 'mkdir {mark} && exec {PROGRAM} bot random --seed x'");
        play(&bot, &format!("--faults {faults} --startup-ms 5000"), 5, &said);
    }
}

/// Returns a bot that makes some decisions and then ends with this shell command.
fn ending(with: &str) -> String {
    // The bot is `human`, whose input ends.
    format!("echo died >&2; yes 1 | head -3 | {PROGRAM} bot human; {with}")
}

/// Returns the command of a bot that fails when it is started for the first time, and plays
/// afterwards.
fn dying_once(folder: &Path) -> String {
    let (mark, dying) = (folder.join("mark"), ending("exit 7"));
    let mark = mark.display();
    format!("sh -c 'if mkdir {mark}; then {dying}; fi; exec {PROGRAM} bot random --seed x'")
}

#[test]
fn a_bot_that_dies_in_a_match_is_restarted_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let said =
        &["mine died in a match and was restarted 1 time", "requirement restarts<=0: NOT MET"];
    let (contest, _) = play(&dying_once(folder.path()), "--require 'restarts<=0'", 4, said);
    let mut restarts = 0;
    for seat in seats(&contest.rows()) {
        assert_eq!(seat["fault_count"], 0, "{seat}");
        assert_eq!(seat["end"]["how"], "done", "{seat}");
        if seat["restarts"] != 0 {
            restarts += 1;
            assert_eq!(seat["restarts"], 1, "{seat}");
            assert!(seat["stderr_tail"].as_str().unwrap().contains("died"), "{seat}");
            let stderr = contest.read(seat["stderr"].as_str().unwrap());
            assert!(stderr.contains("died"), "{stderr}");
        }
    }
    assert_eq!(restarts, 1);
    let shown = contest.show("");
    assert!(shown.contains("died in a match and was restarted: 1"), "{shown}");
}

#[test]
fn a_dying_bot_ends_a_contest_without_faults_unless_it_may_restart() {
    for (flags, code, restarts, expected) in [
        ("", 5, 0, "dies in a match is not restarted"),
        ("--restarts 1", 0, 1, "dies in a match is restarted up to 1 time"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let flags = format!("--faults fail --reconnect-ms 20000 {flags}");
        let (contest, ran) = play(&dying_once(folder.path()), &flags, code, &[expected]);
        assert_eq!(ran.out.contains("mine had a fault"), code == 5, "{}", ran.out);
        let spec = contest.read("contest.json");
        assert!(spec.contains(&format!("\"restarts\": {restarts}")), "{spec}");
    }
}

#[test]
fn a_bot_that_exits_within_a_match_forfeits_at_once() {
    for (with, flags, restarts, why) in [
        ("exit 7", "", 1, "ended with exit code 7"),
        ("kill -KILL $$", "--restarts 3", 3, "terminated by signal 9"),
        ("exit 7", "--restarts 0", 0, "ended with exit code 7"),
        ("exit 0", "", 0, "ended with exit code 0"),
    ] {
        let command = format!("sh -c '{}'", ending(with));
        let flags = format!("--reconnect-ms 600000 --time-control 60/600 {flags}");
        let (contest, _) = play(&command, &flags, 5, &["mine forfeited: DISCONNECTED"]);
        for row in contest.rows() {
            let seats = row["seats"].as_array().unwrap();
            let mine = seats.iter().find(|seat| seat["bot"] == 0).unwrap();
            assert_eq!(mine["forfeit"], "DISCONNECTED", "{row}");
            assert_eq!(mine["restarts"], restarts, "{row}");
            assert_ne!(mine["end"]["how"], "done", "{row}");
            assert!(mine["stderr_tail"].as_str().unwrap().contains("died"), "{row}");
            assert!(mine["faults"][0]["detail"].as_str().unwrap().ends_with(why), "{row}");
            assert!(row["duration_ms"].as_u64() < Some(60_000), "{row}");
        }
    }
}

/// Each bot prints the cores on which it and its child processes may run.
#[cfg(target_os = "linux")]
#[test]
fn each_bot_has_its_own_core_if_requested() {
    let contest = Contest::new();
    let bots = ["one", "other"].map(|name| {
        let cores = "grep Cpus_allowed_list /proc/self/status >&2";
        let bot = format!("{name}=sh -c '{cores}; exec {PROGRAM} bot random --seed {name}'");
        format!("--bot {} ", quoted(&bot))
    });
    let ran = contest.run(format!("{} --groups 1 --affinity", bots.concat()));
    if std::thread::available_parallelism().unwrap().get() < 2 {
        ran.fails(2, &["need 2 cores"]);
        return;
    }
    ran.exits(0);
    for row in contest.rows() {
        let cores = row["seats"].as_array().unwrap().iter().map(|seat| {
            let text = contest.path.join(seat["stderr"].as_str().unwrap());
            let text = fs::read_to_string(text).unwrap();
            let (_, core) = text.split_once("Cpus_allowed_list:").unwrap();
            let core = core.split_whitespace().next().unwrap();
            core.parse::<usize>().expect("one core")
        });
        let cores: Vec<usize> = cores.collect();
        assert_ne!(cores[0], cores[1], "{row}");
    }
}
