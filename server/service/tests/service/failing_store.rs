//! A failing store: no effect of an uncommitted entry is ever visible, and the server stops.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use bridgemaster_proto::v1::{decision::Choice, play_response::Message};
use bridgemaster_replay::verify;
use bridgemaster_server::{Limits, ServeError};
use bridgemaster_store::{MemoryStore, Store, StoreError};
use tokio::time::timeout;
use tonic::Status;

use crate::{
    intercepted_store::InterceptedStore,
    raw_bot::{RawBot, ResumePoint, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

/// Wraps `store` so that its disk is full after this number of commits.
fn filling(store: &Arc<dyn Store>, room: i64) -> Arc<dyn Store> {
    let room = AtomicI64::new(room);
    InterceptedStore::before_commits(Arc::clone(store), move || {
        let is_full = room.fetch_sub(1, Ordering::Relaxed) <= 0;
        let full = StoreError::DiskFull {
            path: "matches.sqlite".into(),
        };
        ready(if is_full { Err(full) } else { Ok(()) })
    })
}

/// Plays until the server ends the stream, and returns the bot's state and the reason.
async fn play(mut bot: RawBot) -> (ResumePoint, String) {
    loop {
        match bot.next().await {
            Ok(Some(Message::DecisionRequest(request))) => {
                bot.answer(&request, Choice::Index(0)).await;
            }
            Ok(Some(_)) => {}
            Ok(None) => panic!("the match cannot end"),
            Err(status) => return (bot.resume_point(), reason(&status)),
        }
    }
}

#[tokio::test]
async fn a_match_continues_from_the_last_sent_message_wherever_the_store_failed() {
    // The first commit creates the match, and a match has more commits than these.
    for room in 1..24 {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let filling = filling(&store, room);
        let mut server = TestServer::over(&filling, Limits::default()).await;
        let seated = server.create(config(GAMES[0], 2)).await;
        // The store may fail before a bot is welcomed, and the server may be gone.
        let players = [server.player().await, server.player().await];
        let [first, second] = players;
        let first = RawBot::try_join(first, &seated.tickets[0]).await;
        let second = RawBot::try_join(second, &seated.tickets[1]).await;
        let play_on = async |joined: Result<RawBot, Status>| match joined {
            Ok(bot) => {
                let (known, why) = play(bot).await;
                assert_eq!(why, "STORAGE_FAILED", "room for {room}");
                known
            }
            Err(_) => ResumePoint::default(),
        };
        let (first, second) = tokio::join!(play_on(first), play_on(second));
        let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
        let failure = ended.unwrap().unwrap_err();
        let ServeError::Storage(cause) = failure else {
            panic!("{failure}");
        };
        assert!(cause.to_string().contains("no space left"), "{cause}");

        let server = TestServer::over(&store, Limits::default()).await;
        let (first, second) = tokio::join!(
            RawBot::resume(&server, &seated.tickets[0], first),
            RawBot::resume(&server, &seated.tickets[1], second),
        );
        assert_eq!(first.result, second.result);
        for seat in first.result.unwrap().seats {
            assert_eq!(seat.fault_count, 0, "room for {room}: {:?}", seat.faults);
        }
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok());
    }
}

#[tokio::test]
async fn a_match_that_cannot_be_stored_is_not_created() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let filling = filling(&store, 0);
    let server = TestServer::over(&filling, Limits::default()).await;
    let refused = server.try_create(config(GAMES[0], 2)).await.err().unwrap();
    assert_eq!(reason(&refused), "STORAGE_FAILED");
    assert!(filling.open_match_ids().await.unwrap().is_empty());
}
