//! The files that `bridgemaster contest` writes, read by what reads such files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{
    contest::LAGGING,
    program::{Ran, run, words},
    report_files,
};

/// A contest, and where its outputs are.
struct Written {
    _folder: TempDir,
    path: PathBuf,
    ran: Ran,
}

const OUTPUTS: [&str; 5] = ["json", "junit", "markdown", "csv", "svg"];

impl Written {
    fn by(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let mut arguments: Vec<String> = ["contest", "--game", "bridges_to_nowhere", "--folder"]
            .map(str::to_owned)
            .into();
        arguments.push(path.join("contest").display().to_string());
        arguments.extend(LAGGING.map(str::to_owned));
        arguments.extend(outputs_in(&path));
        arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
        let ran = run(&arguments);
        Self {
            _folder: folder,
            path,
            ran,
        }
    }

    fn read(&self, output: &str) -> String {
        fs::read_to_string(self.path.join(output)).unwrap()
    }
}

fn outputs_in(path: &Path) -> impl Iterator<Item = String> {
    OUTPUTS.into_iter().flat_map(move |output| {
        [
            format!("--{output}"),
            path.join(output).display().to_string(),
        ]
    })
}

#[test]
fn every_output_of_a_contest_is_read_by_its_readers() {
    let flags = words("--bot greedy --against random --seed 1 --groups 2");
    let written = Written::by(&[&flags[..], &["--require", "faults<=0"]].concat());
    assert_eq!(written.ran.code, Some(0), "{}", written.ran.err);
    let report = report_files::json(&written.read("json"));
    assert_eq!(report["exit"]["reason"], "finished");
    assert_eq!(report["series"].as_array().unwrap().len(), 2);
    assert_eq!(report["requirements"][0]["is_met"], true);

    let junit = report_files::junit(&written.read("junit"));
    assert_eq!((junit.tests, junit.failures, junit.errors), (4, 0, 0));
    // A match that lag spoiled was played again, and has its rows too.
    let played = ["matches", "annulled_for_referee_lag", "surplus_matches"];
    let played = played.map(|name| report["counts"][name].as_u64().unwrap());
    let seats = 2 * played.iter().sum::<u64>();
    assert!(seats >= 2 * 2 * 2);
    assert_eq!(report_files::csv(&written.read("csv")) as u64, seats);
    let markdown = written.read("markdown");
    report_files::markdown(&markdown);
    assert!(markdown.starts_with("## Contest: finished"), "{markdown}");
    report_files::svg(&written.read("svg"));

    // The same again from the folder.
    let again = tempfile::tempdir().unwrap();
    let folder = written.path.join("contest").display().to_string();
    let show = ["contest".to_owned(), "show".to_owned(), folder];
    let ran = run(show.into_iter().chain(outputs_in(again.path())));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for output in OUTPUTS {
        let shown = fs::read_to_string(again.path().join(output)).unwrap();
        assert_eq!(shown, written.read(output), "{output}");
    }
}

#[cfg(unix)]
#[test]
fn what_a_crashing_bot_wrote_is_shown_and_does_nothing() {
    let words = r"<img src=x onerror=alert(1)>\033[2J\n=1+1\n# FORGED";
    let bot = format!("mine=sh -c \"printf '{words}' >&2; exit 3\"");
    let written = Written::by(&["--bot", &bot, "--against", "random", "--seed", "1"]);
    assert_eq!(written.ran.code, Some(52), "{}", written.ran.err);
    let report = report_files::json(&written.read("json"));
    assert_eq!(report["exit"]["reason"], "bot_ended");
    let junit = report_files::junit(&written.read("junit"));
    assert!(junit.failures > 0);
    for output in ["junit", "markdown", "svg"] {
        let text = written.read(output);
        assert!(!text.contains("<img") && !text.contains('\u{1b}'), "{text}");
    }
    assert!(written.read("markdown").contains("&lt;img"));
}

#[test]
fn one_output_on_standard_output_comes_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contest").display().to_string();
    let flags = ["contest", "--game", "bridges_to_nowhere", "--folder", &path];
    let bots = ["--bot", "random", "--bot", "other=random", "--groups", "1"];
    let ran = run(flags
        .iter()
        .chain(&bots)
        .chain(&LAGGING)
        .chain(&["--json", "-"]));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    report_files::json(&ran.out);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contest");
    let flags = words("contest --game carcassonne --bot greedy --against random");
    let shown = path.display().to_string();
    let files = ["--folder", &shown, "--svg", "no/such/folder/c.svg"];
    let ran = run(flags.iter().chain(&files));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    assert!(
        ran.err.contains("--svg: cannot write no/such/folder/c.svg"),
        "{}",
        ran.err
    );
    assert!(!path.exists());
}
