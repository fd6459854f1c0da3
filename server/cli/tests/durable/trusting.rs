//! Data folders that lost something, or that two servers use: the server says so.

use std::fs;

use bridgemaster_games::GAME_IDS;
use bridgemaster_store::{DATABASE_FILE, LOCK_FILE};

use crate::served::Served;

#[tokio::test]
async fn a_folder_whose_newest_commits_are_gone_is_served_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start("127.0.0.1:0", folder.path(), &[]);
    let (kept, _) = server.create(GAME_IDS[0], "kept").await;
    let log = folder.path().join(format!("{DATABASE_FILE}-wal"));
    let length = fs::metadata(&log).unwrap().len();
    server.create(GAME_IDS[0], "lost").await;
    server.kill();
    fs::File::options()
        .write(true)
        .open(&log)
        .unwrap()
        .set_len(length)
        .unwrap();

    let server = Served::start("127.0.0.1:0", folder.path(), &["--drain-time", "0"]);
    let left = server.all_matches().await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].match_id, kept);
    server.signal("-TERM");
    let said = String::from_utf8(server.end().stderr).unwrap();
    let expected = "the stored data is truncated: the last of ";
    assert!(said.contains("WARN") && said.contains(expected), "{said}");
}

#[tokio::test]
async fn a_server_whose_lock_was_removed_ends_when_another_has_taken_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let older = Served::start("127.0.0.1:0", folder.path(), &[]);
    older.create(GAME_IDS[0], "before").await;
    fs::remove_file(folder.path().join(LOCK_FILE)).unwrap();
    let newer = Served::start("127.0.0.1:0", folder.path(), &[]);
    older.try_create(GAME_IDS[0], "after").await.unwrap_err();
    let ended = older.end();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("been opened by another server"), "{said}");
    newer.create(GAME_IDS[0], "newer").await;
    assert_eq!(newer.all_matches().await.len(), 2);
}
