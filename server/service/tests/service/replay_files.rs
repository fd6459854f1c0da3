//! The replay folder, which must become complete whatever fails in the meantime.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bridgemaster_proto::v1::MatchState;
use bridgemaster_replay::decode;
use bridgemaster_server::{KeepReplays, ServerOptions, Storage};
use bridgemaster_store::Store;

use crate::{
    caller::positions_of,
    metrics::scrape,
    streams::{end, outcome, reason, until},
    test_server::{TestServer, memory, storage, without_bots},
};

const MARK: &str = "complete-up-to";

pub(crate) async fn open(folder: Option<&Path>, store: Option<&Arc<dyn Store>>) -> TestServer {
    open_keeping(KeepReplays::All, folder, store).await
}

pub(crate) async fn open_keeping(
    keep_replays: KeepReplays,
    folder: Option<&Path>,
    store: Option<&Arc<dyn Store>>,
) -> TestServer {
    TestServer::with_options(ServerOptions {
        replays: folder.map(Path::to_owned),
        storage: store.map(|store| Storage { keep_replays, ..storage(store) }),
        ..ServerOptions::default()
    })
    .await
}

/// Plays matches that end without bots, and returns their identifiers.
pub(crate) async fn play(server: &TestServer, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(server.create(without_bots()).await.match_id);
        server.result(ids.last().unwrap()).await;
    }
    ids
}

pub(crate) fn file(folder: &Path, match_id: &str) -> PathBuf {
    folder.join(format!("{match_id}.replay.binpb"))
}

pub(crate) async fn is_written(folder: &Path, match_id: &str) {
    let file = file(folder, match_id);
    until("the replay is written", async || file.is_file()).await;
}

/// Waits until a series of the server's metrics reaches this number.
pub(crate) async fn until_counted(server: &TestServer, series: &str, least: f64) {
    let series = format!("bridgemaster_replays_{series}");
    until(&series, async || scrape(server).await[&series] >= least).await;
}

pub(crate) fn stores() -> [Option<Arc<dyn Store>>; 2] {
    [None, Some(memory())]
}

#[tokio::test]
async fn a_replay_that_cannot_be_written_is_counted_and_retried() {
    for store in stores() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("replays");
        let server = open(Some(&folder), store.as_ref()).await;
        fs::remove_dir(&folder).unwrap();
        let match_id = &play(&server, 1).await[0];
        until_counted(&server, "failed_total", 1.0).await;
        fs::create_dir(&folder).unwrap();
        is_written(&folder, match_id).await;
        let bytes = fs::read(file(&folder, match_id)).unwrap();
        assert_eq!(bytes, server.replay_file(match_id).await.unwrap());
        assert!(decode(&bytes).unwrap().signed_by.is_some());
        until_counted(&server, "written_total", 1.0).await;
    }
}

#[tokio::test]
async fn a_server_writes_exactly_the_replays_missing_from_the_last_run() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("replays");
    let store = memory();
    let mut server = open(None, Some(&store)).await;
    let mut played = play(&server, 3).await;
    server.crash().await;

    fs::create_dir(&folder).unwrap();
    let half = folder.join(format!("{}.replay.binpb.7.unfinished", played[0]));
    fs::write(&half, "half").unwrap();
    let mut server = open(Some(&folder), Some(&store)).await;
    until("the mark is written", async || folder.join(MARK).is_file()).await;
    for match_id in &played {
        let bytes = fs::read(file(&folder, match_id)).unwrap();
        assert_eq!(bytes, server.replay_file(match_id).await.unwrap());
    }
    assert!(!half.exists(), "the partial file must be gone");
    server.crash().await;

    // The file was complete before it was deleted, so it is not written again.
    fs::remove_file(file(&folder, &played[1])).unwrap();
    let mut server = open(None, Some(&store)).await;
    played.extend(play(&server, 1).await);
    server.crash().await;
    let server = open(Some(&folder), Some(&store)).await;
    is_written(&folder, &played[3]).await;
    until("the mark is moved", async || {
        let mark = fs::read_to_string(folder.join(MARK));
        mark.is_ok_and(|mark| mark.starts_with(&played[3]))
    })
    .await;
    assert!(!file(&folder, &played[1]).exists());
    drop(server);
}

