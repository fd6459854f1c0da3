//! Permissions of a data folder and its files.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use bridgemaster_store::{DATABASE_FILE, DataDir, SqliteKeys, Store as _, StoreError};

use crate::{append, open, open_match};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Returns every file of a non-empty folder, with its mode.
fn modes_in(folder: &Path) -> Vec<(String, u32)> {
    let mut modes: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), mode(&entry.path())))
        .collect();
    modes.sort();
    assert!(!modes.is_empty());
    modes
}

fn assert_closed(folder: &Path) {
    assert_eq!(mode(folder), 0o700);
    for (name, mode) in modes_in(folder) {
        assert_eq!(mode, 0o600, "{name}: {mode:o}");
    }
}

#[tokio::test]
async fn a_new_folder_and_its_files_are_accessible_only_to_this_user() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let store = open(&folder).await.unwrap();
    store.commit(vec![open_match("a"), append("a", 0)]).await.unwrap();
    let names: Vec<_> = modes_in(&folder).into_iter().map(|(name, _)| name).collect();
    for name in ["bridgemaster.db", "bridgemaster.db-shm", "bridgemaster.db-wal", "server.lock"] {
        assert!(names.iter().any(|there| there == name), "{names:?}");
    }
    assert_closed(&folder);
}

#[tokio::test]
async fn a_key_command_creates_a_private_folder_too() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let _keys = SqliteKeys::open(&DataDir::prepare(&folder).unwrap()).await.unwrap();
    assert_closed(&folder);
}

#[tokio::test]
async fn a_used_folder_that_is_open_to_others_is_made_private() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let store = open(&folder).await.unwrap();
    store.commit(vec![open_match("a")]).await.unwrap();
    for (name, _) in modes_in(&folder) {
        set_mode(&folder.join(name), 0o644);
    }
    set_mode(&folder, 0o755);
    // This holds while the server uses the files.
    DataDir::prepare(&folder).unwrap();
    assert_closed(&folder);
    store.commit(vec![append("a", 0)]).await.unwrap();
    drop(store);
    assert_closed(&folder);
}

#[test]
fn an_empty_folder_is_made_private_and_one_with_other_files_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    fs::create_dir(&folder).unwrap();
    set_mode(&folder, 0o755);
    DataDir::prepare(&folder).unwrap();
    assert_eq!(mode(&folder), 0o700);

    set_mode(&folder, 0o755);
    fs::write(folder.join("letter.txt"), "").unwrap();
    set_mode(&folder.join("letter.txt"), 0o644);
    let refused = DataDir::prepare(&folder).unwrap_err();
    assert!(
        matches!(&refused, StoreError::FolderOpenToOthers { path, mode: 0o755 } if *path == folder),
        "{refused}"
    );
    assert!(refused.to_string().contains("chmod 700"), "{refused}");
    assert_eq!(mode(&folder), 0o755, "the folder is left unchanged");
    assert_eq!(mode(&folder.join("letter.txt")), 0o644);
    DataDir::prepare(folder.join("below")).unwrap();

    set_mode(&folder, 0o700);
    DataDir::prepare(&folder).unwrap();
    assert!(!folder.join(DATABASE_FILE).exists());
}
