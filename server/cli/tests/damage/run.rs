//! Damage after damage.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use bridgemaster_store::DATABASE_FILE;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use crate::{
    answers::Answers,
    command::Command,
    files::copy_folder,
    fixture::Fixture,
    inflicting::inflict,
    judging::{Outcome, changed_replay_files, judge},
    served::Folders,
};

/// Damages inflicted at once.
const AT_ONCE: usize = 2;
/// Kinds drawn until one applies.
const DRAWS: usize = 100;

/// One damage and what came of it.
struct Trial {
    number: u64,
    damage: String,
    outcome: Outcome,
}

/// Inflicts all damages. Tells how many had which outcome.
///
/// # Errors
/// When any was silent, with each of them.
pub(crate) fn run(command: &Command) -> Result<String, String> {
    let fixture = Fixture::make();
    let place = tempfile::tempdir().unwrap();
    let next = AtomicU64::new(command.first);
    let trials = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= command.first + command.damages {
                        return;
                    }
                    let folder = place.path().join(number.to_string());
                    let trial = one(&fixture, &folder, command.seed, number);
                    fs::remove_dir_all(&folder).unwrap();
                    trials.lock().unwrap().push(trial);
                }
            });
        }
    });
    let trials = trials.into_inner().unwrap();
    if trials.len() as u64 != command.damages {
        return Err("a trial failed by itself".to_owned());
    }
    summary(command, trials)
}

fn one(fixture: &Fixture, folder: &Path, seed: u64, number: u64) -> Trial {
    let mut random = SmallRng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number));
    let base = &fixture.bases[random.random_range(0..fixture.bases.len())];
    let folders = Folders::in_folder(folder);
    copy_folder(&base.folders.data, &folders.data).unwrap();
    copy_folder(&base.folders.replays, &folders.replays).unwrap();
    let damage = (0..DRAWS)
        .find_map(|_| inflict(fixture, &folders, &mut random))
        .expect("some kind of damage applies");
    let before = contents(&folders);
    let (is_whole, checked) = folders.check();
    let mut silent = Vec::new();
    if contents(&folders) != before {
        silent.push("the check changed what it checked".to_owned());
    }
    let mut outcome = match folders.serve() {
        Err(_) => Outcome::Refused,
        Ok(server) => {
            let answers = Answers::of(&server, &fixture.known);
            drop(server);
            judge(base, &fixture.known, &answers, &folders.said())
        }
    };
    if is_whole && !matches!(outcome, Outcome::Unchanged) {
        silent.push(format!(
            "the check found nothing, and the server: {}",
            folders.said()
        ));
    }
    if !is_whole && outcome == Outcome::Unchanged {
        outcome = Outcome::Said;
    }
    let [_, stopped] = &fixture.bases;
    let changed = changed_replay_files(base, stopped, &folders, &fixture.known, &checked);
    silent.extend(changed);
    for said in [checked, folders.said()] {
        silent.extend(said.contains("panicked").then_some(said));
    }
    if let Outcome::Silent(more) = &mut outcome {
        more.extend(silent);
    } else if !silent.is_empty() {
        outcome = Outcome::Silent(silent);
    }
    Trial {
        number,
        damage: format!("{}: {damage}", base.name),
        outcome,
    }
}

/// The bytes of the database and the log; an empty log is as none.
fn contents(folders: &Folders) -> [Option<Vec<u8>>; 2] {
    ["", "-wal"].map(|suffix| {
        let name = format!("{DATABASE_FILE}{suffix}");
        let bytes = fs::read(folders.data.join(name)).ok();
        bytes.filter(|bytes| !bytes.is_empty())
    })
}

fn summary(command: &Command, mut trials: Vec<Trial>) -> Result<String, String> {
    trials.sort_by_key(|trial| trial.number);
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut silent = String::new();
    for trial in &trials {
        let kind = match &trial.outcome {
            Outcome::Refused => "refused",
            Outcome::Unchanged => "without an effect",
            Outcome::Said => "said",
            Outcome::Silent(changes) => {
                let Trial { number, damage, .. } = trial;
                let _ = writeln!(silent, "{number}: {damage}: {}", changes.join("; "));
                "SILENT"
            }
        };
        *counts.entry(kind).or_default() += 1;
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let summary = format!("{} damages: {}", trials.len(), counts.join(", "));
    if silent.is_empty() {
        return Ok(summary);
    }
    Err(format!(
        "{silent}{summary}\nagain: cargo test --release -p bridgemaster --test damage -- --long \
         --seed {} --only NUMBER",
        command.seed
    ))
}
