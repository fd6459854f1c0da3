//! Bots that cannot play, or not to the end: `bridgemaster contest` ends with an exit code and a
//! sentence that say what to do.

use std::path::Path;

use crate::{
    contest::Contest,
    program::{Ran, succeed},
};

/// The program that is tested, which has bots.
const PROGRAM: &str = env!("CARGO_BIN_EXE_bridgemaster");

/// A contest of a bot that is started by this command.
struct Case<'a> {
    command: &'a str,
    flags: &'a [&'a str],
    code: i32,
    said: &'a [&'a str],
}

impl Case<'_> {
    fn play(&self) -> (Contest, Ran) {
        let contest = Contest::new();
        let bot = format!("mine={}", self.command);
        let common = ["--bot", &bot, "--against", "random", "--groups", "2"];
        let ran = contest.run(&[&common[..], self.flags].concat());
        let all = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, Some(self.code), "{}: {all}", self.command);
        for text in self.said {
            assert!(all.contains(text), "{text:?} is missing in:\n{all}");
        }
        (contest, ran)
    }
}

#[test]
fn a_bot_that_cannot_play_ends_the_contest_at_once_with_what_to_do() {
    let cases = [
        Case {
            command: "./no/such/bot.py",
            flags: &[],
            code: 51,
            said: &["mine", "program \"./no/such/bot.py\" not found", "PATH"],
        },
        Case {
            command: "sh -c 'echo boom >&2; exit 3'",
            flags: &[],
            code: 52,
            said: &["mine: exited before it took its seat (exit code 3)", "boom"],
        },
        Case {
            command: "sh -c 'sleep 60'",
            // Enough for the other bot on a busy machine.
            flags: &["--startup-ms", "3000"],
            code: 53,
            said: &["mine: did not connect within 3000 ms", "check-bot"],
        },
        // As an SDK tells of the refusal of a bot that plays other games.
        Case {
            command: "sh -c 'echo the server refused: GAME_NOT_PLAYED >&2; exit 1'",
            flags: &[],
            code: 54,
            said: &["mine: does not play carcassonne", "Hello", "--game"],
        },
        #[cfg(target_os = "linux")]
        Case {
            command: "sh -c 'tail /dev/zero'",
            flags: &["--bot-memory", "64M"],
            code: 55,
            said: &[
                "mine: ran out of memory before it took its seat",
                "--bot-memory allows 64 MiB",
            ],
        },
    ];
    for case in cases {
        case.play();
    }
}

#[test]
fn a_fault_ends_a_contest_that_allows_none() {
    let folder = tempfile::tempdir().unwrap();
    let case = Case {
        command: &coming_once(folder.path()),
        flags: &["--faults", "fail", "--startup-ms", "5000"],
        code: 5,
        said: &["mine had a fault", "NEVER_CONNECTED"],
    };
    case.play();
}

#[test]
fn a_group_with_a_fault_is_left_out_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let case = Case {
        command: &coming_once(folder.path()),
        flags: &["--faults", "exclude", "--startup-ms", "5000"],
        code: 5,
        said: &[
            "excluded, with their groups, because a bot had a fault",
            "no match counts: every group had a bot fault",
        ],
    };
    case.play();
}

/// A bot that comes to its first match and to no other.
fn coming_once(folder: &Path) -> String {
    let mark = folder.join("mark");
    let mark = mark.display();
    format!("sh -c 'mkdir {mark} && exec {PROGRAM} bot random --seed x'")
}

/// A bot that plays some decisions and then ends with this command of the shell.
#[cfg(unix)]
fn ending(with: &str) -> String {
    // A person who types no more.
    format!("echo died >&2; yes 1 | head -3 | {PROGRAM} bot human; {with}")
}

/// The command of a bot that does so the first time that it is started, and then plays.
#[cfg(unix)]
fn dying_once(folder: &Path) -> String {
    let mark = folder.join("mark");
    format!(
        "sh -c 'if mkdir {}; then {}; fi; exec {PROGRAM} bot random --seed x'",
        mark.display(),
        ending("exit 7")
    )
}

#[cfg(unix)]
#[test]
fn a_bot_that_dies_in_a_match_is_started_again_and_plays_on() {
    let folder = tempfile::tempdir().unwrap();
    let command = dying_once(folder.path());
    let case = Case {
        command: &command,
        flags: &["--require", "restarts<=0"],
        code: 4,
        said: &[
            "mine died in a match and was restarted 1 time",
            "requirement restarts<=0: NOT MET",
        ],
    };
    let (contest, _) = case.play();
    let mut restarts = 0;
    for row in contest.rows() {
        for seat in row["seats"].as_array().unwrap() {
            assert_eq!(seat["fault_count"], 0, "{row}");
            assert_eq!(seat["end"]["how"], "done", "{row}");
            if seat["restarts"] != 0 {
                restarts += 1;
                assert_eq!(seat["restarts"], 1, "{row}");
                let tail = seat["stderr_tail"].as_str().unwrap();
                assert!(tail.contains("died"), "{row}");
                let stderr = contest.path.join(seat["stderr"].as_str().unwrap());
                let stderr = std::fs::read_to_string(stderr).unwrap();
                assert!(stderr.contains("died"), "{stderr}");
            }
        }
    }
    assert_eq!(restarts, 1);
    let shown = succeed(["contest", "show", &contest.path.display().to_string()]);
    let expected = "died in a match and was restarted: 1";
    assert!(shown.contains(expected), "{shown}");
}

