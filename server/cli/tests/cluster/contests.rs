//! Contests on several servers.

use std::path::Path;

use bridgemaster_proto::v1::{ListQueuesRequest, lobby_service_client::LobbyServiceClient};

use crate::{
    kit::{
        program::{Background, bridgemaster},
        results::{rows, seats},
        served::Served,
    },
    nodes::{Cluster, until},
};

/// Starts a contest of short matches on these servers.
fn contest(servers: &str, folder: &Path, flags: &str) -> Background {
    let game = "contest --game bridges_to_nowhere --format round-robin --concurrency 2";
    let at = format!("--server {servers} --folder {}", folder.display());
    Background::start(format!("{game} --referee-lag-limit-ms 60000 {at} {flags}"))
}

/// Waits until the leader has the queue of a contest.
async fn is_open(queue_id: &str, leader: &Served) {
    let channel = leader.channel().await;
    let ask = async || {
        let mut lobby = LobbyServiceClient::new(channel.clone());
        let listed = lobby.list_queues(ListQueuesRequest::default()).await;
        let mut queues = listed.unwrap().into_inner().queues.into_iter();
        queues.find(|queue| queue.queue_id == queue_id)
    };
    until("the queue is open", ask).await;
}

pub(crate) async fn a_queue_of_a_contest_is_at_the_leader_whichever_server_is_named() {
    let Cluster { one, two, three, .. } = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contest");
    let flags = "--rounds 2 --bot here=random --bot far=@greedy --queue cup";
    let contest = contest(&two.url, &path, flags);
    is_open("cup", &one).await;
    let mut attend = bridgemaster("bot greedy --queue cup");
    let far = Background::spawn(attend.env("BRIDGEMASTER_SERVER", &three.url));
    for running in [contest, far] {
        let ended = tokio::task::spawn_blocking(|| running.ended().exits(0));
        ended.await.unwrap();
    }
    let rows = rows(&path);
    assert!(!rows.is_empty());
    for seat in seats(&rows) {
        let how = if seat["bot"] == 0 { "done" } else { "attended" };
        assert_eq!(seat["end"]["how"], how, "{seat}");
    }
}

pub(crate) async fn a_contest_continues_when_its_server_is_killed() {
    let Cluster { one, two, three, .. } = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contest");
    let servers = [&*one.url, &*two.url, &*three.url].join(",");
    // Enough for some matches to be left when a server is killed after the first few.
    let flags = "--rounds 8 --bot a=random --bot b=random";
    let mut contest = contest(&servers, &path, flags);
    let are_played = async || {
        assert!(!contest.is_over(), "it plays");
        (rows(&path).len() >= 3).then_some(())
    };
    until("matches are played", are_played).await;
    one.kill();
    assert!(!contest.is_over(), "matches are left");
    let ended = tokio::task::spawn_blocking(|| contest.ended().exits(0));
    ended.await.unwrap();
    for seat in seats(&rows(&path)) {
        assert_eq!(seat["end"]["how"], "done", "{seat}");
    }
}
