//! Kills: `data backup` and `data restore` are killed at random moments. Afterwards the folder has
//! the store of before or the complete new one, and the command can be repeated.

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::Path,
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

use libtest_mimic::Trial;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use crate::{
    kit::program::{bridgemaster, run, succeed},
    long_run::LongRun,
    verdict::Verdict,
};

/// The commands with the source NEW and the target DIR. The last one replaces an existing store.
const COMMANDS: [&str; 3] =
    ["data backup NEW DIR", "data restore NEW DIR", "data restore NEW DIR --replace"];
const OLD_KEYS: usize = 300;
const NEW_KEYS: usize = 200;

pub(crate) fn trials() -> Vec<Trial> {
    let name = "kills::a_killed_backup_or_restore_leaves_the_old_store_or_the_new_one";
    vec![Trial::test(name, || Ok(killed(1, 4).map(drop)?))]
}

/// Kills each command many times.
///
/// # Errors
/// Lists each folder that is neither in its old nor in its new state.
pub(crate) fn long(mut arguments: LongRun) -> Result<String, String> {
    let seed = arguments.number("--seed", 1)?;
    let kills = arguments.number("--kills", 40)?;
    arguments.end("--seed and --kills")?;
    killed(seed, kills)
}

fn killed(seed: u64, kills: u64) -> Result<String, String> {
    let place = tempfile::tempdir().unwrap();
    make_store(place.path(), "old", 0..OLD_KEYS);
    make_store(place.path(), "new", 0..NEW_KEYS);
    let mut random = SmallRng::seed_from_u64(seed);
    let mut verdict = Verdict::default();
    let mut wrong = Vec::new();
    for command in COMMANDS {
        let folder = place.path().join("whole");
        let started = Instant::now();
        succeed(prepare(place.path(), &folder, command));
        let duration = started.elapsed();
        fs::remove_dir_all(&folder).unwrap();
        let mut states: BTreeMap<&str, u64> = BTreeMap::new();
        for number in 0..kills {
            let folder = place.path().join(format!("killed-{number}"));
            let line = prepare(place.path(), &folder, command);
            let state = kill_and_repeat(&line, &folder, duration.mul_f64(random.random()));
            let state = state.unwrap_or_else(|problem| {
                wrong.push(format!("{line}: {problem}"));
                "WRONG"
            });
            *states.entry(state).or_default() += 1;
            fs::remove_dir_all(&folder).unwrap();
        }
        verdict.figure(format!("{command}: {states:?}"));
    }
    verdict.check("each killed command has done nothing or all, and can be repeated", wrong);
    verdict.result()
}

/// Creates a data folder with a key for each number.
fn make_store(place: &Path, name: &str, numbers: Range<usize>) {
    let (file, folder) = (place.join("keys.csv"), place.join(name));
    let lines: String = numbers.map(|number| format!("player {number},play\n")).collect();
    fs::write(&file, lines).unwrap();
    succeed(format!("key add --from-csv {} --data {}", file.display(), folder.display()));
}

/// Returns the line of a command, and creates the store that it replaces.
fn prepare(place: &Path, folder: &Path, command: &str) -> String {
    if command.ends_with("--replace") {
        let old = place.join("old");
        succeed(format!("data backup {} {}", old.display(), folder.display()));
    } else {
        fs::create_dir(folder).unwrap();
    }
    let new = place.join("new").display().to_string();
    command.replace("NEW", &new).replace("DIR", &folder.display().to_string())
}

/// Kills a command after a delay, and repeats it if its target is unchanged. Returns the state
/// after the kill.
///
/// # Errors
/// Returns an error if the target has neither its old store nor the new one.
fn kill_and_repeat(line: &str, folder: &Path, delay: Duration) -> Result<&'static str, String> {
    let mut command = bridgemaster(line);
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // A random moment, since no condition can be waited for.
    sleep(delay);
    process.kill().unwrap();
    process.wait().unwrap();
    let old = line.ends_with("--replace").then_some(OLD_KEYS);
    let state = match keys_of(folder)? {
        Some(NEW_KEYS) => return Ok("new"),
        found if found == old => "old",
        found => return Err(format!("the folder has {found:?} keys after {delay:?}")),
    };
    let repeated = run(line);
    match keys_of(folder)? {
        Some(NEW_KEYS) => Ok(state),
        found => Err(format!("repeated, {found:?} keys: {}", repeated.all())),
    }
}

/// Returns the number of keys in a folder; `None` without a store.
///
/// # Errors
/// Returns an error if `key list` and `data check` differ.
fn keys_of(folder: &Path) -> Result<Option<usize>, String> {
    let folder = folder.display();
    let listed = run(format!("key list --data {folder}"));
    let checked = run(format!("data check {folder}"));
    let keys = listed.out.lines().filter(|line| line.contains("player ")).count();
    match (listed.code, checked.code) {
        (Some(0), Some(0)) if checked.out.contains(&format!(" {keys} keys")) => Ok(Some(keys)),
        (Some(2), Some(1)) => Ok(None),
        _ => Err(format!("{keys} listed keys: {}{}", listed.err, checked.all())),
    }
}
