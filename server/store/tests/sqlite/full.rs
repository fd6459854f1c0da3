use bridgemaster_store::{DataDir, SqliteOptions, SqliteStore, Store as _, StoreError};

use crate::{append, finish, id, open_match, workload::Contents};

#[tokio::test]
async fn a_full_store_stores_no_partial_batch_and_recovers_once_there_is_space() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let options =
        || SqliteOptions { max_database_bytes: Some(1024 * 1024), ..SqliteOptions::default() };
    let store = SqliteStore::open(&dir, options()).await.unwrap();
    store.commit(vec![open_match("going-on")]).await.unwrap();
    let mut entries = 0;
    let mut ended = 0;
    let error = loop {
        let name = format!("m{ended}");
        let batch = vec![
            append("going-on", entries),
            open_match(&name),
            append(&name, 0),
            finish(&name, 60_000),
            append("going-on", entries + 1),
        ];
        match store.commit(batch).await {
            Ok(()) => (entries, ended) = (entries + 2, ended + 1),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert!((10..18).contains(&ended), "{ended} replays of 60 kB in 1 MiB");

    // Nothing of the batch is stored, now or later.
    let found = Contents::of(&store).await;
    assert_eq!(found.finished.len(), ended);
    assert_eq!(found.open.len(), 1);
    assert_eq!(found.open[0].journal.len() as u64, entries);

    // This holds however often the commit is retried.
    for _ in 0..5 {
        let batch = vec![open_match("x"), append("going-on", entries), finish("x", 60_000)];
        let error = store.commit(batch).await.unwrap_err();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    }
    // Small batches still fit, and readers are not affected.
    store.commit(vec![append("going-on", entries)]).await.unwrap();
    assert_eq!(store.replay(&id("m0")).await.unwrap().unwrap().len(), 60_000);

    // Dropping a match frees space.
    store.commit(vec![bridgemaster_store::Write::DropMatch { match_id: id("m0") }]).await.unwrap();
    let batch = vec![open_match("x"), append("going-on", entries + 1), finish("x", 50_000)];
    store.commit(batch).await.unwrap();
    let before = Contents::of(&store).await;
    store.close().await.unwrap();
    let store = SqliteStore::open(&dir, options()).await.unwrap();
    assert_eq!(Contents::of(&store).await, before);
}

#[tokio::test]
async fn a_store_that_does_not_fit_on_the_disk_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let options = SqliteOptions { max_database_bytes: Some(8_192), ..SqliteOptions::default() };
    let error = SqliteStore::open(&dir, options).await.unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    // The store can be created once there is space.
    SqliteStore::open(&dir, SqliteOptions::default()).await.unwrap();
}
