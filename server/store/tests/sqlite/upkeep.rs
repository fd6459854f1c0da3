//! Checks, backups and restores.

use std::fs;

use bridgemaster_store::{
    COMMITS_FILE, DATABASE_FILE, DataDir, Store as _, StoreError, Tail, backup, check, restore,
};

use crate::{
    change, finish, open, open_match,
    workload::{Contents, Workload},
};

#[tokio::test]
async fn a_backup_beside_a_server_comes_back_as_the_store_was() {
    let place = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(place.path().join("data")).unwrap();
    let store = open(dir.path()).await.unwrap();
    let mut workload = Workload::new(31);
    for _ in 0..30 {
        store.commit(workload.batch()).await.unwrap();
    }
    store.keep_secret("s", vec![1, 2, 3]).await.unwrap();
    let then = Contents::of(&store).await;
    let copy = place.path().join("backup");
    let report = backup(&dir, &copy).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.tail, Tail::Whole);
    assert_eq!(
        (report.open, report.finished),
        (then.counts.open, then.counts.finished)
    );
    // The server goes on, and has not noticed.
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
    assert_eq!(store.opening().tail, Tail::Whole);
    assert_eq!(Contents::of(&store).await, then);
    assert_eq!(store.secret("s").await.unwrap(), Some(vec![1, 2, 3]));
    // And can be backed up again, by name the same store.
    store
        .commit(vec![open_match("z"), finish("z", 9)])
        .await
        .unwrap();
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
    assert!(matches!(again, StoreError::AlreadyThere { .. }), "{again}");
    let over = restore(&copy, &dir).await.unwrap_err();
    assert!(matches!(over, StoreError::AlreadyThere { .. }), "{over}");
    let nothing = restore(&place.path().join("nowhere"), &dir)
        .await
        .unwrap_err();
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
    change(&copy, "UPDATE replay SET replay = x'00'").await;
    let restored = DataDir::prepare(place.path().join("restored")).unwrap();
    let refused = restore(&copy, &restored).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert!(!restored.database().exists());
    let report = check(&DataDir::prepare(&copy).unwrap()).await.unwrap();
    assert_eq!(report.damages.len(), 1);
    assert!(!report.is_sound());
}

#[tokio::test]
async fn a_backup_has_two_files_for_this_user_alone() {
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
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077,
            0
        );
    }
    assert!(!copy.join("bridgemaster.db.unfinished").exists());
}
