//! Time odds: seats with other time controls than their match.

use std::sync::Arc;

use bridgemaster_proto::v1::{MatchConfig, SeatClock, TimeOdds};
use bridgemaster_replay::verify;
use bridgemaster_sdk::seat_clock;
use bridgemaster_server::Limits;
use bridgemaster_store::{MemoryStore, Store};

use crate::{
    raw_bot::RawBot,
    test_server::{GAMES, TestServer, config},
};

fn odd(seat: u32, bank_ms: u32) -> SeatClock {
    let odds = TimeOdds {
        bank_ms: Some(bank_ms),
        increment_ms: Some(0),
        cap_ms: None,
    };
    SeatClock {
        seat,
        odds: Some(odds),
    }
}

fn odd_config(game: &str) -> MatchConfig {
    MatchConfig {
        seat_clocks: vec![odd(1, 70_000)],
        ..config(game, 2)
    }
}

#[tokio::test]
async fn every_seat_gets_all_clocks_and_they_survive_in_restart_and_replay() {
    for game in [GAMES[0], GAMES[3]] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut server = TestServer::over(&store, Limits::default()).await;
        let seated = server.create(odd_config(game)).await;
        let mut first = RawBot::join(&server, &seated.tickets[0]).await;
        let mut second = RawBot::join(&server, &seated.tickets[1]).await;
        for bot in [&mut first, &mut second] {
            let config = bot.started().await.config.unwrap();
            assert_eq!(config.seat_clocks, [odd(1, 70_000)], "{game}");
            assert_eq!(seat_clock(&config, 1).bank_ms, Some(70_000));
        }
        let info = server.info(&seated.match_id).await;
        let shown = info.config.unwrap();
        assert_eq!(shown.seat_clocks, [odd(1, 70_000)]);
        assert_eq!(shown.clock.unwrap().bank_ms, Some(30_000));
        let asked = first.answer_until(second.next_request()).await;
        assert_eq!(asked.clock.unwrap().bank_left_ms, 70_000, "{game}");
        server.crash().await;

        let server = TestServer::over(&store, Limits::default()).await;
        let (first, second) = tokio::join!(
            RawBot::resume(&server, &seated.tickets[0], first.resume_point()),
            RawBot::resume(&server, &seated.tickets[1], second.resume_point()),
        );
        assert_eq!(first.result, second.result);
        for seat in &first.result.unwrap().seats {
            assert_eq!(seat.fault_count, 0, "{game}: {:?}", seat.faults);
        }
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok(), "{game}");
        // With the match's own time control, the remaining time is inconsistent.
        let mut forged = replay.clone();
        forged.config.as_mut().unwrap().seat_clocks.clear();
        assert!(verify(&forged).is_err(), "{game}");
    }
}

#[tokio::test]
async fn invalid_time_odds_are_refused_with_their_field() {
    let server = TestServer::open().await;
    for (clocks, start) in [
        (
            vec![odd(0, 0)],
            "config.seat_clocks.odds.bank_ms: 0 is out of range",
        ),
        (
            vec![odd(2, 1)],
            "config.seat_clocks.seat: 2 is out of range (0..=1)",
        ),
        (
            vec![odd(300, 1)],
            "config.seat_clocks.seat: there is no seat 300",
        ),
        (
            vec![odd(1, 1), odd(1, 1)],
            "config.seat_clocks.seat: seat 1 has two entries",
        ),
    ] {
        let config = MatchConfig {
            seat_clocks: clocks,
            ..config(GAMES[0], 2)
        };
        let refused = server.try_create(config).await.err().unwrap();
        assert!(refused.message().starts_with(start), "{refused:?}");
    }
}