#[cfg(unix)]
#[test]
fn a_bot_that_dies_ends_a_contest_that_allows_no_fault_unless_it_may_be_started_again() {
    for (flags, code, expected) in [
        (&[][..], 5, "dies in a match is not restarted"),
        (
            &["--restarts", "1"],
            0,
            "dies in a match is restarted up to 1 time",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let command = dying_once(folder.path());
        let case = Case {
            command: &command,
            flags: &[&["--faults", "fail", "--reconnect-ms", "20000"], flags].concat(),
            code,
            said: &[expected],
        };
        let (contest, ran) = case.play();
        assert_eq!(
            ran.out.contains("mine had a fault"),
            code == 5,
            "{}",
            ran.out
        );
        let spec = std::fs::read_to_string(contest.path.join("contest.json")).unwrap();
        let asked = format!("\"restarts\": {}", flags.len() / 2);
        assert!(spec.contains(&asked), "{asked} is missing in {spec}");
    }
}

#[cfg(unix)]
#[test]
fn a_bot_that_ends_for_good_within_a_match_is_lost_to_it_at_once() {
    for (with, flags, restarts, why) in [
        ("exit 7", &[][..], 1, "ended with exit code 7"),
        (
            "kill -KILL $$",
            &["--restarts", "3"],
            3,
            "terminated by signal 9",
        ),
        ("exit 7", &["--restarts", "0"], 0, "ended with exit code 7"),
        ("exit 0", &[], 0, "ended with exit code 0"),
    ] {
        let command = format!("sh -c '{}'", ending(with));
        let case = Case {
            command: &command,
            flags: &[&["--reconnect-ms", "600000", "--cap-ms", "600000"], flags].concat(),
            code: 5,
            said: &["mine forfeited: DISCONNECTED"],
        };
        let (contest, _) = case.play();
        for row in contest.rows() {
            let seats = row["seats"].as_array().unwrap();
            let mine = seats.iter().find(|seat| seat["bot"] == 0).unwrap();
            assert_eq!(mine["forfeit"], "DISCONNECTED", "{row}");
            assert_eq!(mine["restarts"], restarts, "{row}");
            assert_ne!(mine["end"]["how"], "done", "{row}");
            let tail = mine["stderr_tail"].as_str().unwrap();
            assert!(tail.contains("died"), "{row}");
            let detail = mine["faults"][0]["detail"].as_str().unwrap();
            assert!(detail.ends_with(why), "{row}");
            assert!(row["duration_ms"].as_u64() < Some(60_000), "{row}");
        }
    }
}

/// Each bot tells the cores that it may run on, and those that it starts may.
#[cfg(target_os = "linux")]
#[test]
fn each_bot_has_a_core_of_its_own_where_that_is_asked_for() {
    let contest = Contest::new();
    let bot = |name| {
        format!(
            "{name}=sh -c 'grep Cpus_allowed_list /proc/self/status >&2; exec {PROGRAM} bot \
             random --seed {name}'"
        )
    };
    let (one, other) = (bot("one"), bot("other"));
    let flags = [
        "--bot",
        &one,
        "--bot",
        &other,
        "--groups",
        "1",
        "--affinity",
    ];
    let ran = contest.run(&flags);
    let cores = std::thread::available_parallelism().unwrap().get();
    if cores < 2 {
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("need 2 cores"), "{}", ran.err);
        return;
    }
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for row in contest.rows() {
        let killed = row["seats"].as_array().unwrap().iter().map(|seat| {
            let path = contest.path.join(seat["stderr"].as_str().unwrap());
            let text = std::fs::read_to_string(path).unwrap();
            let (_, core) = text.split_once("Cpus_allowed_list:").unwrap();
            let core = core.split_whitespace().next().unwrap();
            core.parse::<usize>().expect("one core")
        });
        let killed: Vec<usize> = killed.collect();
        assert_ne!(killed[0], killed[1], "{row}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_and_processor_time_of_bots_are_in_the_table_and_in_the_rows() {
    let contest = Contest::new();
    let flags = ["--bot", "greedy", "--against", "random", "--groups", "1"];
    // A limit that is never reached changes nothing.
    let ran = contest.run(&[&flags[..], &["--bot-memory", "8G"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for row in contest.rows() {
        for seat in row["seats"].as_array().unwrap() {
            assert!(seat["peak_memory_bytes"].as_u64() > Some(1 << 20), "{seat}");
            assert!(seat["cpu_time_ms"].is_u64(), "{seat}");
        }
    }
    let folder = contest.path.display().to_string();
    let shown = succeed(["contest", "show", &folder]);
    for text in ["CPU", "peak memory: ", "CPU time: "] {
        assert!(shown.contains(text), "{text:?} is missing in:\n{shown}");
    }
}
