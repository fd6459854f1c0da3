//! Withheld replays: the folder gets each one only once everyone may see it.

use std::{fs, path::Path, sync::Arc, time::SystemTime};

use bridgemaster_proto::v1::{CloseGroupRequest, MatchGroup, SeedReveal, SpectatorRules};
use bridgemaster_replay::decode;
use bridgemaster_server::{KeepReplays, WithheldReplays};
use bridgemaster_store::{MatchId, MemoryStore, Store, Write};

use crate::{
    delayed_remote::Cluster,
    delayed_spectators::AN_HOUR_MS,
    metrics::scrape,
    raw_bot::reason,
    replay_files::{file, open, open_keeping, play, play_as, until},
    test_server::TestServer,
};

/// Plays a match of a group of two.
async fn play_of_group(server: &TestServer, number: u32) -> String {
    let of_group = |config: &mut bridgemaster_proto::v1::MatchConfig| {
        config.group = Some(MatchGroup {
            group_id: "deal-1".to_owned(),
            number,
            matches: 2,
            seed_reveal: SeedReveal::WithGroup.into(),
        });
    };
    let match_id = play_as(server, of_group).await;
    server.result(&match_id).await;
    match_id
}

/// Plays a match with this delay for spectators.
async fn play_delayed(server: &TestServer, delay_ms: u32) -> String {
    let late = |config: &mut bridgemaster_proto::v1::MatchConfig| {
        config.spectators = Some(SpectatorRules {
            delay_ms,
            ..SpectatorRules::default()
        });
    };
    play_as(server, late).await
}

async fn is_written(folder: &Path, match_id: &str) {
    let file = file(folder, match_id);
    until("the replay is there", async || file.is_file()).await;
}

async fn close_group(server: &TestServer, match_id: &str) {
    let close = CloseGroupRequest {
        match_id: match_id.to_owned(),
        ..CloseGroupRequest::default()
    };
    server.matches().close_group(close).await.unwrap();
}

async fn all_have_ended(store: &dyn Store) {
    until("all matches have ended", async || {
        store.open_match_ids().await.unwrap().is_empty()
    })
    .await;
}

fn stores() -> [Option<Arc<dyn Store>>; 2] {
    [None, Some(Arc::new(MemoryStore::new()))]
}

#[tokio::test]
async fn replays_of_a_group_are_written_once_it_is_complete() {
    for store in stores() {
        let folder = tempfile::tempdir().unwrap();
        let server = open(Some(folder.path()), store.as_ref()).await;
        let first = play_of_group(&server, 0).await;
        // A match that ended later is written, and the first is not.
        is_written(folder.path(), &play(&server).await).await;
        assert!(!file(folder.path(), &first).exists());
        let second = play_of_group(&server, 1).await;
        is_written(folder.path(), &first).await;
        is_written(folder.path(), &second).await;
    }
}

#[tokio::test]
async fn replays_of_a_closed_group_are_written() {
    for store in stores() {
        let folder = tempfile::tempdir().unwrap();
        let server = open(Some(folder.path()), store.as_ref()).await;
        let first = play_of_group(&server, 0).await;
        is_written(folder.path(), &play(&server).await).await;
        assert!(!file(folder.path(), &first).exists());
        close_group(&server, &first).await;
        is_written(folder.path(), &first).await;
    }
}

