//! The metrics of a server, and the page that serves them.

use std::collections::HashMap;

use bridgemaster_proto::v1::MatchState;

use crate::{
    page::get,
    streams::until,
    test_server::{GAMES, TestServer, config, of_two, without_bots},
};

/// Returns the value of every series, keyed by its name and labels as they appear on the page.
pub(crate) async fn scrape(server: &TestServer) -> HashMap<String, f64> {
    let response = get(server.metrics, "/metrics", &[]).await;
    assert_eq!(response.status, 200);
    let kind = response.header("content-type");
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let body = response.text();
    assert!(body.trim_end().ends_with("# EOF"), "{body}");
    body.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(series, value)| (series.to_owned(), value.parse().unwrap()))
        .collect()
}

#[tokio::test]
async fn matches_streams_and_decisions_are_counted() {
    let server = TestServer::open().await;
    for &game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let waiting = scrape(&server).await;
        assert_eq!(waiting["bridgemaster_matches{state=\"waiting\"}"], 1.0);
        server.play(&seated).await;
        let info = server.info(&seated.match_id).await;
        assert_eq!(info.state(), MatchState::Ended);
        let ended = scrape(&server).await;
        let of = |name: &str| ended[&format!("bridgemaster_{name}{{game=\"{game}\"}}")];
        let by =
            |by| ended[&format!("bridgemaster_decisions_total{{game=\"{game}\",by=\"{by}\"}}")];
        assert_eq!(of("matches_ended_total"), 1.0);
        assert_eq!(by("bot") + by("referee"), f64::from(info.result.unwrap().decisions));
        assert_eq!(of("decision_seconds_count"), by("bot"));
        assert_eq!(ended["bridgemaster_matches{state=\"waiting\"}"], 0.0);
        assert_eq!(ended["bridgemaster_matches{state=\"running\"}"], 0.0);
    }
    let handled = scrape(&server).await["bridgemaster_handling_seconds_count"];
    assert!(handled > 100.0, "{handled} messages were handled");
}

#[tokio::test]
async fn a_secret_decision_is_counted_once_it_is_public() {
    /// The number of requests after which both seats are in their secret building phase.
    const REQUESTS: usize = 80;

    let server = TestServer::open().await;
    let game = "bridges_to_nowhere";
    let seated = server.create(config(game, 2)).await;
    let [mut first, mut second] = server.join_all(&seated).await;
    let mut most_secret = 0.0;
    for answered in 0..REQUESTS {
        let (bot, asked) = tokio::select! {
            biased;
            asked = first.next_request() => (&first, asked),
            asked = second.next_request() => (&second, asked),
        };
        let public = async || f64::from(server.info(&seated.match_id).await.decisions);
        let before = public().await;
        let counted: f64 = scrape(&server)
            .await
            .iter()
            .filter(|(series, _)| series.starts_with("bridgemaster_decisions_total"))
            .map(|(_, count)| count)
            .sum();
        let after = public().await;
        assert!((before..=after).contains(&counted), "{counted} of {after}");
        most_secret = (answered as f64 - after).max(most_secret);
        bot.answer_first(&asked).await;
    }
    assert!(most_secret > 1.0, "some decisions must have been secret");
}

#[tokio::test]
async fn streams_are_counted_while_they_are_open() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let bot = server.join(&seated.tickets[0]).await;
    assert_eq!(scrape(&server).await["bridgemaster_play_streams"], 1.0);
    drop(bot);
    until("the stream has ended", async || {
        scrape(&server).await["bridgemaster_play_streams"] == 0.0
    })
    .await;
}

#[tokio::test]
async fn faults_are_counted_by_reason() {
    let server = TestServer::open().await;
    let seated = server.create(without_bots()).await;
    server.result(&seated.match_id).await;
    let faults = "bridgemaster_faults_total{reason=\"NEVER_CONNECTED\",action=\"FORFEIT\"}";
    assert_eq!(scrape(&server).await[faults], 2.0);
}

#[tokio::test]
async fn other_paths_are_not_found() {
    let server = TestServer::open().await;
    let response = get(server.metrics, "/", &[]).await;
    assert_eq!(response.status, 404);
}
