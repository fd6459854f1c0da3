//! The folder of replays: complete in the end, whatever fails meanwhile.

use std::{fs, path::Path, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{ClockRules, GetReplayRequest, MatchConfig};
use bridgemaster_replay::decode;
use bridgemaster_server::{KeepReplays, ServerOptions, Storage};
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::{sleep, timeout};

use crate::{
    metrics::scrape,
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
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
        storage: store.map(|store| Storage {
            store: Arc::clone(store),
            dropped_matches: Vec::new(),
            keep_replays,
            shared: None,
        }),
        ..ServerOptions::default()
    })
    .await
}

/// Plays a match that ends without bots, and returns its identifier.
pub(crate) async fn play(server: &TestServer) -> String {
    let match_id = play_as(server, |_| ()).await;
    server.result(&match_id).await;
    match_id
}

/// Creates such a match with other rules. It may still be in play.
pub(crate) async fn play_as(server: &TestServer, change: impl FnOnce(&mut MatchConfig)) -> String {
    let mut config = with_clock(config(GAMES[0], 2), |clock: &mut ClockRules| {
        clock.startup_ms = Some(1);
    });
    change(&mut config);
    server.create(config).await.match_id
}

pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let come = async {
        while !condition().await {
            sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(timeout(PATIENCE, come).await.is_ok(), "{what}");
}

pub(crate) fn file(folder: &Path, match_id: &str) -> std::path::PathBuf {
    folder.join(format!("{match_id}.replay.binpb"))
}

/// Downloads the file from the server.
async fn fetched(server: &TestServer, match_id: &str) -> Vec<u8> {
    let request = GetReplayRequest {
        match_id: match_id.to_owned(),
        as_file: true,
    };
    let response = server.matches().get_replay(request).await.unwrap();
    response.into_inner().file
}

#[tokio::test]
async fn a_replay_that_cannot_be_written_is_counted_and_retried() {
    let stores: [Option<Arc<dyn Store>>; 2] = [None, Some(Arc::new(MemoryStore::new()))];
    for store in stores {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("replays");
        let server = open(Some(&folder), store.as_ref()).await;
        fs::remove_dir(&folder).unwrap();
        let match_id = play(&server).await;
        until("the failure is counted", async || {
            scrape(&server).await["bridgemaster_replays_failed_total"] >= 1.0
        })
        .await;
        fs::create_dir(&folder).unwrap();
        let file = file(&folder, &match_id);
        until("the replay is there", async || file.is_file()).await;
        let bytes = fs::read(&file).unwrap();
        assert_eq!(bytes, fetched(&server, &match_id).await);
        assert!(decode(&bytes).unwrap().signed_by.is_some());
        until("it is counted", async || {
            scrape(&server).await["bridgemaster_replays_written_total"] >= 1.0
        })
        .await;
    }
}

#[tokio::test]
async fn a_server_writes_exactly_the_replays_missing_from_the_last_run() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("replays");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open(None, Some(&store)).await;
    let mut played = Vec::new();
    for _ in 0..3 {
        played.push(play(&server).await);
    }
    server.crash().await;

    fs::create_dir(&folder).unwrap();
    let half = folder.join(format!("{}.replay.binpb.7.unfinished", played[0]));
    fs::write(&half, "half").unwrap();
    let mut server = open(Some(&folder), Some(&store)).await;
    until("the mark is set", async || folder.join(MARK).is_file()).await;
    for match_id in &played {
        let bytes = fs::read(file(&folder, match_id)).unwrap();
        assert_eq!(bytes, fetched(&server, match_id).await);
    }
    assert!(!half.exists(), "what was half written is gone");
    server.crash().await;

    // A deleted file was complete before, so it is not written again.
    fs::remove_file(file(&folder, &played[1])).unwrap();
    let mut server = open(None, Some(&store)).await;
    played.push(play(&server).await);
    server.crash().await;
    let server = open(Some(&folder), Some(&store)).await;
    until("the last is written", async || {
        file(&folder, &played[3]).is_file()
    })
    .await;
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
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open(None, Some(&store)).await;
    let mut played = Vec::new();
    for _ in 0..3 {
        played.push(play(&server).await);
    }
    server.crash().await;

    // A folder with the name of the second file.
    let in_the_way = file(folder, &played[1]);
    fs::create_dir(&in_the_way).unwrap();
    let server = open(Some(folder), Some(&store)).await;
    until("the others are written", async || {
        [0, 2].iter().all(|n| file(folder, &played[*n]).is_file())
    })
    .await;
    let later = play(&server).await;
    until("a later one is written", async || {
        file(folder, &later).is_file()
    })
    .await;
    assert!(!folder.join(MARK).exists(), "not everything is there");
    fs::remove_dir(&in_the_way).unwrap();
    until("the second is written once it can be", async || {
        in_the_way.is_file() && folder.join(MARK).is_file()
    })
    .await;
}

#[tokio::test]
async fn a_stopping_server_writes_all_replays_and_records_that() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let mut played = Vec::new();
    for _ in 0..3 {
        played.push(play(&server).await);
    }
    server.stop.cancel();
    (&mut server.running).await.unwrap().unwrap();
    for match_id in &played {
        assert!(file(folder.path(), match_id).is_file());
    }
    let mark = fs::read_to_string(folder.path().join(MARK)).unwrap();
    assert!(mark.starts_with(&played[2]), "{mark}");
}
