//! The second process. Its arguments select what it does.

use std::{
    io::{self, Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use bridgemaster_store::{DataDir, Durability, SqliteOptions, SqliteStore, Store as _, StoreError};

use crate::workload::Workload;

/// The first argument of a second process.
pub(crate) const MARK: &str = "--as-second-process";

/// Commits the batches of a workload up to a given one, prints the number of each stored batch, and
/// then waits for the end of its input.
pub(crate) const COMMIT: &str = "commit";
/// Opens the store, prints `open`, and holds it until the end of its input.
pub(crate) const HOLD: &str = "hold";
/// Printed once the store is open.
pub(crate) const OPEN: &str = "open";

pub(crate) fn run(words: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    runtime.block_on(async {
        match words[..] {
            [COMMIT, folder, durability, seed, skip, last] => {
                commit(
                    folder,
                    durability_of(durability),
                    seed.parse().unwrap(),
                    skip.parse().unwrap(),
                    last.parse().unwrap(),
                )
                .await;
            }
            [HOLD, folder] => hold(folder).await,
            _ => panic!("{words:?}"),
        }
    });
}

/// Runs this program as a second process.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .arg(MARK)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

async fn commit(folder: &str, durability: Durability, seed: u64, skipped: u64, last: u64) {
    let mut workload = Workload::new(seed);
    for _ in 0..skipped {
        workload.batch();
    }
    let store = open(folder, durability).await.unwrap();
    for number in skipped + 1..=last {
        store.commit(workload.batch()).await.unwrap();
        say(&number.to_string());
    }
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

async fn hold(folder: &str) {
    match open(folder, Durability::Disk).await {
        Ok(_store) => {
            say(OPEN);
            io::stdin().read_to_end(&mut Vec::new()).unwrap();
        }
        Err(error) => say(&error.to_string()),
    }
}

async fn open(folder: &str, durability: Durability) -> Result<SqliteStore, StoreError> {
    let options = SqliteOptions {
        durability,
        ..SqliteOptions::default()
    };
    SqliteStore::open(&DataDir::prepare(folder)?, options).await
}

fn durability_of(word: &str) -> Durability {
    let all = [Durability::Disk, Durability::Process];
    all.into_iter()
        .find(|durability| format!("{durability:?}") == word)
        .unwrap()
}

/// Prints a line and flushes it.
fn say(line: &str) {
    println!("{line}");
    #[allow(clippy::disallowed_methods, reason = "the line is the test's own")]
    io::stdout().flush().unwrap();
}
