use bridgemaster_store::{
    Records, StoreError, Write, WriteRefusal,
    limits::{MAX_RECORD_BYTES, MAX_RECORD_NAME_BYTES},
};

use crate::{Subject, matches::commit};

fn put(name: &str, value: &[u8]) -> Write {
    Write::PutRecord { name: name.to_owned(), value: value.to_vec() }
}

fn remove_record(name: &str) -> Write {
    let name = name.to_owned();
    Write::RemoveRecord { name }
}

async fn record_names(store: Subject<'_>, prefix: &str) -> Vec<String> {
    let Records { intact, damaged } = store.records(prefix).await.unwrap();
    assert!(damaged.is_empty());
    intact.into_keys().collect()
}

pub(crate) async fn the_last_record_of_a_name_is_kept_until_it_is_removed(store: Subject<'_>) {
    assert_eq!(store.record("a").await.unwrap(), None);
    let every_value: Vec<u8> = (0..=255).collect();
    let batch = vec![put("a", b"first"), put("b", b""), put("a", &every_value)];
    commit(store, batch).await;
    assert_eq!(store.record("a").await.unwrap(), Some(every_value));
    assert_eq!(store.record("b").await.unwrap(), Some(Vec::new()));
    let batch = vec![remove_record("a"), remove_record("nothing"), put("b", b"second")];
    commit(store, batch).await;
    assert_eq!(store.record("a").await.unwrap(), None);
    assert_eq!(store.record("b").await.unwrap().as_deref(), Some(&b"second"[..]));
}

pub(crate) async fn records_are_found_by_prefix(store: Subject<'_>) {
    let names = ["group\nada\n1", "group\nada\n2", "groups", "request\n%", "\u{10ffff}"];
    store.commit(names.map(|name| put(name, name.as_bytes())).to_vec()).await.unwrap();
    assert_eq!(record_names(store, "group\n").await, names[..2]);
    assert_eq!(record_names(store, "group").await, names[..3]);
    assert_eq!(record_names(store, "request\n%").await, names[3..4]);
    assert_eq!(record_names(store, "%").await, [""; 0]);
    assert_eq!(record_names(store, "").await, names);
    let found = store.records("groups").await.unwrap().intact;
    assert_eq!(found["groups"], b"groups");
}

pub(crate) async fn a_record_beyond_its_limits_is_refused_with_its_batch(store: Subject<'_>) {
    let longest = "n".repeat(MAX_RECORD_NAME_BYTES);
    let largest = vec![7; MAX_RECORD_BYTES];
    let batch = vec![put(&longest, &largest)];
    commit(store, batch).await;
    assert_eq!(store.record(&longest).await.unwrap(), Some(largest));
    let too_long = "n".repeat(MAX_RECORD_NAME_BYTES + 1);
    for bad in [put("", b""), put(&too_long, b""), put("large", &vec![7; MAX_RECORD_BYTES + 1])] {
        let refused = store.commit(vec![put("fits", b""), bad]).await;
        let refused = refused.unwrap_err();
        assert!(
            matches!(
                &refused,
                StoreError::WriteRefused { index: 1, refusal: WriteRefusal::RecordTooLarge { .. } }
            ),
            "{refused}"
        );
        assert_eq!(store.record("fits").await.unwrap(), None);
    }
}
