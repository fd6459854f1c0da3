//! The processes of bots, and what ends them, by running the real binary.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Output},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    contest::LAGGING,
    program::{bridgemaster, words},
};

/// Time in which no process of a bot is left, once what started it has ended.
const END_TIME: Duration = Duration::from_secs(2);
/// Time for a bot to start on a busy machine.
const START_TIME: Duration = Duration::from_secs(60);

/// The number of processes `sleep NUMBER`.
fn sleepers(number: u32) -> usize {
    let wanted = format!("sleep\0{number}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.map(|entry| fs::read(entry.path().join("cmdline")).unwrap_or_default());
    lines.filter(|line| line == wanted.as_bytes()).count()
}

fn wait_for(time: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + time;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        sleep(Duration::from_millis(5));
    }
}

/// A number that no other process sleeps for.
fn marker(of: u32) -> u32 {
    std::process::id() * 100 + of
}

/// A bot of two processes that do all to outlive it and never plays.
fn stubborn(number: u32) -> String {
    format!(
        "sh -c 'trap \"\" TERM HUP INT QUIT; (setsid sleep {number} <&- >&- 2>&- &); \
         exec sleep {number}'"
    )
}

fn contest(folder: &Path, bot: &str) -> Command {
    let mut command = bridgemaster(["contest", "--game", "carcassonne", "--seats", "2"]);
    command.args(["--bot", &format!("mine={bot}"), "--against", "greedy"]);
    command.args(LAGGING);
    command.args(["--groups", "1", "--folder"]).arg(folder);
    command
}

fn ends_with(command: &mut Command, number: u32, signal: &str) -> Option<i32> {
    let mut child: Child = command.spawn().unwrap();
    wait_for(START_TIME, "the bot starts", || sleepers(number) >= 2);
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    wait_for(END_TIME, &format!("{signal}: processes are left"), || {
        sleepers(number) == 0
    });
    status.code()
}

#[test]
fn no_process_of_a_bot_outlives_a_contest_or_a_demo_however_it_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    for (of, signal) in ["-KILL", "-HUP", "-QUIT", "-TERM", "-INT"]
        .iter()
        .enumerate()
    {
        let number = marker(u32::try_from(of).unwrap());
        let at = folder.path().join(signal);
        ends_with(&mut contest(&at, &stubborn(number)), number, signal);
    }
    for (number, signal, code) in [(marker(10), "-KILL", None), (marker(12), "-INT", Some(1))] {
        let mut demo = bridgemaster(["demo", "--game", "carcassonne"]);
        demo.args(["--bots", &format!("greedy,{}", stubborn(number))]);
        assert_eq!(ends_with(&mut demo, number, signal), code, "{signal}");
    }
    let number = marker(11);
    let mut checked = bridgemaster(["check-bot", "--game", "carcassonne", "--"]);
    checked.args(shell_words::split(&stubborn(number)).unwrap());
    ends_with(&mut checked, number, "-KILL");
}

#[test]
fn what_a_bot_leaves_behind_is_gone_when_the_next_match_starts() {
    let folder = tempfile::tempdir().unwrap();
    let number = marker(20);
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let bot = format!("sh -c 'sleep {number} & exec {program} bot greedy'");
    let at = folder.path().join("contest");
    let mut child = contest(&at, &bot).arg("--concurrency=1").spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(sleepers(number));
        sleep(Duration::from_millis(1));
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(most, 1, "the last match left one");
    assert_eq!(sleepers(number), 0);
}

#[test]
fn a_bot_that_leaves_its_match_is_told_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let (program, once) = (
        env!("CARGO_BIN_EXE_bridgemaster"),
        folder.path().join("once"),
    );
    let bot = format!(
        "sh -c 'mkdir {} && exec {program} bot greedy; echo out of ideas >&2; exit 0'",
        once.display()
    );
    let mut command = contest(&folder.path().join("contest"), &bot);
    let ran = command.arg("--concurrency=1").output().unwrap();
    let said = text(&ran);
    assert!(said.contains("| out of ideas"), "{said}");
    assert!(said.contains("exited with code 0"), "{said}");
}

#[test]
fn a_program_that_cannot_be_started_is_told_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, expected) in [
        (
            "lost",
            "#!/no/such/python\n",
            "the interpreter /no/such/python",
        ),
        ("crlf", "#!/usr/bin/env sh\r\nexit 0\r\n", "CR LF"),
    ] {
        let script = folder.path().join(name);
        fs::write(&script, content).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let at = folder.path().join(format!("contest-{name}"));
        let ran = contest(&at, &script.display().to_string())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(51), "{}", text(&ran));
        assert!(text(&ran).contains(expected), "{}", text(&ran));
    }
}

#[test]
fn a_program_that_is_being_written_is_the_fault_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let busy = folder.path().join("busy");
    fs::copy("/bin/true", &busy).unwrap();
    let writing = fs::OpenOptions::new().write(true).open(&busy).unwrap();
    let mut command = contest(&folder.path().join("contest"), &busy.display().to_string());
    let ran = command.output().unwrap();
    drop(writing);
    assert_eq!(ran.status.code(), Some(6), "{}", text(&ran));
    assert!(text(&ran).contains("open for writing"), "{}", text(&ran));
}

#[test]
fn a_contest_that_needs_namespaces_is_not_played_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    let bot = format!("touch {}", begun.display());
    let mut command = contest(&folder.path().join("contest"), &bot);
    command.env("BRIDGEMASTER_BOT_NAMESPACES", "off");
    let ran = command.arg("--isolation=pid_namespace").output().unwrap();
    assert_eq!(ran.status.code(), Some(6), "{}", text(&ran));
    assert!(text(&ran).contains("pid_namespace"), "{}", text(&ran));
    assert!(!begun.exists(), "the bot ran");
}

#[test]
fn last_words_of_a_bot_are_not_the_fault_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let bot = "sh -c 'echo accept: Resource temporarily unavailable >&2; exit 1'";
    let mut command = contest(&folder.path().join("contest"), bot);
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(52), "{}", text(&ran));
    assert!(
        text(&ran).contains("possible cause: allow more"),
        "{}",
        text(&ran)
    );
}

#[test]
fn as_pid_1_it_reaps_orphans_and_passes_signals_and_its_exit_code_on() {
    let started = Command::new("unshare")
        .args(words("--user --map-root-user --pid --fork --mount-proc"))
        .args([env!("CARGO_BIN_EXE_bridgemaster"), "list", "--no-such-flag"])
        .output()
        .unwrap();
    assert_eq!(started.status.code(), Some(2), "{}", text(&started));
}

fn text(ran: &Output) -> String {
    let (out, err) = (&ran.stdout, &ran.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err)
}
