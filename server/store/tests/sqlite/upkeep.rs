//! Checks, backups and restores.

use std::{fs, path::Path, time::Duration};

use bridgemaster_store::{
    COMMITS_FILE, CommitCompleteness, DATABASE_FILE, DataDir, RecordStore as _, Store as _,
    StoreError, backup, check, replace, restore,
};

use tokio::time::timeout;

use crate::{
    change, finish, open, open_match,
    workload::{Contents, Workload},
};

/// Timeout for checking a small folder.
const TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_backup_taken_beside_a_server_restores_the_same_store() {
    let place = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(place.path().join("data")).unwrap();
    let store = open(dir.path()).await.unwrap();
    let mut workload = Workload::new(31);
    for _ in 0..30 {
        store.commit(workload.batch()).await.unwrap();
    }
    store.get_or_insert_secret("s", vec![1, 2, 3]).await.unwrap();
    let then = Contents::of(&store).await;
    let copy = place.path().join("backup");
    let report = backup(&dir, &copy).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.completeness, CommitCompleteness::Complete);
    assert_eq!(
        (report.open as usize, report.finished as usize),
        (then.open.len(), then.finished.len())
    );
    // The server continues unaffected.
    for _ in 0..10 {
        store.commit(workload.batch()).await.unwrap();
    }
    assert_ne!(Contents::of(&store).await, then);
    let report = check(&dir).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.commits, 42);

    let restored = DataDir::prepare(place.path().join("restored")).unwrap();
    let report = restore(&copy, &restored).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    let store = open(restored.path()).await.unwrap();
    assert_eq!(store.open_report().completeness, CommitCompleteness::Complete);
    assert_eq!(Contents::of(&store).await, then);
    assert_eq!(store.secret("s").await.unwrap(), Some(vec![1, 2, 3]));
    // The copy can be backed up again, and is the same store.
    store.commit(vec![open_match("z"), finish("z", 9)]).await.unwrap();
}

#[tokio::test]
async fn nothing_is_written_over() {
    let place = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(place.path().join("data")).unwrap();
    let store = open(dir.path()).await.unwrap();
    store.close().await.unwrap();
    let copy = place.path().join("backup");
    backup(&dir, &copy).await.unwrap();
    let again = backup(&dir, &copy).await.unwrap_err();
    assert!(matches!(again, StoreError::AlreadyExists { .. }), "{again}");
    let over = restore(&copy, &dir).await.unwrap_err();
    assert!(matches!(over, StoreError::AlreadyExists { .. }), "{over}");
    let nothing = restore(&place.path().join("nowhere"), &dir).await.unwrap_err();
    assert!(matches!(nothing, StoreError::NoBackup { .. }), "{nothing}");
    let store = open(dir.path()).await.unwrap();
    let held = restore(&copy, &dir).await.unwrap_err();
    assert!(matches!(held, StoreError::FolderInUse { .. }), "{held}");
    drop(store);
}

#[tokio::test]
async fn a_damaged_backup_is_not_restored() {
    let place = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(place.path().join("data")).unwrap();
    let store = open(dir.path()).await.unwrap();
    let batch = vec![open_match("a"), finish("a", 9_000)];
    store.commit(batch).await.unwrap();
    let copy = place.path().join("backup");
    backup(&dir, &copy).await.unwrap();
    change(&copy, "UPDATE replay SET replay = x'00'");
    let restored = DataDir::prepare(place.path().join("restored")).unwrap();
    let refused = restore(&copy, &restored).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert!(!restored.database().exists());
    let report = check(&DataDir::prepare(&copy).unwrap()).await.unwrap();
    assert_eq!(report.damage_reports.len(), 1);
    assert!(!report.is_sound());
}

