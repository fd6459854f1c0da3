//! Bots that cannot play, or not to the end: `bridgemaster contest` ends with an exit code and a
//! sentence that say what to do.

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
            said: &["mine", "there is no program \"./no/such/bot.py\"", "PATH"],
        },
        Case {
            command: "sh -c 'echo boom >&2; exit 3'",
            flags: &[],
            code: 52,
            said: &[
                "mine: it ended before it took its seat (exit code 3)",
                "boom",
            ],
        },
        Case {
            command: "sh -c 'sleep 60'",
            // Enough for the other bot on a busy machine.
            flags: &["--startup-ms", "3000"],
            code: 53,
            said: &[
                "mine: it was started and did not connect within 3000 ms",
                "check-bot",
            ],
        },
        // As an SDK tells of the refusal of a bot that plays other games.
        Case {
            command: "sh -c 'echo the server refused: GAME_NOT_PLAYED >&2; exit 1'",
            flags: &[],
            code: 54,
            said: &["mine: it does not play carcassonne", "Hello", "--game"],
        },
        #[cfg(target_os = "linux")]
        Case {
            command: "sh -c 'tail /dev/zero'",
            flags: &["--bot-memory", "64M"],
            code: 55,
            said: &[
                "mine: it ran out of memory before it took its seat",
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
    // A bot that comes to its first match and to no other.
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let command = format!(
        "sh -c 'mkdir {} && exec {PROGRAM} bot random --seed x'",
        mark.display()
    );
    let case = Case {
        command: &command,
        flags: &["--faults", "fail", "--startup-ms", "5000"],
        code: 5,
        said: &["mine had a fault", "NEVER_CONNECTED"],
    };
    case.play();
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
        let told = row["seats"].as_array().unwrap().iter().map(|seat| {
            let path = contest.path.join(seat["stderr"].as_str().unwrap());
            let text = std::fs::read_to_string(path).unwrap();
            let (_, core) = text.split_once("Cpus_allowed_list:").unwrap();
            let core = core.split_whitespace().next().unwrap();
            core.parse::<usize>().expect("one core")
        });
        let told: Vec<usize> = told.collect();
        assert_ne!(told[0], told[1], "{row}");
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
    for text in ["CPU", "most memory: ", "processor time: "] {
        assert!(shown.contains(text), "{text:?} is missing in:\n{shown}");
    }
}
