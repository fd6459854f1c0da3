//! Tests of the steps of action.yml, run by `.ci/action` as GitHub would run them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

use crate::{
    report_files,
    tool::{PYTHON, Tool, workspace},
};

const RUNNER: Tool = Tool {
    name: "Python environment with PyYAML",
    check: &["-c", "import yaml, bridgemaster"],
    install: "python3 sdk/python/develop.py --with-checks",
    ..PYTHON
};

/// A minimal bot, as in a user's repository.
const BOT: &str = "import bridgemaster\n\nbridgemaster.run(lambda request: 0)\n";

/// A test that receives the path of Python.
type Test = fn(&Path) -> Result<(), Failed>;

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let tests: [(&str, Test); 6] = [
        (
            "action::a_gauntlet_of_bots_of_two_languages_has_every_output",
            a_gauntlet_of_bots_of_two_languages_has_every_output,
        ),
        (
            "action::a_better_bot_is_green_and_the_program_is_built_once",
            a_better_bot_is_green_and_the_program_is_built_once,
        ),
        (
            "action::a_worse_bot_is_red_with_summary_and_replays",
            a_worse_bot_is_red_with_summary_and_replays,
        ),
        (
            "action::two_uses_in_a_job_have_separate_folders_and_artifacts",
            two_uses_in_a_job_have_separate_folders_and_artifacts,
        ),
        (
            "action::a_verdict_is_kept_without_an_artifact_and_a_broken_program_is_rebuilt",
            a_verdict_is_kept_without_an_artifact_and_a_broken_program_is_rebuilt,
        ),
        (
            "action::a_job_that_is_cancelled_has_its_summary_and_artifact",
            a_job_that_is_cancelled_has_its_summary_and_artifact,
        ),
    ];
    tests.into_iter().map(|(name, test)| Trial::ignorable_test(name, move || RUNNER.with(test)))
}

/// A job: a repository with a bot, and a `cargo` that returns the program of this build as if it
/// had built it.
struct Job {
    folder: TempDir,
    python: PathBuf,
}

