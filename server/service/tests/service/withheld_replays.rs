//! Withheld replays: the folder receives each one only when everyone may see it.

use std::{fs, path::Path, time::SystemTime};

use bridgemaster_proto::v1::MatchConfig;
use bridgemaster_replay::decode;
use bridgemaster_server::{KeepReplays, ServerOptions, WithheldReplays};
use bridgemaster_store::{MatchId, Store, Write};

use crate::{
    delayed_law::AN_HOUR_MS,
    groups::withheld,
    replay_files::{file, is_written, open, open_keeping, play, stores, until_counted},
    scripted_cluster::Cluster,
    streams::{outcome, until},
    test_server::{GAMES, TestServer, memory, with_delay, without_bots},
};

/// Plays a match of a group of two.
async fn play_of_group(server: &TestServer, number: u32) -> String {
    let config = MatchConfig { group: withheld(number, 2).group, ..without_bots() };
    let match_id = server.create(config).await.match_id;
    server.result(&match_id).await;
    match_id
}

/// Creates a match with this delay for spectators, which ends without bots. It may still be in play
/// afterwards.
async fn play_delayed(server: &TestServer, delay_ms: u32) -> String {
    let config =
        MatchConfig { spectators: with_delay(GAMES[0], delay_ms).spectators, ..without_bots() };
    server.create(config).await.match_id
}

/// Plays a match that is not withheld, and waits until it is written.
async fn write_another(server: &TestServer, folder: &Path) -> String {
    let match_id = play(server, 1).await.remove(0);
    is_written(folder, &match_id).await;
    match_id
}

async fn all_have_ended(store: &dyn Store) {
    until("all matches have ended", async || store.open_match_ids().await.unwrap().is_empty())
        .await;
}

#[tokio::test]
async fn replays_of_a_group_are_written_once_it_is_complete_or_closed() {
    let cases = [false, true].map(|is_closed| stores().map(|store| (store, is_closed)));
    for (store, is_closed) in cases.into_iter().flatten() {
        let folder = tempfile::tempdir().unwrap();
        let server = open(Some(folder.path()), store.as_ref()).await;
        let first = play_of_group(&server, 0).await;
        // A match that ended later is written, but the first is not.
        write_another(&server, folder.path()).await;
        assert!(!file(folder.path(), &first).exists());
        if is_closed {
            server.close_group(&first).await.unwrap();
        } else {
            let second = play_of_group(&server, 1).await;
            is_written(folder.path(), &second).await;
        }
        is_written(folder.path(), &first).await;
    }
}

#[tokio::test]
async fn a_replay_whose_group_is_closed_during_downtime_is_written() {
    let store = memory();
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let first = play_of_group(&server, 0).await;
    server.crash().await;
    assert!(!file(folder.path(), &first).exists());

    let mut without_folder = open(None, Some(&store)).await;
    without_folder.close_group(&first).await.unwrap();
    without_folder.crash().await;

    let _server = open(Some(folder.path()), Some(&store)).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn a_replay_whose_delay_ends_during_downtime_is_written() {
    const DELAY_MS: u32 = 5_000;
    let store = memory();
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
    let store = memory();
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let late = play_delayed(&server, AN_HOUR_MS).await;
    let first = play_of_group(&server, 0).await;
    for _ in 0..2 {
        write_another(&server, folder.path()).await;
        server.crash().await;
        server = open(Some(folder.path()), Some(&store)).await;
        assert!(!file(folder.path(), &first).exists());
    }
    let mut expected = [late.as_str(), first.as_str()];
    expected.sort_unstable();
    until("the mark names both replays", async || {
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
    let store = memory();
    let folder = tempfile::tempdir().unwrap();
    let mut server = open(Some(folder.path()), Some(&store)).await;
    let first = play_of_group(&server, 0).await;
    play(&server, 20).await;
    server.crash().await;
    let one = KeepReplays::Last(1.try_into().unwrap());
    let server = open_keeping(one, Some(folder.path()), Some(&store)).await;
    until_counted(&server, "forgotten_total", 19.0).await;
    assert_eq!(outcome(server.replay(&first).await), "GROUP_RUNNING");
    play_of_group(&server, 1).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn another_node_writes_a_withheld_replay_once_its_group_is_over() {
    let cluster = Cluster::new();
    let leader = cluster.start("one", None).await;
    let first = play_of_group(&leader, 0).await;
    let open = play(&leader, 1).await.remove(0);
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
    let last = play(&leader, 21).await.pop().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let _other = cluster.start("two", Some(folder.path())).await;
    is_written(folder.path(), &last).await;
    assert!(!file(folder.path(), &first).exists());
    leader.crash().await;

    let one = KeepReplays::Last(1.try_into().unwrap());
    let leader = cluster.start_keeping(one, "one", None).await;
    until_counted(&leader, "forgotten_total{node=\"one\"}", 20.0).await;
    play_of_group(&leader, 1).await;
    is_written(folder.path(), &first).await;
}

#[tokio::test]
async fn a_node_that_cannot_read_the_groups_writes_a_replay_once_it_can() {
    let cluster = Cluster::new();
    let leader = cluster.start("one", None).await;
    let open = play(&leader, 1).await.remove(0);
    let name = "group\n\ndamaged".to_owned();
    let damage = Write::PutRecord { name: name.clone(), value: vec![0xff] };
    cluster.store.commit(vec![damage]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let other = cluster.start("two", Some(folder.path())).await;
    until_counted(&other, "failed_total{node=\"two\"}", 1.0).await;
    assert!(!file(folder.path(), &open).exists());
    let repair = Write::RemoveRecord { name };
    cluster.store.commit(vec![repair]).await.unwrap();
    is_written(folder.path(), &open).await;
}

#[tokio::test]
async fn withheld_replays_are_determined_by_the_store_alone() {
    let store = memory();
    let mut server = open(None, Some(&store)).await;
    let mut withheld =
        vec![play_of_group(&server, 0).await, play_delayed(&server, AN_HOUR_MS).await];
    withheld.sort_unstable();
    play(&server, 1).await;
    all_have_ended(&*store).await;
    server.crash().await;
    let known = WithheldReplays::new(store.records("").await.unwrap());
    let page = store.finished(None, 10).await.unwrap();
    let found = page.matches.iter().filter(|finished| known.is_withheld(finished));
    let mut found: Vec<_> = found.map(|of| of.match_id.to_string()).collect();
    found.sort_unstable();
    assert_eq!(found, withheld);
}

#[cfg(unix)]
#[tokio::test]
async fn a_stopping_server_without_a_store_writes_withheld_replays_for_its_user_only() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let mut server = TestServer::with_options(ServerOptions {
        replays: Some(folder.path().to_owned()),
        replay_mode: Some("0644".parse().unwrap()),
        ..ServerOptions::default()
    })
    .await;
    let first = play_of_group(&server, 0).await;
    let public = write_another(&server, folder.path()).await;
    assert!(!file(folder.path(), &first).exists());
    server.stop.cancel();
    server.ended().await.unwrap();
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

    for (mode, of_file, of_folder) in
        [(None, 0o600, 0o700), (Some("0640"), 0o640, 0o750), (Some("0644"), 0o644, 0o755)]
    {
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
        let match_id = write_another(&server, &folder).await;
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode_of(&file(&folder, &match_id)), of_file);
        assert_eq!(mode_of(&folder), of_folder);
    }
}
