//! Tests the environment of bots that a command starts: variables, folders, and files of earlier
//! matches.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::PathBuf,
    process::Command,
};

use tempfile::TempDir;

use crate::{
    attending::ADA,
    contest::Contest,
    kit::{
        program::{Background, PROGRAM, Ran, bridgemaster, quoted, refused},
        results::LAGGING,
        served::Served,
    },
    sample_replay,
};

/// Variables of the command's environment that bots receive.
const PASSED: [&str; 5] = ["LANG", "LC_ALL", "PATH", "TZ", "VIRTUAL_ENV"];
/// Variables that the command sets.
const SET: [&str; 10] = [
    "BLIS_NUM_THREADS",
    "BRIDGEMASTER_SERVER",
    "BRIDGEMASTER_TICKET",
    "HOME",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "TMPDIR",
    "VECLIB_MAXIMUM_THREADS",
];

/// A folder for commands whose bots record their environment.
struct Place {
    folder: TempDir,
    notes: PathBuf,
    temporary: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (notes, temporary) = (folder.path().join("notes"), folder.path().join("tmp"));
        fs::create_dir(&notes).unwrap();
        fs::create_dir(&temporary).unwrap();
        Self { folder, notes, temporary }
    }

    /// Returns a bot that records its environment, and then plays.
    fn script(&self) -> String {
        let notes = self.notes.display();
        format!("env >$(mktemp {notes}/XXXXXX); exec {PROGRAM} bot random")
    }

    /// Returns a path in the folder.
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Returns a command with secrets in its environment.
    fn command(&self, line: &str) -> Command {
        let mut command = bridgemaster(line);
        command
            .env_clear()
            .envs(PASSED.map(|name| (name, "C")))
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("TMPDIR", &self.temporary)
            .env("GITHUB_TOKEN", "hush")
            .env("BRIDGEMASTER_STORE", "postgres://n:hush@db/g")
            .env("OMP_NUM_THREADS", "64")
            .env("CUDA_VISIBLE_DEVICES", "1");
        command
    }

    /// Returns the texts that bots have recorded.
    fn texts(&self) -> Vec<String> {
        let notes = fs::read_dir(&self.notes).unwrap();
        let texts = notes.map(|note| fs::read_to_string(note.unwrap().path()).unwrap());
        texts.collect()
    }

    /// Checks the environments that the bots of a finished command recorded.
    fn check(&self, of: &str, besides: &[&str], threads: &str) {
        let mut expected = [&PASSED[..], &SET, besides].concat();
        expected.sort_unstable();
        let mut folders = HashSet::new();
        let texts = self.texts();
        assert!(!texts.is_empty(), "{of}");
        for text in &texts {
            let pairs = text.lines().filter_map(|line| line.split_once('='));
            // The shell sets these variables.
            let own = ["PWD", "OLDPWD", "SHLVL", "_"];
            let found: BTreeMap<_, _> = pairs.filter(|(name, _)| !own.contains(name)).collect();
            assert!(found.keys().eq(expected.iter()), "{of}: {found:?}");
            assert_eq!(found["OMP_NUM_THREADS"], threads, "{of}");
            for folder in ["HOME", "TMPDIR"].map(|name| found[name]) {
                assert!(folders.insert(folder), "{of}: {folder} is used twice");
                assert!(folder.starts_with(self.temporary.to_str().unwrap()), "{of}");
            }
        }
        let left: Vec<_> = fs::read_dir(&self.temporary).unwrap().collect();
        assert!(left.is_empty(), "{of}: {left:?}");
        for note in fs::read_dir(&self.notes).unwrap() {
            fs::remove_file(note.unwrap().path()).unwrap();
        }
    }
}

#[test]
fn bots_of_every_command_get_the_listed_variables_and_private_folders_and_no_secret() {
    let place = Place::new();
    let script = place.script();
    let command = format!("sh -c '{script}'");
    let mine = quoted(&format!("mine={command}"));
    let (demo, bot) = (quoted(&format!("random,{command}")), quoted(&command));
    let replay = sample_replay().display();
    let (contest, fork, kept) = (place.path("contest"), place.path("fork"), place.path("r"));
    let game = "--game carcassonne";
    let against = format!("--against random {game} --groups 1 --quiet {LAGGING}");
    let pass = "--bot-env CUDA_VISIBLE_DEVICES --bot-env OMP_NUM_THREADS";
    for (line, rest) in [
        (format!("contest --bot {mine} --folder {contest} {against}"), String::new()),
        (format!("demo --bots {demo} --quiet --replay {kept}"), String::new()),
        (
            format!("replay fork {replay} --at 5 --seat 0 --bot {bot} --quiet --folder {fork}"),
            String::new(),
        ),
        (format!("check-bot {game} --only whole-match"), format!("-- sh -c {}", quoted(&script))),
    ] {
        for (flags, besides, threads) in
            [("", &[][..], "1"), (pass, &["CUDA_VISIBLE_DEVICES"], "64")]
        {
            let run = place.command(&format!("{line} {flags} {rest}")).output();
            Ran::from(run.unwrap()).exits(0);
            place.check(&line, besides, threads);
            let _ = fs::remove_dir_all(&contest);
            let _ = fs::remove_dir_all(&fork);
        }
    }
}

