//! Files of a data folder that are missing, damaged, or of another store.

use std::{fs, path::Path};

use bridgemaster_store::{
    COMMITS_FILE, CommitCompleteness, DATABASE_FILE, DataDir, KeyStore as _, MissingCommits,
    SqliteKeys, SqliteStore, Store as _, StoreError,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    LOG_FILE, append, as_killed, finish, key, open, open_match,
    workload::{Contents, Workload},
};

/// A store with matches in all states, mostly in its log, and the number of its commits.
async fn filled(folder: &Path, seed: u64) -> (SqliteStore, u64) {
    let store = open(folder).await.unwrap();
    let mut workload = Workload::new(seed);
    for _ in 0..40 {
        store.commit(workload.batch()).await.unwrap();
    }
    // This includes the commit that opened the store.
    (store, 41)
}

/// Returns the bytes of the files of a folder.
fn files(folder: &Path) -> Vec<Option<Vec<u8>>> {
    [DATABASE_FILE, LOG_FILE, COMMITS_FILE].map(|file| fs::read(folder.join(file)).ok()).to_vec()
}

/// Checks that opening fails, for a server and for a command, and leaves the files unchanged.
async fn refused(folder: &Path) -> StoreError {
    let before = files(folder);
    let error = open(folder).await.unwrap_err();
    let dir = DataDir::prepare(folder).unwrap();
    let of_command = SqliteKeys::open(&dir).await.unwrap_err();
    assert_eq!(of_command.to_string(), error.to_string());
    let of_check = bridgemaster_store::check(&dir).await.unwrap_err();
    assert_eq!(of_check.to_string(), error.to_string());
    assert_eq!(files(folder), before, "{error}");
    error
}

