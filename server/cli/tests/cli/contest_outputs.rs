//! Tests the files that `bridgemaster contest` writes, with the programs that read such files.

use std::fs;

use tempfile::TempDir;

use crate::{
    kit::{
        program::{Ran, quoted, run, succeed},
        results::LAGGING,
    },
    report_files,
};

const OUTPUTS: [&str; 5] = ["json", "junit", "markdown", "csv", "svg"];

/// A contest and the folder of its output files.
struct Written {
    folder: TempDir,
    ran: Ran,
}

impl Written {
    fn by(flags: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("contest");
        let line = format!("contest --game bridges_to_nowhere --folder {}", at.display());
        let outputs = outputs_in(&folder);
        let ran = run(format!("{line} {LAGGING} {outputs} {flags}"));
        Self { folder, ran }
    }

    fn read(&self, output: &str) -> String {
        fs::read_to_string(self.folder.path().join(output)).unwrap()
    }
}

fn outputs_in(folder: &TempDir) -> String {
    let flag = |output| format!("--{output} {}/{output} ", folder.path().display());
    OUTPUTS.map(flag).concat()
}

#[test]
fn every_output_of_a_contest_is_valid_for_its_readers() {
    let flags = "--bot greedy --against random --seed 1 --groups 2 --require 'faults<=0'";
    let written = Written::by(flags);
    assert_eq!(written.ran.code, Some(0), "{}", written.ran.err);
    let report = report_files::json(&written.read("json"));
    assert_eq!(report["exit"]["reason"], "finished");
    assert_eq!(report["series"].as_array().unwrap().len(), 2);
    assert_eq!(report["requirements"][0]["is_met"], true);

    let junit = report_files::junit(&written.read("junit"));
    assert_eq!((junit.tests, junit.failures, junit.errors), (4, 0, 0));
    // A match that was spoiled by lag is repeated, and has rows too.
    let played = ["matches", "annulled_for_referee_lag", "surplus_matches"];
    let played = played.map(|name| report["counts"][name].as_u64().unwrap());
    let seats = 2 * played.iter().sum::<u64>();
    assert!(seats >= 2 * 2 * 2);
    assert_eq!(report_files::csv(&written.read("csv")) as u64, seats);
    let markdown = written.read("markdown");
    report_files::markdown(&markdown);
    assert!(markdown.starts_with("## Contest: finished"), "{markdown}");
    report_files::svg(&written.read("svg"));

    // `contest show` writes the same files from the folder.
    let again = tempfile::tempdir().unwrap();
    let folder = written.folder.path().join("contest");
    succeed(format!("contest show {} {}", folder.display(), outputs_in(&again)));
    for output in OUTPUTS {
        let shown = fs::read_to_string(again.path().join(output)).unwrap();
        assert_eq!(shown, written.read(output), "{output}");
    }
}

#[test]
fn a_contest_whose_bot_cannot_be_started_writes_all_reports_and_no_folder() {
    let written = Written::by("--bot mine=./no/such/bot --against random --seed 1");
    assert_eq!(written.ran.code, Some(51), "{}", written.ran.err);
    assert!(!written.folder.path().join("contest").exists());
    let report = report_files::json(&written.read("json"));
    assert_eq!(report["exit"]["reason"], "bot_not_started");
    assert_eq!(report["exit"]["bot"], "mine");
    let junit = report_files::junit(&written.read("junit"));
    assert_eq!((junit.tests, junit.failures), (3, 2), "the contest and its bot");
    report_files::markdown(&written.read("markdown"));
    report_files::svg(&written.read("svg"));
    assert_eq!(report_files::csv(&written.read("csv")), 0);
}

#[test]
fn four_wins_of_four_have_one_elo_everywhere_and_meet_no_requirement() {
    let flags = "--bot greedy --against random --seed 1 --groups 2";
    let written = Written::by(&format!("{flags} --require 'elo>=1000' --require 'elo<=2000'"));
    assert_eq!(written.ran.code, Some(4), "{}", written.ran.err);
    let report = report_files::json(&written.read("json"));
    assert_eq!(report["bots"][0]["wins"], 4, "{report}");
    let unbounded = serde_json::json!({ "estimate": null, "low": null, "high": null });
    for elo in [&report["bots"][0]["elo"], &report["bots"][1]["elo"], &report["verdict"]["elo"]] {
        assert_eq!(*elo, unbounded);
    }
    for requirement in report["requirements"].as_array().unwrap() {
        assert_eq!(requirement["is_met"], false, "{requirement}");
    }
}

#[test]
fn what_a_crashing_bot_wrote_is_shown_and_does_nothing() {
    let words = r"<img src=x onerror=alert(1)>\033[2J\n=1+1\n# FORGED";
    let bot = quoted(&format!("mine=sh -c \"printf '{words}' >&2; exit 3\""));
    let written = Written::by(&format!("--bot {bot} --against random --seed 1"));
    assert_eq!(written.ran.code, Some(52), "{}", written.ran.err);
    let report = report_files::json(&written.read("json"));
    assert_eq!(report["exit"]["reason"], "bot_ended");
    assert!(report_files::junit(&written.read("junit")).failures > 0);
    for output in ["junit", "markdown", "svg"] {
        let text = written.read(output);
        assert!(!text.contains("<img") && !text.contains('\u{1b}'), "{text}");
    }
    assert!(written.read("markdown").contains("&lt;img"));
}