impl Job {
    fn new(python: &Path) -> Result<Self, Failed> {
        let folder = TempDir::new()?;
        fs::create_dir_all(folder.path().join("work"))?;
        fs::create_dir_all(folder.path().join("bin"))?;
        fs::write(folder.path().join("work/bot.py"), BOT)?;
        let cargo = folder.path().join("bin/cargo");
        let script = "#!/bin/sh\necho \"$@\" >>\"$CALLS\"\n\
             mkdir -p \"$CARGO_TARGET_DIR/release\"\n\
             cp \"$PROGRAM\" \"$CARGO_TARGET_DIR/release/bridgemaster\"\n";
        fs::write(&cargo, script)?;
        let made = Command::new("chmod").arg("+x").arg(&cargo).status()?;
        assert!(made.success());
        Ok(Self { folder, python: python.to_owned() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, inputs: &[String]) -> Result<Output, Failed> {
        self.run_as(&[], inputs)
    }

    /// Runs the action with these flags for the runner.
    fn run_as(&self, flags: &[&str], inputs: &[String]) -> Result<Output, Failed> {
        let search_path = std::env::var("PATH").unwrap_or_default();
        let bin = self.path("bin");
        let inputs = inputs.iter().flat_map(|input| ["--input", input.as_str()]);
        let output = Command::new(&self.python)
            .arg(workspace().join(".ci/action"))
            .arg("--work")
            .arg(self.path("work"))
            .args(flags)
            .args(inputs)
            .env("PATH", format!("{}:{search_path}", bin.display()))
            .env("CALLS", self.path("calls"))
            .env("PROGRAM", env!("CARGO_BIN_EXE_bridgemaster"))
            .env("CARGO_TARGET_DIR", self.path("target"))
            .output()?;
        Ok(output)
    }
}

/// Returns the kept artifacts.
fn artifacts(job: &Job) -> Result<Vec<PathBuf>, Failed> {
    let kept = fs::read_dir(job.path("work/.job/artifacts"))?;
    let paths: Result<Vec<_>, _> = kept.map(|entry| Ok::<_, Failed>(entry?.path())).collect();
    paths
}

/// Returns the only kept artifact.
fn artifact(job: &Job) -> Result<PathBuf, Failed> {
    let mut kept = artifacts(job)?;
    assert_eq!(kept.len(), 1, "{kept:?}");
    Ok(kept.remove(0))
}

/// Returns the flags of a contest. The last line ends with a space, and one line is empty.
fn flags(candidate: &str, others: &str) -> String {
    let game = "--game bridges_to_nowhere\n--referee-lag-limit-ms 10000";
    format!("flags={game}\n  {candidate}\n\n{others} \n")
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}\n{err}")
}

fn a_better_bot_is_green_and_the_program_is_built_once(python: &Path) -> Result<(), Failed> {
    let job = Job::new(python)?;
    for folder in ["one", "two"] {
        let flags = flags("--bot greedy", "--bot random\n--candidate greedy");
        let output = job.run(&[flags, format!("folder={folder}")])?;
        let said = said(&output);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("exit-code=0"), "{said}");
        // Lines of bots in between are not interpreted as commands of the runner.
        let mut lines = said.lines();
        let word = lines.find_map(|line| line.strip_prefix("::stop-commands::"));
        let resumes = format!("::{}::", word.ok_or("commands are not stopped")?);
        assert!(lines.any(|line| line == resumes), "{said}");
        let report = job.path(&format!("work/{folder}-reports/report.json"));
        let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(report)?)?;
        assert_eq!(report["exit"]["reason"], "accepted");
    }
    let calls = fs::read_to_string(job.path("calls"))?;
    assert_eq!(calls.lines().count(), 1, "{calls}");
    assert!(calls.starts_with("build --release --locked -p bridgemaster"), "{calls}");
    let summary = fs::read_to_string(job.path("work/.job/summary.md"))?;
    assert_eq!(summary.matches("## Contest: accepted").count(), 2, "{summary}");
    Ok(())
}

fn a_worse_bot_is_red_with_summary_and_replays(python: &Path) -> Result<(), Failed> {
    let job = Job::new(python)?;
    let bot = format!("--bot mine={} bot.py", python.display());
    let output = job.run(&[flags(&bot, "--bot greedy\n--candidate mine")])?;
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("exit-code=1"), "{said}");
    let summary = fs::read_to_string(job.path("work/.job/summary.md"))?;
    assert!(summary.contains("## Contest: rejected"), "{summary}");
    let kept = artifact(&job)?;
    let junit = fs::read_to_string(kept.join("contest-reports/junit.xml"))?;
    assert!(junit.contains("failures=\"1\""), "{junit}");
    for name in ["report.json", "summary.md", "results.csv", "contest.svg"] {
        assert!(kept.join("contest-reports").join(name).is_file(), "{name}");
    }
    let replays =
        Command::new("find").arg(kept.join("contest")).args(["-name", "*.binpb"]).output()?;
    assert!(!replays.stdout.is_empty(), "no replay was kept");
    Ok(())
}

fn two_uses_in_a_job_have_separate_folders_and_artifacts(python: &Path) -> Result<(), Failed> {
    let job = Job::new(python)?;
    for folder in ["contest", "contest-2"] {
        let flags = flags("--bot greedy", "--bot random\n--groups 1");
        let output = job.run(&[flags])?;
        let said = said(&output);
        assert!(output.status.success(), "{said}");
        assert!(said.contains(&format!("folder={folder}\n")), "{said}");
        let report = job.path(&format!("work/{folder}-reports/report.json"));
        assert!(report.is_file(), "{said}");
    }
    let kept = artifacts(&job)?;
    assert_eq!(kept.len(), 2, "{kept:?}");
    for artifact in kept {
        let name = artifact.file_name().unwrap_or_default().to_string_lossy();
        assert!(name.starts_with("contest-contest-0-"), "{name}");
    }
    Ok(())
}

