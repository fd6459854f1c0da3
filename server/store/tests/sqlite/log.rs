//! The log of the database.

use std::{fs::File, io::Read as _, path::Path};

use bridgemaster_store::Store as _;

use crate::{LOG_FILE, finish, id, open, open_match};

/// Commits after which the log must have begun anew: ten times what it may hold.
const COMMITS: u64 = 3_000;

/// How often the log has begun anew: bytes 12 to 15 of its header count that.
fn beginnings(folder: &Path) -> u32 {
    let mut header = [0; 16];
    let mut log = File::open(folder.join(LOG_FILE)).unwrap();
    log.read_exact(&mut header).unwrap();
    u32::from_be_bytes(*header.last_chunk().unwrap())
}

#[tokio::test]
async fn the_log_begins_anew_while_commits_go_on() {
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
            assert_eq!(store.match_counts().await.unwrap().finished, number + 1);
            return;
        }
    }
    panic!("the log goes on after {COMMITS} commits of 60 kB");
}
