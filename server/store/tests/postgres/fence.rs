//! Two servers that run as the same node: only the one that opened the store last can write.

use std::sync::Arc;

use bridgemaster_store::{
    Durability, KeyId, KeyName, KeyStore as _, MatchId, NewKey, NodeStatus, Nodes as _,
    PostgresStore, RecordStore as _, SecretHash, Store as _, StoreError, Write,
    limits::LEASE_RENEWAL_INTERVAL,
};
use tokio::time::sleep;

use crate::postgres_server::PostgresServer;

pub(crate) fn id(text: &str) -> MatchId {
    MatchId::new(text).unwrap()
}

pub(crate) fn open(match_id: &str) -> Write {
    Write::OpenMatch {
        match_id: id(match_id),
        opened_at_unix_ms: 1_000,
        header: format!("header of {match_id}").into_bytes(),
    }
}

pub(crate) fn append(match_id: &str, number: u64) -> Write {
    Write::Append {
        match_id: id(match_id),
        number,
        entry: format!("{match_id} {number}").into_bytes(),
    }
}

pub(crate) fn finish(match_id: &str) -> Write {
    Write::FinishMatch {
        match_id: id(match_id),
        ended_at_unix_ms: 2_000,
        summary: format!("summary of {match_id}").into_bytes(),
        replay: format!("replay of {match_id}").into_bytes(),
        parties: vec![KeyName::new("north").unwrap()],
        index_keys: Vec::new(),
    }
}

pub(crate) fn key(name: &str) -> NewKey {
    NewKey {
        id: KeyId::new(name).unwrap(),
        name: KeyName::new(name).unwrap(),
        owner: None,
        scopes: Default::default(),
        secret_hash: SecretHash::new([7; 32]),
        created_at_unix_ms: 1,
        expires_at_unix_ms: None,
    }
}

/// Opens a store whose lease is renewed until it is dropped.
pub(crate) async fn store(url: &str) -> Arc<PostgresStore> {
    let store = Arc::new(PostgresStore::open(url, Durability::Disk).await.unwrap());
    let held = Arc::downgrade(&store);
    tokio::spawn(async move {
        while let Some(store) = held.upgrade() {
            // A failed renewal is repeated; after a takeover it has no effect.
            let _ = store.renew_lease(NodeStatus::default()).await;
            drop(store);
            sleep(LEASE_RENEWAL_INTERVAL).await;
        }
    });
    store
}

fn assert_epoch_ended<T: std::fmt::Debug>(outcome: Result<T, StoreError>) {
    let refused = outcome.unwrap_err();
    assert!(matches!(refused, StoreError::EpochEnded { .. }), "{refused:?}");
}

pub(crate) async fn a_server_that_was_taken_over_stores_nothing_more() {
    let url = PostgresServer::shared().fresh();
    let first = store(&url).await;
    first.commit(vec![open("a"), append("a", 0)]).await.unwrap();
    let second = store(&url).await;
    assert_epoch_ended(first.commit(vec![append("a", 1)]).await);
    // This is reported as a takeover, although the other server also opened the match.
    second.commit(vec![open("b")]).await.unwrap();
    assert_epoch_ended(first.commit(vec![open("b")]).await);
    assert_epoch_ended(first.commit(vec![finish("a")]).await);
    second.commit(vec![append("a", 1)]).await.unwrap();
    let journal = second.open_match(&id("a")).await.unwrap().unwrap().journal;
    assert_eq!(journal, [b"a 0", b"a 1"]);
    first.close().await.unwrap();
}

pub(crate) async fn no_change_of_a_server_that_was_taken_over_is_stored() {
    let url = PostgresServer::shared().fresh();
    let first = store(&url).await;
    first.add_key(key("north")).await.unwrap();
    let second = store(&url).await;
    let north = KeyId::new("north").unwrap();
    assert_epoch_ended(first.add_key(key("south")).await);
    assert_epoch_ended(first.revoke_key(&north, 5).await);
    assert_epoch_ended(first.record_key_uses(vec![(north.clone(), 9)]).await);
    assert_epoch_ended(first.remove_damaged_key(&north).await);
    assert_epoch_ended(first.get_or_insert_secret("signing", vec![1]).await);
    assert_epoch_ended(first.remove_damaged_secrets().await);
    let kept = second.keys().await.unwrap();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].is_in_force() && kept[0].last_used_at_unix_ms.is_none());
    assert_eq!(second.secret("signing").await.unwrap(), None);
}

pub(crate) async fn a_takeover_includes_all_earlier_commits() {
    let url = PostgresServer::shared().fresh();
    let mut entries = 0;
    for round in 0..4 {
        let server = store(&url).await;
        if round == 0 {
            server.commit(vec![open("a")]).await.unwrap();
        }
        for _ in 0..70 {
            server.commit(vec![append("a", entries)]).await.unwrap();
            entries += 1;
        }
        // The previous server is not closed, as after a kill.
        let next = store(&url).await;
        let found = next.open_match(&id("a")).await.unwrap().unwrap();
        assert_eq!(found.journal.len() as u64, entries);
        assert_epoch_ended(server.commit(vec![append("a", entries)]).await);
    }
}

pub(crate) async fn a_server_waits_for_the_transaction_of_the_one_before() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let first = store(&url).await;
    first.commit(vec![open("a")]).await.unwrap();
    let schema = url.rsplit('=').next().unwrap().to_owned();
    // A transaction that holds the fence, like that of a server, and ends on command.
    let running = server.open_transaction(&format!(
        "SELECT 1 FROM {schema}.node WHERE epoch = 1 FOR KEY SHARE;
         INSERT INTO {schema}.record (name, version) VALUES ('late', 0)"
    ));
    let opening = tokio::spawn(async move { store(&url).await });
    let waiting = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE '%epoch FROM node%FOR UPDATE%'
             AND pid IN (SELECT pid FROM pg_locks WHERE relation = '{schema}.node'::regclass)"
    );
    while server.run(&waiting) == "0" {
        assert!(!opening.is_finished());
        tokio::task::yield_now().await;
    }
    running.commit();
    let second = opening.await.unwrap();
    // The server reads everything that was committed while it waited.
    assert_eq!(second.records("").await.unwrap().damaged.len(), 1);
    assert_epoch_ended(first.commit(vec![append("a", 0)]).await);
}
