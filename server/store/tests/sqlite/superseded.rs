//! Two servers in one folder, after the lock file was removed.

use std::fs;

use bridgemaster_store::{KeyStore as _, LOCK_FILE, RecordStore as _, Store as _, StoreError};

use crate::{append, id, key_id, open, open_match};

#[tokio::test]
async fn the_older_of_two_servers_stores_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let older = open(folder.path()).await.unwrap();
    older.commit(vec![open_match("a"), append("a", 0)]).await.unwrap();
    fs::remove_file(folder.path().join(LOCK_FILE)).unwrap();
    let newer = open(folder.path()).await.unwrap();

    for _ in 0..2 {
        let error = older.commit(vec![append("a", 1)]).await.unwrap_err();
        assert!(matches!(error, StoreError::Superseded { .. }), "{error}");
        assert!(error.to_string().contains("opened by another server"), "{error}");
    }
    let error = older.get_or_insert_secret("s", vec![1]).await.unwrap_err();
    assert!(matches!(error, StoreError::Superseded { .. }), "{error}");
    let nobody = key_id("nobody");
    let error = older.revoke_key(&nobody, 1).await.unwrap_err();
    assert!(matches!(error, StoreError::Superseded { .. }), "{error}");

    newer.commit(vec![append("a", 1)]).await.unwrap();
    older.close().await.unwrap();
    newer.commit(vec![append("a", 2)]).await.unwrap();
    let found = newer.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal, [b"a 0", b"a 1", b"a 2"]);
}
