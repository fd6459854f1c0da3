//! Cancellation of matches.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    CancelMatchRequest, ListMatchesRequest, MatchFilter, MatchInfo, MatchState, WatchMatchRequest,
    play_request,
};
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Admin, Create, Play, Read},
};
use bridgemaster_store::{MatchCounts, MemoryStore, Store};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    locked_server::LockedServer,
    metrics::scrape,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, TestServer, config},
};

const WHY: &str = "the wrong bot came";

async fn cancel(server: &TestServer, match_id: &str) -> Result<MatchInfo, Status> {
    let request = CancelMatchRequest {
        match_id: match_id.to_owned(),
        reason: WHY.to_owned(),
    };
    let cancelled = server.matches().cancel_match(request).await?;
    Ok(cancelled.into_inner().r#match.unwrap())
}

async fn listed(server: &TestServer, state: MatchState) -> Vec<String> {
    let request = ListMatchesRequest {
        filter: Some(MatchFilter {
            state: state.into(),
            ..MatchFilter::default()
        }),
        ..ListMatchesRequest::default()
    };
    let page = server.matches().list_matches(request).await.unwrap();
    let matches = page.into_inner().matches.into_iter();
    matches.map(|info| info.match_id).collect()
}

fn assert_cancelled(refused: &Status) {
    assert_eq!(reason(refused), "MATCH_CANCELLED", "{refused:?}");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let info = refused.get_details_error_info().unwrap();
    assert_eq!(info.metadata["reason"], WHY);
}

/// Returns the refusal of a bot that comes back with its ticket.
async fn come_back(server: &TestServer, ticket: &str) -> Status {
    let first = request(play_request::Message::Hello(hello()));
    let bot = RawBot::open(server, ticket, first).await.unwrap();
    bot.end().await.unwrap()
}

#[tokio::test]
async fn cancelling_a_match_ends_its_streams_and_keeps_its_record() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let id = seated.match_id.as_str();
    let bots = [
        RawBot::join(&server, &seated.tickets[0]).await,
        RawBot::join(&server, &seated.tickets[1]).await,
    ];
    let watching = WatchMatchRequest {
        match_id: id.to_owned(),
    };
    let updates = server.matches().watch_match(watching).await.unwrap();
    let mut updates = updates.into_inner();

    let info = cancel(&server, id).await.unwrap();
    assert_eq!(info.state(), MatchState::Cancelled);
    let why = info.cancellation.clone().unwrap();
    assert_eq!((why.reason.as_str(), why.cancelled_by.as_str()), (WHY, ""));
    assert!(info.result.is_none());
    assert!(info.ended_unix_ms >= info.started_unix_ms && info.started_unix_ms > 0);
    assert_eq!(info.seed_salt, "", "its seed stays secret");
    assert_eq!(info.config.as_ref().unwrap().seed, None);

    for bot in bots {
        assert_cancelled(&bot.end().await.unwrap());
    }
    let mut last = None;
    while let Some(message) = updates.message().await.unwrap() {
        last = message.r#match;
    }
    assert_eq!(last.unwrap(), info);

    assert_cancelled(&come_back(&server, &seated.tickets[0]).await);
    assert_cancelled(&server.replay(id).await.unwrap_err());
    assert_eq!(server.info(id).await, info);
    assert_eq!(listed(&server, MatchState::Cancelled).await, [id]);
    for other in [MatchState::Waiting, MatchState::Running, MatchState::Ended] {
        assert!(listed(&server, other).await.is_empty(), "{other:?}");
    }
    assert_eq!(cancel(&server, id).await.unwrap(), info, "cancelled again");
    let counted = scrape(&server).await;
    assert_eq!(counted["bridgemaster_matches_cancelled_total"], 1.0);
    assert_eq!(counted["bridgemaster_matches{state=\"running\"}"], 0.0);
}

#[tokio::test]
async fn a_cancelled_match_stays_cancelled_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    // All but one only in the store.
    let limits = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    let mut server = TestServer::over(&store, limits.clone()).await;
    let mut cancelled = Vec::new();
    let mut tickets = Vec::new();
    for _ in 0..2 {
        let seated = server.create(config(GAMES[0], 2)).await;
        let _bot = RawBot::join(&server, &seated.tickets[0]).await;
        cancelled.insert(0, cancel(&server, &seated.match_id).await.unwrap());
        tickets = seated.tickets;
    }
    server.crash().await;
    let server = TestServer::over(&store, limits).await;
    for info in &cancelled {
        assert_eq!(server.info(&info.match_id).await, *info);
        assert_cancelled(&server.replay(&info.match_id).await.unwrap_err());
        assert_eq!(cancel(&server, &info.match_id).await.unwrap(), *info);
    }
    let ids = cancelled.iter().map(|info| info.match_id.clone());
    let ids: Vec<String> = ids.collect();
    assert_eq!(listed(&server, MatchState::Cancelled).await, ids);
    assert_eq!(listed(&server, MatchState::Unspecified).await, ids);
    assert!(listed(&server, MatchState::Ended).await.is_empty());
    assert_cancelled(&come_back(&server, &tickets[0]).await);
    let counts = store.match_counts().await.unwrap();
    let (open, finished) = (0, 2);
    assert_eq!(counts, MatchCounts { open, finished });
}

#[tokio::test]
async fn an_ended_match_cannot_be_cancelled() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    let refused = cancel(&server, &seated.match_id).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_ENDED");
    assert!(server.info(&seated.match_id).await.result.is_some());
}

#[tokio::test]
async fn only_the_creator_and_admins_may_cancel_a_match() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    let admin = locked.key("admin", &[Admin]).await;
    let reader = locked.key("reader", &[Read]).await;
    let player = locked.key("player", &[Play]).await;
    let other = locked.key("other", &[Create]).await;
    for by in [&maker, &admin] {
        let made = locked.with(&maker).create(config(GAMES[0], 2)).await;
        let seated = made.unwrap();
        let _bot = locked.with(&player).join(&seated.tickets[0]).await;
        let id = seated.match_id.as_str();
        for (key, why) in [
            (&reader, "SCOPE_MISSING"),
            (&player, "SCOPE_MISSING"),
            (&other, "MATCH_UNKNOWN"),
        ] {
            let refused = locked.with(key).cancel(id, WHY).await.unwrap_err();
            assert_eq!(reason(&refused), why);
        }
        let info = locked.with(by).cancel(id, WHY).await.unwrap();
        let name = if by.id() == maker.id() {
            "maker"
        } else {
            "admin"
        };
        assert_eq!(info.cancellation.unwrap().cancelled_by, name);
    }
    let long = "x".repeat(257);
    let made = locked.with(&maker).create(config(GAMES[0], 2)).await;
    for bad in [long.as_str(), "a\nb"] {
        let id = &made.as_ref().unwrap().match_id;
        let refused = locked.with(&maker).cancel(id, bad).await.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD");
        assert!(refused.message().starts_with("reason: "), "{refused:?}");
    }
}
