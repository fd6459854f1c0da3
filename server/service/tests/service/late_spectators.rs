//! Matches that spectators see late, by each call that shows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{
    CreateMatchRequest, MatchConfig, MatchFilter, MatchFork, MatchState, Replay, SeatState,
    SpectatorRules, WatchMatchesRequest, WatchPositionsRequest, match_fork::Source as ForkSource,
    record::Record, watch_positions_request::Source,
};
use bridgemaster_server::{
    Limits,
    identity::{
        ApiKey,
        KeyScope::{Admin, Create, Play, Read},
    },
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::timeout;
use tonic::Status;

use crate::{
    locked_server::{KeyedCaller, LockedServer},
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config},
};

const PAGE: &str = include_str!("../../../../docs/operating.md");

const AN_HOUR_MS: u32 = 3_600_000;

fn seen_late(game: &str, delay_ms: u32) -> MatchConfig {
    MatchConfig {
        spectators: Some(SpectatorRules {
            delay_ms,
            ..SpectatorRules::default()
        }),
        ..config(game, 2)
    }
}

/// The calls that the page for operators has as late.
fn documented() -> BTreeSet<String> {
    let (_, rest) = PAGE.split_once("| call of a spectator |").unwrap();
    let rows = rest
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let calls = rows.filter_map(|row| row.split('|').nth(1));
    let names = calls.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names
        .filter(|name| name.starts_with(char::is_uppercase))
        .map(str::to_owned)
        .collect()
}

/// Whether a refusal is that of a match that is seen late.
fn is_late(refused: &Status) -> bool {
    assert_eq!(reason(refused), "MATCH_RUNNING", "{refused:?}");
    let message = refused.message();
    assert!(message.contains("this match 3600 s late"), "{message}");
    true
}

