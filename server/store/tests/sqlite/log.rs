//! The log of the database.

use std::{fs::File, io::Read as _, path::Path};

use bridgemaster_store::Store as _;

use crate::{LOG_FILE, finish, id, open, open_match};

/// The number of commits after which the log must have been restarted: ten times its capacity.
const COMMITS: u64 = 3_000;

/// The number of restarts of the log, from bytes 12 to 15 of its header.
fn beginnings(folder: &Path) -> u32 {
    let mut header = [0; 16];
    let mut log = File::open(folder.join(LOG_FILE)).unwrap();
    log.read_exact(&mut header).unwrap();
    u32::from_be_bytes(*header.last_chunk().unwrap())
}

#[tokio::test]
async fn the_log_is_restarted_while_commits_continue() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    let before = beginnings(folder.path());
    for number in 0..COMMITS {
        let name = format!("m{number}");
        let batch = vec![open_match(&name), finish(&name, 60_000)];
        store.commit(batch).await.unwrap();
        if beginnings(folder.path()) != before {
            let first = store.replay(&id("m0")).await.unwrap();
            assert_eq!(first.map(|bytes| bytes.len()), Some(60_000));
            assert_eq!(store.finished(None, 500).await.unwrap().matches.len() as u64, number + 1);
            return;
        }
    }
    panic!("the log was not restarted within {COMMITS} commits of 60 kB");
}
