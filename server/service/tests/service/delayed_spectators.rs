//! Delayed matches in each call that shows them: who sees which state, and exactly when.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::Ordering,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bridgemaster_proto::v1::{
    GameEvent, MatchInfo, MatchState, Replay, SeatState, WatchMatchResponse, WatchMatchesRequest,
    WatchPositionsResponse, record::Record,
};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Admin, Create, Play, Read},
};
use tokio::join;
use tonic::{Status, Streaming};

use crate::{
    caller::{Caller, in_state, play_by, positions_of},
    delayed_law::{AN_HOUR_MS, forking},
    intercepted_store::InterceptedStore,
    streams::{next, reason, rest},
    test_server::{GAMES, TestServer, of_two, storage, with_delay},
};

const PAGE: &str = include_str!("../../../../docs/reference/visibility.md");
/// Long enough to distinguish delayed updates from immediate ones.
const DELAY: Duration = Duration::from_millis(700);
/// Tolerance between the wall-clock times of a match and its own clock.
const CALENDAR_SLACK: Duration = Duration::from_millis(50);

/// Returns the calls that the operator documentation lists as delayed.
fn documented() -> BTreeSet<String> {
    let (_, rest) = PAGE.split_once("| call of a spectator |").unwrap();
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    let calls = rows.filter_map(|row| row.split('|').nth(1));
    let names = calls.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names.filter(|name| name.starts_with(char::is_uppercase)).map(str::to_owned).collect()
}

/// Returns whether a refusal is due to the spectators' delay.
fn is_delayed(refused: &Status) -> bool {
    assert_eq!(reason(refused), "MATCH_RUNNING", "{refused:?}");
    let message = refused.message();
    let expected = "this match with a delay of 3600 s";
    assert!(message.contains(expected), "{message}");
    true
}

