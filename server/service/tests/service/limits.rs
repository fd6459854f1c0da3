//! Limits and their refusals, as clients observe them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    CreateMatchRequest, FaultAction, FaultPolicy, GetMatchRequest, ListMatchesRequest, MatchConfig,
    WatchMatchRequest, match_service_client::MatchServiceClient,
};
use bridgemaster_sdk::{Bot, Choice, Options};
use bridgemaster_server::Limits;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, transport::Channel};
use tonic_types::StatusExt as _;

use crate::{
    raw_bot::reason,
    test_server::{GAMES, TestServer, config, with_clock},
};

async fn refused(server: &TestServer, config: MatchConfig) -> tonic::Status {
    server
        .try_create(config)
        .await
        .err()
        .expect("the config is refused")
}

#[tokio::test]
async fn open_matches_are_limited_and_the_refusal_names_the_limit() {
    let limits = Limits {
        open_matches: 2,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let first = server.create(config(GAMES[0], 2)).await;
    server.create(config(GAMES[0], 2)).await;
    let full = refused(&server, config(GAMES[0], 2)).await;
    assert_eq!(
        (full.code(), reason(&full).as_str()),
        (Code::ResourceExhausted, "LIMIT_REACHED")
    );
    assert_eq!(
        full.get_details_error_info().unwrap().metadata["limit"],
        "open_matches"
    );

    let bots: Vec<_> = first.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    server.create(config(GAMES[0], 2)).await;
}

#[tokio::test]
async fn the_oldest_ended_matches_are_forgotten_first() {
    let limits = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let quick = with_clock(config(GAMES[0], 2), |c| c.startup_ms = Some(1));
        let seated = server.create(quick).await;
        server.result(&seated.match_id).await;
        ids.push(seated.match_id);
    }
    assert_eq!(
        reason(&server.replay(&ids[0]).await.unwrap_err()),
        "MATCH_UNKNOWN"
    );
    assert!(server.replay(&ids[1]).await.is_ok());
}

#[tokio::test]
async fn a_silent_stream_is_ended_after_the_hello_timeout() {
    let limits = Limits {
        hello_time: Duration::from_millis(30),
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let (silent, messages) = mpsc::channel(1);
    let mut call = Request::new(ReceiverStream::new(messages));
    let bearer = format!("Bearer {}", seated.tickets[0]);
    call.metadata_mut()
        .insert("authorization", bearer.parse().unwrap());
    let mut inbound = server.player().await.play(call).await.unwrap().into_inner();
    let end = inbound.message().await.unwrap_err();
    assert_eq!(reason(&end), "HELLO_LATE");
    drop(silent);
}

#[tokio::test]
async fn an_invalid_match_config_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let nothing = server
        .matches()
        .create_match(CreateMatchRequest {
            config: None,
            ..CreateMatchRequest::default()
        })
        .await
        .unwrap_err();
    assert!(nothing.message().starts_with("config.game"), "{nothing:?}");

    for game in GAMES {
        let seats = refused(&server, config(game, 9)).await;
        assert_eq!(reason(&seats), "INVALID_FIELD");
        assert!(seats.message().starts_with("config.seats"), "{seats:?}");

        let mut seed = config(game, 2);
        seed.seed = Some("two words".to_owned());
        let seed = refused(&server, seed).await;
        assert!(seed.message().starts_with("config.seed"), "{seed:?}");

        let bank = with_clock(config(game, 2), |clock| clock.bank_ms = Some(0));
        let bank = refused(&server, bank).await;
        assert!(
            bank.message().starts_with("config.clock.bank_ms"),
            "{bank:?}"
        );
        assert!(bank.message().contains("1..=86400000"), "{bank:?}");

        let mut late = config(game, 2);
        late.faults = Some(FaultPolicy {
            late: FaultAction::Refuse.into(),
            ..FaultPolicy::default()
        });
        let late = refused(&server, late).await;
        assert!(late.message().starts_with("config.faults.late"), "{late:?}");
        let violations = late.get_details_bad_request().unwrap().field_violations;
        assert_eq!(violations[0].field, "config.faults.late");
    }
}

#[tokio::test]
async fn a_request_over_the_size_limit_is_refused() {
    let server = TestServer::open().await;
    let mut huge = config(GAMES[0], 2);
    huge.seed = Some("x".repeat(300_000));
    let refused = refused(&server, huge).await;
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
    assert_eq!(reason(&refused), "MALFORMED_MESSAGE");
    assert!(
        refused.message().contains("65536"),
        "it names the limit: {refused:?}"
    );
}

