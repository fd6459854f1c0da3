//! Idempotent requests that create a match.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    CreateMatchRequest, CreateMatchResponse, Resign, play_request::Message,
};
use bridgemaster_server::{Limits, identity::KeyScope::Create};
use bridgemaster_store::{MemoryStore, Store};
use tokio::task::JoinSet;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    locked_server::LockedServer,
    raw_bot::{RawBot, reason},
    test_server::{GAMES, TestServer, config},
};

fn request(key: &str) -> CreateMatchRequest {
    CreateMatchRequest {
        config: Some(config(GAMES[0], 2)),
        idempotency_key: key.to_owned(),
        labels: [("run".to_owned(), "7".to_owned())].into(),
        ..CreateMatchRequest::default()
    }
}

async fn create(server: &TestServer, key: &str) -> Result<CreateMatchResponse, Status> {
    let made = server.matches().create_match(request(key)).await?;
    Ok(made.into_inner())
}

fn id_of(made: &CreateMatchResponse) -> &str {
    &made.r#match.as_ref().unwrap().match_id
}

fn seats_of(made: &CreateMatchResponse) -> Vec<u32> {
    made.tickets.iter().map(|ticket| ticket.seat).collect()
}

/// Returns the refusal of a ticket, which the call itself ends with.
async fn refused_ticket(server: &TestServer, ticket: &str) -> Status {
    let first = crate::raw_bot::request(Message::Hello(crate::raw_bot::hello()));
    match RawBot::open(server, ticket, first).await {
        Err(status) => status,
        Ok(bot) => bot.end().await.unwrap(),
    }
}

/// Resigns all bots of a match, and waits for its end.
async fn give_up(server: &TestServer, made: &CreateMatchResponse) {
    let mut bots = Vec::new();
    for ticket in &made.tickets {
        bots.push(RawBot::join(server, &ticket.ticket).await);
    }
    for bot in &bots {
        bot.send(Message::Resign(Resign {})).await;
    }
    server.result(id_of(made)).await;
}

/// Starts servers without and with a store.
async fn servers() -> [(TestServer, Option<Arc<dyn Store>>); 2] {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let over = TestServer::over(&store, Limits::default()).await;
    [(TestServer::open().await, None), (over, Some(store))]
}

#[tokio::test]
async fn a_retried_call_returns_the_same_match_and_new_tickets() {
    for (server, _) in servers().await {
        let first = create(&server, "a b~1").await.unwrap();
        assert!(!first.existed);
        let again = create(&server, "a b~1").await.unwrap();
        assert!(again.existed);
        assert_eq!(id_of(&again), id_of(&first));
        assert_eq!(seats_of(&again), [0, 1]);
        for old in &first.tickets {
            let refused = refused_ticket(&server, &old.ticket).await;
            assert_eq!(reason(&refused), "TICKET_UNKNOWN");
        }
        let _bot = RawBot::join(&server, &again.tickets[1].ticket).await;
        let third = create(&server, "a b~1").await.unwrap();
        assert_eq!(id_of(&third), id_of(&first));
        assert_eq!(seats_of(&third), [0], "a bot has come to seat 1");
        let _bot = RawBot::join(&server, &third.tickets[0].ticket).await;

        let other = create(&server, "a b~2").await.unwrap();
        assert!(!other.existed && id_of(&other) != id_of(&first));
        let without = [create(&server, "").await, create(&server, "").await];
        let without = without.map(|made| id_of(&made.unwrap()).to_owned());
        assert_ne!(without[0], without[1]);
    }
}

#[tokio::test]
async fn a_different_call_with_the_same_key_is_refused_with_the_match() {
    for (server, _) in servers().await {
        let first = create(&server, "k").await.unwrap();
        let mut other = request("k");
        other.labels.clear();
        let refused = server.matches().create_match(other).await.unwrap_err();
        assert_eq!(reason(&refused), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(refused.code(), Code::AlreadyExists);
        let info = refused.get_details_error_info().unwrap();
        assert_eq!(info.metadata["match_id"], id_of(&first));
    }
    let server = TestServer::open().await;
    for bad in ["\n", "ä", &"x".repeat(65)] {
        let refused = create(&server, bad).await.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD", "{bad:?}");
    }
}

#[tokio::test]
async fn of_concurrent_calls_one_creates_the_match() {
    for (server, _) in servers().await {
        let server = Arc::new(server);
        let mut calls = JoinSet::new();
        for _ in 0..8 {
            let server = Arc::clone(&server);
            calls.spawn(async move { create(&server, "once").await.unwrap() });
        }
        let made = calls.join_all().await;
        assert_eq!(made.iter().filter(|made| !made.existed).count(), 1);
        assert!(made.iter().all(|one| id_of(one) == id_of(&made[0])));
    }
}

#[tokio::test]
async fn a_retry_finds_its_match_after_a_crash_and_after_its_end() {
    let [_, (mut server, store)] = servers().await;
    let store = store.unwrap();
    let first = create(&server, "k").await.unwrap();
    server.crash().await;
    let mut server = TestServer::over(&store, Limits::default()).await;
    let again = create(&server, "k").await.unwrap();
    assert!(again.existed);
    assert_eq!(id_of(&again), id_of(&first));
    server.crash().await;

    // Only the newest tickets are valid, whatever the header contains.
    let mut server = TestServer::over(&store, Limits::default()).await;
    let refused = refused_ticket(&server, &first.tickets[0].ticket).await;
    assert_eq!(reason(&refused), "TICKET_UNKNOWN");
    give_up(&server, &again).await;
    let ended = create(&server, "k").await.unwrap();
    assert!(ended.existed && ended.tickets.is_empty());
    assert!(ended.r#match.as_ref().unwrap().result.is_some());
    server.crash().await;

    let limits = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    let server = TestServer::over(&store, limits).await;
    let other = create(&server, "other").await.unwrap();
    give_up(&server, &other).await;
    // Only the store has it.
    assert_eq!(create(&server, "k").await.unwrap(), ended);
}

#[tokio::test]
async fn idempotency_keys_are_scoped_to_the_api_key() {
    let locked = LockedServer::open().await;
    let mut ids = Vec::new();
    for name in ["ada", "bob"] {
        let key = locked.key(name, &[Create]).await;
        let made = locked.with(&key).create_by(request("k")).await.unwrap();
        assert!(!made.existed);
        ids.push(id_of(&made).to_owned());
    }
    assert_ne!(ids[0], ids[1]);
}