#[test]
fn attend_passes_the_variables_to_its_bots() {
    let server = Served::start("");
    let (place, contest) = (Place::new(), Contest::new());
    let at = format!("--server {} --queue cup", server.url);
    let bots = "--bot here=random --bot far=@ada --against far --groups 1";
    let playing = Background::start(contest.line(&format!("{bots} {at}")));
    let bot = format!("sh -c {}", quoted(&place.script()));
    let attending = place.command(&format!("attend {at} {ADA} -- {bot}")).output();
    playing.ended().exits(0);
    Ran::from(attending.unwrap()).exits(0);
    place.check("attend", &["BRIDGEMASTER_QUEUE"], "1");
}

#[test]
fn each_match_has_an_empty_private_folder() {
    let (place, contest) = (Place::new(), Contest::new());
    let weights = place.folder.path().join("weights");
    fs::write(&weights, "as they were\n").unwrap();
    let bot = format!(
        "mine=sh -c 'cat weights learnt >$(mktemp {}/XXXXXX); echo new >weights; \
         echo new >learnt; exec {PROGRAM} bot random'",
        place.notes.display()
    );
    let line = contest.line(&format!("--bot {} --against random --groups 1", quoted(&bot)));
    let ran = bridgemaster(line).current_dir(&place.folder).output();
    Ran::from(ran.unwrap()).exits(0);
    let read = place.texts();
    assert!(read.len() >= 2, "{read:?}");
    assert!(read.iter().all(|text| text == "as they were\n"), "{read:?}");
    assert_eq!(fs::read_to_string(weights).unwrap(), "as they were\n");
    assert!(!place.folder.path().join("learnt").exists());
}

#[test]
fn a_missing_or_reserved_variable_is_refused_before_the_start() {
    for (name, expected) in [
        ("NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
        ("BRIDGEMASTER_STORE", "BRIDGEMASTER_STORE cannot be passed"),
        ("other:PATH", "no bot \"other\""),
        ("TOKEN=hush", "\"TOKEN\" is not a valid environment variable name"),
    ] {
        let contest = Contest::new();
        let flags = format!("--bot 'mine=sh -c true' --against random --bot-env {name}");
        contest.run(flags).fails(2, &[expected]);
        assert!(!contest.path.exists(), "{name}");
    }
    refused("demo --bot-env NO_SUCH_VARIABLE", &["--bot-env: NO_SUCH"]);
}

/// Returns the tiles that are drawn in the two matches of a group, as recorded by a bot that keeps
/// its notes from one match to the next.
fn draws(flags: &str, expected: &str) -> [Vec<String>; 2] {
    let (place, contest) = (Place::new(), Contest::new());
    let bot = format!(
        "mine=sh -c 'note=$(mktemp {}/XXXXXX); yes 1 | {PROGRAM} bot human | grep draws >$note'",
        place.notes.display()
    );
    let common = "--against random --groups 1 --concurrency 1";
    contest.run(format!("--bot {} {common} {flags}", quoted(&bot))).prints(0, &[expected]);
    assert_eq!(contest.rows().len(), 2, "no match was annulled");
    let tiles = |text: &String| {
        let tiles = text.lines().filter_map(|line| line.split(' ').next_back());
        tiles.map(str::to_owned).collect()
    };
    let notes: Vec<Vec<String>> = place.texts().iter().map(tiles).collect();
    notes.try_into().unwrap()
}

/// Returns the number of draws at the start of the second match that equal those of the first.
fn foretold([first, second]: &[Vec<String>; 2]) -> usize {
    let pairs = first.iter().zip(second);
    pairs.take_while(|(noted, drawn)| noted == drawn).count()
}

#[test]
fn a_bot_with_files_knows_later_draws_unless_each_match_has_a_seed() {
    let shared = draws("", "matches of a group share a seed");
    assert!(foretold(&shared) >= 40, "{shared:?}");
    let own = draws("--seeds per-match", "each match had its own seed");
    // Some draws may be equal by chance. Five in a row are equal about once in a million runs.
    assert!(foretold(&own) < 5, "{own:?}");
    assert!(own.iter().all(|drawn| drawn.len() >= 40), "{own:?}");
}
