//! The metrics of a server, and the page that serves them.

use std::{collections::HashMap, net::SocketAddr};

use bridgemaster_proto::v1::{ClockRules, MatchState, decision::Choice};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{
    raw_bot::RawBot,
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

/// Sends a `GET` request, and returns the response with its headers.
async fn get(addr: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    let read = stream.read_to_string(&mut response);
    timeout(PATIENCE, read).await.unwrap().unwrap();
    response
}

/// Returns the value of every series, keyed by its name and labels as they appear on the page.
pub(crate) async fn scrape(server: &TestServer) -> HashMap<String, f64> {
    let response = get(server.metrics, "/metrics").await;
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("application/openmetrics-text"), "{head}");
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
        let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
        for bot in bots {
            bot.await.unwrap().unwrap();
        }
        let info = server.info(&seated.match_id).await;
        assert_eq!(info.state(), MatchState::Ended);
        let ended = scrape(&server).await;
        let of = |name: &str| ended[&format!("bridgemaster_{name}{{game=\"{game}\"}}")];
        let by =
            |by| ended[&format!("bridgemaster_decisions_total{{game=\"{game}\",by=\"{by}\"}}")];
        assert_eq!(of("matches_ended_total"), 1.0);
        assert_eq!(
            by("bot") + by("referee"),
            f64::from(info.result.unwrap().decisions)
        );
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
    let mut first = RawBot::join(&server, &seated.tickets[0]).await;
    let mut second = RawBot::join(&server, &seated.tickets[1]).await;
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
        bot.answer(&asked, Choice::Index(0)).await;
    }
    assert!(most_secret > 1.0, "no decision was secret");
}

#[tokio::test]
async fn streams_are_counted_while_they_are_open() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let bot = RawBot::join(&server, &seated.tickets[0]).await;
    assert_eq!(scrape(&server).await["bridgemaster_play_streams"], 1.0);
    drop(bot);
    let closed = async {
        while scrape(&server).await["bridgemaster_play_streams"] > 0.0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, closed).await.expect("the stream is gone");
}

#[tokio::test]
async fn faults_are_counted_by_reason() {
    let server = TestServer::open().await;
    let config = with_clock(config(GAMES[0], 2), |clock: &mut ClockRules| {
        clock.startup_ms = Some(50);
    });
    let seated = server.create(config).await;
    server.result(&seated.match_id).await;
    let faults = "bridgemaster_faults_total{reason=\"NEVER_CONNECTED\",action=\"FORFEIT\"}";
    assert_eq!(scrape(&server).await[faults], 2.0);
}

#[tokio::test]
async fn other_paths_are_not_found() {
    let server = TestServer::open().await;
    let response = get(server.metrics, "/").await;
    assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
}
