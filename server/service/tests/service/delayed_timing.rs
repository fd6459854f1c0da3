//! Timing of delayed views: spectators see everything, exactly after the delay.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bridgemaster_proto::v1::{
    self, MatchInfo, MatchState, Replay, WatchMatchResponse, WatchPositionsRequest,
    WatchPositionsResponse, record::Record, watch_positions_request::Source,
};
use bridgemaster_server::{
    KeepReplays, Limits, ServerOptions, Storage,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::{join, time::timeout};
use tonic::{Status, Streaming};

use crate::{
    delayed_spectators::{AN_HOUR_MS, is_delayed, with_delay},
    intercepted_store::InterceptedStore,
    locked_server::LockedServer,
    raw_bot::RawBot,
    test_server::{GAMES, PATIENCE, TestServer},
};

/// Long enough to distinguish delayed updates from immediate ones.
const DELAY: Duration = Duration::from_millis(700);
/// Tolerance between calendar times of a match and its clock.
const CALENDAR_SLACK: Duration = Duration::from_millis(50);

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

async fn next<T>(stream: &mut Streaming<T>) -> Result<Option<T>, Status> {
    timeout(PATIENCE, stream.message())
        .await
        .expect("more comes")
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
    for (came, message) in updates {
        let info = message.r#match.as_ref().unwrap();
        let has_begun = info.state() != MatchState::Waiting;
        assert_eq!(
            has_begun,
            message.observation.is_some(),
            "{}",
            info.match_id
        );
        if has_begun {
            assert_delayed(*came, original.started_unix_ms, "the start");
        }
        if info.state() == MatchState::Ended {
            assert_delayed(*came, original.ended_unix_ms, "the end");
        }
        for _ in &message.events {
            let at_ms = happened.next().expect("it happened");
            assert_delayed(*came, original.started_unix_ms + at_ms, "an event");
        }
    }
    assert_eq!(happened.count(), 0, "every event is sent");
    let states = updates
        .iter()
        .map(|(_, update)| update.r#match.as_ref().unwrap().state());
    let mut states: Vec<_> = states.collect();
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
        if message
            .r#match
            .as_ref()
            .is_some_and(|info| info.result.is_some())
        {
            assert_delayed(*came, original.ended_unix_ms, "the result");
        }
    }
    let decisions = original.result.as_ref().unwrap().decisions;
    assert!(
        numbers.into_iter().eq(0..=decisions),
        "{}",
        original.match_id
    );
}

#[tokio::test]
async fn a_delayed_spectator_sees_every_message_and_none_early() {
    for game in GAMES {
        let locked = LockedServer::open().await;
        let maker = locked.key("maker", &[Create, Read]).await;
        let reader = locked.key("reader", &[Read]).await;
        let bots = [
            locked.key("ada", &[Play]).await,
            locked.key("bob", &[Play]).await,
        ];
        let late = locked.with(&reader);
        let made = with_delay(game, DELAY.as_millis() as u32);
        let seated = locked.with(&maker).create(made).await.unwrap();
        let id = &*seated.match_id;
        let wanted = WatchPositionsRequest {
            source: Some(Source::MatchId(id.to_owned())),
            ..WatchPositionsRequest::default()
        };
        let updates = late.watch(id).await.unwrap();
        let positions = late.positions(wanted).await.unwrap();
        let playing = [0, 1].map(|seat| locked.with(&bots[seat]).good_bot(&seated.tickets[seat]));
        // Read while the match is in play, so that early messages are noticed.
        let (updates, positions) = join!(all_of(updates), all_of(positions));
        for bot in playing {
            bot.await.unwrap().unwrap();
        }
        let original = locked.with(&maker).info(id).await.unwrap();
        let replay = late.replay(id).await.expect("nothing is late any more");
        assert_updates_delayed(&updates, &original, &replay);
        assert_positions_delayed(&positions, &original);
        assert_eq!(late.info(id).await.unwrap(), original, "{game}");
    }
}

/// Plays a match with this delay to its end.
async fn ended(server: &TestServer, delay_ms: u32) -> String {
    let seated = server.create(with_delay(GAMES[0], delay_ms)).await;
    for bot in [0, 1].map(|seat| server.good_bot(&seated.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    seated.match_id
}

#[tokio::test]
async fn without_keys_every_spectator_is_delayed_also_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let long_ended = ended(&server, AN_HOUR_MS).await;
    let in_play = server.create(with_delay(GAMES[0], AN_HOUR_MS)).await;
    let mut bots = [
        RawBot::join(&server, &in_play.tickets[0]).await,
        RawBot::join(&server, &in_play.tickets[1]).await,
    ];
    for bot in &mut bots {
        bot.next_request().await;
    }
    let just_ended = ended(&server, 2 * DELAY.as_millis() as u32).await;
    for is_restarted in [false, true] {
        if is_restarted {
            server.crash().await;
            server = TestServer::over(&store, Limits::default()).await;
        }
        for id in [&long_ended, &in_play.match_id] {
            let info = server.info(id).await;
            let seen = (info.state(), info.decisions, info.result);
            assert_eq!(seen, (MatchState::Waiting, 0, None), "{is_restarted}");
        }
        let refused = server.replay(&long_ended).await.unwrap_err();
        assert!(is_delayed(&refused));
    }
    // The end becomes visible eventually.
    let result = server.result(&just_ended).await;
    let original = server.info(&just_ended).await;
    assert_delayed(unix_ms(), original.ended_unix_ms, "the end");
    assert_eq!(original.result, Some(result));
    server.replay(&just_ended).await.expect("its delay is over");
}

#[tokio::test]
async fn committed_records_become_visible_on_time_while_the_store_stalls() {
    let (store, hangs) = InterceptedStore::that_can_stall();
    let keys = Arc::new(MemoryStore::new());
    let storage = Storage {
        store,
        dropped_matches: Vec::new(),
        keep_replays: KeepReplays::All,
        shared: None,
    };
    let server = TestServer::with_options(ServerOptions {
        keys: Some(Arc::clone(&keys) as _),
        storage: Some(storage),
        ..ServerOptions::default()
    });
    let locked = LockedServer {
        server: server.await,
        keys,
    };
    let maker = locked.key("maker", &[Create, Play, Read]).await;
    let reader = locked.key("reader", &[Read]).await;
    // Longer than the time until the store stalls.
    let made = with_delay(GAMES[0], 3 * DELAY.as_millis() as u32);
    let seated = locked.with(&maker).create(made).await.unwrap();
    let id = &*seated.match_id;
    let mut at_once = locked.with(&maker).watch(id).await.unwrap();
    let mut late = locked.with(&reader).watch(id).await.unwrap();
    let _bots = [0, 1].map(|seat| locked.with(&maker).good_bot(&seated.tickets[seat]));

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

async fn next_events(updates: &mut Streaming<WatchMatchResponse>) -> Vec<v1::GameEvent> {
    let message = next(updates).await.unwrap().expect("the match continues");
    message.events
}
