//! Keys that are damaged: they are in nobody's way, and can be removed.

use std::{fs, path::Path};

use bridgemaster_store::{
    DATABASE_FILE, DamagedKey, DataDir, KeyId, KeyName, KeyStore, NewKey, Scope, SecretHash,
    SqliteKeys, Store as _, StoreError,
};

use crate::{change, open};

fn key_id(text: &str) -> KeyId {
    KeyId::new(text).unwrap()
}

fn key(id: &str, name: &str) -> NewKey {
    NewKey {
        id: key_id(id),
        name: KeyName::new(name).unwrap(),
        owner: None,
        scopes: [Scope::new("play").unwrap()].into(),
        secret_hash: SecretHash::new([7; 32]),
        created_at_unix_ms: 1,
        expires_at_unix_ms: None,
    }
}

/// A folder with the keys of `north` and `south`.
async fn filled(folder: &Path) {
    let store = open(folder).await.unwrap();
    for name in ["north", "south"] {
        let key = key(&format!("key-{name}"), name);
        store.add_key(key).await.unwrap();
    }
    store.close().await.unwrap();
}

async fn beside(folder: &Path) -> SqliteKeys {
    let dir = DataDir::prepare(folder).unwrap();
    SqliteKeys::open(&dir).await.unwrap()
}

/// Gives up the key of `south`, which is damaged, and makes one of its name.
async fn renew(keys: &dyn KeyStore) {
    let damaged = keys.damaged_keys().await.unwrap();
    let [DamagedKey { id, .. }] = &damaged[..] else {
        panic!("{damaged:?}");
    };
    let before = keys.keys_mark().await.unwrap();
    keys.remove_damaged_key(id).await.unwrap();
    assert_ne!(keys.keys_mark().await.unwrap(), before);
    assert_eq!(keys.damaged_keys().await.unwrap(), []);
    let again = keys.remove_damaged_key(id).await.unwrap_err();
    assert!(matches!(again, StoreError::UnknownKey { .. }), "{again}");
    keys.add_key(key("renewed", "south")).await.unwrap();
    // As many keys as before, but others.
    assert_ne!(keys.keys_mark().await.unwrap(), before);
    let sound = keys.keys().await.unwrap();
    let names: Vec<_> = sound.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(names, ["north", "south"]);
}

/// Makes sure that nothing of a folder is damaged.
async fn assert_sound(folder: &Path) {
    let dir = DataDir::prepare(folder).unwrap();
    let report = bridgemaster_store::check(&dir).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
}

#[tokio::test]
async fn a_damaged_key_keeps_its_name_until_it_is_removed() {
    for by_server in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        let damage = "UPDATE api_key SET scopes = 'admin' WHERE key_id = 'key-south'";
        change(folder.path(), damage);
        let keys: Box<dyn KeyStore> = match by_server {
            true => Box::new(open(folder.path()).await.unwrap()),
            false => Box::new(beside(folder.path()).await),
        };
        let damaged = keys.damaged_keys().await.unwrap();
        assert_eq!(damaged[0].id, key_id("key-south"));
        assert_eq!(damaged[0].name, Some(KeyName::new("south").unwrap()));
        let taken = keys.add_key(key("renewed", "south")).await.unwrap_err();
        assert!(
            matches!(&taken, StoreError::KeyNameTaken { key_id, .. }
                if key_id.as_str() == "key-south"),
            "{taken}"
        );
        renew(&*keys).await;
        drop(keys);
        assert_sound(folder.path()).await;
    }
}

#[tokio::test]
async fn a_key_whose_id_cannot_be_read_has_another_under_which_it_can_be_removed() {
    for damage in [
        "UPDATE api_key SET key_id = 'no id!' WHERE key_id = 'key-south'",
        "UPDATE api_key SET key_id = x'ff', name = NULL WHERE key_id = 'key-south'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        change(folder.path(), damage);
        let keys = beside(folder.path()).await;
        let damaged = keys.damaged_keys().await.unwrap();
        assert_eq!(damaged[0].id, key_id("damaged-key-2"), "{damage}");
        renew(&keys).await;
        assert_sound(folder.path()).await;
    }
}

#[tokio::test]
async fn a_key_that_its_indexes_know_by_another_name_can_be_removed() {
    // How the row of the key begins in the file, and what a disk makes of it.
    let row = b"key-southsouthplay";
    for damaged in [
        b"key-southsnuthplay",
        b"kez-southsouthplay",
        b"key south\nouthplay",
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        let path = folder.path().join(DATABASE_FILE);
        let mut bytes = fs::read(&path).unwrap();
        let is_row = |at: &usize| bytes[*at..].starts_with(row);
        let places: Vec<_> = (0..bytes.len()).filter(is_row).collect();
        let [at] = places[..] else {
            panic!("{places:?}");
        };
        bytes[at..at + row.len()].copy_from_slice(damaged);
        fs::write(&path, bytes).unwrap();
        let keys = beside(folder.path()).await;
        renew(&keys).await;
        assert_sound(folder.path()).await;
    }
}
