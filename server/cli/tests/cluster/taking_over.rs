//! A server goes, and others have its matches.

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{CreateMatchRequest, GetMatchRequest, MatchConfig, MatchGroup, MatchState, SeedReveal},
};
use tokio::time::{sleep, timeout};

use crate::{
    counted_play::{Ended, Playing},
    nodes::{Cluster, LOOK_AGAIN, address, free_address, node, node_that_logs},
    postgres_server::PostgresServer,
    served::{PATIENCE, Served, serve},
};

/// Games of the matches, which are long enough for a takeover in the middle.
const GAMES: [&str; 2] = ["carcassonne", "old_london_bridge"];
/// Matches of each game on each of three servers.
const MATCHES_EACH: usize = 2;

/// Matches on each of the servers, all of which their bots know. As many as on three servers, and
/// the same ones.
async fn begin(servers: &[&Served]) -> Playing {
    let urls: Vec<&str> = servers.iter().map(|server| &*server.url).collect();
    let mut playing = Playing::default();
    for number in 0..3 * MATCHES_EACH {
        let server = servers[number % servers.len()];
        for game in GAMES {
            let seed = format!("{game}-{number}");
            playing.begin(server, &urls.join(","), game, &seed).await;
        }
    }
    playing
}

/// Returns the outcomes of the matches on an undisturbed server.
async fn undisturbed() -> Ended {
    let flags = ["--listen", "127.0.0.1:0", "--no-page"];
    let server = Served::of(serve(flags).spawn().unwrap());
    begin(&[&server]).await.end(&[&server]).await
}

/// Three servers with matches of which a quarter is played, and what is to come of them.
async fn a_quarter_played() -> (Ended, Cluster, Playing) {
    let expected = undisturbed().await;
    let cluster = Cluster::start();
    let playing = begin(&[&cluster.one, &cluster.two, &cluster.three]).await;
    playing.reaches(expected.decisions / 4).await;
    (expected, cluster, playing)
}

pub(crate) async fn matches_of_a_killed_server_end_as_if_it_had_not_been() {
    let (expected, cluster, playing) = a_quarter_played().await;
    // The first leads, so the lead moves too.
    cluster.one.kill();
    playing.reaches(expected.decisions / 2).await;
    let ended = playing.end(&[&cluster.two, &cluster.three]).await;
    ended.assert_as_undisturbed(&expected);
}

pub(crate) async fn a_server_that_stood_still_harms_nothing() {
    let (expected, cluster, playing) = a_quarter_played().await;
    cluster.two.signal("-STOP");
    let ended = playing.end(&[&cluster.one, &cluster.three]).await;
    ended.assert_as_undisturbed(&expected);
    // Its lease and its matches are gone, which it learns before it answers anybody.
    cluster.two.signal("-CONT");
    let ended: std::process::Output = cluster.two.end();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("taken over by another server"), "{said}");
}

pub(crate) async fn a_server_that_drains_leaves_its_matches_to_others() {
    let (expected, cluster, playing) = a_quarter_played().await;
    let Cluster {
        database,
        one,
        mut two,
        three,
    } = cluster;
    // A rolling restart: one after the other, each with its address.
    let at = address(&one);
    one.signal("-TERM");
    assert_eq!(one.end().status.code(), Some(0));
    let one: Served = node(&database, "one", &at, &[]);
    playing.reaches(expected.decisions / 2).await;
    let at = address(&two);
    two.signal("-TERM");
    let ended: std::process::Output = two.end();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{said}");
    // The others had its matches before it gave up its lease.
    assert!(said.contains("released matches to other nodes"), "{said}");
    two = node(&database, "two", &at, &[]);
    let ended = playing.end(&[&one, &two, &three]).await;
    ended.assert_as_undisturbed(&expected);
}

pub(crate) async fn a_bot_whose_server_drains_comes_back_once() {
    let database = PostgresServer::shared().fresh();
    let start = |name| {
        let joins = "bridgemaster_live=info";
        node_that_logs(&database, name, &free_address(), &[], joins)
    };
    let (stays, drains) = (start("one"), start("two"));
    let mut playing = Playing::default();
    let both = [&*stays.url, &*drains.url].join(",");
    for number in 0..4 {
        let seed = format!("once-{number}");
        playing.begin(&drains, &both, "carcassonne", &seed).await;
    }
    playing.reaches(100).await;
    drains.signal("-TERM");
    assert_eq!(drains.end().status.code(), Some(0));
    assert_eq!(playing.end(&[&stays]).await.matches(), 4);
    stays.signal("-TERM");
    let said = String::from_utf8(stays.end().stderr).unwrap();
    assert_eq!(said.matches("bot joined").count(), 4 * 2, "{said}");
}

pub(crate) async fn a_server_that_lost_the_lead_while_it_was_away_leaves_what_belongs_to_it() {
    let Cluster {
        database, one, two, ..
    } = Cluster::start();
    let config = MatchConfig {
        game: with_game!(GAMES[0], G => G::config_to_wire(&Default::default())),
        seats: 2,
        group: Some(MatchGroup {
            group_id: "held-back".to_owned(),
            number: 0,
            matches: 2,
            seed_reveal: SeedReveal::WithGroup.into(),
        }),
        ..MatchConfig::default()
    };
    let request = CreateMatchRequest {
        config: Some(config),
        ..CreateMatchRequest::default()
    };
    let made = one.matches().await.create_match(request).await.unwrap();
    let match_id = made.into_inner().r#match.unwrap().match_id;
    let at = address(&one);
    one.kill();
    // As when it is away for longer than its lease, and then started again and again.
    let schema = database.rsplit('=').next().unwrap();
    for leads in [("one", false), ("two", true)] {
        PostgresServer::shared().run(&format!(
            "UPDATE {schema}.node SET leads = {} WHERE node_id = '{}'",
            leads.1, leads.0
        ));
    }
    let _one = node(&database, "one", &at, &[]);
    let request = GetMatchRequest {
        match_id,
        ..GetMatchRequest::default()
    };
    let goes_on = async {
        loop {
            match two.matches().await.get_match(request.clone()).await {
                Ok(found) => return found.into_inner().r#match.unwrap(),
                Err(_) => sleep(LOOK_AGAIN).await,
            }
        }
    };
    let found = timeout(PATIENCE, goes_on).await.expect("two has it");
    assert_eq!(found.state(), MatchState::Waiting);
}