#[tokio::test]
async fn a_replay_that_cannot_be_written_delays_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let store = memory();
    let mut server = open(None, Some(&store)).await;
    let played = play(&server, 3).await;
    server.crash().await;

    // A folder occupies the path of the second file.
    let in_the_way = file(folder, &played[1]);
    fs::create_dir(&in_the_way).unwrap();
    let server = open(Some(folder), Some(&store)).await;
    let later = play(&server, 1).await;
    for match_id in [&played[0], &played[2], &later[0]] {
        is_written(folder, match_id).await;
    }
    assert!(!folder.join(MARK).exists(), "some replays are missing");
    fs::remove_dir(&in_the_way).unwrap();
    until("the second is written once it can be", async || {
        in_the_way.is_file() && folder.join(MARK).is_file()
    })
    .await;
}

#[tokio::test]
async fn a_stopping_server_writes_all_replays_and_records_that() {
    let folder = tempfile::tempdir().unwrap();
    let store = memory();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let played = play(&server, 3).await;
    server.stop.cancel();
    server.ended().await.unwrap();
    for match_id in &played {
        assert!(file(folder.path(), match_id).is_file());
    }
    let mark = fs::read_to_string(folder.path().join(MARK)).unwrap();
    assert!(mark.starts_with(&played[2]), "{mark}");
}

async fn is_forgotten(server: &TestServer, match_id: &str) -> bool {
    outcome(server.replay(match_id).await) == "REPLAY_FORGOTTEN"
}

fn last(count: u64) -> KeepReplays {
    KeepReplays::Last(count.try_into().unwrap())
}

#[tokio::test]
async fn replays_of_older_matches_are_deleted_and_their_results_stay() {
    let store = memory();
    let mut server = open(None, Some(&store)).await;
    // Deletion takes several commits.
    let ids = play(&server, 20).await;
    server.crash().await;
    let server = open_keeping(last(2), None, Some(&store)).await;
    let (old, kept) = ids.split_at(18);
    until_counted(&server, "forgotten_total", 18.0).await;
    for match_id in old {
        assert!(is_forgotten(&server, match_id).await, "{match_id}");
        let info = server.info(match_id).await;
        assert_eq!(info.state(), MatchState::Ended);
        assert!(info.result.is_some());
    }
    for match_id in kept {
        server.replay(match_id).await.unwrap();
    }
    let watched = server.positions(positions_of(&old[0], &[])).await;
    assert_eq!(reason(&end(&mut watched.unwrap()).await), "REPLAY_FORGOTTEN");
}

#[tokio::test]
async fn replays_are_deleted_by_the_age_of_their_matches() {
    let store = memory();
    let mut server = open(None, Some(&store)).await;
    let match_id = &play(&server, 1).await[0];
    server.crash().await;
    let hour = Duration::from_secs(60 * 60);
    let mut server = open_keeping(KeepReplays::For(hour), None, Some(&store)).await;
    server.replay(match_id).await.unwrap();
    server.crash().await;
    let server = open_keeping(KeepReplays::For(Duration::ZERO), None, Some(&store)).await;
    until("the replay is deleted", async || is_forgotten(&server, match_id).await).await;
}

#[tokio::test]
async fn a_replay_is_deleted_once_its_file_is_written() {
    let store = memory();
    let mut server = open(None, Some(&store)).await;
    let ids = play(&server, 3).await;
    server.crash().await;
    let folder = tempfile::tempdir().unwrap();
    let server = open_keeping(last(1), Some(folder.path()), Some(&store)).await;
    let oldest = &ids[0];
    until("the replay is deleted", async || is_forgotten(&server, oldest).await).await;
    for match_id in &ids {
        assert!(file(folder.path(), match_id).is_file(), "{match_id}");
    }
}
