//! Tests `bridgemaster contest`: the matches that it plays, and their results.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use bridgemaster_games::GAME_IDS;
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    kit::{
        program::{Background, PROGRAM, Ran, bridgemaster, clean, run, succeed},
        results::{self, LAGGING, seats},
    },
    report_files,
};

/// A contest of Carcassonne in a separate folder.
pub(crate) struct Contest {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Contest {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("contest");
        Self { _folder: folder, path }
    }

    /// Its command line with more flags.
    pub(crate) fn line(&self, flags: &str) -> String {
        let folder = self.path.display();
        format!("contest --game carcassonne --folder {folder} {LAGGING} {flags}")
    }

    pub(crate) fn run(&self, flags: impl AsRef<str>) -> Ran {
        run(self.line(flags.as_ref()))
    }

    /// Plays the contest of a file.
    pub(crate) fn run_config(&self, file: &Path, flags: &str) -> Ran {
        let (folder, file) = (self.path.display(), file.display());
        run(format!("contest --folder {folder} --config {file} {flags}"))
    }

    pub(crate) fn resume(&self, flags: &str) -> Ran {
        run(format!("contest --resume {} {flags}", self.path.display()))
    }

    pub(crate) fn show(&self, flags: &str) -> String {
        succeed(format!("contest show {} {flags}", self.path.display()))
    }

    pub(crate) fn rows(&self) -> Vec<Value> {
        results::rows(&self.path)
    }

    pub(crate) fn scores(&self) -> BTreeMap<(u64, u64), Vec<i64>> {
        results::scores(&self.path)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path.join(file)).unwrap()
    }

    /// Returns the lines about the strength of the candidate, which follow from the results and
    /// contain no times.
    pub(crate) fn verdict(&self) -> Vec<String> {
        let shown = self.show("");
        let lines = shown
            .lines()
            .filter(|line| ["Elo:", "LLR", "group"].iter().any(|text| line.contains(text)));
        // This line contains the total time of all matches, which varies.
        let lines = lines.filter(|line| !line.contains("matches in"));
        lines.map(str::to_owned).collect()
    }
}

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_in_every_game() {
    let folder = tempfile::tempdir().unwrap();
    for game in GAME_IDS {
        let at = folder.path().join(game).display().to_string();
        let line = "contest --quiet --bot greedy --against random --seed four --max-groups 10";
        run(format!("{line} {LAGGING} --game {game} --folder {at} --json {at}.json")).exits(0);
        let report = report_files::json(&fs::read_to_string(format!("{at}.json")).unwrap());
        assert_eq!(report["exit"]["reason"], "accepted", "{game}");
    }
}

#[test]
fn a_verdict_is_printed_while_progress_is_in_lines_and_replays_are_named_by_outcome() {
    let contest = Contest::new();
    let ran = contest.run("--bot greedy --against random --seed spring");
    let ran = ran.prints(0, &["greedy: accepted"]);
    // Standard error is not a terminal.
    ran.fails(0, &["matches/s, at most"]);
    assert!(contest.scores().len() <= 20);
    let replays = fs::read_dir(contest.path.join("replays")).unwrap();
    assert_eq!(replays.count(), contest.rows().len());

    let contest = Contest::new();
    let ran = contest.run("--bot random --against greedy --seed spring");
    ran.prints(1, &["random: rejected"]);
    let replays = fs::read_dir(contest.path.join("replays")).unwrap();
    let first = replays.map(|file| file.unwrap().file_name()).min().unwrap();
    assert!(first.to_str().unwrap().starts_with("lost-"), "{first:?}");
}

#[test]
fn an_undecided_test_has_exit_code_3() {
    let contest = Contest::new();
    let bots = "--bot one=random --bot other=random";
    let ran = contest.run(format!("{bots} --seed spring --max-groups 4 --elo 0,100"));
    ran.prints(3, &["not decided after 4 groups"]);
    let worst = contest.show("--bot one");
    assert!(worst.contains("worst matches") && worst.contains(".replay.binpb"), "{worst}");
}

#[test]
fn an_unmet_requirement_has_exit_code_4() {
    let line = "--bot random --against greedy --groups 1 --require 'win_rate>=60%'";
    Contest::new().run(line).prints(4, &["NOT MET"]);
}

#[test]
fn a_round_robin_at_three_seats_ends_with_a_table() {
    let contest = Contest::new();
    let bots = "--seats 3 --bot greedy --bot one=random --bot other=random";
    let must = "--require 'greedy:score>=0.5'";
    contest
        .run(format!("--format round-robin --rounds 1 {bots} {must}"))
        .prints(0, &["all rounds have been played"]);
    assert_eq!(contest.scores().len(), 3);
}

#[test]
fn a_plan_estimates_groups_and_time_and_leaves_no_files() {
    let contest = Contest::new();
    contest
        .run("--bot greedy --against random --plan")
        .prints(0, &["at the upper bound", "half-way", "groups", "as in this group: "]);
    assert!(!contest.path.exists());
}

const BUILT_IN: &str = "--bot greedy --against random --seed built-in";

#[test]
fn a_contest_of_built_in_bots_starts_no_program() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("bridgemaster");
    fs::hard_link(PROGRAM, &program).unwrap();
    let contest = Contest::new();
    let line = contest.line(&format!("{BUILT_IN} --groups 20 --concurrency 2"));
    let mut command = std::process::Command::new(&program);
    command.args(bridgemaster(line).get_args());
    let playing = Background::spawn(clean(&mut command));
    // The running bot is not affected, but the program cannot be started again.
    fs::remove_file(&program).unwrap();
    playing.ended().exits(0);
    let rows = contest.rows();
    assert_eq!(rows.len(), 40);
    for seat in seats(&rows) {
        assert_eq!(seat["end"]["how"], "done", "{seat}");
        assert!(seat["answered"].as_u64() > Some(0), "{seat}");
        assert!(seat["peak_memory_bytes"].is_null() && seat["stderr"].is_null(), "{seat}");
        assert_eq!(seat["cpu_time_ms"].is_u64(), cfg!(target_os = "linux"), "{seat}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_built_in_bot_decides_in_the_contest_as_it_does_in_a_process_with_its_memory_and_time() {
    // With a memory limit, even one that is never reached, the bot runs as a process.
    let scores = ["", "--bot-memory 8G"].map(|limits| {
        let contest = Contest::new();
        contest.run(format!("{BUILT_IN} --groups 2 {limits}")).exits(0);
        for seat in seats(&contest.rows()) {
            let is_process = seat["peak_memory_bytes"].as_u64() > Some(1 << 20);
            assert_eq!(is_process, !limits.is_empty(), "{seat}");
            assert!(seat["cpu_time_ms"].is_u64(), "{seat}");
        }
        let shown = contest.show("");
        for text in ["CPU", "peak memory: ", "CPU time: "] {
            assert!(limits.is_empty() || shown.contains(text), "{text}: {shown}");
        }
        contest.scores()
    });
    assert_eq!(scores[0], scores[1]);
}