#[tokio::test]
async fn a_missing_database_is_not_recreated_beside_its_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let _store = filled(folder.path(), 1).await;
    for left in [LOG_FILE, COMMITS_FILE, "bridgemaster.db-shm"] {
        for with_an_empty_one in [false, true] {
            let other = tempfile::tempdir().unwrap();
            fs::copy(folder.path().join(left), other.path().join(left)).unwrap();
            if with_an_empty_one {
                fs::write(other.path().join(DATABASE_FILE), "").unwrap();
            }
            let error = refused(other.path()).await;
            assert!(
                matches!(&error, StoreError::DatabaseMissing { beside, .. }
                    if beside.ends_with(left)),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_file_that_is_not_a_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _store = filled(folder.path(), 2).await;
    let sound = fs::read(folder.path().join(LOG_FILE)).unwrap();
    let mut flipped = sound.clone();
    flipped[13] ^= 4;
    for junk in [b"junk ".repeat(1_000), vec![0xff; 40], flipped] {
        let killed = as_killed(folder.path());
        fs::write(killed.path().join(LOG_FILE), &junk).unwrap();
        let error = refused(killed.path()).await;
        assert!(
            matches!(&error, StoreError::FileMismatch { beside, .. } if beside.ends_with(LOG_FILE)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn files_of_another_store_are_refused() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (_store, commits) = filled(folder.path(), 3).await;
    let (_other_store, _) = filled(other.path(), 4).await;
    for file in [LOG_FILE, COMMITS_FILE] {
        let killed = as_killed(folder.path());
        fs::copy(other.path().join(file), killed.path().join(file)).unwrap();
        let error = refused(killed.path()).await;
        assert!(
            matches!(&error, StoreError::FileMismatch { beside, .. }
                if beside.ends_with(COMMITS_FILE)),
            "{file}: {error}"
        );
        // With its own file, the store is complete again.
        fs::copy(folder.path().join(file), killed.path().join(file)).unwrap();
        let store = open(killed.path()).await.unwrap();
        assert_eq!(store.open_report().completeness, CommitCompleteness::Complete);
        store.close().await.unwrap();
        let dir = DataDir::prepare(killed.path()).unwrap();
        let report = bridgemaster_store::check(&dir).await.unwrap();
        assert_eq!(report.commits, commits + 1);
    }
}

#[tokio::test]
async fn a_truncated_log_is_reported_once_and_the_store_continues() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, expected) = filled(folder.path(), 5).await;
    let killed = as_killed(folder.path());
    let log = fs::File::options().write(true).open(killed.path().join(LOG_FILE)).unwrap();
    let length = log.metadata().unwrap().len();
    log.set_len(length / 2).unwrap();
    let store = open(killed.path()).await.unwrap();
    let CommitCompleteness::Missing(lost) = store.open_report().completeness else {
        panic!("{:?}", store.open_report());
    };
    assert_eq!(lost.expected, expected);
    assert!((1..expected).contains(&lost.found), "{lost:?}");
    assert_eq!(lost.min_lost(), expected - lost.found);
    store.commit(vec![open_match("new"), append("new", 0)]).await.unwrap();
    let then = Contents::of(&store).await;
    store.close().await.unwrap();
    let store = open(killed.path()).await.unwrap();
    assert_eq!(store.open_report().completeness, CommitCompleteness::Complete);
    assert_eq!(Contents::of(&store).await, then);
}

#[tokio::test]
async fn a_missing_log_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, expected) = filled(folder.path(), 6).await;
    let killed = as_killed(folder.path());
    bring_in_the_log(killed.path());
    let older = fs::read(killed.path().join(DATABASE_FILE)).unwrap();
    let store = open(killed.path()).await.unwrap();
    store.commit(vec![open_match("lost")]).await.unwrap();
    let later = as_killed(killed.path());
    fs::remove_file(later.path().join(LOG_FILE)).unwrap();
    fs::write(later.path().join(DATABASE_FILE), &older).unwrap();
    let store = open(later.path()).await.unwrap();
    let lost = MissingCommits { found: expected, expected: expected + 2 };
    assert_eq!(store.open_report().completeness, CommitCompleteness::Missing(lost));
}

/// Copies the log into the database.
fn bring_in_the_log(folder: &Path) {
    crate::change(folder, "PRAGMA wal_checkpoint(TRUNCATE)");
}

#[tokio::test]
async fn a_torn_log_loses_only_complete_batches_at_its_end() {
    const TEARS: usize = 60;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    let mut workload = Workload::new(23);
    let mut states = vec![Contents::of(&store).await];
    for _ in 0..40 {
        store.commit(workload.batch()).await.unwrap();
        states.push(Contents::of(&store).await);
    }
    let killed = as_killed(folder.path());
    let database = fs::read(killed.path().join(DATABASE_FILE)).unwrap();
    let log = fs::read(killed.path().join(LOG_FILE)).unwrap();
    // The log has everything: its pages have not been copied into the database yet.
    let (database_bytes, log_bytes) = (database.len(), log.len());
    assert!(log_bytes > 100_000 && database_bytes < 10_000, "{log_bytes} {database_bytes}");
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let mut found_states = Vec::new();
    for tear in 0..TEARS {
        let torn = tempfile::tempdir().unwrap();
        let place = random.random_range(0..log.len());
        let mut torn_log = log.clone();
        // The disk has lost the end, or has written something else in one place.
        if tear % 2 == 0 {
            torn_log.truncate(place);
        } else {
            torn_log[place] ^= 1 << random.random_range(0..8);
        }
        fs::write(torn.path().join(DATABASE_FILE), &database).unwrap();
        fs::write(torn.path().join(LOG_FILE), torn_log).unwrap();
        let store = open(torn.path()).await.unwrap();
        let found = Contents::of(&store).await;
        store.close().await.unwrap();
        let batches = states.iter().position(|state| *state == found);
        let batches = batches.unwrap_or_else(|| panic!("half a batch after a tear at {place}"));
        found_states.push((place, batches));
    }
    // The further the log reaches, the more it holds.
    found_states.sort_unstable();
    assert!(found_states.is_sorted_by_key(|(_, batches)| batches), "{found_states:?}");
    found_states.dedup_by_key(|(_, batches)| *batches);
    assert!(found_states.len() > 10, "{found_states:?}");
}

#[tokio::test]
async fn a_flipped_bit_in_the_log_never_changes_anything_silently() {
    const FLIPS: usize = 60;
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = filled(folder.path(), 7).await;
    let truth = Contents::of(&store).await;
    let killed = as_killed(folder.path());
    let sound = files(killed.path());
    let log = sound[1].clone().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut lost, mut refused) = (0, 0);
    for flip in 0..FLIPS {
        let mut damaged = log.clone();
        // The bit is in the header of the log, in that of a frame, or anywhere.
        let place = match flip % 3 {
            0 => random.random_range(0..32),
            1 => 32 + (4096 + 24) * random.random_range(0..10) + random.random_range(0..24),
            _ => random.random_range(32..log.len()),
        };
        damaged[place] ^= 1 << random.random_range(0..8);
        // Each case has a separate folder, since a dropped store closes its files some time later.
        let killed = tempfile::tempdir().unwrap();
        let (database, commits) = (sound[0].as_ref().unwrap(), sound[2].as_ref().unwrap());
        fs::write(killed.path().join(DATABASE_FILE), database).unwrap();
        fs::write(killed.path().join(LOG_FILE), damaged).unwrap();
        fs::write(killed.path().join(COMMITS_FILE), commits).unwrap();
        match open(killed.path()).await {
            Err(_) => refused += 1,
            Ok(store) => match store.open_report().completeness {
                CommitCompleteness::Missing(_) => lost += 1,
                CommitCompleteness::Complete => {
                    assert!(Contents::of(&store).await == truth, "byte {place}");
                }
                CommitCompleteness::Unknown { detail } => panic!("{detail}"),
            },
        }
    }
    assert!(lost > 20 && refused > 10, "{lost} {refused}");
}

