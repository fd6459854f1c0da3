//! Tests that other servers take over the matches of a server that has gone.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{
    ClockRules, MatchConfig, MatchGroup, MatchState, SeedReveal, play_response::Message,
};

use crate::{
    counted_play::{Ended, Playing, undisturbed},
    kit::{
        calls::{config, create_request},
        program::assert_has,
        seat_stream::{SeatStream, hello},
        served::Served,
    },
    nodes::{Cluster, node, node_at, two_servers, until},
    pooler::Pooler,
    postgres_server::PostgresServer,
};

/// Games whose matches are long enough for a takeover in the middle.
const GAMES: [&str; 2] = ["carcassonne", "old_london_bridge"];

/// Starts matches on each of the servers, with bots that connect to all servers. The matches are
/// the same for any number of servers.
async fn begin(servers: &[&Served]) -> Playing {
    let urls: Vec<&str> = servers.iter().map(|server| &*server.url).collect();
    let mut playing = Playing::default();
    for number in 0..6 {
        let server = servers[number % servers.len()];
        for game in GAMES {
            let seed = format!("{game}-{number}");
            playing.begin(server, &urls.join(","), game, &seed).await;
        }
    }
    playing
}

/// Starts three servers and plays their matches to a quarter. Also returns the expected results.
async fn a_quarter_played() -> (Ended, Cluster, Playing) {
    let expected = undisturbed(async |server| begin(&[server]).await).await;
    let cluster = Cluster::start();
    let playing = begin(&[&cluster.one, &cluster.two, &cluster.three]).await;
    playing.reaches(expected.decisions / 4).await;
    (expected, cluster, playing)
}

pub(crate) async fn a_draining_server_releases_its_matches_to_others() {
    let (expected, cluster, playing) = a_quarter_played().await;
    let Cluster { database, one, two, three } = cluster;
    // A rolling restart: one server after the other, each with its own address.
    let at = one.address();
    one.stop();
    let one = node_at(&database, "one", &at, "");
    playing.reaches(expected.decisions / 2).await;
    let at = two.address();
    // A match that waits for its second bot, since under load all others may have ended.
    let (_, tickets) = two.create(GAMES[0], "waiting").await;
    let stream = SeatStream::open(two.channel().await, &tickets[0], "", hello("waiting")).await;
    let mut stream = stream.unwrap();
    assert!(matches!(stream.message().await, Message::Welcome(_)));
    // The other servers had taken over its matches before it released its lease.
    assert_has(&two.stop(), &["released matches to other nodes"]);
    let two = node_at(&database, "two", &at, "");
    let ended = playing.end(&[&one, &two, &three]).await;
    ended.assert_as_undisturbed(&expected);
}

pub(crate) async fn a_bot_whose_server_drains_reconnects_once() {
    let (stays, drains) = two_servers();
    let mut playing = Playing::default();
    let both = [&*stays.url, &*drains.url].join(",");
    for number in 0..4 {
        let seed = format!("once-{number}");
        playing.begin(&drains, &both, "carcassonne", &seed).await;
    }
    playing.reaches(100).await;
    drains.stop();
    assert_eq!(playing.end(&[&stays]).await.matches(), 4);
    let said = stays.stop();
    assert_eq!(said.matches("bot joined").count(), 4 * 2, "{said}");
}

pub(crate) async fn a_server_that_lost_the_lead_while_suspended_does_not_act_as_leader() {
    let Cluster { database, one, two, .. } = Cluster::start();
    let request = create_request(MatchConfig {
        group: Some(MatchGroup {
            group_id: "held-back".to_owned(),
            number: 0,
            matches: 2,
            seed_reveal: SeedReveal::WithGroup.into(),
        }),
        ..config(GAMES[0], 2, ClockRules::default())
    });
    let made = one.matches().await.create_match(request).await.unwrap();
    let match_id = made.into_inner().r#match.unwrap().match_id;
    let at = one.address();
    one.kill();
    // Simulates a server that is away for longer than its lease, and is then restarted several
    // times.
    let schema = database.rsplit('=').next().unwrap();
    for (name, leads) in [("one", false), ("two", true)] {
        PostgresServer::shared()
            .run(&format!("UPDATE {schema}.node SET leads = {leads} WHERE node_id = '{name}'"));
    }
    let _one = node_at(&database, "one", &at, "");
    let found = until("two has the match", async || two.info(&match_id).await.ok()).await;
    assert_eq!(found.state(), MatchState::Waiting);
}

/// Waits until all nodes have observed each other on the same sessions for two seconds.
async fn all_observe(server: &PostgresServer, nodes: &str) {
    let observing = "SELECT count(*) FROM pg_stat_activity
         WHERE query LIKE '%pg_try_advisory_xact_lock_shared%'
             AND state_change - backend_start > interval '2 seconds' AND pid <> pg_backend_pid()";
    until("they observe", async || (server.run(observing) == nodes).then_some(())).await;
}

pub(crate) async fn a_crash_ends_a_lease_early_and_a_terminated_session_does_not() {
    let server = PostgresServer::start();
    let database = server.fresh();
    let schema = database.rsplit('=').next().unwrap();
    let (one, two) = (node(&database, "one", ""), node(&database, "two", ""));
    let (match_id, _) = one.create("alhambra", "a").await;
    all_observe(&server, "2").await;
    for sessions in ["pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')", "true"] {
        server.run(&format!(
            "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
             WHERE usename = 'tester' AND pid <> pg_backend_pid() AND {sessions}"
        ));
        all_observe(&server, "2").await;
        for served in [&one, &two] {
            served.info(&match_id).await.unwrap();
        }
    }
    let epochs = format!("SELECT string_agg(epoch::text, ',') FROM {schema}.node");
    assert_eq!(server.run(&epochs), "1,1");
    is_taken_over_early(one, &two, &match_id).await;
    assert_has(&two.stop(), &["a node has crashed; taking over its matches"]);
}

pub(crate) async fn a_crash_behind_a_pooler_ends_a_lease_early() {
    let server = PostgresServer::start();
    let settings = "pool_mode = session\ndefault_pool_size = 45\nmax_client_conn = 100";
    let pooler = Pooler::start(&server, 6432, settings);
    let database = pooler.url(&server.fresh());
    let [one, two, _three] = ["one", "two", "three"].map(|name| node(&database, name, ""));
    let (match_id, _) = one.create("alhambra", "a").await;
    all_observe(&server, "3").await;
    is_taken_over_early(one, &two, &match_id).await;
}

/// Kills a node, and waits until another one has its match.
async fn is_taken_over_early(killed: Served, asked: &Served, match_id: &str) {
    let killed_at = Instant::now();
    killed.kill();
    until("another node has the match", async || asked.info(match_id).await.ok()).await;
    let took = killed_at.elapsed();
    // The lease of a node lasts for at least six more seconds.
    assert!(took < Duration::from_secs(5), "{took:?}");
}