#[tokio::test]
async fn a_replay_whose_group_is_closed_during_downtime_is_written() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let first = play_of_group(&server, 0).await;
    server.crash().await;
    assert!(!file(folder.path(), &first).exists());

    let mut without_folder = open(None, Some(&store)).await;
    close_group(&without_folder, &first).await;
    without_folder.crash().await;

    let _server = open(Some(folder.path()), Some(&store)).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn a_replay_whose_delay_ends_during_downtime_is_written() {
    const DELAY_MS: u32 = 5_000;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let late = play_delayed(&server, DELAY_MS).await;
    all_have_ended(&*store).await;
    server.crash().await;
    assert!(!file(folder.path(), &late).exists());

    let finished = store.finished_match(&MatchId::new(&*late).unwrap()).await;
    let ended_unix_ms = finished.unwrap().unwrap().ended_at_unix_ms.unsigned_abs();
    until("the delay is over", async || {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
        now > u128::from(ended_unix_ms) + u128::from(DELAY_MS)
    })
    .await;

    let _server = open(Some(folder.path()), Some(&store)).await;
    is_written(folder.path(), &late).await;
}

#[tokio::test]
async fn a_replay_is_written_once_its_end_is_visible_to_spectators() {
    for store in stores() {
        let folder = tempfile::tempdir().unwrap();
        let server = open(Some(folder.path()), store.as_ref()).await;
        let never = play_delayed(&server, AN_HOUR_MS).await;
        let late = play_delayed(&server, 500).await;
        is_written(folder.path(), &late).await;
        server.replay(&late).await.unwrap();
        assert!(!file(folder.path(), &never).exists());
        server.replay(&never).await.unwrap_err();
    }
}

#[tokio::test]
async fn a_replay_stays_withheld_across_restarts_until_its_group_ends() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let late = play_delayed(&server, AN_HOUR_MS).await;
    let first = play_of_group(&server, 0).await;
    for _ in 0..2 {
        is_written(folder.path(), &play(&server).await).await;
        server.crash().await;
        server = open(Some(folder.path()), Some(&store)).await;
        assert!(!file(folder.path(), &first).exists());
    }
    let mut expected = [late.as_str(), first.as_str()];
    expected.sort_unstable();
    until("the mark names both", async || {
        let mark = fs::read_to_string(folder.path().join("complete-up-to"));
        let mark = mark.unwrap_or_default();
        let withheld = mark.split_once("but for:\n").unwrap_or_default().1;
        withheld.lines().eq(expected)
    })
    .await;
    play_of_group(&server, 1).await;
    is_written(folder.path(), &first).await;
    assert!(!file(folder.path(), &late).exists());
}

