//! A store that fails: no effect of what is not stored is ever seen, and the server ends.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use async_trait::async_trait;
use bridgemaster_proto::v1::{decision::Choice, play_response::Message};
use bridgemaster_server::{Limits, ServeError, replay::verify};
use bridgemaster_store::{
    FinishedCursor, FinishedMatch, FinishedPage, Key, KeyId, KeyStore, MatchCounts, MatchId,
    MemoryStore, NewKey, OpenMatch, Store, StoreError, Write,
};
use tokio::time::timeout;

use crate::{
    raw_bot::{Known, RawBot, reason},
    table::{GAMES, PATIENCE, Table, config},
};

/// A store whose disk is full after so many commits.
struct Filling {
    store: Arc<dyn Store>,
    room: AtomicI64,
}

#[async_trait]
impl Store for Filling {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        if self.room.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(StoreError::DiskFull {
                path: "matches.sqlite".into(),
            });
        }
        self.store.commit(batch).await
    }
    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.store.open_match_ids().await
    }
    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.store.open_match(id).await
    }
    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
    ) -> Result<FinishedPage, StoreError> {
        self.store.finished(after, limit).await
    }
    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        self.store.finished_match(id).await
    }
    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.replay(id).await
    }
    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.store.match_counts().await
    }
    async fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl KeyStore for Filling {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.store.add_key(key).await
    }
    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.store.keys().await
    }
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        self.store.key(id).await
    }
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.store.revoke_key(id, revoked_at_unix_ms).await
    }
}

/// Plays until the server ends the stream: what the bot then knows, and why.
async fn play(mut bot: RawBot) -> (Known, String) {
    loop {
        match bot.next().await {
            Ok(Some(Message::DecisionRequest(request))) => {
                bot.answer(&request, Choice::Index(0)).await;
            }
            Ok(Some(_)) => {}
            Ok(None) => panic!("the match cannot end"),
            Err(status) => return (bot.known(), reason(&status)),
        }
    }
}

#[tokio::test]
async fn a_match_goes_on_from_what_bots_were_told_wherever_the_store_failed() {
    // The first makes the match, and a match has more than these.
    for room in 1..24 {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let filling: Arc<dyn Store> = Arc::new(Filling {
            store: Arc::clone(&store),
            room: room.into(),
        });
        let mut table = Table::over(&filling, Limits::default()).await;
        let seated = table.create(config(GAMES[0], 2)).await;
        let other = table.player().await;
        let first = RawBot::join(&table, &seated.tickets[0]).await;
        // The store may have failed by then, and the server be gone.
        let joined = RawBot::try_join(other, &seated.tickets[1]).await;
        let second = async {
            match joined {
                Ok(second) => Some(play(second).await),
                Err(_) => None,
            }
        };
        let (first, second) = tokio::join!(play(first), second);
        for (_, why) in [Some(&first), second.as_ref()].into_iter().flatten() {
            assert_eq!(why, "STORAGE_FAILED", "room for {room}");
        }
        let second = second.map(|(known, _)| known).unwrap_or_default();
        let ended = timeout(PATIENCE, &mut table.running).await.unwrap();
        let failure = ended.unwrap().unwrap_err();
        assert!(matches!(failure, ServeError::Storage(_)), "{failure}");
        assert!(failure.to_string().contains("room"), "{failure}");

        let table = Table::over(&store, Limits::default()).await;
        let (first, second) = tokio::join!(
            RawBot::resume(&table, &seated.tickets[0], first.0),
            RawBot::resume(&table, &seated.tickets[1], second),
        );
        assert_eq!(first.result, second.result);
        for seat in first.result.unwrap().seats {
            assert_eq!(seat.fault_count, 0, "room for {room}: {:?}", seat.faults);
        }
        let replay = table.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok());
    }
}

#[tokio::test]
async fn a_match_that_cannot_be_stored_is_not_made() {
    let filling: Arc<dyn Store> = Arc::new(Filling {
        store: Arc::new(MemoryStore::new()),
        room: 0.into(),
    });
    let table = Table::over(&filling, Limits::default()).await;
    let refused = table.try_create(config(GAMES[0], 2)).await.err().unwrap();
    assert_eq!(reason(&refused), "STORAGE_FAILED");
    assert!(filling.open_match_ids().await.unwrap().is_empty());
}
