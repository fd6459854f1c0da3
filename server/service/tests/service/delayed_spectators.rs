//! Delayed matches, through each call that shows them.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, ExpireSeatRequest, MatchConfig,
    MatchFilter, MatchFork, MatchInfo, MatchState, ReplaceTicketsRequest, SeatState,
    SpectatorRules, WatchMatchesRequest, WatchPositionsRequest, match_fork::Source as ForkSource,
    watch_positions_request::Source,
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

pub(crate) fn with_delay(game: &str, delay_ms: u32) -> MatchConfig {
    MatchConfig {
        spectators: Some(SpectatorRules {
            delay_ms,
            ..SpectatorRules::default()
        }),
        ..config(game, 2)
    }
}

/// Returns the calls that the operator documentation lists as delayed.
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

/// Whether a match is refused because the viewer sees it with a delay.
pub(crate) fn is_delayed(refused: &Status) -> bool {
    assert_eq!(reason(refused), "MATCH_RUNNING", "{refused:?}");
    let message = refused.message();
    assert!(
        message.contains("this match with a delay of 3600 s"),
        "{message}"
    );
    true
}

/// Returns by call whether it reveals that a match has ended.
async fn calls_revealing_end(caller: KeyedCaller<'_>, id: &str) -> BTreeMap<&'static str, bool> {
    let has_ended = |state: MatchState| state == MatchState::Ended;
    let info = caller.info(id).await.unwrap();
    let ended = MatchFilter {
        state: MatchState::Ended.into(),
        ..MatchFilter::default()
    };
    let listed = caller.list_by(ended).await.unwrap();
    assert!(caller.list().await.unwrap().contains(&id.to_owned()));

    let mut watching = caller.watch(id).await.unwrap();
    let update = watching.message().await.unwrap().unwrap();
    let wanted = WatchPositionsRequest {
        source: Some(Source::MatchId(id.to_owned())),
        ..WatchPositionsRequest::default()
    };
    let mut positions = caller.positions(wanted).await.unwrap();
    let first = positions.message().await.unwrap().unwrap();
    // The overview starts with the newest match in play.
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
        ("WatchMatch", has_ended(update.r#match.unwrap().state())),
        ("WatchMatches", newest.match_id != id),
        ("WatchPositions", has_ended(first.r#match.unwrap().state())),
        (
            "GetReplay",
            !replay.is_err_and(|refused| is_delayed(&refused)),
        ),
        (
            "CreateMatch",
            !forked.is_err_and(|refused| is_delayed(&refused)),
        ),
    ])
}

/// Plays a match to its end with bots of these keys.
pub(crate) async fn play_delayed(
    locked: &LockedServer,
    maker: &ApiKey,
    bots: [&ApiKey; 2],
    delay_ms: u32,
) -> Seated {
    let made = with_delay(GAMES[0], delay_ms);
    let seated = locked.with(maker).create(made).await.unwrap();
    let playing = [0, 1].map(|seat| locked.with(bots[seat]).good_bot(&seated.tickets[seat]));
    for bot in playing {
        bot.await.unwrap().unwrap();
    }
    seated
}

#[tokio::test]
async fn every_call_delays_the_end_for_spectators_but_not_for_the_owner() {
    for (who, delay_ms, is_delayed) in [
        ("maker", AN_HOUR_MS, false),
        ("player", AN_HOUR_MS, false),
        ("admin", AN_HOUR_MS, false),
        ("reader", AN_HOUR_MS, true),
        // Waits until the end is visible.
        ("reader", 700, false),
    ] {
        let locked = LockedServer::open().await;
        let maker = locked.key("maker", &[Create, Read]).await;
        let player = locked.key("player", &[Play, Create, Read]).await;
        let other = locked.key("other", &[Play]).await;
        let admin = locked.key("admin", &[Admin, Create]).await;
        let reader = locked.key("reader", &[Read, Create]).await;
        // So that the overview always has a match to send.
        let older = locked.with(&maker).create(config(GAMES[0], 2)).await;
        older.unwrap();
        let seated = play_delayed(&locked, &maker, [&player, &other], delay_ms).await;
        let key = match who {
            "maker" => &maker,
            "player" => &player,
            "admin" => &admin,
            _ => &reader,
        };
        if delay_ms < AN_HOUR_MS {
            let mut updates = locked.with(key).watch(&seated.match_id).await.unwrap();
            let end = async { while updates.message().await.unwrap().is_some() {} };
            timeout(PATIENCE, end).await.expect("its end is shown");
        }
        let revealing = calls_revealing_end(locked.with(key), &seated.match_id).await;
        let names: BTreeSet<String> = revealing.keys().map(|name| (*name).to_owned()).collect();
        assert_eq!(names, documented(), "the calls of the page");
        for (call, reveals) in revealing {
            assert_eq!(reveals, !is_delayed, "{call} to {who}, {delay_ms} ms late");
        }
        if is_delayed {
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

/// Returns the results of commands on a match, and of creating it again, for a caller without a
/// key.
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
    let expire = ExpireSeatRequest {
        match_id: id.to_owned(),
        ..ExpireSeatRequest::default()
    };
    let text = |answer: Result<String, Status>| {
        answer.unwrap_or_else(|refused| format!("{}: {}", reason(&refused), refused.message()))
    };
    let again = matches().create_match(made.clone()).await;
    let vacant = matches().replace_tickets(replace(Vec::new())).await;
    let first = matches().replace_tickets(replace(vec![0])).await;
    let expired = matches().expire_seat(expire).await;
    let closed = matches().close_group(close).await;
    let cancelled = matches().cancel_match(cancel.clone()).await;
    let twice = matches().cancel_match(cancel).await;
    let answers = [
        again.map(|answer| format!("{:?}", answer.into_inner())),
        vacant.map(|answer| format!("{:?}", answer.into_inner())),
        first.map(|answer| format!("{:?}", answer.into_inner())),
        expired.map(|answer| format!("{:?}", answer.into_inner())),
        closed.map(|answer| format!("{:?}", answer.into_inner())),
        cancelled.map(|answer| format!("{:?}", answer.into_inner())),
        twice.map(|answer| format!("{:?}", answer.into_inner())),
    ];
    answers.into_iter().map(text).collect()
}

/// Creates a delayed match in the state of its name, and returns the request and the bots.
async fn staged(server: &TestServer, name: &str) -> (MatchInfo, CreateMatchRequest, Vec<RawBot>) {
    let request = CreateMatchRequest {
        config: Some(with_delay(GAMES[0], AN_HOUR_MS)),
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
        bot.next_request().await;
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
async fn without_keys_no_change_of_a_match_reveals_its_end_early() {
    let server = TestServer::open().await;
    let mut outcomes = Vec::new();
    for name in ["ended", "in play", "cancelled"] {
        let (info, request, _bots) = staged(&server, name).await;
        let answers = change(&server, &info.match_id, &request).await;
        // Replaces values that differ between matches anyway.
        // `delayed_law` compares the tickets in the first three answers.
        let neutral = answers.into_iter().skip(3).map(|answer| {
            let answer = answer.replace(&info.match_id, "ID");
            let answer = answer.replace(&info.seed_commitment, "COMMITMENT");
            answer.replace(&info.created_unix_ms.to_string(), "CREATED")
        });
        outcomes.push((name, neutral.collect::<Vec<_>>()));
        let seen = server.info(&info.match_id).await;
        assert_eq!(seen.state(), MatchState::Waiting, "{name}");
    }
    for (name, answers) in &outcomes[1..] {
        assert_eq!(answers, &outcomes[0].1, "{name} and ended");
    }
}

#[tokio::test]
async fn without_keys_changes_of_a_match_report_its_end_once_it_is_visible() {
    let server = TestServer::open().await;
    let seated = server.create(with_delay(GAMES[0], 700)).await;
    for bot in [0, 1].map(|seat| server.good_bot(&seated.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    server.result(&seated.match_id).await;
    let [_, vacant, first, expired, _, cancelled, _] = &change(
        &server,
        &seated.match_id,
        &CreateMatchRequest {
            config: Some(with_delay(GAMES[0], 700)),
            ..CreateMatchRequest::default()
        },
    )
    .await[..] else {
        panic!("seven calls are made");
    };
    for answer in [vacant, first, expired, cancelled] {
        assert!(answer.starts_with("MATCH_ENDED"), "{answer}");
    }
}

#[tokio::test]
async fn a_delay_of_more_than_an_hour_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let refused = server
        .try_create(with_delay(GAMES[0], AN_HOUR_MS + 1))
        .await;
    let refused = refused.err().expect("it is refused");
    assert_eq!(reason(&refused), "INVALID_FIELD");
    let message = refused.message();
    assert!(message.contains("config.spectators.delay_ms: 3600001 is out of range (0 to 3600000)"));
}
