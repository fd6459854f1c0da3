//! Damage: a data folder with finished matches, matches in play, keys and replays is damaged in a
//! way that a seed determines, and then served. All damage must be refused, repaired or reported.
//! The server's responses must not silently differ from those for the undamaged folder.

mod answers;
mod fixture;
mod inflicting;
mod judging;
mod sql;

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use bridgemaster_store::DATABASE_FILE;
use libtest_mimic::Trial;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use self::{
    answers::Answers,
    fixture::{Fixture, Folders},
    inflicting::inflict,
    judging::{Outcome, changed_replay_files, judge},
};
use crate::{long_run::LongRun, verdict::Verdict};

/// Number of cases that run at once.
const AT_ONCE: usize = 2;
/// Maximum number of kinds of damage that are drawn until one applies.
const DRAWS: usize = 100;

pub(crate) fn trials() -> Vec<Trial> {
    let hundred = || Ok(judged(1, 0..100).map(drop)?);
    let name = "damage::no_damage_changes_an_answer_silently";
    vec![Trial::test(name, hundred)]
}

/// Runs many cases of damage, or repeats one.
///
/// # Errors
/// Returns an error if a case of damage was not reported. The error lists all such cases.
pub(crate) fn long(mut arguments: LongRun) -> Result<String, String> {
    let seed = arguments.number("--seed", 1)?;
    let cases = arguments.number("--cases", 2_000)?;
    let numbers = match arguments.number("--only", u64::MAX)? {
        u64::MAX => 0..cases,
        only => only..only + 1,
    };
    arguments.end("--seed, --cases and --only")?;
    judged(seed, numbers)
}

/// Runs the cases of damage with these numbers.
///
/// # Errors
/// Returns an error if a case of damage was not reported. The error lists all such cases, and the
/// command that repeats one.
fn judged(seed: u64, numbers: Range<u64>) -> Result<String, String> {
    run(seed, numbers).result().map_err(|problem| {
        let again = "cargo test --release -p bridgemaster --test storm -- --long damage";
        format!("{problem}to repeat: {again} --seed {seed} --only NUMBER")
    })
}

fn run(seed: u64, numbers: Range<u64>) -> Verdict {
    let fixture = Fixture::make();
    let place = tempfile::tempdir().unwrap();
    let next = AtomicU64::new(numbers.start);
    let outcomes = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        return;
                    }
                    let folder = place.path().join(number.to_string());
                    let outcome = one(&fixture, &folder, seed, number);
                    fs::remove_dir_all(&folder).unwrap();
                    outcomes.lock().unwrap().insert(number, outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut silent = Vec::new();
    for (number, (damage, outcome)) in &outcomes {
        let kind = match outcome {
            Outcome::Refused => "refused",
            Outcome::Unchanged => "without an effect",
            Outcome::Reported => "reported",
            Outcome::Silent(changes) => {
                silent.push(format!("{number}: {damage}: {}", changes.join("; ")));
                "SILENT"
            }
        };
        *counts.entry(kind).or_default() += 1;
    }
    let mut verdict = Verdict::default();
    verdict.figure(format!("{} cases: {counts:?}", outcomes.len()));
    verdict.check("all damage is refused, without an effect, or reported", silent);
    verdict
}

/// Runs one case of damage, and returns its description and the outcome.
fn one(fixture: &Fixture, folder: &Path, seed: u64, number: u64) -> (String, Outcome) {
    let mut random = SmallRng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number));
    let base = &fixture.bases[random.random_range(0..fixture.bases.len())];
    let folders = base.folders.copy_to(folder);
    let damage = (0..DRAWS)
        .find_map(|_| inflict(fixture, &folders, &mut random))
        .expect("one of the kinds of damage applies");
    let before = contents(&folders);
    let (is_whole, checked) = folders.check();
    let mut silent = Vec::new();
    if contents(&folders) != before {
        silent.push("the check changed the folders".to_owned());
    }
    let mut outcome = match folders.serve() {
        Err(_) => Outcome::Refused,
        Ok(server) => {
            let answers = Answers::of(&server, &fixture.known);
            drop(server);
            judge(base, &fixture.known, &answers, &folders.log())
        }
    };
    if is_whole && outcome != Outcome::Unchanged {
        silent.push(format!("the check found nothing, but the server logged: {}", folders.log()));
    }
    if !is_whole && outcome == Outcome::Unchanged {
        outcome = Outcome::Reported;
    }
    let [_, stopped] = &fixture.bases;
    silent.extend(changed_replay_files(base, stopped, &folders, &fixture.known, &checked));
    for said in [checked, folders.log()] {
        silent.extend(said.contains("panicked").then_some(said));
    }
    match &mut outcome {
        Outcome::Silent(more) => more.extend(silent),
        _ if !silent.is_empty() => outcome = Outcome::Silent(silent),
        _ => {}
    }
    (format!("{}: {damage}", base.name), outcome)
}

/// Returns the bytes of the database and the log. An empty log counts as none.
fn contents(folders: &Folders) -> [Option<Vec<u8>>; 2] {
    ["", "-wal"].map(|suffix| {
        let bytes = fs::read(folders.data.join(format!("{DATABASE_FILE}{suffix}"))).ok();
        bytes.filter(|bytes| !bytes.is_empty())
    })
}