#[tokio::test]
async fn a_replaced_store_is_kept_and_a_bad_backup_replaces_nothing() {
    let place = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(place.path().join("data")).unwrap();
    let store = open(dir.path()).await.unwrap();
    store.commit(vec![open_match("a")]).await.unwrap();
    let copy = place.path().join("backup");
    backup(&dir, &copy).await.unwrap();
    store.commit(vec![open_match("b")]).await.unwrap();
    let now = Contents::of(&store).await;
    let held = replace(&copy, &dir).await.unwrap_err();
    assert!(matches!(held, StoreError::FolderInUse { .. }), "{held}");
    store.close().await.unwrap();
    drop(store);

    let report = replace(&copy, &dir).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.open, 1);
    let replaced = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut replaced: Vec<_> = replaced.filter(|path| path.is_dir()).collect();
    assert_eq!(replaced.len(), 1, "{replaced:?}");
    let replaced = open(&replaced.remove(0)).await.unwrap();
    assert_eq!(Contents::of(&replaced).await, now);

    // The database is older, but has a newer number of commits.
    lose_commits(&copy, 3).await;
    let refused = replace(&copy, &dir).await.unwrap_err();
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
    assert_eq!(check(&dir).await.unwrap().open, 1);
}

/// Makes this number of commits in a folder, and undoes all of it except their count.
async fn lose_commits(folder: &Path, commits: u64) {
    let database = fs::read(folder.join(DATABASE_FILE)).unwrap();
    let store = open(folder).await.unwrap();
    for number in 0..commits {
        let id = format!("later-{number}");
        store.commit(vec![open_match(&id)]).await.unwrap();
    }
    store.close().await.unwrap();
    fs::write(folder.join(DATABASE_FILE), database).unwrap();
}

#[tokio::test]
async fn a_backup_has_two_files_accessible_only_to_this_user() {
    let place = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(place.path().join("data")).unwrap();
    let store = open(dir.path()).await.unwrap();
    store.commit(vec![open_match("a")]).await.unwrap();
    let copy = place.path().join("backup");
    backup(&dir, &copy).await.unwrap();
    for file in [DATABASE_FILE, COMMITS_FILE] {
        let found = fs::metadata(copy.join(file)).unwrap();
        assert!(found.len() > 0);
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077, 0);
    }
    assert!(!copy.join("bridgemaster.unfinished").exists());
}

/// A misdirected write leaves a valid page in place of another.
#[tokio::test]
async fn a_check_terminates_for_every_misplaced_page() {
    const PAGE: usize = 4_096;
    const TABLE_LEAF: u8 = 0x0d;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data");
    let store = open(&folder).await.unwrap();
    let mut workload = Workload::new(37);
    for _ in 0..60 {
        store.commit(workload.batch()).await.unwrap();
    }
    let contents = Contents::of(&store).await;
    store.close().await.unwrap();
    let sound = fs::read(folder.join(DATABASE_FILE)).unwrap();
    // These are pages with rows, whose number is in bytes 3 and 4.
    let leaves: Vec<usize> = (1..sound.len() / PAGE)
        .filter(|page| sound[page * PAGE] == TABLE_LEAF && sound[page * PAGE + 3..][..2] != [0, 0])
        .collect();
    let mut ended = 0;
    for pair in leaves.windows(2) {
        let mut bytes = sound.clone();
        bytes.copy_within(pair[0] * PAGE..(pair[0] + 1) * PAGE, pair[1] * PAGE);
        let place = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(place.path()).unwrap();
        fs::write(dir.database(), bytes).unwrap();
        fs::copy(folder.join(COMMITS_FILE), dir.path().join(COMMITS_FILE)).unwrap();
        let checked = timeout(TIMEOUT, check(&dir)).await;
        let checked = checked.unwrap_or_else(|_| panic!("page {} for page {}", pair[0], pair[1]));
        // An unused page may contain anything.
        if checked.is_ok_and(|report| report.is_sound()) {
            let store = open(dir.path()).await.unwrap();
            assert_eq!(Contents::of(&store).await, contents, "{pair:?}");
            store.close().await.unwrap();
        }
        ended += 1;
    }
    assert!(ended > 5, "{ended} pages");
}
