//! Seats that are reserved for API keys, new tickets for vacant seats, and idempotent requests that
//! create a match.

use std::sync::Arc;

use bridgemaster_proto::v1::{CreateMatchRequest, CreateMatchResponse, SeatReservation};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Admin, Create, Play, Read},
};
use tokio::task::JoinSet;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    caller::{Caller, creating},
    raw_bot::{RawBot, hello_message},
    streams::{assert_invalid, outcome, reason},
    test_server::{Seated, TestServer, keeping_one, memory, of_two},
};

fn reserved(seat: u32, key_name: &str) -> SeatReservation {
    SeatReservation { seat, key_name: key_name.to_owned(), queue_id: String::new() }
}

fn asked(seat_reservations: Vec<SeatReservation>) -> CreateMatchRequest {
    CreateMatchRequest { seat_reservations, ..creating(of_two()) }
}

#[tokio::test]
async fn a_reserved_seat_refuses_other_keys_before_and_after_a_crash() {
    let mut server = TestServer::locked_in_memory().await;
    let maker = server.caller("maker", &[Create]).await;
    let mut ada = server.caller("ada", &[Play]).await;
    let mut bob = server.caller("bob", &[Play]).await;
    let made = maker.create_by(asked(vec![reserved(1, "ada")])).await;
    let made = made.unwrap();
    let info = made.r#match.clone().unwrap();
    assert_eq!(info.seats[1].reserved_for, "ada");
    assert_eq!(info.seats[0].reserved_for, "");
    let Seated { match_id, tickets } = Seated::from(made);
    for is_restarted in [false, true] {
        if is_restarted {
            server.restart().await;
            [ada, bob] = [ada, bob].map(|caller| server.with(caller.key()));
        }
        let refused = RawBot::refused(&bob, &tickets[1], hello_message()).await;
        assert_eq!(reason(&refused), "SEAT_OF_ANOTHER_KEY");
        // The holder of a key for which a seat is reserved sees the match.
        let seen = ada.info(&match_id).await;
        assert_eq!(seen.seats[1].reserved_for, "ada");
        assert_eq!(ada.list().await.unwrap(), [&*match_id]);
        assert_eq!(outcome(bob.try_info(&match_id).await), "MATCH_UNKNOWN");
    }
    let _other = bob.join(&tickets[0]).await;
    let started = ada.join(&tickets[1]).await.started().await;
    assert_eq!(started.seats[1].reserved_for, "ada");
}

#[tokio::test]
async fn a_seat_is_reserved_only_once_and_for_a_key_that_may_play() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    server.caller("ada", &[Play]).await;
    server.revoke(&server.caller("old", &[Play]).await).await;
    let (key_name, seat) = ("seat_reservations.key_name", "seat_reservations.seat");
    for (reservations, field) in [
        (vec![reserved(0, "nobody")], key_name),
        (vec![reserved(0, "maker")], key_name),
        (vec![reserved(0, "old")], key_name),
        (vec![reserved(0, " ")], key_name),
        (vec![reserved(2, "ada")], seat),
        (vec![reserved(99, "ada")], seat),
        (vec![reserved(0, "ada"), reserved(0, "ada")], seat),
    ] {
        assert_invalid(maker.create_by(asked(reservations)).await, field);
    }
    let mut offered = reserved(0, "ada");
    "ladder".clone_into(&mut offered.queue_id);
    let made = maker.create_by(asked(vec![offered])).await;
    assert_eq!(outcome(made), "QUEUE_UNKNOWN");

    let server = TestServer::open().await;
    let made = server.create_by(asked(vec![reserved(0, "ada")])).await;
    let refused = made.unwrap_err();
    let message = refused.message();
    assert!(message.contains("does not use API keys"), "{refused:?}");
}

#[tokio::test]
async fn a_new_ticket_of_a_vacant_seat_replaces_the_old_one() {
    let mut server = TestServer::stored().await;
    let seated = server.create(of_two()).await;
    let id = seated.match_id.as_str();
    let first = server.join(&seated.tickets[0]).await;
    let vacant = server.replace_tickets(id, &[]).await.unwrap();
    assert_eq!(vacant.len(), 1);
    assert_eq!(vacant[0].seat, 1);
    let newest = server.replace_tickets(id, &[1]).await.unwrap();
    for taken in [&[0][..], &[0, 1]] {
        let refused = server.replace_tickets(id, taken).await;
        assert_eq!(outcome(refused), "SEAT_TAKEN");
    }
    let refused = server.replace_tickets(id, &[2]).await.unwrap_err();
    assert!(refused.message().starts_with("seats: "), "{refused:?}");

    for is_restarted in [false, true] {
        if is_restarted {
            server.restart().await;
        }
        for old in [&seated.tickets[1], &vacant[0].ticket] {
            let refused = RawBot::try_join(&server, old).await;
            assert_eq!(outcome(refused), "TICKET_UNKNOWN");
        }
    }
    drop(first);
    let _first = server.join(&seated.tickets[0]).await;
    server.join(&newest[0].ticket).await.started().await;
    let none = server.replace_tickets(id, &[]).await.unwrap();
    assert!(none.is_empty());
    server.cancel(id, "").await.unwrap();
    let refused = server.replace_tickets(id, &[]).await;
    assert_eq!(outcome(refused), "MATCH_CANCELLED");
}