#[tokio::test]
async fn a_match_identifier_that_is_too_long_is_refused() {
    let server = TestServer::open().await;
    let request = GetMatchRequest {
        match_id: "x".repeat(50_000),
        ..GetMatchRequest::default()
    };
    let refused = server.matches().get_match(request).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_UNKNOWN");
    assert!(refused.message().len() < 200, "{refused:?}");
}

#[tokio::test]
async fn a_page_size_over_the_limit_is_refused_with_the_limit() {
    let server = TestServer::open().await;
    let page = |page_size| {
        let mut client = server.matches();
        let request = ListMatchesRequest {
            page_size,
            ..ListMatchesRequest::default()
        };
        async move { client.list_matches(request).await }
    };
    page(500).await.unwrap();
    let refused = page(501).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_FIELD");
    assert!(refused.message().contains("0 to 500"), "{refused:?}");
}

/// A game whose decisions are public immediately.
const CARCASSONNE: &str = "carcassonne";

/// The number of first decisions that are each sent to spectators before the next one is made.
const SHOWN_DECISIONS: u32 = 12;

/// A bot that decides only once spectators have seen the previous decision.
struct PacedBot {
    bot: Random,
    /// The number of decisions of both bots.
    made: Arc<AtomicU32>,
    /// The number of decisions that spectators have seen.
    shown: watch::Receiver<u32>,
}

impl Bot for PacedBot {
    fn decide(&mut self, request: &bridgemaster_sdk::Request) -> Choice {
        let due = self
            .made
            .fetch_add(1, Ordering::Relaxed)
            .min(SHOWN_DECISIONS);
        // Blocking is safe, since each bot decides on its own thread.
        while *self.shown.borrow() < due {
            std::thread::yield_now();
        }
        self.bot.decide(request)
    }
}

/// Watches a match, and publishes the number of decisions that were received.
async fn count_received(server: &TestServer, match_id: &str) -> watch::Receiver<u32> {
    let request = WatchMatchRequest {
        match_id: match_id.to_owned(),
    };
    let updates = server.matches().watch_match(request).await;
    let mut updates = updates.unwrap().into_inner();
    let (shows, shown) = watch::channel(0);
    tokio::spawn(async move {
        while let Ok(Some(message)) = updates.message().await {
            shows.send_replace(message.r#match.unwrap().decisions);
        }
    });
    shown
}

#[tokio::test]
async fn a_spectator_that_does_not_read_loses_only_its_own_stream() {
    let limits = Limits {
        watcher_queue: 2,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(CARCASSONNE, 2)).await;
    // Windows so small that updates stay in the server's queue.
    let narrow = Channel::from_shared(server.url.clone())
        .unwrap()
        .initial_stream_window_size(1_000)
        .connect()
        .await
        .unwrap();
    let request = WatchMatchRequest {
        match_id: seated.match_id.clone(),
    };
    let updates = MatchServiceClient::new(narrow).watch_match(request).await;
    let mut updates = updates.unwrap().into_inner();
    let shown = count_received(&server, &seated.match_id).await;
    let made = Arc::<AtomicU32>::default();
    let bots = seated.tickets.iter().map(|ticket| {
        let bot = PacedBot {
            bot: Random::new(&Seed::from(1)),
            made: Arc::clone(&made),
            shown: shown.clone(),
        };
        let options = Options::new(&server.url, ticket.parse().unwrap(), "shown");
        tokio::spawn(bridgemaster_sdk::play(bot, options))
    });
    for bot in bots.collect::<Vec<_>>() {
        let result = bot.await.unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
    let end = loop {
        match updates.message().await {
            Ok(Some(message)) => {
                let result = message.r#match.unwrap().result;
                assert!(result.is_none(), "a slow reader does not get this far");
            }
            Ok(None) => panic!("the stream ends with a reason"),
            Err(status) => break status,
        }
    };
    assert_eq!(reason(&end), "SLOW_CONSUMER");
}

#[test]
fn the_page_for_bots_states_the_limits_of_the_server() {
    let words: Vec<&str> = include_str!("../../../../proto/PROTOCOL.md")
        .split_whitespace()
        .collect();
    let page = words.join(" ");
    let limits = Limits::default();
    for text in [
        format!(
            "| from a bot, on PlayService | {} KiB |",
            limits.play_message_bytes / 1024
        ),
        format!(
            "| request of another service | {} KiB |",
            limits.request_bytes / 1024
        ),
        format!("sends a PING every {} s, and", limits.keepalive.as_secs()),
        format!(
            "client does not answer within {} s.",
            limits.keepalive.as_secs()
        ),
    ] {
        assert!(page.contains(&text), "{text}");
    }
}
