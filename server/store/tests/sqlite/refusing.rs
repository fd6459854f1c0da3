//! Databases that are not accepted.

use std::{fs, path::Path};

use crate::{append, change, finish, open, open_match};
use bridgemaster_store::{
    DATABASE_FILE, DataDir, IntegrityCheck, SqliteKeys, SqliteOptions, SqliteStore, Store as _,
    StoreError, Write, check, copy_to_postgres, migrate_folder,
};

/// A store with a few matches, closed.
async fn create_store(folder: &Path) {
    let store = open(folder).await.unwrap();
    for n in 0..40 {
        let (going_on, ended) = (format!("g{n}"), format!("e{n}"));
        let mut batch = vec![open_match(&going_on), open_match(&ended), finish(&ended, 9_000)];
        batch.extend((0..50).map(|n| append(&going_on, n)));
        store.commit(batch).await.unwrap();
    }
    store.close().await.unwrap();
}

/// Checks that opening fails, and leaves the file unchanged.
async fn refused(folder: &Path) -> StoreError {
    let file = folder.join(DATABASE_FILE);
    let before = fs::read(&file).unwrap();
    let error = open(folder).await.unwrap_err();
    assert_eq!(fs::read(&file).unwrap(), before, "{error}");
    assert!(error.to_string().starts_with(&file.display().to_string()), "{error}");
    // The folder is free for another attempt.
    let again = open(folder).await.unwrap_err();
    assert_eq!(again.to_string(), error.to_string());
    error
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(DATABASE_FILE), "not a database ".repeat(500)).unwrap();
    let error = refused(folder.path()).await;
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert!(error.to_string().contains("restore a backup"), "{error}");
}

#[tokio::test]
async fn the_database_of_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    change(folder.path(), "CREATE TABLE bookmarks (url TEXT)");
    let error = refused(folder.path()).await;
    assert!(matches!(error, StoreError::ForeignDatabase { application_id: 0, .. }), "{error}");
    change(folder.path(), "PRAGMA application_id = 0x0f055112");
    let error = refused(folder.path()).await;
    assert!(error.to_string().contains("another program (application id 0x0f055112)"), "{error}");
}

#[tokio::test]
async fn a_database_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    create_store(folder.path()).await;
    change(folder.path(), "PRAGMA user_version = 99");
    let error = refused(folder.path()).await;
    assert!(matches!(error, StoreError::NewerSchema { version: 99, .. }), "{error}");
    // Earlier programs recorded their versions elsewhere.
    change(folder.path(), "PRAGMA user_version = 0");
    let error = refused(folder.path()).await;
    assert!(matches!(error, StoreError::OlderSchema { version: 0, .. }), "{error}");
    // No migration from the version before exists.
    change(folder.path(), "PRAGMA user_version = 7");
    let dir = DataDir::prepare(folder.path()).unwrap();
    let migrating = SqliteOptions { migrates: true, ..SqliteOptions::default() };
    for error in [
        SqliteStore::open(&dir, migrating).await.map(|_| ()),
        migrate_folder(&dir).map(|_| ()),
        SqliteKeys::open(&dir).await.map(|_| ()),
        check(&dir).await.map(|_| ()),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, StoreError::OlderSchema { version: 7, .. }), "{error}");
    }
}

#[tokio::test]
async fn a_database_of_the_next_version_is_used_but_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    create_store(folder.path()).await;
    let dir = DataDir::prepare(folder.path()).unwrap();
    let current = migrate_folder(&dir).unwrap().to;
    change(folder.path(), &format!("PRAGMA user_version = {}", current + 1));
    let store = SqliteStore::open(&dir, SqliteOptions::default()).await.unwrap();
    store.close().await.unwrap();
    let url = "postgres://tester@127.0.0.1:1/nothing";
    let error = copy_to_postgres(&dir, url).await.unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { .. }), "{error}");
}

