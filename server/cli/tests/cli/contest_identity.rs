//! Bots whose files change: `bridgemaster contest` stops, and goes on where that is allowed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    contest::Contest,
    program::{Ran, bridgemaster, run, wait_for, words},
};

/// The program that is tested, which has bots.
const PROGRAM: &str = env!("CARGO_BIN_EXE_bridgemaster");

/// A contest of a bot that is a script, which goes on until it is stopped.
struct Scripted {
    contest: Contest,
    scripts: TempDir,
}

impl Scripted {
    fn new() -> Self {
        let scripted = Self {
            contest: Contest::new(),
            scripts: tempfile::tempdir().unwrap(),
        };
        scripted.write("greedy");
        scripted
    }

    fn script(&self) -> PathBuf {
        self.scripts.path().join("bot.sh")
    }

    /// Puts a bot into the script: in place of the old file, as an editor or git does.
    fn write(&self, bot: &str) {
        let new = self.scripts.path().join("new.sh");
        fs::write(&new, format!("exec {PROGRAM} bot {bot} --seed 1\n")).unwrap();
        fs::rename(&new, self.script()).unwrap();
    }

    fn start(&self, flags: &[&str]) -> Child {
        let bot = format!("mine=sh {}", self.script().display());
        let common = ["--bot", &bot, "--against", "random", "--groups", "500"];
        let more = ["--concurrency", "1"];
        let flags = [&common[..], &more, flags].concat();
        let mut command = bridgemaster(self.contest.flags(&flags));
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        self.wait_for_rows(1);
        child
    }

    fn wait_for_rows(&self, rows: usize) {
        let enough = || (self.contest.rows().len() >= rows).then_some(());
        wait_for("enough matches", enough);
    }

    fn resume(&self, flags: &[&str]) -> Ran {
        let folder = self.contest.path.to_str().unwrap();
        run(["contest", "--resume", folder].iter().chain(flags))
    }
}

fn ended(child: Child) -> Ran {
    child.wait_with_output().unwrap().into()
}

fn read_report(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_program_that_is_replaced_stops_the_contest_until_that_is_allowed() {
    let scripted = Scripted::new();
    let json = scripted.scripts.path().join("report.json");
    let json = json.to_str().unwrap();
    let playing = scripted.start(&["--json", json]);
    scripted.write("random");
    let ran = ended(playing);
    assert_eq!(ran.code, Some(56), "{}{}", ran.out, ran.err);
    let script = scripted.script().display().to_string();
    for said in ["mine: ", &script, "--bot-changed allow"] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    let report = read_report(Path::new(json));
    assert_eq!(report["exit"]["reason"], "bot_changed");
    let played = scripted.contest.rows().len();

    // It stays so when the contest is resumed, and nothing is played.
    let ran = scripted.resume(&["--json", json]);
    assert_eq!(ran.code, Some(56), "{}{}", ran.out, ran.err);
    assert_eq!(scripted.contest.rows().len(), played);

    // The old file again: nothing has changed.
    scripted.write("greedy");
    let ran = scripted.resume(&["--json", json, "--max-time", "1s"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert_eq!(
        read_report(Path::new(json))["identity"]["changes"],
        json!([])
    );

    scripted.write("random");
    let allowed = ["--bot-changed", "allow", "--max-time", "1s"];
    let ran = scripted.resume(&[&["--json", json][..], &allowed].concat());
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let report = read_report(Path::new(json));
    let change = &report["identity"]["changes"][0];
    assert_eq!(
        (&change["bot"], &change["file"]),
        (&"mine".into(), &script.into())
    );
    assert!(change["before"] != change["after"], "{change}");
    assert!(ran.out.contains("changed"), "{}", ran.out);
}

#[test]
fn a_file_that_a_pattern_finds_stops_the_contest_and_one_that_is_touched_does_not() {
    let scripted = Scripted::new();
    let imported = scripted.scripts.path().join("imported.txt");
    fs::write(&imported, "one").unwrap();
    let pattern = scripted.scripts.path().join("*.txt").display().to_string();
    let playing = scripted.start(&["--bot-files", &pattern]);
    // The same bytes.
    scripted.write("greedy");
    scripted.wait_for_rows(scripted.contest.rows().len() + 2);
    fs::write(&imported, "two").unwrap();
    let ran = ended(playing);
    assert_eq!(ran.code, Some(56), "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("imported.txt (--bot-files)"),
        "{}",
        ran.out
    );

    let contest = Contest::new();
    let nothing = words("--bot greedy --against random --bot-files no/such/*");
    let ran = contest.run(&nothing);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("no/such/*"), "{}", ran.err);
}

#[test]
fn a_report_names_the_program_the_machine_and_the_files_of_bots() {
    let contest = Contest::new();
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    let bot = format!("mine={PROGRAM} bot greedy --seed 1");
    let flags = ["--bot", &bot, "--against", "random", "--groups", "1"];
    let ran = contest.run(&[&flags[..], &["--json", json.to_str().unwrap()]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let identity = read_report(&json)["identity"].take();
    let run = &identity["runs"][0];
    assert_eq!(run["bridgemaster_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(run["machine"]["arch"], std::env::consts::ARCH);
    assert!(run["machine"]["cores"].as_u64().unwrap() > 0, "{run}");
    let files = identity["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{identity}");
    assert_eq!(files[0]["file"], PROGRAM);
    assert_eq!(files[0]["sha256"].as_str().unwrap().len(), 64);
}