fn a_verdict_is_kept_without_an_artifact_and_a_broken_program_is_rebuilt(
    python: &Path,
) -> Result<(), Failed> {
    let job = Job::new(python)?;
    let flags = flags("--bot greedy", "--bot random\n--groups 1");
    let output = job.run_as(&["--fail-upload"], std::slice::from_ref(&flags))?;
    assert!(output.status.success(), "{}", said(&output));
    assert!(artifacts(&job)?.is_empty());
    // Simulates a program that was built for another image.
    let tools = job.path("work/.job");
    let found =
        Command::new("find").arg(&tools).args(["-name", "bridgemaster", "-type", "f"]).output()?;
    let found = String::from_utf8(found.stdout)?;
    assert!(!found.is_empty(), "the program is kept");
    for program in found.lines() {
        fs::write(program, "#!/no/such/interpreter\n")?;
    }
    let output = job.run(&[flags])?;
    assert!(output.status.success(), "{}", said(&output));
    let calls = fs::read_to_string(job.path("calls"))?;
    assert_eq!(calls.lines().count(), 2, "{calls}");
    Ok(())
}

fn a_job_that_is_cancelled_has_its_summary_and_artifact(python: &Path) -> Result<(), Failed> {
    let job = Job::new(python)?;
    let flags = flags("--bot greedy", "--bot random\n--groups 100000");
    let cancel = ["--cancel-when", "contest/replays/*.binpb"];
    let output = job.run_as(&cancel, &[flags])?;
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let report = artifact(&job)?.join("contest-reports/report.json");
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(report)?)?;
    assert_eq!(report["exit"]["code"], 3, "{report}");
    let summary = fs::read_to_string(job.path("work/.job/summary.md"))?;
    assert!(summary.contains("## Contest: stopped"), "{summary}");
    Ok(())
}

fn a_gauntlet_of_bots_of_two_languages_has_every_output(python: &Path) -> Result<(), Failed> {
    let job = Job::new(python)?;
    let mine = format!("--bot mine={} bot.py", python.display());
    let sample = workspace().join("bots/python/sample_bot.py").canonicalize()?;
    let sample = format!("--bot sample={} {}", python.display(), sample.display());
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let rust = format!("--bot rust={program} bot random --seed spring");
    let others = format!("--bot greedy\n{sample}\n{rust}\n--candidate mine\n--require faults<=0");
    let gauntlet = format!("{others}\n--format gauntlet\n--rounds 1");
    let output = job.run(&[flags(&mine, &gauntlet)])?;
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("exit-code=0"), "{said}");

    let kept = artifact(&job)?;
    let read = |name: &str| fs::read_to_string(kept.join("contest-reports").join(name));
    let report = report_files::json(&read("report.json")?);
    assert_eq!(report["exit"]["reason"], "finished", "{report}");
    let bots = report["bots"].as_array().ok_or("there are no bots")?;
    assert_eq!(bots.len(), 4, "{report}");
    for bot in bots {
        // Two matches against each of three opponents, which do not play each other.
        let played = if bot["name"] == "mine" { 6 } else { 2 };
        assert_eq!(bot["played"], played, "{report}");
    }
    let junit = report_files::junit(&read("junit.xml")?);
    assert_eq!((junit.tests, junit.failures, junit.errors), (6, 0, 0));
    let matches = fs::read_dir(kept.join("contest/replays"))?.count();
    assert!(matches >= 6, "{matches} replays");
    assert_eq!(report_files::csv(&read("results.csv")?), 2 * matches);
    report_files::svg(&read("contest.svg")?);
    let summary = read("summary.md")?;
    report_files::markdown(&summary);
    assert_eq!(fs::read_to_string(job.path("work/.job/summary.md"))?, summary);
    Ok(())
}
