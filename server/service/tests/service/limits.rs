//! Invalid and large requests, and limits that depend on their callers' reading.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    CreateMatchRequest, FaultAction, FaultPolicy, ListMatchesRequest, MatchConfig, MatchState,
    SeatClock, SpectatorAccess, SpectatorRules, TimeControl, WatchMatchesRequest,
};
use bridgemaster_sdk::{Bot, Choice, Options, Request};
use bridgemaster_server::Limits;
use tokio::sync::watch;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::{
    caller::{creating, in_state},
    streams::{assert_invalid, next, outcome, reason},
    test_server::{
        GAMES, TestServer, assert_faultless, config, keeping_one, of_two, with_clock, with_delay,
        without_bots,
    },
};

#[tokio::test]
async fn the_oldest_finished_matches_are_forgotten_first() {
    let server = TestServer::with_limits(keeping_one()).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let seated = server.create(without_bots()).await;
        server.result(&seated.match_id).await;
        ids.push(seated.match_id);
    }
    assert_eq!(outcome(server.replay(&ids[0]).await), "MATCH_UNKNOWN");
    server.replay(&ids[1]).await.unwrap();
}

fn odds(seat: u32, bank_ms: u32) -> SeatClock {
    SeatClock { seat, time_control: Some(TimeControl::fischer(bank_ms, 0, 1)) }
}

#[tokio::test]
async fn an_invalid_match_config_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let nothing = server.create_by(CreateMatchRequest::default()).await;
    assert_invalid(nothing, "config.game");
    let seeded = |game| MatchConfig { seed: Some("two words".to_owned()), ..config(game, 2) };
    let refusing = |game| MatchConfig {
        faults: Some(FaultPolicy { late: FaultAction::Refuse.into(), ..FaultPolicy::default() }),
        ..config(game, 2)
    };
    for game in GAMES {
        let bank = with_clock(config(game, 2), |clock| {
            clock.time_control = Some(TimeControl::fischer(0, 500, 1));
        });
        // An unknown kind, as a newer client may send it, is decoded as a missing kind.
        let unknown = with_clock(config(game, 2), |clock| {
            clock.time_control = Some(TimeControl::default());
        });
        for (bad, message) in [
            (config(game, 9), "config.seats"),
            (seeded(game), "config.seed"),
            (bank, "config.clock.time_control.fischer.bank_ms: 0 is out of range (1..=86400000"),
            (
                unknown,
                "config.clock.time_control.kind: fischer or fischer_delay must be set; this \
                 version knows no other kind",
            ),
            (refusing(game), "config.faults.late"),
        ] {
            assert_invalid(server.try_create(bad).await, message);
        }
    }
    let refused = server.try_create(refusing(GAMES[0])).await.err().unwrap();
    let violations = refused.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "config.faults.late");

    let clocks = "config.seat_clocks";
    for (seat_clocks, message) in [
        (vec![odds(0, 0)], "time_control.fischer.bank_ms: 0 is out of range"),
        (vec![odds(2, 1)], "seat: 2 is out of range (0..=1)"),
        (vec![odds(300, 1)], "seat: there is no seat 300"),
        (vec![odds(1, 1), odds(1, 1)], "seat: seat 1 has two entries"),
    ] {
        let bad = MatchConfig { seat_clocks, ..of_two() };
        let message = format!("{clocks}.{message}");
        assert_invalid(server.try_create(bad).await, &message);
    }
    let late = server.try_create(with_delay(GAMES[0], 3_600_001)).await;
    let message = "config.spectators.delay_ms: 3600001 is out of range (0 to 3600000)";
    assert_invalid(late, message);

    let access = MatchConfig {
        spectators: Some(SpectatorRules {
            access: SpectatorAccess::Public.into(),
            ..SpectatorRules::default()
        }),
        ..of_two()
    };
    let refused = server.try_create(access).await.err().unwrap();
    assert_eq!(refused.code(), Code::Unimplemented, "{refused:?}");
    assert_eq!(reason(&refused), "NOT_SUPPORTED");
    let info = refused.get_details_error_info().unwrap();
    assert_eq!(info.metadata["field"], "config.spectators.access");
    let bad = refused.get_details_bad_request().unwrap();
    assert_eq!(bad.field_violations[0].field, "config.spectators.access");
}