#[tokio::test]
async fn a_withheld_replay_is_not_deleted_and_does_not_retain_others() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let first = play_of_group(&server, 0).await;
    for _ in 0..20 {
        play(&server).await;
    }
    server.crash().await;
    let one = KeepReplays::Last(1.try_into().unwrap());
    let server = open_keeping(one, Some(folder.path()), Some(&store)).await;
    until("the others are forgotten", async || {
        scrape(&server).await["bridgemaster_replays_forgotten_total"] >= 19.0
    })
    .await;
    let withheld = server.replay(&first).await.unwrap_err();
    assert_eq!(reason(&withheld), "GROUP_RUNNING");
    play_of_group(&server, 1).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn another_node_writes_a_withheld_replay_once_its_group_is_over() {
    let cluster = Cluster::new();
    let leader = cluster.start("one", None).await;
    let first = play_of_group(&leader, 0).await;
    let open = play(&leader).await;
    let folder = tempfile::tempdir().unwrap();
    let _other = cluster.start("two", Some(folder.path())).await;
    is_written(folder.path(), &open).await;
    assert!(!file(folder.path(), &first).exists());
    play_of_group(&leader, 1).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn a_leader_does_not_delete_a_replay_that_another_node_withholds() {
    let cluster = Cluster::new();
    let mut leader = cluster.start("one", None).await;
    let first = play_of_group(&leader, 0).await;
    for _ in 0..20 {
        play(&leader).await;
    }
    let last = play(&leader).await;
    let folder = tempfile::tempdir().unwrap();
    let _other = cluster.start("two", Some(folder.path())).await;
    is_written(folder.path(), &last).await;
    assert!(!file(folder.path(), &first).exists());
    leader.crash().await;

    let one = KeepReplays::Last(1.try_into().unwrap());
    let leader = cluster.start_keeping(one, "one", None).await;
    until("the others are forgotten", async || {
        scrape(&leader).await["bridgemaster_replays_forgotten_total{node=\"one\"}"] >= 20.0
    })
    .await;
    play_of_group(&leader, 1).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn a_node_that_cannot_read_the_groups_writes_a_replay_once_it_can() {
    let cluster = Cluster::new();
    let leader = cluster.start("one", None).await;
    let open = play(&leader).await;
    let name = "group\n\ndamaged".to_owned();
    let damage = Write::PutRecord {
        name: name.clone(),
        value: vec![0xff],
    };
    cluster.store.commit(vec![damage]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let other = cluster.start("two", Some(folder.path())).await;
    until("the failure is counted", async || {
        scrape(&other).await["bridgemaster_replays_failed_total{node=\"two\"}"] >= 1.0
    })
    .await;
    assert!(!file(folder.path(), &open).exists());
    let repair = Write::RemoveRecord { name };
    cluster.store.commit(vec![repair]).await.unwrap();
    is_written(folder.path(), &open).await;
}

#[tokio::test]
async fn withheld_replays_are_determined_by_the_store_alone() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open(None, Some(&store)).await;
    let mut withheld = vec![
        play_of_group(&server, 0).await,
        play_delayed(&server, AN_HOUR_MS).await,
    ];
    withheld.sort_unstable();
    play(&server).await;
    all_have_ended(&*store).await;
    server.crash().await;
    let known = WithheldReplays::new(store.records("").await.unwrap());
    let page = store.finished(None, 10, None).await.unwrap();
    let found = page
        .matches
        .iter()
        .filter(|finished| known.is_withheld(finished));
    let mut found: Vec<_> = found.map(|of| of.match_id.to_string()).collect();
    found.sort_unstable();
    assert_eq!(found, withheld);
}

#[cfg(unix)]
#[tokio::test]
async fn a_stopping_server_without_a_store_writes_withheld_replays_for_its_user_only() {
    use std::os::unix::fs::PermissionsExt as _;

    use bridgemaster_server::ServerOptions;

    let folder = tempfile::tempdir().unwrap();
    let mut server = TestServer::with_options(ServerOptions {
        replays: Some(folder.path().to_owned()),
        replay_mode: Some("0644".parse().unwrap()),
        ..ServerOptions::default()
    })
    .await;
    let first = play_of_group(&server, 0).await;
    let public = play(&server).await;
    is_written(folder.path(), &public).await;
    assert!(!file(folder.path(), &first).exists());
    server.stop.cancel();
    (&mut server.running).await.unwrap().unwrap();
    let mode_of = |match_id: &str| {
        let path = file(folder.path(), match_id);
        assert!(decode(&fs::read(&path).unwrap()).is_ok());
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode_of(&first), 0o600);
    assert_eq!(mode_of(&public), 0o644);
}

#[cfg(unix)]
#[tokio::test]
async fn replays_are_private_unless_a_file_mode_is_configured() {
    use std::os::unix::fs::PermissionsExt as _;

    use bridgemaster_server::ServerOptions;

    for (mode, of_file, of_folder) in [
        (None, 0o600, 0o700),
        (Some("0640"), 0o640, 0o750),
        (Some("0644"), 0o644, 0o755),
    ] {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("replays");
        // An existing folder gets the requested mode.
        if mode.is_some() {
            fs::create_dir(&folder).unwrap();
        }
        let server = TestServer::with_options(ServerOptions {
            replays: Some(folder.clone()),
            replay_mode: mode.map(|mode| mode.parse().unwrap()),
            ..ServerOptions::default()
        })
        .await;
        let match_id = play(&server).await;
        is_written(&folder, &match_id).await;
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode_of(&file(&folder, &match_id)), of_file);
        assert_eq!(mode_of(&folder), of_folder);
    }
}
