//! Tests the processes of bots and the ways in which they end, with the real binary.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::kit::{
    program::{Background, PROGRAM, Ran, bridgemaster, quoted, run},
    results::LAGGING,
};

/// Time within which all processes of a bot must end after the program that started it.
const END_TIME: Duration = Duration::from_secs(2);
/// Time for a bot to start on a busy machine.
const START_TIME: Duration = Duration::from_secs(60);

/// Returns the number of processes `sleep NUMBER`.
fn sleepers(number: u32) -> usize {
    let wanted = format!("sleep\0{number}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.map(|entry| fs::read(entry.path().join("cmdline")).unwrap_or_default());
    lines.filter(|line| line == wanted.as_bytes()).count()
}

fn wait_within(time: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + time;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        sleep(Duration::from_millis(5));
    }
}

/// Returns a number of seconds for which no other process sleeps.
fn marker(of: u32) -> u32 {
    std::process::id() * 100 + of
}

/// Returns a bot with two processes that never plays and ignores signals to terminate.
fn stubborn(number: u32) -> String {
    format!(
        "sh -c 'trap \"\" TERM HUP INT QUIT; (setsid sleep {number} <&- >&- 2>&- &); \
         exec sleep {number}'"
    )
}

fn contest(folder: &Path, bot: &str) -> String {
    let bot = quoted(&format!("mine={bot}"));
    let game = "contest --game carcassonne --seats 2 --against greedy --groups 1";
    format!("{game} {LAGGING} --bot {bot} --folder {}", folder.join("contest").display())
}

/// Plays a contest with this bot.
fn play(bot: &str, flags: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    run(format!("{} {flags}", contest(folder.path(), bot)))
}

#[test]
fn no_process_of_a_bot_outlives_a_contest_or_a_demo() {
    let folder = tempfile::tempdir().unwrap();
    let demo = |bot| {
        let bots = quoted(&format!("greedy,{bot}"));
        format!("demo --game carcassonne --bots {bots}")
    };
    let check = |bot| format!("check-bot --game carcassonne -- {bot}");
    let contest = |bot: String| {
        let _ = fs::remove_dir_all(folder.path().join("contest"));
        contest(folder.path(), &bot)
    };
    type CommandLine<'a> = &'a dyn Fn(String) -> String;
    let ends: [(CommandLine<'_>, &str, Option<i32>); 8] = [
        (&contest, "-KILL", None),
        (&contest, "-HUP", None),
        (&contest, "-QUIT", None),
        (&contest, "-TERM", None),
        (&contest, "-INT", None),
        (&demo, "-KILL", None),
        (&demo, "-INT", Some(1)),
        (&check, "-KILL", None),
    ];
    for (number, (line, signal, code)) in (marker(0)..).zip(ends) {
        let mut running = Background::start(line(stubborn(number)));
        wait_within(START_TIME, "the bot starts", || sleepers(number) >= 2);
        running.signal(signal);
        let ended = running.process().wait().unwrap();
        assert!(code.is_none() || ended.code() == code, "{signal}: {ended}");
        wait_within(END_TIME, &format!("{signal}: no process is left"), || sleepers(number) == 0);
    }
}

#[test]
fn processes_of_a_bot_end_before_its_next_match() {
    let folder = tempfile::tempdir().unwrap();
    let number = marker(20);
    let bot = format!("sh -c 'sleep {number} & exec {PROGRAM} bot greedy'");
    let line = format!("{} --concurrency 1", contest(folder.path(), &bot));
    let mut playing = bridgemaster(line).spawn().unwrap();
    let mut most = 0;
    while playing.try_wait().unwrap().is_none() {
        most = most.max(sleepers(number));
        sleep(Duration::from_millis(1));
    }
    assert!(playing.wait().unwrap().success());
    assert_eq!(most, 1, "the last match left a process");
    assert_eq!(sleepers(number), 0);
}

#[test]
fn a_bot_that_leaves_its_match_is_reported_with_its_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once");
    let first = format!("mkdir {} && exec {PROGRAM} bot greedy", once.display());
    let bot = format!("sh -c '{first}; echo out of ideas >&2; exit 0'");
    let said = play(&bot, "--concurrency 1").all();
    assert!(said.contains("| out of ideas"), "{said}");
    assert!(said.contains("exited with code 0"), "{said}");
}

#[test]
fn a_program_that_cannot_be_started_is_reported_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    for (content, expected) in [
        ("#!/no/such/python\n", "the interpreter /no/such/python"),
        ("#!/usr/bin/env sh\r\nexit 0\r\n", "CR LF"),
    ] {
        fs::write(&script, content).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        play(script.to_str().unwrap(), "").says(51, &[expected]);
    }
}

#[test]
fn faults_of_the_machine_are_distinguished_from_those_of_a_bot() {
    let folder = tempfile::tempdir().unwrap();
    let busy = folder.path().join("busy");
    fs::copy("/bin/true", &busy).unwrap();
    let writing = fs::OpenOptions::new().write(true).open(&busy).unwrap();
    play(busy.to_str().unwrap(), "").says(6, &["open for writing"]);
    drop(writing);
    let bot = "sh -c 'echo accept: Resource temporarily unavailable >&2; exit 1'";
    play(bot, "").says(52, &["possible cause: allow more"]);
}

#[test]
fn a_contest_that_needs_namespaces_is_not_played_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    let line = contest(folder.path(), &format!("touch {}", begun.display()));
    let mut command = bridgemaster(format!("{line} --isolation pid_namespace"));
    let ran = command.env("BRIDGEMASTER_BOT_NAMESPACES", "off").output();
    Ran::from(ran.unwrap()).says(6, &["pid_namespace"]);
    assert!(!begun.exists(), "the bot ran");
}

#[test]
fn as_pid_1_it_reaps_orphans_and_forwards_signals_and_the_exit_code() {
    let started = Command::new("unshare")
        .args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"])
        .args([PROGRAM, "list", "--no-such-flag"])
        .output();
    Ran::from(started.unwrap()).exits(2);
}
