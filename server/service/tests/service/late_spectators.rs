//! Matches that spectators see late, by each call that shows them.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, MatchConfig, MatchFilter, MatchFork,
    MatchInfo, MatchState, ReplaceTicketsRequest, SeatState, SpectatorRules, WatchMatchesRequest,
    WatchPositionsRequest, match_fork::Source as ForkSource, watch_positions_request::Source,
};
use bridgemaster_server::identity::{
    ApiKey,
    KeyScope::{Admin, Create, Play, Read},
};
use tokio::time::timeout;
use tonic::Status;

use crate::{
    locked_server::{KeyedCaller, LockedServer},
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config},
};

const PAGE: &str = include_str!("../../../../docs/operating.md");

pub(crate) const AN_HOUR_MS: u32 = 3_600_000;

pub(crate) fn seen_late(game: &str, delay_ms: u32) -> MatchConfig {
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
pub(crate) fn is_late(refused: &Status) -> bool {
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
pub(crate) async fn played(
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
    for (who, delay_ms, is_late) in [
        ("maker", AN_HOUR_MS, false),
        ("player", AN_HOUR_MS, false),
        ("admin", AN_HOUR_MS, false),
        ("reader", AN_HOUR_MS, true),
        // Who waits until its end is shown.
        ("reader", 700, false),
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
        let seated = played(&locked, &maker, [&player, &other], delay_ms).await;
        let key = match who {
            "maker" => &maker,
            "player" => &player,
            "admin" => &admin,
            _ => &reader,
        };
        if delay_ms < AN_HOUR_MS {
            let mut news = locked.with(key).watch(&seated.match_id).await.unwrap();
            let end = async { while news.message().await.unwrap().is_some() {} };
            timeout(PATIENCE, end).await.expect("its end is shown");
        }
        let told = tell_the_end(locked.with(key), &seated.match_id).await;
        let names: BTreeSet<String> = told.keys().map(|name| (*name).to_owned()).collect();
        assert_eq!(names, documented(), "the calls of the page");
        for (call, tells) in told {
            assert_eq!(tells, !is_late, "{call} to {who}, {delay_ms} ms late");
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

/// What a caller without a key is told who changes a match, or makes it again.
async fn change(server: &TestServer, id: &str, made: &CreateMatchRequest) -> Vec<String> {
    let matches = || server.matches();
    let replace = |seats: Vec<u32>| ReplaceTicketsRequest {
        match_id: id.to_owned(),
        seats,
    };
    let close = CloseGroupRequest {
        match_id: id.to_owned(),
        ..CloseGroupRequest::default()
    };
    let cancel = CancelMatchRequest {
        match_id: id.to_owned(),
        reason: "a look".to_owned(),
    };
    let text = |told: Result<String, Status>| {
        told.unwrap_or_else(|refused| format!("{}: {}", reason(&refused), refused.message()))
    };
    let again = matches().create_match(made.clone()).await;
    let vacant = matches().replace_tickets(replace(Vec::new())).await;
    let first = matches().replace_tickets(replace(vec![0])).await;
    let closed = matches().close_group(close).await;
    let cancelled = matches().cancel_match(cancel.clone()).await;
    let twice = matches().cancel_match(cancel).await;
    let told = [
        again.map(|told| format!("{:?}", told.into_inner())),
        vacant.map(|told| format!("{:?}", told.into_inner())),
        first.map(|told| format!("{:?}", told.into_inner())),
        closed.map(|told| format!("{:?}", told.into_inner())),
        cancelled.map(|told| format!("{:?}", told.into_inner())),
        twice.map(|told| format!("{:?}", told.into_inner())),
    ];
    told.into_iter().map(text).collect()
}

/// A match that is seen late and is as its name says, the request that made it, and its bots.
async fn staged(server: &TestServer, name: &str) -> (MatchInfo, CreateMatchRequest, Vec<RawBot>) {
    let request = CreateMatchRequest {
        config: Some(seen_late(GAMES[0], AN_HOUR_MS)),
        idempotency_key: format!("a key for the match {name}"),
        ..CreateMatchRequest::default()
    };
    let made = server.matches().create_match(request.clone()).await;
    let made = made.unwrap().into_inner();
    let info = made.r#match.unwrap();
    let tickets: Vec<_> = made.tickets.iter().map(|seat| &seat.ticket).collect();
    let mut bots = Vec::new();
    if name == "ended" {
        for bot in [0, 1].map(|seat| server.good_bot(tickets[seat])) {
            bot.await.unwrap().unwrap();
        }
        return (info, request, bots);
    }
    for ticket in &tickets {
        bots.push(RawBot::join(server, ticket).await);
    }
    for bot in &mut bots {
        bot.asked().await;
    }
    if name == "cancelled" {
        let cancel = CancelMatchRequest {
            match_id: info.match_id.clone(),
            reason: "before".to_owned(),
        };
        server.matches().cancel_match(cancel).await.unwrap();
    }
    (info, request, bots)
}

#[tokio::test]
async fn without_keys_no_call_that_changes_a_match_tells_early_that_it_is_over() {
    let server = TestServer::open().await;
    let mut told = Vec::new();
    for name in ["ended", "in play", "cancelled"] {
        let (info, request, _bots) = staged(&server, name).await;
        let answers = change(&server, &info.match_id, &request).await;
        // What is the match's own in any case.
        let neutral = answers.into_iter().map(|answer| {
            let answer = answer.replace(&info.match_id, "ID");
            let answer = answer.replace(&info.seed_commitment, "COMMITMENT");
            answer.replace(&info.created_unix_ms.to_string(), "CREATED")
        });
        told.push((name, neutral.collect::<Vec<_>>()));
        let seen = server.info(&info.match_id).await;
        assert_eq!(seen.state(), MatchState::Waiting, "{name}");
    }
    for (name, answers) in &told[1..] {
        assert_eq!(answers, &told[0].1, "{name} and ended");
    }
    let [again, vacant, first, ..] = &told[0].1[..] else {
        panic!("too few answers: {told:?}");
    };
    assert!(
        again.contains("existed: true") && again.contains("tickets: []"),
        "{again}"
    );
    assert!(vacant.contains("tickets: []"), "{vacant}");
    assert!(
        first.starts_with("SEAT_TAKEN") && first.contains("3600 s late"),
        "{first}"
    );
}

#[tokio::test]
async fn without_keys_calls_that_change_a_match_tell_that_it_is_over_once_its_end_is_shown() {
    let server = TestServer::open().await;
    let seated = server.create(seen_late(GAMES[0], 700)).await;
    for bot in [0, 1].map(|seat| server.good_bot(&seated.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    server.result(&seated.match_id).await;
    let [_, vacant, first, _, cancelled, _] = &change(
        &server,
        &seated.match_id,
        &CreateMatchRequest {
            config: Some(seen_late(GAMES[0], 700)),
            ..CreateMatchRequest::default()
        },
    )
    .await[..] else {
        panic!("six calls are made");
    };
    for told in [vacant, first, cancelled] {
        assert!(told.starts_with("MATCH_ENDED"), "{told}");
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
