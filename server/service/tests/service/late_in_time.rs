//! When spectators are shown a match that they see late: as late as its maker says, and then all of
//! it.

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
    hindered_store::HinderedStore,
    late_spectators::{AN_HOUR_MS, is_late, seen_late},
    locked_server::LockedServer,
    raw_bot::RawBot,
    test_server::{GAMES, PATIENCE, TestServer},
};

/// Long enough that what is shown at once is told from what is shown late.
const DELAY: Duration = Duration::from_millis(700);
/// By how much the calendar times of a match may differ from the clock that it is shown by.
const CALENDAR_SLACK: Duration = Duration::from_millis(50);

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_millis() as u64
}

/// All messages of a stream, each with the moment at which it came.
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

/// When everything that happened in a match did, in ms since its start: each event of its replay.
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

/// Makes sure that what came at this moment happened [`DELAY`] earlier.
fn assert_is_late(came_unix_ms: u64, happened_unix_ms: u64, what: &str) {
    let late = Duration::from_millis(came_unix_ms.saturating_sub(happened_unix_ms));
    assert!(late + CALENDAR_SLACK >= DELAY, "{what} came after {late:?}");
}

/// Makes sure that news of a match that `itself` tells of came late, and that they were all.
fn assert_news_are_late(news: &[(u64, WatchMatchResponse)], itself: &MatchInfo, replay: &Replay) {
    let mut happened = events(replay).into_iter();
    for (came, message) in news {
        let info = message.r#match.as_ref().unwrap();
        let has_begun = info.state() != MatchState::Waiting;
        assert_eq!(
            has_begun,
            message.observation.is_some(),
            "{}",
            info.match_id
        );
        if has_begun {
            assert_is_late(*came, itself.started_unix_ms, "the start");
        }
        if info.state() == MatchState::Ended {
            assert_is_late(*came, itself.ended_unix_ms, "the end");
        }
        for _ in &message.events {
            let at_ms = happened.next().expect("it happened");
            assert_is_late(*came, itself.started_unix_ms + at_ms, "an event");
        }
    }
    assert_eq!(happened.count(), 0, "all that happened is told");
    let states = news
        .iter()
        .map(|(_, news)| news.r#match.as_ref().unwrap().state());
    let mut states: Vec<_> = states.collect();
    states.dedup();
    let in_order = [MatchState::Waiting, MatchState::Running, MatchState::Ended];
    assert_eq!(states, in_order);
}

/// Makes sure that positions of a match that `itself` tells of came late, and that they were all.
fn assert_positions_are_late(positions: &[(u64, WatchPositionsResponse)], itself: &MatchInfo) {
    let mut numbers = Vec::new();
    for (came, message) in positions {
        if let Some(position) = &message.position {
            assert_is_late(*came, itself.started_unix_ms, "a position");
            numbers.push(position.number);
        }
        if message
            .r#match
            .as_ref()
            .is_some_and(|info| info.result.is_some())
        {
            assert_is_late(*came, itself.ended_unix_ms, "the result");
        }
    }
    let decisions = itself.result.as_ref().unwrap().decisions;
    assert!(numbers.into_iter().eq(0..=decisions), "{}", itself.match_id);
}

#[tokio::test]
async fn who_sees_a_match_late_sees_all_of_it_and_nothing_before_its_time() {
    for game in GAMES {
        let locked = LockedServer::open().await;
        let maker = locked.key("maker", &[Create, Read]).await;
        let reader = locked.key("reader", &[Read]).await;
        let bots = [
            locked.key("ada", &[Play]).await,
            locked.key("bob", &[Play]).await,
        ];
        let late = locked.with(&reader);
        let made = seen_late(game, DELAY.as_millis() as u32);
        let seated = locked.with(&maker).create(made).await.unwrap();
        let id = &*seated.match_id;
        let wanted = WatchPositionsRequest {
            source: Some(Source::MatchId(id.to_owned())),
            ..WatchPositionsRequest::default()
        };
        let news = late.watch(id).await.unwrap();
        let positions = late.positions(wanted).await.unwrap();
        let playing = [0, 1].map(|seat| locked.with(&bots[seat]).good_bot(&seated.tickets[seat]));
        // Read while it is played: what comes early is seen early.
        let (news, positions) = join!(all_of(news), all_of(positions));
        for bot in playing {
            bot.await.unwrap().unwrap();
        }
        let itself = locked.with(&maker).info(id).await.unwrap();
        let replay = late.replay(id).await.expect("nothing is late any more");
        assert_news_are_late(&news, &itself, &replay);
        assert_positions_are_late(&positions, &itself);
        assert_eq!(late.info(id).await.unwrap(), itself, "{game}");
    }
}

/// A match with this delay that has ended.
async fn ended(server: &TestServer, delay_ms: u32) -> String {
    let seated = server.create(seen_late(GAMES[0], delay_ms)).await;
    for bot in [0, 1].map(|seat| server.good_bot(&seated.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    seated.match_id
}

#[tokio::test]
async fn without_keys_everybody_sees_a_match_late_also_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let long_ended = ended(&server, AN_HOUR_MS).await;
    let in_play = server.create(seen_late(GAMES[0], AN_HOUR_MS)).await;
    let mut bots = [
        RawBot::join(&server, &in_play.tickets[0]).await,
        RawBot::join(&server, &in_play.tickets[1]).await,
    ];
    for bot in &mut bots {
        bot.asked().await;
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
        assert!(is_late(&refused));
    }
    // Late is not never.
    let result = server.result(&just_ended).await;
    let itself = server.info(&just_ended).await;
    assert_is_late(unix_ms(), itself.ended_unix_ms, "the end");
    assert_eq!(itself.result, Some(result));
    server.replay(&just_ended).await.expect("its delay is over");
}

#[tokio::test]
async fn what_is_stored_is_shown_in_time_while_the_store_takes_nothing_more() {
    let (store, hangs) = HinderedStore::that_may_hang();
    let keys = Arc::new(MemoryStore::new());
    let storage = Storage {
        store,
        given_up: Vec::new(),
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
    // Longer than it takes until the store hangs.
    let made = seen_late(GAMES[0], 3 * DELAY.as_millis() as u32);
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

async fn next_events(news: &mut Streaming<WatchMatchResponse>) -> Vec<v1::GameEvent> {
    let message = next(news).await.unwrap().expect("the match goes on");
    message.events
}