#[tokio::test]
async fn a_database_of_another_version_is_refused_beside_a_journal() {
    for version in [99, 6] {
        let folder = tempfile::tempdir().unwrap();
        create_store(folder.path()).await;
        change(folder.path(), &format!("PRAGMA user_version = {version}"));
        let journal = format!("{DATABASE_FILE}-journal");
        fs::write(folder.path().join(journal), "").unwrap();
        let error = refused(folder.path()).await;
        assert!(
            matches!(
                error,
                StoreError::NewerSchema { version: 99, .. }
                    | StoreError::OlderSchema { version: 6, .. }
            ),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_truncated_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    create_store(folder.path()).await;
    let file = folder.path().join(DATABASE_FILE);
    let length = fs::metadata(&file).unwrap().len();
    fs::File::options().write(true).open(&file).unwrap().set_len(length / 2).unwrap();
    let error = refused(folder.path()).await;
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("is damaged: "), "{error}");
}

#[tokio::test]
async fn a_damaged_page_that_is_skipped_at_the_start_is_found_with_its_replay() {
    let folder = tempfile::tempdir().unwrap();
    create_store(folder.path()).await;
    let dir = DataDir::prepare(folder.path()).unwrap();
    let file = folder.path().join(DATABASE_FILE);
    let sound = fs::read(&file).unwrap();
    let pages = sound.len() / 4096;
    let mut believed = 0;
    for page in 0..pages {
        let mut damaged = sound.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&file, &damaged).unwrap();
        let options = SqliteOptions {
            integrity_check: IntegrityCheck::AllButReplays,
            ..SqliteOptions::default()
        };
        let store = match SqliteStore::open(&dir, options).await {
            Ok(store) => store,
            Err(StoreError::Corrupt { .. } | StoreError::NotADatabase { .. }) => continue,
            Err(other) => panic!("page {page}: {other}"),
        };
        believed += 1;
        let finished = store.finished(None, 500).await.unwrap();
        assert_eq!((finished.matches.len(), finished.damaged.len()), (40, 0));
        for one in finished.matches {
            // None of the match's pages is freed.
            let match_id = one.match_id.clone();
            let forget = Write::ForgetReplay { match_id };
            match store.replay(&one.match_id).await {
                Ok(replay) => assert_eq!(replay.map(|bytes| bytes.len()), Some(9_000)),
                Err(StoreError::Damaged { .. }) => {
                    match store.commit(vec![forget]).await {
                        Ok(()) | Err(StoreError::Corrupt { .. }) => {}
                        Err(other) => panic!("page {page}: {other}"),
                    }
                    let still = store.replay(&one.match_id).await;
                    assert!(matches!(still, Err(StoreError::Damaged { .. })), "{still:?}");
                }
                Err(other) => panic!("page {page}, match {}: {other}", one.match_id),
            }
        }
        // A page that used to be free may be the damaged one now.
        let later = vec![open_match("later"), finish("later", 9_000)];
        match store.commit(later).await {
            Ok(()) | Err(StoreError::Corrupt { .. }) => {}
            Err(other) => panic!("page {page}: {other}"),
        }
        // Otherwise SQLite would use this log for the next database.
        let _ = store.close().await;
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("{DATABASE_FILE}{beside}")));
        }
    }
    assert!(believed > 40, "{believed} of {pages} damaged pages were not needed");
}

#[tokio::test]
async fn every_overwritten_page_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    create_store(folder.path()).await;
    let file = folder.path().join(DATABASE_FILE);
    let sound = fs::read(&file).unwrap();
    let pages = sound.len() / 4096;
    assert!(pages > 60, "{pages} pages");
    for page in 0..pages {
        let mut damaged = sound.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&file, &damaged).unwrap();
        match open(folder.path()).await {
            Err(StoreError::Corrupt { .. } | StoreError::NotADatabase { .. }) => {}
            Err(other) => panic!("page {page}: {other}"),
            Ok(_) => panic!("the damage of page {page} is not detected"),
        }
    }
    fs::write(&file, &sound).unwrap();
    let store = open(folder.path()).await.unwrap();
    assert_eq!(store.finished(None, 99).await.unwrap().matches.len(), 40);
}

#[tokio::test]
async fn an_index_that_contradicts_its_table_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    create_store(folder.path()).await;
    // The index gets outdated entries, because SQLite does not maintain it during the change.
    change(
        folder.path(),
        "CREATE INDEX outdated ON finished_match (ended_at_unix_ms);
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '(ended_at', '(opened_at')
             WHERE name = 'outdated';",
    );
    let store = open(folder.path()).await.unwrap();
    assert!(store.open_report().indexes_rebuilt);
    assert_eq!(store.finished(None, 99).await.unwrap().matches.len(), 40);
    store.close().await.unwrap();
    let store = open(folder.path()).await.unwrap();
    assert!(!store.open_report().indexes_rebuilt);
}

#[tokio::test]
async fn an_empty_file_is_a_new_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(DATABASE_FILE), "").unwrap();
    let store = open(folder.path()).await.unwrap();
    store.commit(vec![open_match("a")]).await.unwrap();
}

#[tokio::test]
async fn an_interrupted_creation_starts_over() {
    // The states after a kill in each step of the creation.
    let steps = ["PRAGMA application_id = 0x424d7374;", "PRAGMA journal_mode = WAL;"];
    for done in 1..=steps.len() {
        let folder = tempfile::tempdir().unwrap();
        change(folder.path(), &steps[..done].concat());
        let store = open(folder.path()).await.unwrap();
        store.commit(vec![open_match("a")]).await.unwrap();
    }
}

#[tokio::test]
async fn a_folder_in_place_of_the_database_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(DATABASE_FILE)).unwrap();
    let error = open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(error.to_string().contains("the path is a folder"), "{error}");
}
