use bridgemaster_store::{
    DamagedValue, Key, KeyId, KeyName, NewKey, OwnerName, Scope, SecretHash, StoreError,
};

use crate::Subject;

fn key_id(text: &str) -> KeyId {
    KeyId::new(text).unwrap()
}

fn new_key(id: &str, name: &str, scopes: &[&str], created_at_unix_ms: i64) -> NewKey {
    let mut hash = [0; 32];
    hash[..id.len()].copy_from_slice(id.as_bytes());
    hash[31] = 0xff;
    NewKey {
        id: key_id(id),
        name: KeyName::new(name).unwrap(),
        owner: None,
        scopes: scopes.iter().map(|scope| Scope::new(*scope).unwrap()).collect(),
        secret_hash: SecretHash::new(hash),
        created_at_unix_ms,
        expires_at_unix_ms: None,
    }
}

/// The content of a key in comparable form, since hashes do not implement `==`.
fn comparable(key: &Key) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        key.id.to_string(),
        key.name.to_string(),
        key.owner.clone(),
        key.scopes.clone(),
        *key.secret_hash.as_bytes(),
        key.created_at_unix_ms,
        [key.expires_at_unix_ms, key.last_used_at_unix_ms, key.revoked_at_unix_ms],
    )
}

async fn ids(store: Subject<'_>) -> Vec<String> {
    store.keys().await.unwrap().iter().map(|key| key.id.to_string()).collect()
}

pub(crate) async fn keys_are_read_as_added(store: Subject<'_>) {
    assert!(store.keys().await.unwrap().is_empty());
    assert!(store.key(&key_id("k1")).await.unwrap().is_none());
    let keys = [
        new_key("k2", "Ælfric the 2nd", &["play", "matches:create", "admin"], 2),
        new_key("k1", "nobody", &[], 1),
        NewKey {
            expires_at_unix_ms: Some(9),
            owner: Some(OwnerName::new("the school").unwrap()),
            ..new_key("k3", "same moment", &["play"], 2)
        },
    ];
    for key in &keys {
        store.add_key(key.clone()).await.unwrap();
    }
    for key in keys {
        let found = store.key(&key.id).await.unwrap().unwrap();
        assert!(found.is_in_force());
        assert_eq!(comparable(&found), comparable(&key.into()));
    }
    for (id, owner) in [("k1", "nobody"), ("k3", "the school")] {
        let key = store.key(&key_id(id)).await.unwrap().unwrap();
        assert_eq!(key.owner(), owner);
    }
    assert_eq!(ids(store).await, ["k1", "k2", "k3"]);
}

pub(crate) async fn an_id_belongs_to_one_key(store: Subject<'_>) {
    store.add_key(new_key("k1", "north", &["play"], 1)).await.unwrap();
    let mut others = vec![
        new_key("k1", "south", &["play"], 1),
        new_key("k1", "north", &["admin"], 1),
        new_key("k1", "north", &["play"], 2),
    ];
    let mut other_hash = new_key("k1", "north", &["play"], 1);
    other_hash.secret_hash = SecretHash::new([3; 32]);
    others.push(other_hash);
    let mut other_owner = new_key("k1", "north", &["play"], 1);
    other_owner.owner = Some(OwnerName::new("south").unwrap());
    others.push(other_owner);
    for other in others {
        let error = store.add_key(other).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::KeyIdTaken(key_id) if key_id.as_str() == "k1"),
            "{error}"
        );
    }
    let stored = store.key(&key_id("k1")).await.unwrap().unwrap();
    assert_eq!(comparable(&stored), comparable(&new_key("k1", "north", &["play"], 1).into()));
}

pub(crate) async fn a_name_belongs_to_at_most_one_key_in_force(store: Subject<'_>) {
    store.add_key(new_key("k1", "north", &[], 1)).await.unwrap();
    let error = store.add_key(new_key("k2", "north", &[], 2)).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::KeyNameTaken { name, key_id }
            if name.as_str() == "north" && key_id.as_str() == "k1"),
        "{error}"
    );
    assert!(store.key(&key_id("k2")).await.unwrap().is_none());
    store.revoke_key(&key_id("k1"), 3).await.unwrap();
    store.add_key(new_key("k2", "north", &[], 4)).await.unwrap();
    assert_eq!(ids(store).await, ["k1", "k2"]);
}

