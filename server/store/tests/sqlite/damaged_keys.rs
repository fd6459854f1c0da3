//! Damaged keys: they block nothing, and can be removed.

use std::{fs, path::Path};

use bridgemaster_store::{
    DATABASE_FILE, DamagedKey, DataDir, KeyName, KeyStore, SqliteKeys, Store as _, StoreError,
};

use crate::{change, key, key_id, open};

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

/// Removes the damaged key of `south`, and adds a new one with its name.
async fn renew(keys: &dyn KeyStore) {
    let damaged = keys.damaged_keys().await.unwrap();
    let [DamagedKey { id, .. }] = &damaged[..] else {
        panic!("{damaged:?}");
    };
    let before = keys.keys_version().await.unwrap();
    keys.remove_damaged_key(id).await.unwrap();
    assert_ne!(keys.keys_version().await.unwrap(), before);
    assert_eq!(keys.damaged_keys().await.unwrap(), []);
    let again = keys.remove_damaged_key(id).await.unwrap_err();
    assert!(matches!(again, StoreError::UnknownKey { .. }), "{again}");
    keys.add_key(key("renewed", "south")).await.unwrap();
    // The number of keys is the same, but the keys differ.
    assert_ne!(keys.keys_version().await.unwrap(), before);
    let sound = keys.keys().await.unwrap();
    let names: Vec<_> = sound.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(names, ["north", "south"]);
}

/// Checks that nothing in a folder is damaged.
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
        let damage =
            "UPDATE api_key SET value = CAST(replace(CAST(value AS TEXT), 'play', 'look') AS BLOB)
             WHERE name = 'key-south'";
        change(folder.path(), damage);
        let keys: Box<dyn KeyStore> = if by_server {
            Box::new(open(folder.path()).await.unwrap())
        } else {
            Box::new(beside(folder.path()).await)
        };
        let damaged = keys.damaged_keys().await.unwrap();
        assert_eq!(damaged[0].id, key_id("key-south"));
        assert_eq!(damaged[0].name, Some(KeyName::new("south").unwrap()));
        let refused = keys.add_key(key("renewed", "south")).await.unwrap_err();
        assert!(
            matches!(&refused, StoreError::KeyNameTaken { key_id, .. }
                if key_id.as_str() == "key-south"),
            "{refused}"
        );
        renew(&*keys).await;
        drop(keys);
        assert_sound(folder.path()).await;
    }
}

#[tokio::test]
async fn a_key_with_an_unreadable_id_can_be_removed_by_a_substitute() {
    for damage in [
        "UPDATE api_key SET name = 'no id!' WHERE name = 'key-south'",
        "UPDATE api_key SET name = x'ff', value = NULL WHERE name = 'key-south'",
        "UPDATE api_key SET name = NULL WHERE name = 'key-south'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        change(folder.path(), damage);
        let keys = beside(folder.path()).await;
        let damaged = keys.damaged_keys().await.unwrap();
        let id = damaged[0].id.as_str();
        assert!(id.starts_with("damaged-key-"), "{damage}: {id}");
        renew(&keys).await;
        assert_sound(folder.path()).await;
    }
}

#[tokio::test]
async fn a_key_with_a_damaged_last_use_is_damaged_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let keys = beside(folder.path()).await;
    let uses = vec![(key_id("key-south"), 7), (key_id("key-north"), 8)];
    keys.record_key_uses(uses).await.unwrap();
    drop(keys);
    change(folder.path(), "UPDATE api_key_use SET value = zeroblob(8) WHERE name = 'key-south'");
    let keys = beside(folder.path()).await;
    assert_eq!(keys.keys().await.unwrap()[0].last_used_at_unix_ms, Some(8));
    let damaged = keys.damaged_keys().await.unwrap();
    assert_eq!(damaged[0].name, Some(KeyName::new("south").unwrap()));
    renew(&keys).await;
    assert_sound(folder.path()).await;
}

#[tokio::test]
async fn a_damaged_key_that_was_revoked_does_not_keep_its_name() {
    for damage in [
        "UPDATE api_key SET value = CAST(replace(CAST(value AS TEXT), 'play', 'look') AS BLOB)
         WHERE name = 'key-south'",
        "UPDATE api_key_use SET value = zeroblob(8) WHERE name = 'key-south'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        let south = key_id("key-south");
        let keys = beside(folder.path()).await;
        let uses = vec![(south.clone(), 7)];
        keys.record_key_uses(uses).await.unwrap();
        keys.revoke_key(&south, 9).await.unwrap();
        drop(keys);
        change(folder.path(), damage);
        let keys = beside(folder.path()).await;
        keys.add_key(key("renewed", "south")).await.unwrap();
        let damaged = keys.damaged_keys().await.unwrap();
        assert_eq!((damaged.len(), &damaged[0].id), (1, &south));
        // The id of the key stays in use.
        let refused = keys.add_key(key("key-south", "west")).await.unwrap_err();
        assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    }
}

#[tokio::test]
async fn a_key_with_outdated_index_entries_can_be_removed() {
    // Start of the row of the key in the file, and various kinds of damage to it.
    let row = b"key-south\x0a\x05south";
    for damaged in [b"key-south\x0a\x05snuth", b"kez-south\x0a\x05south", b"key south\x0a\x06south"]
    {
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
