use bridgemaster_store::{
    DataDir, Durability, IntegrityCheck, LOCK_FILE, OpenReport, SqliteOptions, SqliteStore,
    Store as _, StoreError,
};

use crate::{
    append, finish, id, open, open_match, raw,
    workload::{Contents, Workload},
};

#[tokio::test]
async fn everything_is_restored_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let mut workload = Workload::new(11);
    let mut before = None;
    for opening in 0..12 {
        let options = SqliteOptions {
            durability: [Durability::Disk, Durability::Process][opening % 2],
            integrity_check: [IntegrityCheck::Full, IntegrityCheck::AllButReplays][opening % 2],
            max_database_bytes: None,
            ..SqliteOptions::default()
        };
        let store = SqliteStore::open(&dir, options).await.unwrap();
        let found = Contents::of(&store).await;
        if let Some(before) = before {
            assert_eq!(found, before);
        }
        for _ in 0..25 {
            store.commit(workload.batch()).await.unwrap();
        }
        before = Some(Contents::of(&store).await);
        // The store is either closed or only dropped.
        if opening % 2 == 0 {
            store.close().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_folder_is_held_until_the_store_is_closed_or_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    let error = open(folder.path()).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::FolderInUse { process_id, .. }
            if *process_id == Some(std::process::id())),
        "{error}"
    );
    assert!(error.to_string().contains("is in use by another server (process "), "{error}");
    store.close().await.unwrap();
    let closed = store;
    let store = open(folder.path()).await.unwrap();
    drop(store);
    open(folder.path()).await.unwrap();
    drop(closed);
    assert!(folder.path().join(LOCK_FILE).exists());
}

#[tokio::test]
async fn closing_leaves_two_files_to_back_up() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    store.commit(vec![open_match("a"), append("a", 0), finish("a", 50_000)]).await.unwrap();
    store.replay(&id("a")).await.unwrap();
    store.close().await.unwrap();
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["bridgemaster.commits", "bridgemaster.db", "server.lock"]);
    let copy = tempfile::tempdir().unwrap();
    for file in &files[..2] {
        std::fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
    }
    let store = open(copy.path()).await.unwrap();
    assert_eq!(store.open_report(), OpenReport::default());
    assert_eq!(store.replay(&id("a")).await.unwrap().unwrap().len(), 50_000);
}

#[tokio::test]
async fn a_reader_does_not_wait_for_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    store.commit(vec![open_match("a"), finish("a", 10)]).await.unwrap();
    let other = raw(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.replay(&id("a")).await.unwrap().unwrap().len(), 10);
    assert_eq!(store.finished(None, 99).await.unwrap().matches.len(), 1);
    // A writer waits, and continues when the other writer is done.
    let store = std::sync::Arc::new(store);
    let commit = tokio::spawn({
        let store = store.clone();
        async move { store.commit(vec![open_match("b")]).await }
    });
    tokio::task::yield_now().await;
    other.execute_batch("COMMIT").unwrap();
    commit.await.unwrap().unwrap();
    assert_eq!(store.open_match_ids().await.unwrap(), [id("b")]);
}

#[tokio::test]
async fn a_write_timeout_is_reported_and_the_commit_can_be_retried() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    let other = raw(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.commit(vec![open_match("a"), append("a", 0)]).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    store.commit(vec![open_match("a"), append("a", 0)]).await.unwrap();
    assert_eq!(store.open_match(&id("a")).await.unwrap().unwrap().journal.len(), 1);
}
