//! Environment of bots that a command starts: variables, folders, and leftovers of earlier matches.

#![cfg(unix)]

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    contest::{Contest, LAGGING},
    program::{Ran, bridgemaster, run, sample_replay, words},
    served_match::Served,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_bridgemaster");

/// Variable that bots get from the environment of the command.
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

/// A place in which commands run whose bots note their environment.
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
        Self {
            folder,
            notes,
            temporary,
        }
    }

    /// A bot that notes its environment, and then plays.
    fn script(&self) -> String {
        let notes = self.notes.display();
        format!("env >$(mktemp {notes}/XXXXXX); exec {PROGRAM} bot random")
    }

    /// A path in it.
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A command with secrets in its environment.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bridgemaster(arguments);
        let path = std::env::var_os("PATH").unwrap();
        command
            .env_clear()
            .envs(PASSED.map(|name| (name, "C")))
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("TMPDIR", &self.temporary)
            .env("GITHUB_TOKEN", "hush")
            .env("BRIDGEMASTER_STORE", "postgres://n:hush@db/g")
            .env("OMP_NUM_THREADS", "64")
            .env("CUDA_VISIBLE_DEVICES", "1");
        command
    }

    /// The environments that bots noted.
    fn noted(&self) -> Vec<BTreeMap<String, String>> {
        let notes = fs::read_dir(&self.notes).unwrap();
        let noted = notes.map(|note| {
            let text = fs::read_to_string(note.unwrap().path()).unwrap();
            let pairs = text.lines().filter_map(|line| line.split_once('='));
            let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
            // The shell sets these.
            pairs
                .filter(|(name, _)| !["PWD", "OLDPWD", "SHLVL", "_"].contains(&name.as_str()))
                .collect()
        });
        noted.collect()
    }

    /// Checks what the bots of a command found, which has ended.
    fn check(&self, of: &str, besides: &[&str]) {
        let noted = self.noted();
        assert!(!noted.is_empty(), "{of}");
        let mut expected = [&PASSED[..], &SET, besides].concat();
        expected.sort_unstable();
        let mut folders = HashSet::new();
        for environment in &noted {
            let names: Vec<&str> = environment.keys().map(String::as_str).collect();
            assert_eq!(names, expected, "{of}");
            for name in ["HOME", "TMPDIR"] {
                let folder = &environment[name];
                assert!(
                    folders.insert(folder.clone()),
                    "{of}: {folder} is used twice"
                );
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
    let (mine, demo) = (format!("mine={command}"), format!("random,{command}"));
    let replay = sample_replay().to_str().unwrap();
    let (contest, fork, kept) = (place.path("contest"), place.path("fork"), place.path("r"));
    let pass = ["CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"];
    let pass = pass.map(|name| ["--bot-env", name]).concat();
    let play = ["--game", "carcassonne", "--groups", "1", "--quiet"];
    let commands = [
        [
            &["contest", "--bot", &mine, "--against", "random"][..],
            &["--folder", &contest],
            &play,
            &LAGGING,
        ]
        .concat(),
        vec!["demo", "--bots", &demo, "--quiet", "--replay", &kept],
        vec![
            "replay", "fork", replay, "--at", "5", "--seat", "0", "--bot", &command, "--quiet",
            "--folder", &fork,
        ],
        vec![
            "check-bot",
            "--game",
            "carcassonne",
            "--only",
            "whole-match",
            "--",
            "sh",
            "-c",
            &script,
        ],
    ];
    for arguments in commands {
        for passed in [&[][..], &pass] {
            let threads = if passed.is_empty() { "1" } else { "64" };
            let at = arguments.iter().position(|word| *word == "--");
            let (before, after) = arguments.split_at(at.unwrap_or(arguments.len()));
            let line = [before, passed, after].concat();
            let ran = Ran::from(place.command(&line).output().unwrap());
            assert_eq!(ran.code, Some(0), "{line:?}: {}{}", ran.out, ran.err);
            let noted = place.noted();
            let counted = noted.iter().all(|of| of["OMP_NUM_THREADS"] == threads);
            assert!(counted, "{line:?}: {noted:?}");
            place.check(
                arguments[0],
                if passed.is_empty() {
                    &[]
                } else {
                    &["CUDA_VISIBLE_DEVICES"]
                },
            );
            let _ = fs::remove_dir_all(&contest);
            let _ = fs::remove_dir_all(&fork);
        }
    }
}

#[test]
fn a_bot_that_attend_starts_gets_them_too() {
    let server = Served::start(&[]);
    let (place, contest) = (Place::new(), Contest::new());
    let bots = words("--bot here=random --bot far=@ada --against far");
    let at = ["--server", &server.url, "--queue", "cup", "--groups", "1"];
    let playing = bridgemaster(contest.flags(&[&bots[..], &at].concat()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let script = place.script();
    let attend = ["attend", "--server", &server.url, "--queue", "cup"];
    let version = ["--name", "ada", "--bot-version", env!("CARGO_PKG_VERSION")];
    let bot = ["--", "sh", "-c", &script];
    let mut attending = place.command(&[&attend[..], &version, &bot].concat());
    let attending = attending.output().unwrap();
    let ran = Ran::from(playing.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(attending.status.success(), "{attending:?}");
    place.check("attend", &["BRIDGEMASTER_QUEUE"]);
}

#[test]
fn what_a_bot_writes_into_its_folder_is_not_there_in_the_next_match() {
    let (place, contest) = (Place::new(), Contest::new());
    let weights = place.folder.path().join("weights");
    fs::write(&weights, "as they were\n").unwrap();
    let notes = place.notes.display();
    let bot = format!(
        "mine=sh -c 'cat weights learnt >$(mktemp {notes}/XXXXXX); echo new >weights; echo new >learnt; \
         exec {PROGRAM} bot random'"
    );
    let flags = contest.flags(&["--bot", &bot, "--against", "random", "--groups", "1"]);
    let ran = bridgemaster(flags)
        .current_dir(&place.folder)
        .output()
        .unwrap();
    let ran = Ran::from(ran);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let notes = fs::read_dir(&place.notes).unwrap();
    let read: Vec<_> = notes
        .map(|note| fs::read_to_string(note.unwrap().path()).unwrap())
        .collect();
    assert!(read.len() >= 2, "{read:?}");
    assert!(read.iter().all(|text| text == "as they were\n"), "{read:?}");
    assert_eq!(fs::read_to_string(weights).unwrap(), "as they were\n");
    assert!(!place.folder.path().join("learnt").exists());
}

#[test]
fn a_variable_that_is_not_there_or_that_the_command_sets_is_refused_before_anything_starts() {
    let bot = ["--bot", "mine=sh -c true", "--against", "random"];
    for (name, expected) in [
        ("NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
        ("BRIDGEMASTER_STORE", "BRIDGEMASTER_STORE cannot be passed"),
        ("other:PATH", "no bot \"other\""),
        (
            "TOKEN=hush",
            "\"TOKEN\" is not a valid environment variable name",
        ),
    ] {
        let contest = Contest::new();
        let ran = contest.run(&[&bot[..], &["--bot-env", name]].concat());
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.err);
        assert!(ran.err.contains(expected), "{name}: {}", ran.err);
        assert!(!contest.path.exists(), "{name}");
    }
    let ran = run(["demo", "--bot-env", "NO_SUCH_VARIABLE"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--bot-env: NO_SUCH"), "{}", ran.err);
}

/// The tiles that are drawn in the two matches of a group, as a bot notes them that keeps its notes
/// from one match to the next.
fn draws(flags: &[&str]) -> [Vec<String>; 2] {
    let (place, contest) = (Place::new(), Contest::new());
    let bot = format!(
        "mine=sh -c 'note=$(mktemp {}/XXXXXX); yes 1 | {PROGRAM} bot human | grep draws >$note'",
        place.notes.display()
    );
    let common = ["--bot", &bot, "--against", "random", "--groups", "1"];
    let ran = contest.run(&[&common[..], &["--concurrency", "1"], flags].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(contest.rows().len(), 2, "no match was annulled");
    let expected = match flags {
        [] => "matches of a group share a seed",
        _ => "each match had its own seed",
    };
    assert!(ran.out.contains(expected), "{}", ran.out);
    let note = |path: PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let tiles = text.lines().filter_map(|line| line.split(' ').next_back());
        tiles.map(str::to_owned).collect()
    };
    let notes = fs::read_dir(&place.notes).unwrap();
    let notes: Vec<Vec<String>> = notes.map(|entry| note(entry.unwrap().path())).collect();
    notes.try_into().unwrap()
}

/// Draws of the second match that the notes of the first foretell, until they are wrong.
fn foretold([first, second]: &[Vec<String>; 2]) -> usize {
    let pairs = first.iter().zip(second);
    pairs.take_while(|(noted, drawn)| noted == drawn).count()
}

#[test]
fn a_bot_with_notes_knows_the_draws_of_its_next_match_unless_each_match_has_its_own_seed() {
    let shared = draws(&[]);
    assert!(foretold(&shared) >= 40, "{shared:?}");
    let own = draws(&["--seeds", "per-match"]);
    // The first few may be the same by chance: of five draws, about once in a million times.
    assert!(foretold(&own) < 5, "{own:?}");
    assert!(own.iter().all(|drawn| drawn.len() >= 40), "{own:?}");
}