pub(crate) async fn the_same_key_may_be_added_again(store: Subject<'_>) {
    let key = new_key("k1", "north", &["play"], 1);
    store.add_key(key.clone()).await.unwrap();
    store.add_key(key.clone()).await.unwrap();
    assert_eq!(ids(store).await, ["k1"]);
    // A revoked key cannot be added again, because it would not be valid.
    store.revoke_key(&key.id, 2).await.unwrap();
    let error = store.add_key(key).await.unwrap_err();
    assert!(matches!(error, StoreError::KeyIdTaken { .. }), "{error}");
}

pub(crate) async fn a_revoked_key_stays_revoked(store: Subject<'_>) {
    store.add_key(new_key("k1", "north", &["play"], 1)).await.unwrap();
    store.add_key(new_key("k2", "south", &["play"], 1)).await.unwrap();
    let revoked = store.revoke_key(&key_id("k1"), 5).await.unwrap();
    assert_eq!(revoked.revoked_at_unix_ms, Some(5));
    assert!(!revoked.is_in_force());
    let again = store.revoke_key(&key_id("k1"), 9).await.unwrap();
    assert_eq!(comparable(&again), comparable(&revoked));
    let found = store.key(&key_id("k1")).await.unwrap().unwrap();
    assert_eq!(comparable(&found), comparable(&revoked));
    assert!(store.key(&key_id("k2")).await.unwrap().unwrap().is_in_force());
}

pub(crate) async fn an_unknown_key_is_not_revoked(store: Subject<'_>) {
    let error = store.revoke_key(&key_id("k1"), 1).await.unwrap_err();
    assert!(matches!(&error, StoreError::UnknownKey(key_id) if key_id.as_str() == "k1"), "{error}");
    // The store still works.
    store.add_key(new_key("k1", "north", &[], 1)).await.unwrap();
}

pub(crate) async fn the_version_of_the_keys_changes_with_every_change(store: Subject<'_>) {
    let empty = store.keys_version().await.unwrap();
    store.add_key(new_key("k1", "one", &[], 1)).await.unwrap();
    let added = store.keys_version().await.unwrap();
    store.add_key(new_key("k1", "one", &[], 1)).await.unwrap();
    assert_eq!(store.keys_version().await.unwrap(), added, "nothing changed");
    store.revoke_key(&key_id("k1"), 2).await.unwrap();
    let revoked = store.keys_version().await.unwrap();
    assert!(empty != added && added != revoked, "{added:?} {revoked:?}");
}

pub(crate) async fn a_key_keeps_the_latest_recorded_use(store: Subject<'_>) {
    for (id, name) in [("k1", "north"), ("k2", "south")] {
        store.add_key(new_key(id, name, &["play"], 1)).await.unwrap();
    }
    let mark = store.keys_version().await.unwrap();
    let record = async |uses: &[(&str, i64)]| {
        let uses = uses.iter().map(|(id, at)| (key_id(id), *at));
        store.record_key_uses(uses.collect()).await.unwrap();
    };
    record(&[("k1", 20), ("unknown", 30)]).await;
    record(&[("k1", 10)]).await;
    record(&[]).await;
    let uses = store.keys().await.unwrap();
    let uses: Vec<_> = uses.iter().map(|key| key.last_used_at_unix_ms).collect();
    assert_eq!(uses, [Some(20), None]);
    assert_eq!(store.keys_version().await.unwrap(), mark);
    // Revoking a key keeps its last use.
    let revoked = store.revoke_key(&key_id("k1"), 5).await.unwrap();
    assert_eq!(revoked.last_used_at_unix_ms, Some(20));
}

pub(crate) async fn a_sound_key_is_not_removed(store: Subject<'_>) {
    let id = key_id("k1");
    let error = store.remove_damaged_key(&id).await.unwrap_err();
    assert!(matches!(&error, StoreError::UnknownKey(key_id) if *key_id == id), "{error}");
    store.add_key(new_key("k1", "north", &[], 1)).await.unwrap();
    assert_eq!(store.damaged_keys().await.unwrap(), []);
    for _ in 0..2 {
        let error = store.remove_damaged_key(&id).await.unwrap_err();
        let key = DamagedValue::Key(id.clone());
        assert!(matches!(&error, StoreError::NotDamaged(value) if *value == key), "{error}");
        store.revoke_key(&id, 2).await.unwrap();
    }
    assert_eq!(ids(store).await, ["k1"]);
}