#[tokio::test]
async fn only_the_creator_and_admins_replace_tickets() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    let admin = server.caller("admin", &[Admin]).await;
    let reader = server.caller("reader", &[Read]).await;
    let id = maker.create(of_two()).await.match_id;
    let refused = reader.replace_tickets(&id, &[]).await;
    assert_eq!(outcome(refused), "SCOPE_MISSING");
    for caller in [&maker, &admin] {
        let tickets = caller.replace_tickets(&id, &[]).await.unwrap();
        assert_eq!(tickets.len(), 2);
    }
}

fn with_key(key: &str) -> CreateMatchRequest {
    CreateMatchRequest {
        idempotency_key: key.to_owned(),
        labels: [("run".to_owned(), "7".to_owned())].into(),
        ..creating(of_two())
    }
}

async fn create(server: &Caller, key: &str) -> Result<CreateMatchResponse, Status> {
    server.create_by(with_key(key)).await
}

fn id_of(made: &CreateMatchResponse) -> &str {
    &made.r#match.as_ref().unwrap().match_id
}

fn seats_of(made: &CreateMatchResponse) -> Vec<u32> {
    made.tickets.iter().map(|ticket| ticket.seat).collect()
}

#[tokio::test]
async fn a_retried_call_returns_the_same_match_and_new_tickets() {
    for server in TestServer::without_and_with_store().await {
        let first = create(&server, "a b~1").await.unwrap();
        assert!(!first.existed);
        let again = create(&server, "a b~1").await.unwrap();
        assert!(again.existed);
        assert_eq!(id_of(&again), id_of(&first));
        assert_eq!(seats_of(&again), [0, 1]);
        for old in &first.tickets {
            let refused = RawBot::try_join(&server, &old.ticket).await;
            assert_eq!(outcome(refused), "TICKET_UNKNOWN");
        }
        let _bot = server.join(&again.tickets[1].ticket).await;
        let third = create(&server, "a b~1").await.unwrap();
        assert_eq!(id_of(&third), id_of(&first));
        assert_eq!(seats_of(&third), [0], "a bot has come to seat 1");
        let _bot = server.join(&third.tickets[0].ticket).await;

        let other = create(&server, "a b~2").await.unwrap();
        assert!(!other.existed && id_of(&other) != id_of(&first));
        let without = [create(&server, "").await, create(&server, "").await];
        let without = without.map(|made| id_of(&made.unwrap()).to_owned());
        assert_ne!(without[0], without[1]);

        let mut different = with_key("a b~1");
        different.labels.clear();
        let refused = server.create_by(different).await.unwrap_err();
        assert_eq!(reason(&refused), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(refused.code(), Code::AlreadyExists);
        let info = refused.get_details_error_info().unwrap();
        assert_eq!(info.metadata["match_id"], id_of(&first));
    }
    let server = TestServer::open().await;
    for bad in ["\n", "ä", &"x".repeat(65)] {
        let refused = create(&server, bad).await;
        assert_eq!(outcome(refused), "INVALID_FIELD", "{bad:?}");
    }
}

#[tokio::test]
async fn only_one_of_several_concurrent_calls_creates_the_match() {
    for server in TestServer::without_and_with_store().await {
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
    let mut server = TestServer::over(&memory(), keeping_one()).await;
    let first = create(&server, "k").await.unwrap();
    server.restart().await;
    let again = create(&server, "k").await.unwrap();
    assert!(again.existed);
    assert_eq!(id_of(&again), id_of(&first));

    // Only the newest tickets are valid, whatever the header contains.
    server.restart().await;
    let refused = RawBot::try_join(&server, &first.tickets[0].ticket).await;
    assert_eq!(outcome(refused), "TICKET_UNKNOWN");
    server.play(&Seated::from(again)).await;
    let ended = create(&server, "k").await.unwrap();
    assert!(ended.existed && ended.tickets.is_empty());
    assert!(ended.r#match.as_ref().unwrap().result.is_some());

    server.restart().await;
    server.played(of_two()).await;
    // Only the store has it.
    assert_eq!(create(&server, "k").await.unwrap(), ended);
}

#[tokio::test]
async fn idempotency_keys_are_scoped_to_the_api_key() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let mut ids = Vec::new();
    for name in ["ada", "bob"] {
        let made = create(&server.caller(name, &[Create]).await, "k").await;
        let made = made.unwrap();
        assert!(!made.existed);
        ids.push(id_of(&made).to_owned());
    }
    assert_ne!(ids[0], ids[1]);
}
