//! What a store has when it is opened again, and beside a server.

use bridgemaster_store::{
    DamagedValue, KeyId, KeyStore as _, LadderChange, LadderId, LadderStore as _, PostgresKeys,
    Store as _, StoreError, Write,
};

use crate::{
    fence::{append, finish, id, key, open, store},
    postgres_server::PostgresServer,
};

pub(crate) async fn all_is_there_when_the_store_is_opened_again() {
    let url = PostgresServer::shared().fresh();
    let first = store(&url).await;
    for name in ["a", "b", "c"] {
        first.commit(vec![open(name)]).await.unwrap();
    }
    // Long enough that batches are swept.
    for number in 0..150 {
        let batch = vec![append("a", number), append("b", number)];
        first.commit(batch).await.unwrap();
    }
    first.commit(vec![finish("b")]).await.unwrap();
    let note = Write::KeepNote {
        name: "where".to_owned(),
        value: b"here".to_vec(),
    };
    first.commit(vec![note]).await.unwrap();
    first.keep_secret("signing", vec![5; 32]).await.unwrap();
    first.add_key(key("north")).await.unwrap();
    first.close().await.unwrap();

    let second = store(&url).await;
    assert!(second.opening().damages.is_empty());
    assert_eq!(second.open_match_ids().await.unwrap(), [id("a"), id("c")]);
    let a = second.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!((a.journal.len(), &a.journal[149][..]), (150, &b"a 149"[..]));
    assert_eq!(
        second.replay(&id("b")).await.unwrap().unwrap(),
        b"replay of b"
    );
    assert_eq!(second.note("where").await.unwrap().unwrap(), b"here");
    assert_eq!(second.secret("signing").await.unwrap().unwrap(), [5; 32]);
    assert_eq!(second.keys().await.unwrap().len(), 1);
    second.commit(vec![append("a", 150)]).await.unwrap();
}

pub(crate) async fn a_damaged_value_is_told_and_others_are_sound() {
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
    let damages = second.opening().damages;
    let is_header = |value: &DamagedValue| *value == DamagedValue::Header(id("a"));
    assert!(damages.iter().any(|damage| is_header(&damage.value)));
    assert!(matches!(
        second.open_match(&id("a")).await,
        Err(StoreError::Damaged { .. })
    ));
    assert!(matches!(
        second.replay(&id("d")).await,
        Err(StoreError::Damaged { .. })
    ));
    for name in ["b", "c"] {
        let sound = second.open_match(&id(name)).await.unwrap().unwrap();
        assert_eq!(sound.journal.len(), 1);
    }
}

pub(crate) async fn keys_are_changed_beside_a_server() {
    let url = PostgresServer::shared().fresh();
    // Whoever comes first makes the store.
    let keys = PostgresKeys::open(&url).await.unwrap();
    keys.add_keys(vec![key("north"), key("south")])
        .await
        .unwrap();
    let server = store(&url).await;
    let before = server.keys_mark().await.unwrap();
    let south = KeyId::new("south").unwrap();
    keys.revoke_key(&south, 5).await.unwrap();
    assert_ne!(server.keys_mark().await.unwrap(), before);
    assert!(!server.key(&south).await.unwrap().unwrap().is_in_force());
    // It has taken nothing over.
    server.commit(vec![open("a")]).await.unwrap();
    let taken = keys.add_keys(vec![key("west"), key("north")]).await;
    assert!(taken.is_ok(), "the same key may be added again: {taken:?}");
    assert_eq!(server.keys().await.unwrap().len(), 3);
}

pub(crate) async fn text_of_any_characters_comes_back() {
    let url = PostgresServer::shared().fresh();
    let server = store(&url).await;
    let odd = "a\0b \u{1f0a1} '%_";
    let note = Write::KeepNote {
        name: odd.to_owned(),
        value: vec![0, 255],
    };
    let ladder_id = LadderId::new("l").unwrap();
    let change = |change| Write::ChangeLadder {
        ladder_id: ladder_id.clone(),
        change,
    };
    let version = LadderChange::KeepVersion {
        term: 1,
        bot_name: odd.to_owned(),
        bot_version: odd.to_owned(),
        value: vec![1],
    };
    let batch = vec![
        note,
        change(LadderChange::Open { value: vec![] }),
        change(LadderChange::Lead { term: 1 }),
        change(version),
    ];
    server.commit(batch).await.unwrap();
    assert_eq!(server.note(odd).await.unwrap().unwrap(), [0, 255]);
    assert_eq!(server.notes("a\0b").await.unwrap().kept.len(), 1);
    let versions = server.ladder_versions(&ladder_id).await.unwrap();
    assert_eq!(versions.kept[0].bot_version, odd);
    assert!(versions.damaged.is_empty());
}