#[tokio::test]
async fn a_match_can_require_a_version_of_its_rules() {
    let server = TestServer::open().await;
    let served = server.create_by(creating(of_two())).await.unwrap();
    let served = served.r#match.unwrap().rules_version;
    let wanted = |rules_version| CreateMatchRequest {
        rules_version: Some(rules_version),
        ..creating(of_two())
    };
    let made = server.create_by(wanted(served)).await.unwrap();
    assert_eq!(made.r#match.unwrap().rules_version, served);
    let refused = server.create_by(wanted(served + 1)).await;
    assert_invalid(refused, "rules_version: ");
}

#[tokio::test]
async fn a_large_request_is_refused_with_the_limit() {
    let server = TestServer::open().await;
    let huge = MatchConfig { seed: Some("x".repeat(300_000)), ..of_two() };
    let refused = server.try_create(huge).await.err().unwrap();
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
    assert_eq!(reason(&refused), "MALFORMED_MESSAGE");
    assert!(refused.message().contains("65536"), "{refused:?}");

    let refused = server.try_info(&"x".repeat(50_000)).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_UNKNOWN");
    assert!(refused.message().len() < 200, "{refused:?}");
}

#[tokio::test]
async fn an_invalid_list_or_overview_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let page = |page_size, page_token: &str| ListMatchesRequest {
        page_size,
        page_token: page_token.to_owned(),
        ..ListMatchesRequest::default()
    };
    server.page(page(500, "")).await.unwrap();
    let refused = server.page(page(501, "")).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_FIELD");
    assert!(refused.message().contains("501 is out of range (0 to 500)"), "{refused:?}");
    assert_invalid(server.page(page(0, "x y")).await, "page_token");

    let of =
        |filter, max_matches, interval_ms| WatchMatchesRequest { filter, max_matches, interval_ms };
    let ended = in_state(MatchState::Ended);
    for (request, field) in [
        (of(Some(ended), 0, 0), "filter.state"),
        (of(None, 101, 0), "max_matches"),
        (of(None, 0, 99), "interval_ms: 99 is out of range (0, or 100 to 60000)"),
        (of(None, 0, 60_001), "interval_ms"),
    ] {
        assert_invalid(server.overview(request).await, field);
    }
}

/// A game whose decisions are public immediately.
const CARCASSONNE: &str = "carcassonne";
/// The number of first decisions after each of which the bots wait until spectators have received
/// it.
const SHOWN_DECISIONS: u32 = 12;

/// A bot that decides only after spectators have received the previous decision.
struct PacedBot {
    bot: Random,
    /// The number of decisions of both bots.
    made: Arc<AtomicU32>,
    /// The number of decisions that spectators have seen.
    shown: watch::Receiver<u32>,
}

impl Bot for PacedBot {
    fn decide(&mut self, request: &Request) -> Choice {
        let made = self.made.fetch_add(1, Ordering::Relaxed);
        let due = made.min(SHOWN_DECISIONS);
        // Blocking is safe, since each bot decides on its own thread.
        while *self.shown.borrow() < due {
            std::thread::yield_now();
        }
        self.bot.decide(request)
    }
}

/// Watches a match, and publishes the number of decisions that were received.
async fn count_received(server: &TestServer, match_id: &str) -> watch::Receiver<u32> {
    let mut updates = server.watch(match_id).await.unwrap();
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
    let limits = Limits { watcher_queue: 2, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(CARCASSONNE, 2)).await;
    // The windows are so small that updates stay in the server's queue.
    let narrow = server.with_window(1_000);
    let mut updates = narrow.watch(&seated.match_id).await.unwrap();
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
        assert_faultless(&bot.await.unwrap().unwrap());
    }
    let refused = loop {
        match next(&mut updates).await {
            Ok(Some(message)) => {
                let result = message.r#match.unwrap().result;
                assert!(result.is_none(), "a slow reader does not get this far");
            }
            Ok(None) => panic!("the stream ends with a reason"),
            Err(status) => break status,
        }
    };
    assert_eq!(reason(&refused), "SLOW_CONSUMER");
}

#[test]
fn the_page_of_the_transport_states_the_limits_of_the_server() {
    let words: Vec<&str> =
        include_str!("../../../../docs/reference/transport.md").split_whitespace().collect();
    let page = words.join(" ");
    let limits = Limits::default();
    let (from_bot, other) = (limits.play_message_bytes / 1024, limits.request_bytes / 1024);
    let keepalive = limits.keepalive.as_secs();
    for text in [
        format!("| from a bot, on PlayService | {from_bot} KiB |"),
        format!("| request of another service | {other} KiB |"),
        format!("sends a PING every {keepalive} s, and"),
        format!("client does not answer within {keepalive} s."),
    ] {
        assert!(page.contains(&text), "{text}");
    }
}
