//! Tests bots whose files change: `bridgemaster contest` stops, or continues if changes are
//! allowed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    contest::Contest,
    kit::{
        program::{Background, PROGRAM, quoted, wait_until},
        results::read_json,
    },
};

/// A contest with a bot that is a script. It runs until it is stopped.
struct Scripted {
    contest: Contest,
    folder: TempDir,
}

impl Scripted {
    fn new() -> Self {
        let scripted = Self { contest: Contest::new(), folder: tempfile::tempdir().unwrap() };
        scripted.write("greedy");
        scripted
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Replaces the script by a bot. The old file is replaced, as editors and git do.
    fn write(&self, bot: &str) {
        let new = self.path("new.sh");
        fs::write(&new, format!("exec {PROGRAM} bot {bot} --seed 1\n")).unwrap();
        fs::rename(&new, self.path("bot.sh")).unwrap();
    }

    fn start(&self, flags: &str) -> Background {
        let bot = quoted(&format!("mine=sh {}", self.path("bot.sh").display()));
        let common = format!("--bot {bot} --against random --groups 500 --concurrency 1");
        let playing = Background::start(self.contest.line(&format!("{common} {flags}")));
        self.wait_for_rows(1);
        playing
    }

    fn wait_for_rows(&self, rows: usize) {
        wait_until("enough matches", || self.contest.rows().len() >= rows);
    }
}

#[test]
fn a_replaced_program_stops_the_contest_unless_changes_are_allowed() {
    let scripted = Scripted::new();
    let path = scripted.path("report.json");
    let json = format!("--json {}", path.display());
    let playing = scripted.start(&json);
    scripted.write("random");
    let script = scripted.path("bot.sh").display().to_string();
    playing.ended().prints(56, &["mine: ", &script, "--bot-changed allow"]);
    assert_eq!(read_json(&path)["exit"]["reason"], "bot_changed");
    let played = scripted.contest.rows().len();

    // The exit code is the same when the contest is resumed, and nothing is played.
    scripted.contest.resume(&json).exits(56);
    assert_eq!(scripted.contest.rows().len(), played);

    // With the original file, nothing has changed.
    scripted.write("greedy");
    scripted.contest.resume(&format!("{json} --max-time 1s")).exits(3);
    assert_eq!(read_json(&path)["identity"]["changes"], json!([]));

    scripted.write("random");
    let allowed = format!("{json} --bot-changed allow --max-time 1s");
    scripted.contest.resume(&allowed).prints(3, &["changed"]);
    let report = read_json(&path);
    let change = &report["identity"]["changes"][0];
    assert_eq!((&change["bot"], &change["file"]), (&"mine".into(), &script.into()));
    assert!(change["before"] != change["after"], "{change}");
}

#[test]
fn a_changed_file_of_a_pattern_stops_the_contest_and_a_touched_one_does_not() {
    let scripted = Scripted::new();
    let imported = scripted.path("imported.txt");
    fs::write(&imported, "one").unwrap();
    let pattern = quoted(&scripted.path("*.txt").display().to_string());
    let playing = scripted.start(&format!("--bot-files {pattern}"));
    // The file has the same bytes.
    scripted.write("greedy");
    scripted.wait_for_rows(scripted.contest.rows().len() + 2);
    fs::write(&imported, "two").unwrap();
    playing.ended().prints(56, &["imported.txt (--bot-files)"]);
}

#[test]
fn a_report_names_the_program_the_machine_and_the_files_of_bots() {
    let (contest, folder) = (Contest::new(), tempfile::tempdir().unwrap());
    let json = folder.path().join("report.json");
    let bot = quoted(&format!("mine={PROGRAM} bot greedy --seed 1"));
    let flags = format!("--against random --groups 1 --json {}", json.display());
    contest.run(format!("--bot {bot} {flags}")).exits(0);
    let identity = read_json(Path::new(&json))["identity"].take();
    let run = &identity["runs"][0];
    assert_eq!(run["bridgemaster_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(run["machine"]["arch"], std::env::consts::ARCH);
    assert!(run["machine"]["cores"].as_u64().unwrap() > 0, "{run}");
    let files = identity["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{identity}");
    assert_eq!(files[0]["file"], PROGRAM);
    assert_eq!(files[0]["sha256"].as_str().unwrap().len(), 64);
}