/// By which calls it shows that a match has ended, which is the newest of all.
async fn tell_the_end(caller: KeyedCaller<'_>, id: &str) -> BTreeMap<&'static str, bool> {
    let has_ended = |state: MatchState| state == MatchState::Ended;
    let info = caller.info(id).await.unwrap();
    let ended = MatchFilter {
        state: MatchState::Ended.into(),
        ..MatchFilter::default()
    };
    let listed = caller.list_by(ended).await.unwrap();
    assert!(caller.list().await.unwrap().contains(&id.to_owned()));

    let mut watching = caller.watch(id).await.unwrap();
    let news = watching.message().await.unwrap().unwrap();
    let wanted = WatchPositionsRequest {
        source: Some(Source::MatchId(id.to_owned())),
        ..WatchPositionsRequest::default()
    };
    let mut positions = caller.positions(wanted).await.unwrap();
    let first = positions.message().await.unwrap().unwrap();
    // The newest of those in play is told of first.
    let mut overview = caller
        .overview(WatchMatchesRequest::default())
        .await
        .unwrap();
    let newest = timeout(PATIENCE, overview.message()).await.unwrap();
    let newest = newest.unwrap().unwrap().r#match.unwrap();

    let fork = CreateMatchRequest {
        config: Some(MatchConfig {
            seed: None,
            ..config(GAMES[0], 2)
        }),
        fork: Some(MatchFork {
            source: Some(ForkSource::MatchId(id.to_owned())),
            decisions: 1,
            ..MatchFork::default()
        }),
        ..CreateMatchRequest::default()
    };
    let forked = caller.create_by(fork).await;
    let replay = caller.replay(id).await;
    BTreeMap::from([
        ("GetMatch", has_ended(info.state())),
        ("ListMatches", listed.contains(&id.to_owned())),
        ("WatchMatch", has_ended(news.r#match.unwrap().state())),
        ("WatchMatches", newest.match_id != id),
        ("WatchPositions", has_ended(first.r#match.unwrap().state())),
        ("GetReplay", !replay.is_err_and(|refused| is_late(&refused))),
        (
            "CreateMatch",
            !forked.is_err_and(|refused| is_late(&refused)),
        ),
    ])
}

/// A match that bots with these keys have played.
async fn played(
    locked: &LockedServer,
    maker: &ApiKey,
    bots: [&ApiKey; 2],
    delay_ms: u32,
) -> Seated {
    let made = seen_late(GAMES[0], delay_ms);
    let seated = locked.with(maker).create(made).await.unwrap();
    let playing = [0, 1].map(|seat| locked.with(bots[seat]).good_bot(&seated.tickets[seat]));
    for bot in playing {
        bot.await.unwrap().unwrap();
    }
    seated
}

#[tokio::test]
async fn spectators_learn_of_the_end_late_by_every_call_and_those_whose_match_it_is_at_once() {
    for (who, is_late) in [
        ("maker", false),
        ("player", false),
        ("admin", false),
        ("reader", true),
    ] {
        let locked = LockedServer::open().await;
        let maker = locked.key("maker", &[Create, Read]).await;
        let player = locked.key("player", &[Play, Create, Read]).await;
        let other = locked.key("other", &[Play]).await;
        let admin = locked.key("admin", &[Admin, Create]).await;
        let reader = locked.key("reader", &[Read, Create]).await;
        // So that the stream of those in play has something to tell in any case.
        let older = locked.with(&maker).create(config(GAMES[0], 2)).await;
        older.unwrap();
        let seated = played(&locked, &maker, [&player, &other], AN_HOUR_MS).await;
        let key = match who {
            "maker" => &maker,
            "player" => &player,
            "admin" => &admin,
            _ => &reader,
        };
        let told = tell_the_end(locked.with(key), &seated.match_id).await;
        let names: BTreeSet<String> = told.keys().map(|name| (*name).to_owned()).collect();
        assert_eq!(names, documented(), "the calls of the page");
        for (call, tells) in told {
            assert_eq!(tells, !is_late, "{call} to {who}");
        }
        if is_late {
            let info = locked.with(key).info(&seated.match_id).await.unwrap();
            assert_eq!((info.state(), info.decisions), (MatchState::Waiting, 0));
            assert_eq!((info.started_unix_ms, info.ended_unix_ms), (0, 0));
            let vacant = |state: SeatState| state == SeatState::Vacant;
            assert!(info.seats.iter().all(|seat| vacant(seat.state())));
            let rules = info.config.unwrap();
            assert_eq!(rules.spectators.unwrap().delay_ms, AN_HOUR_MS);
            assert_eq!(rules.seed, None);
        }
    }
}

/// Everything that happened in a match, in events.
fn events(replay: &Replay) -> usize {
    let of_record = |record: &bridgemaster_proto::v1::Record| match &record.record {
        Some(Record::Decision(decision)) => decision.events.len(),
        Some(Record::Chance(chance)) => chance.events.len(),
        _ => 0,
    };
    let records = replay.records.iter().map(of_record);
    replay.opening_events.len() + records.sum::<usize>()
}

#[tokio::test]
async fn who_sees_a_match_late_sees_all_of_it_and_nothing_before_its_time() {
    const DELAY: Duration = Duration::from_millis(700);
    for game in GAMES {
        let locked = LockedServer::open().await;
        let maker = locked.key("maker", &[Create, Read]).await;
        let reader = locked.key("reader", &[Read]).await;
        let bots = [
            locked.key("ada", &[Play]).await,
            locked.key("bob", &[Play]).await,
        ];
        let late = locked.with(&reader);
        let made_at = Instant::now();
        let made = seen_late(game, DELAY.as_millis() as u32);
        let seated = locked.with(&maker).create(made).await.unwrap();
        let id = &*seated.match_id;
        let wanted = WatchPositionsRequest {
            source: Some(Source::MatchId(id.to_owned())),
            ..WatchPositionsRequest::default()
        };
        let mut news = late.watch(id).await.unwrap();
        let mut positions = late.positions(wanted).await.unwrap();
        let playing = [0, 1].map(|seat| locked.with(&bots[seat]).good_bot(&seated.tickets[seat]));
        let mut result = None;
        for bot in playing {
            result = Some(bot.await.unwrap().unwrap());
        }

        let (mut told, mut last) = (0, None);
        while let Some(message) = timeout(PATIENCE, news.message()).await.unwrap().unwrap() {
            let info = message.r#match.unwrap();
            let has_begun = info.state() != MatchState::Waiting;
            assert!(!has_begun || made_at.elapsed() >= DELAY);
            assert_eq!(has_begun, message.observation.is_some(), "{game}");
            told += message.events.len();
            last = Some(info);
        }
        assert_eq!(last.unwrap().result, result);
        let replay = late.replay(id).await.expect("nothing is late any more");
        assert_eq!(told, events(&replay), "{game}");

        let (mut numbers, mut last) = (Vec::new(), None);
        while let Some(message) = timeout(PATIENCE, positions.message())
            .await
            .unwrap()
            .unwrap()
        {
            numbers.extend(message.position.map(|position| position.number));
            last = message.r#match.or(last);
        }
        let decisions = last.unwrap().result.unwrap().decisions;
        assert!(numbers.into_iter().eq(0..=decisions), "{game}");
        assert_eq!(late.info(id).await.unwrap().result, result);
    }
}

#[tokio::test]
async fn without_keys_everybody_sees_a_match_late_also_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let ended = server.create(seen_late(GAMES[0], AN_HOUR_MS)).await;
    let in_play = server.create(seen_late(GAMES[0], AN_HOUR_MS)).await;
    for bot in [0, 1].map(|seat| server.good_bot(&ended.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    let mut bots = [
        RawBot::join(&server, &in_play.tickets[0]).await,
        RawBot::join(&server, &in_play.tickets[1]).await,
    ];
    for bot in &mut bots {
        bot.asked().await;
    }
    for is_restarted in [false, true] {
        if is_restarted {
            server.crash().await;
            server = TestServer::over(&store, Limits::default()).await;
        }
        for seated in [&ended, &in_play] {
            let info = server.info(&seated.match_id).await;
            let seen = (info.state(), info.decisions, info.result);
            assert_eq!(seen, (MatchState::Waiting, 0, None), "{is_restarted}");
        }
        let refused = server.replay(&ended.match_id).await.unwrap_err();
        assert!(is_late(&refused));
    }
}

#[tokio::test]
async fn a_delay_of_more_than_an_hour_is_refused_by_its_field() {
    let server = TestServer::open().await;
    let refused = server.try_create(seen_late(GAMES[0], AN_HOUR_MS + 1)).await;
    let refused = refused.err().expect("it is refused");
    assert_eq!(reason(&refused), "INVALID_FIELD");
    let message = refused.message();
    assert!(message.contains("config.spectators.delay_ms: 0 to 3600000, not 3600001"));
}
