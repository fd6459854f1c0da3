//! Content of a store after it is reopened, and changes beside a server.

use bridgemaster_store::{
    DamagedValue, KeyId, KeyStore as _, LadderChange, LadderId, LadderStore as _, PostgresKeys,
    RecordStore as _, Store as _, StoreError, Write,
};

use crate::{
    fence::{append, finish, id, key, open, store},
    postgres_server::PostgresServer,
};

pub(crate) async fn everything_is_stored_when_the_database_is_reopened() {
    let url = PostgresServer::shared().fresh();
    let first = store(&url).await;
    for name in ["a", "b", "c"] {
        first.commit(vec![open(name)]).await.unwrap();
    }
    // Enough batches for a sweep, but match a needs all of these, so none of them is swept.
    for number in 0..150 {
        let batch = vec![append("a", number), append("b", number)];
        first.commit(batch).await.unwrap();
    }
    first.commit(vec![finish("b")]).await.unwrap();
    let record = Write::PutRecord { name: "where".to_owned(), value: b"here".to_vec() };
    first.commit(vec![record]).await.unwrap();
    first.get_or_insert_secret("signing", vec![5; 32]).await.unwrap();
    first.add_key(key("north")).await.unwrap();
    first.close().await.unwrap();

    let second = store(&url).await;
    assert!(second.open_report().damage_reports.is_empty());
    assert_eq!(second.open_match_ids().await.unwrap(), [id("a"), id("c")]);
    let a = second.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!((a.journal.len(), &a.journal[149][..]), (150, &b"a 149"[..]));
    assert_eq!(second.replay(&id("b")).await.unwrap().unwrap(), b"replay of b");
    assert_eq!(second.record("where").await.unwrap().unwrap(), b"here");
    assert_eq!(second.secret("signing").await.unwrap().unwrap(), [5; 32]);
    assert_eq!(second.keys().await.unwrap().len(), 1);
    second.commit(vec![append("a", 150)]).await.unwrap();
}

pub(crate) async fn matches_finish_after_those_of_a_restored_backup() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let first = store(&url).await;
    first.commit(vec![open("a"), finish("a")]).await.unwrap();
    first.close().await.unwrap();
    // Simulates a backup that comes from a database server with far higher transaction ids.
    let raise = "UPDATE finished_match SET finish_number = finish_number + (1::bigint << 60)";
    server.run_in(&database, raise);
    let second = store(&url).await;
    second.commit(vec![open("b"), finish("b")]).await.unwrap();
    second.commit(vec![open("c"), finish("c")]).await.unwrap();
    // Simulates that a replica has replaced the database server.
    server.run_in(
        &database,
        &format!(
            "{raise};
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ),
    );
    second.commit(vec![open("d"), finish("d")]).await.unwrap();
    let finished = second.finished(None, 9).await.unwrap().matches;
    let ids: Vec<_> = finished.into_iter().map(|finished| finished.match_id).collect();
    assert_eq!(ids, [id("d"), id("c"), id("b"), id("a")]);
}

pub(crate) async fn a_damaged_value_is_reported_and_others_are_intact() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let first = store(&url).await;
    for name in ["a", "b", "c"] {
        first.commit(vec![open(name)]).await.unwrap();
        first.commit(vec![append(name, 0)]).await.unwrap();
    }
    first.commit(vec![open("d"), finish("d")]).await.unwrap();
    first.close().await.unwrap();
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!(
        "UPDATE {schema}.open_match SET header = 'other' WHERE match_id = 'a';
         UPDATE {schema}.replay SET replay = 'other'"
    ));
    let second = store(&url).await;
    let damage_reports = second.open_report().damage_reports;
    let is_header = |value: &DamagedValue| *value == DamagedValue::Header(id("a"));
    assert!(damage_reports.iter().any(|damage| is_header(&damage.value)));
    assert!(matches!(second.open_match(&id("a")).await, Err(StoreError::Damaged { .. })));
    assert!(matches!(second.replay(&id("d")).await, Err(StoreError::Damaged { .. })));
    for name in ["b", "c"] {
        let sound = second.open_match(&id(name)).await.unwrap().unwrap();
        assert_eq!(sound.journal.len(), 1);
    }
}

pub(crate) async fn keys_can_be_changed_beside_a_server() {
    let url = PostgresServer::shared().fresh();
    // The first program that opens the database creates the store.
    let keys = PostgresKeys::open(&url).await.unwrap();
    keys.add_keys(vec![key("north"), key("south")]).await.unwrap();
    let server = store(&url).await;
    let before = server.keys_version().await.unwrap();
    let south = KeyId::new("south").unwrap();
    keys.revoke_key(&south, 5).await.unwrap();
    assert_ne!(server.keys_version().await.unwrap(), before);
    assert!(!server.key(&south).await.unwrap().unwrap().is_in_force());
    // The command has taken over no node.
    server.commit(vec![open("a")]).await.unwrap();
    let taken = keys.add_keys(vec![key("west"), key("north")]).await;
    assert!(taken.is_ok(), "the same key may be added again: {taken:?}");
    assert_eq!(server.keys().await.unwrap().len(), 3);
}

pub(crate) async fn a_missing_store_id_is_reported_even_if_there_are_only_keys() {
    let server = PostgresServer::shared();
    let url = server.fresh();
    let keys = PostgresKeys::open(&url).await.unwrap();
    keys.add_keys(vec![key("north")]).await.unwrap();
    drop(keys);
    let schema = url.rsplit('=').next().unwrap();
    server.run(&format!("DELETE FROM {schema}.store"));
    let error = PostgresKeys::open(&url).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("store id is missing"), "{error}");
}

pub(crate) async fn text_of_any_characters_is_preserved() {
    let url = PostgresServer::shared().fresh();
    let server = store(&url).await;
    let odd = "a\0b \u{1f0a1} '%_";
    let record = Write::PutRecord { name: odd.to_owned(), value: vec![0, 255] };
    let ladder_id = LadderId::new("l").unwrap();
    let change = |change| Write::ChangeLadder { ladder_id: ladder_id.clone(), change };
    let version = LadderChange::PutVersion {
        term: 1,
        bot_name: odd.to_owned(),
        bot_version: odd.to_owned(),
        value: vec![1],
    };
    let batch = vec![
        record,
        change(LadderChange::Open { value: vec![] }),
        change(LadderChange::StartTerm { term: 1 }),
        change(version),
    ];
    server.commit(batch).await.unwrap();
    assert_eq!(server.record(odd).await.unwrap().unwrap(), [0, 255]);
    assert_eq!(server.records("a\0b").await.unwrap().intact.len(), 1);
    let versions = server.ladder_versions(&ladder_id).await.unwrap();
    assert_eq!(versions.intact[0].bot_version, odd);
    assert!(versions.damaged.is_empty());
}