#[tokio::test]
async fn a_missing_count_of_commits_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = filled(folder.path(), 8).await;
    let truth = Contents::of(&store).await;
    for count in [None, Some("nonsense")] {
        let killed = as_killed(folder.path());
        let file = killed.path().join(COMMITS_FILE);
        match count {
            None => fs::remove_file(&file).unwrap(),
            Some(text) => fs::write(&file, text).unwrap(),
        }
        let store = open(killed.path()).await.unwrap();
        let tail = store.open_report().completeness;
        assert!(matches!(tail, CommitCompleteness::Unknown { .. }), "{tail:?}");
        assert_eq!(Contents::of(&store).await, truth);
        store.close().await.unwrap();
        let store = open(killed.path()).await.unwrap();
        assert_eq!(store.open_report().completeness, CommitCompleteness::Complete);
    }
}

#[tokio::test]
async fn a_key_command_counts_as_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path()).await.unwrap();
    let older = as_killed(folder.path());
    let dir = DataDir::prepare(folder.path()).unwrap();
    let keys = SqliteKeys::open(&dir);
    keys.await.unwrap().add_key(key("k1", "north")).await.unwrap();
    // The server continues from that commit.
    server.commit(vec![open_match("a"), finish("a", 10)]).await.unwrap();
    let newer = as_killed(folder.path());
    fs::copy(newer.path().join(COMMITS_FILE), older.path().join(COMMITS_FILE)).unwrap();
    let lost = MissingCommits { found: 1, expected: 3 };
    let store = open(older.path()).await.unwrap();
    assert_eq!(store.open_report().completeness, CommitCompleteness::Missing(lost));
    assert_eq!(
        open(newer.path()).await.unwrap().open_report().completeness,
        CommitCompleteness::Complete
    );
}

#[tokio::test]
async fn a_key_command_does_not_change_a_database_that_has_replaced_its_own() {
    let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let dir = DataDir::prepare(own.path()).unwrap();
    let keys = SqliteKeys::open(&dir).await.unwrap();
    let store = open(other.path()).await.unwrap();
    store.close().await.unwrap();
    for file in [DATABASE_FILE, COMMITS_FILE] {
        fs::copy(other.path().join(file), own.path().join(file)).unwrap();
    }
    let before = files(own.path());
    let refused = keys.add_key(key("k1", "north")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Replaced { .. }), "{refused}");
    assert_eq!(files(own.path())[0], before[0]);
}