/// Returns, for each call, whether it reveals that a match has ended.
async fn calls_revealing_end(caller: &Caller, id: &str) -> BTreeMap<String, bool> {
    let has_ended = |info: Option<MatchInfo>| info.unwrap().state() == MatchState::Ended;
    assert!(caller.list().await.unwrap().contains(&id.to_owned()));
    let info = caller.info(id).await;
    let listed = caller.list_by(in_state(MatchState::Ended)).await.unwrap();
    let mut watching = caller.watch(id).await.unwrap();
    let update = next(&mut watching).await.unwrap().unwrap();
    let mut positions = caller.positions(positions_of(id, &[])).await.unwrap();
    let first = next(&mut positions).await.unwrap().unwrap();
    // The overview starts with the newest match in play.
    let overview = caller.overview(WatchMatchesRequest::default()).await;
    let newest = next(&mut overview.unwrap()).await.unwrap().unwrap();
    let forked = match caller.create_by(forking(id)).await {
        // Cancelled, so that it is not the newest match in play for the next caller.
        Ok(fork) => {
            let fork_id = fork.r#match.unwrap().match_id;
            caller.cancel(&fork_id, "checked").await.map(drop)
        }
        Err(refused) => Err(refused),
    };
    let is_shown = |shown: Result<(), Status>| !shown.is_err_and(|refused| is_delayed(&refused));
    let calls = [
        ("GetMatch", has_ended(Some(info))),
        ("ListMatches", listed.contains(&id.to_owned())),
        ("WatchMatch", has_ended(update.r#match)),
        ("WatchMatches", newest.r#match.unwrap().match_id != id),
        ("WatchPositions", has_ended(first.r#match)),
        ("GetReplay", is_shown(caller.replay(id).await.map(drop))),
        ("CreateMatch", is_shown(forked)),
    ];
    calls.map(|(name, it)| (name.to_owned(), it)).into()
}

#[tokio::test]
async fn every_call_delays_the_end_for_spectators_but_not_for_the_owner() {
    for delay_ms in [AN_HOUR_MS, 700] {
        let server = TestServer::locked(ServerOptions::default()).await;
        let maker = server.caller("maker", &[Create, Read]).await;
        let player = server.caller("player", &[Play, Create, Read]).await;
        let other = server.caller("other", &[Play]).await;
        let admin = server.caller("admin", &[Admin, Create]).await;
        let reader = server.caller("reader", &[Read, Create]).await;
        // The overview then always has a match to send.
        maker.create(of_two()).await;
        let seated = maker.create(with_delay(GAMES[0], delay_ms)).await;
        let id = &*seated.match_id;
        play_by(&[&player, &other], &seated).await;
        let is_long = delay_ms == AN_HOUR_MS;
        if is_long {
            let info = reader.info(id).await;
            assert_eq!((info.state(), info.decisions), (MatchState::Waiting, 0));
            assert_eq!((info.started_unix_ms, info.ended_unix_ms), (0, 0));
            let mut seats = info.seats.iter();
            assert!(seats.all(|seat| seat.state() == SeatState::Vacant));
            let rules = info.config.unwrap();
            assert_eq!(rules.spectators.unwrap().delay_ms, AN_HOUR_MS);
            assert_eq!(rules.seed, None);
        } else {
            // Waits until the end is visible.
            rest(reader.watch(id).await.unwrap()).await;
        }
        for (who, caller) in
            [("reader", &reader), ("maker", &maker), ("player", &player), ("admin", &admin)]
        {
            let revealing = calls_revealing_end(caller, id).await;
            let names: BTreeSet<String> = revealing.keys().cloned().collect();
            assert_eq!(names, documented(), "the calls of the page");
            let reveals_all = !(who == "reader" && is_long);
            for (call, reveals) in revealing {
                assert_eq!(reveals, reveals_all, "{call} to {who}, {delay_ms} ms late");
            }
        }
    }
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_millis() as u64
}

/// Collects all messages of a stream, each with its time of arrival.
async fn all_of<T>(mut stream: Streaming<T>) -> Vec<(u64, T)> {
    let mut all = Vec::new();
    while let Some(message) = next(&mut stream).await.unwrap() {
        all.push((unix_ms(), message));
    }
    all
}

/// Returns the times of all events of a replay, in ms since the start.
fn events(replay: &Replay) -> Vec<u64> {
    let mut times = vec![0; replay.opening_events.len()];
    for record in &replay.records {
        let count = match &record.record {
            Some(Record::Decision(decision)) => decision.events.len(),
            Some(Record::Chance(chance)) => chance.events.len(),
            _ => 0,
        };
        times.extend(vec![record.at_ms; count]);
    }
    times
}

/// Asserts that something arrived [`DELAY`] after it happened.
fn assert_delayed(came_unix_ms: u64, happened_unix_ms: u64, what: &str) {
    let late = Duration::from_millis(came_unix_ms.saturating_sub(happened_unix_ms));
    assert!(late + CALENDAR_SLACK >= DELAY, "{what} came after {late:?}");
}

/// Asserts that all updates of a match arrived with the delay.
fn assert_updates_delayed(
    updates: &[(u64, WatchMatchResponse)],
    original: &MatchInfo,
    replay: &Replay,
) {
    let mut happened = events(replay).into_iter();
    let mut states = Vec::new();
    for (came, message) in updates {
        let state = message.r#match.as_ref().unwrap().state();
        states.push(state);
        let has_begun = state != MatchState::Waiting;
        assert_eq!(has_begun, message.observation.is_some());
        if has_begun {
            assert_delayed(*came, original.started_unix_ms, "the start");
        }
        if state == MatchState::Ended {
            assert_delayed(*came, original.ended_unix_ms, "the end");
        }
        for _ in &message.events {
            let at_ms = happened.next().expect("it happened");
            assert_delayed(*came, original.started_unix_ms + at_ms, "an event");
        }
    }
    assert_eq!(happened.count(), 0, "every event is sent");
    states.dedup();
    let in_order = [MatchState::Waiting, MatchState::Running, MatchState::Ended];
    assert_eq!(states, in_order);
}

/// Asserts that all positions of a match arrived with the delay.
fn assert_positions_delayed(positions: &[(u64, WatchPositionsResponse)], original: &MatchInfo) {
    let mut numbers = Vec::new();
    for (came, message) in positions {
        if let Some(position) = &message.position {
            assert_delayed(*came, original.started_unix_ms, "a position");
            numbers.push(position.number);
        }
        let info = message.r#match.as_ref();
        if info.is_some_and(|info| info.result.is_some()) {
            assert_delayed(*came, original.ended_unix_ms, "the result");
        }
    }
    let decisions = original.result.as_ref().unwrap().decisions;
    assert!(numbers.into_iter().eq(0..=decisions));
}

#[tokio::test]
async fn a_delayed_spectator_sees_every_message_and_none_early() {
    for game in GAMES {
        let server = TestServer::locked(ServerOptions::default()).await;
        let maker = server.caller("maker", &[Create, Read]).await;
        let late = server.caller("reader", &[Read]).await;
        let bots = [server.caller("ada", &[Play]).await, server.caller("bob", &[Play]).await];
        let made = with_delay(game, DELAY.as_millis() as u32);
        let seated = maker.create(made).await;
        let id = &*seated.match_id;
        let updates = late.watch(id).await.unwrap();
        let positions = late.positions(positions_of(id, &[])).await.unwrap();
        // Read while the match is in play, so that updates that arrive too early are detected.
        let bots = [&bots[0], &bots[1]];
        let playing = play_by(&bots, &seated);
        let (_, updates, positions) = join!(playing, all_of(updates), all_of(positions));
        let original = maker.info(id).await;
        let replay = late.replay(id).await.expect("the delay is over");
        assert_updates_delayed(&updates, &original, &replay);
        assert_positions_delayed(&positions, &original);
        assert_eq!(late.info(id).await, original, "{game}");
    }
}

#[tokio::test]
async fn without_keys_every_spectator_is_delayed_also_after_a_restart() {
    let mut server = TestServer::stored().await;
    let long_ended = server.played(with_delay(GAMES[0], AN_HOUR_MS)).await;
    let in_play = server.create(with_delay(GAMES[0], AN_HOUR_MS)).await;
    for bot in &mut server.join_all(&in_play).await {
        bot.next_request().await;
    }
    let twice = 2 * DELAY.as_millis() as u32;
    let just_ended = server.played(with_delay(GAMES[0], twice)).await.match_id;
    for is_restarted in [false, true] {
        if is_restarted {
            server.restart().await;
        }
        for id in [&long_ended.match_id, &in_play.match_id] {
            let info = server.info(id).await;
            let seen = (info.state(), info.decisions, info.result);
            assert_eq!(seen, (MatchState::Waiting, 0, None), "{is_restarted}");
        }
        let refused = server.replay(&long_ended.match_id).await.unwrap_err();
        assert!(is_delayed(&refused));
    }
    // The end becomes visible eventually.
    let result = server.result(&just_ended).await;
    let original = server.info(&just_ended).await;
    assert_delayed(unix_ms(), original.ended_unix_ms, "the end");
    assert_eq!(original.result, Some(result));
    server.replay(&just_ended).await.expect("the delay is over");
}

#[tokio::test]
async fn committed_records_become_visible_on_time_while_the_store_stalls() {
    let (store, hangs) = InterceptedStore::that_can_stall();
    let server = TestServer::locked(ServerOptions {
        storage: Some(storage(&store)),
        ..ServerOptions::default()
    })
    .await;
    let maker = server.caller("maker", &[Create, Play, Read]).await;
    let reader = server.caller("reader", &[Read]).await;
    // Longer than the time until the store stalls.
    let made = with_delay(GAMES[0], 3 * DELAY.as_millis() as u32);
    let seated = maker.create(made).await;
    let mut at_once = maker.watch(&seated.match_id).await.unwrap();
    let mut late = reader.watch(&seated.match_id).await.unwrap();
    let _bots = [0, 1].map(|seat| maker.good_bot(&seated.tickets[seat]));

    let mut stored = Vec::new();
    while stored.len() < 5 {
        stored.extend(next_events(&mut at_once).await);
    }
    hangs.store(true, Ordering::Relaxed);
    let mut shown = Vec::new();
    while !stored.iter().all(|event| shown.contains(event)) {
        shown.extend(next_events(&mut late).await);
    }
}

async fn next_events(updates: &mut Streaming<WatchMatchResponse>) -> Vec<GameEvent> {
    let message = next(updates).await.unwrap().expect("the match continues");
    message.events
}
