//! Matches of well-behaved bots from start to end.

use bridgemaster_games::with_game;
use bridgemaster_proto::v1::{
    DecidedBy, MatchState, decision::Choice, play_response::Message, record::Record,
};

use crate::{
    raw_bot::{RawBot, reason},
    test_server::{GAMES, TestServer, config},
};

fn seat_counts(game: &str) -> std::ops::RangeInclusive<u32> {
    with_game!(game, G => u32::from(*G::SEATS.start())..=u32::from(*G::SEATS.end())).unwrap()
}

#[tokio::test]
async fn a_match_of_every_game_and_seat_count_is_played_to_its_end() {
    let server = TestServer::open().await;
    for game in GAMES {
        for seats in seat_counts(game) {
            let seated = server.create(config(game, seats)).await;
            assert_eq!(
                server.info(&seated.match_id).await.state(),
                MatchState::Waiting
            );
            let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
            let mut results = Vec::new();
            for bot in bots {
                results.push(bot.await.unwrap().unwrap());
            }
            let result = &results[0];
            assert!(
                results.iter().all(|other| other == result),
                "all bots get the same result"
            );
            assert_eq!(result.seats.len(), seats as usize);
            for seat in &result.seats {
                assert_eq!((seat.fault_count, seat.house_decisions), (0, 0), "{seat:?}");
                assert_eq!(seat.place, seat.place_by_score);
                let sum: i32 = seat.breakdown.iter().map(|line| line.points).sum();
                assert_eq!(sum, seat.score);
                assert!(seat.clock_use.unwrap().answered > 0);
            }
            let info = server.info(&seated.match_id).await;
            assert_eq!(info.state(), MatchState::Ended);
            assert_eq!(info.result.as_ref(), Some(result));
            assert_eq!(info.config.unwrap().seed.as_deref(), Some("test-seed"));
        }
    }
}

#[tokio::test]
async fn the_replay_contains_every_decision_and_is_available_only_after_the_end() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let refused = server.replay(&seated.match_id).await.unwrap_err();
        assert_eq!(reason(&refused), "MATCH_RUNNING");

        let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
        for bot in bots {
            bot.await.unwrap().unwrap();
        }
        let replay = server.replay(&seated.match_id).await.unwrap();
        let result = replay.result.as_ref().unwrap();
        let decisions: Vec<_> = replay
            .records
            .iter()
            .filter_map(|record| match record.record.as_ref().unwrap() {
                Record::Decision(decision) => Some(decision),
                _ => None,
            })
            .collect();
        assert_eq!(decisions.len(), result.decisions as usize);
        for seat in &result.seats {
            let by = |who| {
                let own = decisions.iter().filter(|d| d.seat == seat.seat);
                own.filter(|d| d.decided_by() == who).count() as u32
            };
            assert_eq!(by(DecidedBy::Bot), seat.clock_use.unwrap().answered);
            assert_eq!(by(DecidedBy::Referee), seat.forced_decisions);
        }
        assert!(
            (0..)
                .zip(&replay.records)
                .all(|(n, record)| record.number == n)
        );
    }
}

#[tokio::test]
async fn forced_decisions_are_requested_when_configured() {
    let server = TestServer::open().await;
    for game in GAMES {
        let mut asking = config(game, 2);
        asking.ask_forced = true;
        let seated = server.create(asking).await;
        let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
        for bot in bots {
            let result = bot.await.unwrap().unwrap();
            assert!(result.seats.iter().all(|seat| seat.forced_decisions == 0));
        }
    }
}

#[tokio::test]
async fn the_messages_of_a_seat_are_numbered_without_gaps_and_its_stream_ends_cleanly() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut bot = RawBot::join(&server, &seated.tickets[1]).await;
    let mut expected = 1;
    loop {
        let message = bot.next().await.unwrap().unwrap();
        assert_eq!(bot.last_sequence, expected, "sequence has no gap");
        expected += 1;
        match message {
            Message::DecisionRequest(request) => bot.answer(&request, Choice::Index(0)).await,
            Message::MatchEnded(_) => break,
            _ => {}
        }
    }
    assert!(bot.end().await.is_none(), "the stream ends well");
    good.await.unwrap().unwrap();
}
