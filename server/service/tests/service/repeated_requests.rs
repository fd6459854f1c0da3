//! Calls that make a match and are sent twice.

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
    locked_table::LockedTable,
    raw_bot::{RawBot, reason},
    table::{GAMES, Table, config},
};

fn request(key: &str) -> CreateMatchRequest {
    CreateMatchRequest {
        config: Some(config(GAMES[0], 2)),
        idempotency_key: key.to_owned(),
        labels: [("run".to_owned(), "7".to_owned())].into(),
        ..CreateMatchRequest::default()
    }
}

async fn create(table: &Table, key: &str) -> Result<CreateMatchResponse, Status> {
    let made = table.matches().create_match(request(key)).await?;
    Ok(made.into_inner())
}

fn id_of(made: &CreateMatchResponse) -> &str {
    &made.r#match.as_ref().unwrap().match_id
}

fn seats_of(made: &CreateMatchResponse) -> Vec<u32> {
    made.tickets.iter().map(|ticket| ticket.seat).collect()
}

/// The refusal of a ticket, which the call itself ends with.
async fn refused_ticket(table: &Table, ticket: &str) -> Status {
    let first = crate::raw_bot::request(Message::Hello(crate::raw_bot::hello()));
    match RawBot::open(table, ticket, first).await {
        Err(status) => status,
        Ok(bot) => bot.end().await.unwrap(),
    }
}

/// Lets all bots of a match give up, and waits for its end.
async fn give_up(table: &Table, made: &CreateMatchResponse) {
    let mut bots = Vec::new();
    for ticket in &made.tickets {
        bots.push(RawBot::join(table, &ticket.ticket).await);
    }
    for bot in &bots {
        bot.send(Message::Resign(Resign {})).await;
    }
    table.result(id_of(made)).await;
}

/// Servers without and with a store.
async fn tables() -> [(Table, Option<Arc<dyn Store>>); 2] {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let over = Table::over(&store, Limits::default()).await;
    [(Table::open().await, None), (over, Some(store))]
}

#[tokio::test]
async fn the_same_call_again_gives_the_same_match_and_new_tickets() {
    for (table, _) in tables().await {
        let first = create(&table, "a b~1").await.unwrap();
        assert!(!first.existed);
        let again = create(&table, "a b~1").await.unwrap();
        assert!(again.existed);
        assert_eq!(id_of(&again), id_of(&first));
        assert_eq!(seats_of(&again), [0, 1]);
        for old in &first.tickets {
            let refused = refused_ticket(&table, &old.ticket).await;
            assert_eq!(reason(&refused), "TICKET_UNKNOWN");
        }
        let _bot = RawBot::join(&table, &again.tickets[1].ticket).await;
        let third = create(&table, "a b~1").await.unwrap();
        assert_eq!(id_of(&third), id_of(&first));
        assert_eq!(seats_of(&third), [0], "a bot has come to seat 1");
        let _bot = RawBot::join(&table, &third.tickets[0].ticket).await;

        let other = create(&table, "a b~2").await.unwrap();
        assert!(!other.existed && id_of(&other) != id_of(&first));
        let without = [create(&table, "").await, create(&table, "").await];
        let without = without.map(|made| id_of(&made.unwrap()).to_owned());
        assert_ne!(without[0], without[1]);
    }
}

#[tokio::test]
async fn another_call_with_the_same_key_is_refused_and_names_the_match() {
    for (table, _) in tables().await {
        let first = create(&table, "k").await.unwrap();
        let mut other = request("k");
        other.labels.clear();
        let refused = table.matches().create_match(other).await.unwrap_err();
        assert_eq!(reason(&refused), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(refused.code(), Code::AlreadyExists);
        let info = refused.get_details_error_info().unwrap();
        assert_eq!(info.metadata["match_id"], id_of(&first));
    }
    let table = Table::open().await;
    for bad in ["\n", "ä", &"x".repeat(65)] {
        let refused = create(&table, bad).await.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD", "{bad:?}");
    }
}

#[tokio::test]
async fn of_calls_at_once_one_makes_the_match() {
    for (table, _) in tables().await {
        let table = Arc::new(table);
        let mut calls = JoinSet::new();
        for _ in 0..8 {
            let table = Arc::clone(&table);
            calls.spawn(async move { create(&table, "once").await.unwrap() });
        }
        let made = calls.join_all().await;
        assert_eq!(made.iter().filter(|made| !made.existed).count(), 1);
        assert!(made.iter().all(|one| id_of(one) == id_of(&made[0])));
    }
}

#[tokio::test]
async fn a_match_is_found_again_after_a_crash_and_after_its_end() {
    let [_, (mut table, store)] = tables().await;
    let store = store.unwrap();
    let first = create(&table, "k").await.unwrap();
    table.crash().await;
    let mut table = Table::over(&store, Limits::default()).await;
    let again = create(&table, "k").await.unwrap();
    assert!(again.existed);
    assert_eq!(id_of(&again), id_of(&first));
    table.crash().await;

    // The newest tickets are those that count, whatever the header says.
    let mut table = Table::over(&store, Limits::default()).await;
    let refused = refused_ticket(&table, &first.tickets[0].ticket).await;
    assert_eq!(reason(&refused), "TICKET_UNKNOWN");
    give_up(&table, &again).await;
    let ended = create(&table, "k").await.unwrap();
    assert!(ended.existed && ended.tickets.is_empty());
    assert!(ended.r#match.as_ref().unwrap().result.is_some());
    table.crash().await;

    let limits = Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    };
    let table = Table::over(&store, limits).await;
    let other = create(&table, "other").await.unwrap();
    give_up(&table, &other).await;
    // Only the store has it.
    assert_eq!(create(&table, "k").await.unwrap(), ended);
}

#[tokio::test]
async fn each_api_key_has_idempotency_keys_of_its_own() {
    let locked = LockedTable::open().await;
    let mut ids = Vec::new();
    for name in ["ada", "bob"] {
        let key = locked.key(name, &[Create]).await;
        let made = locked.with(&key).create_by(request("k")).await.unwrap();
        assert!(!made.existed);
        ids.push(id_of(&made).to_owned());
    }
    assert_ne!(ids[0], ids[1]);
}
