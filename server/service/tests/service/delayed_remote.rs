//! Delayed matches in a cluster: no node reveals more than the one that serves the delayed view.

use std::sync::Arc;

use bridgemaster_proto::v1::MatchState;
use tonic::Status;

use crate::{
    delayed_law::AN_HOUR_MS,
    scripted_cluster::Cluster,
    streams::{outcome, reason, until},
    test_server::{GAMES, TestServer, with_delay},
};

/// Returns the results of calls for a match.
async fn answers(server: &TestServer, id: &str) -> Vec<(&'static str, String)> {
    let text = |status: Status| format!("{} {}", reason(&status), status.message());
    let listed = server.list().await.unwrap();
    let is_listed = listed.iter().any(|listed| listed == id);
    let get = server.try_info(id).await.map(drop).map_err(text);
    let watch = server.watch(id).await.map(drop).map_err(text);
    let replay = server.replay(id).await.map(drop).map_err(text);
    vec![
        ("ListMatches", is_listed.to_string()),
        ("GetMatch", format!("{get:?}")),
        ("WatchMatch", format!("{watch:?}")),
        ("GetReplay", format!("{replay:?}")),
    ]
}

/// Plays a delayed match to its end, and returns the results of `two` while it was in play.
async fn play_delayed(
    cluster: &Arc<Cluster>,
    [one, two]: [&TestServer; 2],
) -> (String, Vec<(&'static str, String)>) {
    let seated = one.create(with_delay(GAMES[0], AN_HOUR_MS)).await;
    let in_play = answers(two, &seated.match_id).await;
    one.play(&seated).await;
    until("the match has ended", async || cluster.store.open_match_ids().await.unwrap().is_empty())
        .await;
    (seated.match_id, in_play)
}

#[tokio::test]
async fn another_node_hides_the_end_of_a_match_until_it_is_visible() {
    let cluster = Cluster::new();
    let mut one = cluster.start("one", None).await;
    let mut two = cluster.start("two", None).await;
    let (id, in_play) = play_delayed(&cluster, [&one, &two]).await;
    assert_eq!(in_play[0].1, "true", "every node lists the match");
    assert_eq!(in_play[1].1, "Ok(())", "the call is forwarded");
    for is_restarted in [false, true] {
        if is_restarted {
            for server in [&mut one, &mut two] {
                server.crash().await;
            }
            one = cluster.start("one", None).await;
            two = cluster.start("two", None).await;
        }
        for server in [&one, &two] {
            assert_eq!(answers(server, &id).await, in_play, "{is_restarted}");
        }
        assert_eq!(one.info(&id).await.state(), MatchState::Waiting);
    }
}

#[tokio::test]
async fn the_leader_takes_over_delayed_views_of_a_lost_node() {
    let cluster = Cluster::new();
    let mut one = cluster.start("one", None).await;
    let two = cluster.start("two", None).await;
    let (id, _) = play_delayed(&cluster, [&one, &two]).await;
    one.crash().await;
    cluster.lose("one");
    until("the leader has taken over the delayed view", async || {
        let got = outcome(two.try_info(&id).await);
        assert!(got == "OK" || got == "NODE_SUPERSEDED", "{got}");
        got == "OK"
    })
    .await;
    assert_eq!(two.info(&id).await.state(), MatchState::Waiting);
    assert_eq!(answers(&two, &id).await[0].1, "true", "the match is listed");
}
