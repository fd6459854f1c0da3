//! Seats that are reserved for API keys, and new tickets for vacant seats.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    CancelMatchRequest, CreateMatchRequest, ReplaceTicketsRequest, SeatReservation, SeatTicket,
};
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Admin, Create, Play, Read},
};
use bridgemaster_store::{KeyStore as _, MemoryStore, Store};
use tonic::Status;

use crate::{
    intercepted_store::InterceptedStore,
    locked_server::LockedServer,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, TestServer, config},
};

fn reserved(seat: u32, key_name: &str) -> SeatReservation {
    SeatReservation {
        seat,
        key_name: key_name.to_owned(),
        queue_id: String::new(),
    }
}

fn asked(seat_reservations: Vec<SeatReservation>) -> CreateMatchRequest {
    CreateMatchRequest {
        config: Some(config(GAMES[0], 2)),
        seat_reservations,
        ..CreateMatchRequest::default()
    }
}

async fn replace(
    server: &TestServer,
    match_id: &str,
    seats: &[u32],
) -> Result<Vec<SeatTicket>, Status> {
    let request = ReplaceTicketsRequest {
        match_id: match_id.to_owned(),
        seats: seats.to_vec(),
    };
    let replaced = server.matches().replace_tickets(request).await?;
    Ok(replaced.into_inner().tickets)
}

#[tokio::test]
async fn a_reserved_seat_refuses_other_keys_before_and_after_a_crash() {
    let memory = Arc::new(MemoryStore::new());
    let open = || {
        let store = InterceptedStore::before_reads(Arc::clone(&memory) as _, || async { Ok(()) });
        LockedServer::over(store, Arc::clone(&memory), Limits::default())
    };
    let mut locked = open().await;
    let maker = locked.key("maker", &[Create]).await;
    let ada = locked.key("ada", &[Play]).await;
    let bob = locked.key("bob", &[Play]).await;
    let made = locked
        .with(&maker)
        .create_by(asked(vec![reserved(1, "ada")]));
    let made = made.await.unwrap();
    let info = made.r#match.unwrap();
    assert_eq!(info.seats[1].reserved_for, "ada");
    assert_eq!(info.seats[0].reserved_for, "");
    let tickets: Vec<String> = made.tickets.into_iter().map(|one| one.ticket).collect();
    for is_restarted in [false, true] {
        if is_restarted {
            locked.server.crash().await;
            locked = open().await;
        }
        let refused = locked.with(&bob).open(&tickets[1]).await;
        let refused = refused.unwrap().end().await.unwrap();
        assert_eq!(reason(&refused), "SEAT_OF_ANOTHER_KEY");
        // A key that a seat is reserved for sees the match.
        let seen = locked.with(&ada).info(&info.match_id).await.unwrap();
        assert_eq!(seen.seats[1].reserved_for, "ada");
        assert_eq!(locked.with(&ada).list().await.unwrap(), [&*info.match_id]);
        let unseen = locked.with(&bob).info(&info.match_id).await.unwrap_err();
        assert_eq!(reason(&unseen), "MATCH_UNKNOWN");
    }
    let _other = locked.with(&bob).join(&tickets[0]).await;
    let mut bot = locked.with(&ada).join(&tickets[1]).await;
    let started = bot.started().await;
    assert_eq!(started.seats[1].reserved_for, "ada");
}

#[tokio::test]
async fn a_seat_is_reserved_only_once_and_for_a_key_that_may_play() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    locked.key("ada", &[Play]).await;
    let revoked = locked.key("old", &[Play]).await;
    locked.keys.revoke_key(revoked.id(), 2).await.unwrap();
    for (reservations, field) in [
        (vec![reserved(0, "nobody")], "seat_reservations.key_name"),
        (vec![reserved(0, "maker")], "seat_reservations.key_name"),
        (vec![reserved(0, " ")], "seat_reservations.key_name"),
        (vec![reserved(2, "ada")], "seat_reservations.seat"),
        (vec![reserved(99, "ada")], "seat_reservations.seat"),
        (
            vec![reserved(0, "ada"), reserved(0, "ada")],
            "seat_reservations.seat",
        ),
    ] {
        let made = locked.with(&maker).create_by(asked(reservations)).await;
        let refused = made.unwrap_err();
        assert_eq!(reason(&refused), "INVALID_FIELD", "{refused:?}");
        assert!(refused.message().starts_with(field), "{refused:?}");
    }
    let mut offered = reserved(0, "ada");
    "ladder".clone_into(&mut offered.queue_id);
    let made = locked.with(&maker).create_by(asked(vec![offered])).await;
    assert_eq!(reason(&made.unwrap_err()), "QUEUE_UNKNOWN");

    let server = TestServer::open().await;
    let mut matches = server.matches();
    let made = matches.create_match(asked(vec![reserved(0, "ada")]));
    let refused = made.await.unwrap_err();
    assert!(
        refused.message().contains("does not use API keys"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_new_ticket_of_a_vacant_seat_replaces_the_old_one() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let id = seated.match_id.as_str();
    let first = RawBot::join(&server, &seated.tickets[0]).await;
    let vacant = replace(&server, id, &[]).await.unwrap();
    assert_eq!(vacant.len(), 1);
    assert_eq!(vacant[0].seat, 1);
    let newest = replace(&server, id, &[1]).await.unwrap();
    for taken in [&[0][..], &[0, 1]] {
        let refused = replace(&server, id, taken).await.unwrap_err();
        assert_eq!(reason(&refused), "SEAT_TAKEN");
    }
    let refused = replace(&server, id, &[2]).await.unwrap_err();
    assert!(refused.message().starts_with("seats: "), "{refused:?}");

    for is_restarted in [false, true] {
        if is_restarted {
            server.crash().await;
            server = TestServer::over(&store, Limits::default()).await;
        }
        for old in [&seated.tickets[1], &vacant[0].ticket] {
            let first = request(bridgemaster_proto::v1::play_request::Message::Hello(hello()));
            let refused = RawBot::open(&server, old, first).await.err().unwrap();
            assert_eq!(reason(&refused), "TICKET_UNKNOWN");
        }
    }
    drop(first);
    let _first = RawBot::join(&server, &seated.tickets[0]).await;
    let mut second = RawBot::join(&server, &newest[0].ticket).await;
    second.started().await;
    assert!(replace(&server, id, &[]).await.unwrap().is_empty());
    let cancel = CancelMatchRequest {
        match_id: id.to_owned(),
        ..CancelMatchRequest::default()
    };
    server.matches().cancel_match(cancel).await.unwrap();
    let refused = replace(&server, id, &[]).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_CANCELLED");
}

#[tokio::test]
async fn only_the_creator_and_admins_replace_tickets() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create]).await;
    let admin = locked.key("admin", &[Admin]).await;
    let reader = locked.key("reader", &[Read]).await;
    let made = locked.with(&maker).create(config(GAMES[0], 2)).await;
    let id = made.unwrap().match_id;
    let refused = locked.with(&reader).replace_tickets(&id).await.unwrap_err();
    assert_eq!(reason(&refused), "SCOPE_MISSING");
    for key in [&maker, &admin] {
        let tickets = locked.with(key).replace_tickets(&id).await.unwrap();
        assert_eq!(tickets.len(), 2);
    }
}
