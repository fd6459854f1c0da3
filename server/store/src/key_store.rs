//! Implements [`KeyStore`] for every kind of store, with API keys in named rows.
//!
//! A key has one row, and its last use another. The key is readable if both rows are intact.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use async_trait::async_trait;
use prost::Message;

use crate::{
    DamageReport, DamagedKey, DamagedValue, InvalidText, Key, KeyId, KeyName, KeyStore,
    KeysVersion, NewKey, OwnerName, Scope, SecretHash, StoreError,
    limits::MAX_KEYS,
    named_rows::{
        self, DamagedRow, NamedRow, NamedTable, QueryResults, RowChange, RowDecision, RowQuery,
        RowResult, RowSelection, RowStore,
    },
    rows::Unreadable,
};

/// Maximum number of key uses that are recorded in one transaction. In SQLite, commits of matches
/// wait for this transaction. It takes a few milliseconds, about as long as a commit.
const USES_PER_TRANSACTION: usize = 100;

/// The stored value of a key, without its id.
#[derive(Clone, PartialEq, Message)]
struct StoredKey {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, optional, tag = "2")]
    owner: Option<String>,
    #[prost(string, repeated, tag = "3")]
    scopes: Vec<String>,
    #[prost(bytes = "vec", tag = "4")]
    secret_hash: Vec<u8>,
    #[prost(sint64, tag = "5")]
    created_at_unix_ms: i64,
    #[prost(sint64, optional, tag = "6")]
    expires_at_unix_ms: Option<i64>,
    #[prost(sint64, optional, tag = "7")]
    revoked_at_unix_ms: Option<i64>,
}

fn put(key: &Key) -> RowChange {
    let value = StoredKey {
        name: key.name.to_string(),
        owner: key.owner.as_ref().map(OwnerName::to_string),
        scopes: key.scopes.iter().map(Scope::to_string).collect(),
        secret_hash: key.secret_hash.as_bytes().to_vec(),
        created_at_unix_ms: key.created_at_unix_ms,
        expires_at_unix_ms: key.expires_at_unix_ms,
        revoked_at_unix_ms: key.revoked_at_unix_ms,
    };
    NamedTable::Key.put(key.id.as_str(), value.encode_to_vec())
}

/// Decodes an intact row, without the last use.
fn decode(row: &NamedRow) -> Result<Key, Unreadable> {
    let value =
        StoredKey::decode(&*row.value).map_err(|error| Unreadable::new(error.to_string()))?;
    let length = value.secret_hash.len();
    let secret_hash = value.secret_hash.try_into();
    let secret_hash = secret_hash
        .map_err(|_| Unreadable::new(format!("the secret hash has {length} bytes, not 32")))?;
    let scopes = value.scopes.into_iter().map(Scope::new);
    Ok(Key {
        id: KeyId::new(&*row.name)?,
        name: KeyName::new(value.name)?,
        owner: value.owner.map(OwnerName::new).transpose()?,
        scopes: scopes.collect::<Result<BTreeSet<_>, InvalidText>>()?,
        secret_hash: SecretHash::new(secret_hash),
        created_at_unix_ms: value.created_at_unix_ms,
        expires_at_unix_ms: value.expires_at_unix_ms,
        last_used_at_unix_ms: None,
        revoked_at_unix_ms: value.revoked_at_unix_ms,
    })
}

fn put_use(id: &KeyId, used_at_unix_ms: i64) -> RowChange {
    NamedTable::KeyUse.put(id.as_str(), used_at_unix_ms.to_le_bytes().to_vec())
}

fn decode_use(row: &NamedRow) -> Result<i64, Unreadable> {
    let bytes = row.value.as_slice().try_into();
    let bytes =
        bytes.map_err(|_| Unreadable::new("the time of the last use is not 8 bytes long"))?;
    Ok(i64::from_le_bytes(bytes))
}

/// A key of which a row cannot be read.
struct UnreadableKey {
    key: DamagedKey,
    row: DamagedRow,
    /// True if the readable part shows that the key was revoked.
    is_revoked: bool,
}

/// Keys read from the rows of both tables.
#[derive(Default)]
struct ReadKeys {
    /// Readable keys, ordered by creation time and then by id.
    intact: Vec<Key>,
    damaged: Vec<UnreadableKey>,
}

impl ReadKeys {
    /// Reads the results of a query for keys and of a query for their uses.
    fn read(results: QueryResults) -> Self {
        let mut results = results.into_iter();
        let (keys, uses) = (results.next(), results.next());
        let mut read = Self::default();
        let mut last_uses = HashMap::new();
        for row in uses.unwrap_or_default() {
            match NamedTable::KeyUse.decode(row, |row| Ok((row.name.clone(), decode_use(row)?))) {
                Ok((id, at)) => _ = last_uses.insert(id, at),
                Err(row) => read.add_damaged(row, None, false),
            }
        }
        for row in keys.unwrap_or_default() {
            match NamedTable::Key.decode(row, decode) {
                Ok(key) => read.add_intact(key, &last_uses),
                Err(row) => {
                    let value = StoredKey::decode(&*row.value).unwrap_or_default();
                    let is_revoked = value.revoked_at_unix_ms.is_some();
                    read.add_damaged(row, KeyName::new(value.name).ok(), is_revoked);
                }
            }
        }
        let order =
            |a: &Key, b: &Key| (a.created_at_unix_ms, &a.id).cmp(&(b.created_at_unix_ms, &b.id));
        read.intact.sort_by(order);
        read
    }

    fn add_damaged(&mut self, row: DamagedRow, name: Option<KeyName>, is_revoked: bool) {
        let key = DamagedKey { id: row.key_id(), name, detail: row.detail.clone() };
        self.damaged.push(UnreadableKey { key, row, is_revoked });
    }

    /// Adds a key with its last use, unless the row of the use is damaged.
    fn add_intact(&mut self, mut key: Key, last_uses: &HashMap<String, i64>) {
        let mut damaged = self.damaged.iter_mut();
        if let Some(damaged) = damaged.find(|damaged| damaged.key.id == key.id) {
            damaged.is_revoked = !key.is_in_force();
            damaged.key.name = Some(key.name);
            return;
        }
        key.last_used_at_unix_ms = last_uses.get(key.id.as_str()).copied();
        self.intact.push(key);
    }

    fn find(&self, id: &KeyId) -> Option<&Key> {
        self.intact.iter().find(|key| key.id == *id)
    }

    fn damaged_row(&self, id: &KeyId) -> Option<&DamagedRow> {
        let damaged = self.damaged.iter().find(|damaged| damaged.key.id == *id);
        damaged.map(|damaged| &damaged.row)
    }

    /// Adds keys, and returns the changes; none for a key that is already in force. Takes time
    /// proportional to the number of keys.
    fn add_all(self, keys: &[NewKey], location: &Path) -> Result<Vec<RowChange>, StoreError> {
        let in_force = self.intact.iter().filter(|other| other.is_in_force());
        let intact = in_force.map(|other| (Some(&other.name), &other.id));
        let damaged = self.damaged.iter().filter(|other| !other.is_revoked);
        let damaged = damaged.map(|other| (other.key.name.as_ref(), &other.key.id));
        let mut total = intact.clone().chain(damaged.clone()).count();
        let holders = intact.chain(damaged);
        let mut holders: HashMap<KeyName, KeyId> =
            holders.filter_map(|(name, id)| Some((name?.clone(), id.clone()))).collect();
        let mut by_id: HashMap<KeyId, Key> =
            self.intact.iter().map(|key| (key.id.clone(), key.clone())).collect();
        let mut changes = Vec::new();
        for key in keys {
            if let Some(other) = by_id.get(&key.id) {
                if other.is_result_of_adding(key) {
                    continue;
                }
                return Err(StoreError::KeyIdTaken(key.id.clone()));
            }
            if let Some(row) = self.damaged_row(&key.id) {
                return Err(named_rows::damaged(location.to_owned(), row.clone()));
            }
            if let Some(key_id) = holders.insert(key.name.clone(), key.id.clone()) {
                return Err(StoreError::KeyNameTaken { name: key.name.clone(), key_id });
            }
            if total >= MAX_KEYS {
                return Err(StoreError::TooManyKeys);
            }
            total += 1;
            let added = Key::from(key.clone());
            changes.push(put(&added));
            by_id.insert(key.id.clone(), added);
        }
        Ok(changes)
    }
}

/// Returns the queries for keys with these ids and their uses.
fn queries(selection: RowSelection) -> Vec<RowQuery> {
    vec![NamedTable::Key.query(selection.clone()), NamedTable::KeyUse.query(selection)]
}

fn queries_of(id: &KeyId) -> Vec<RowQuery> {
    queries(RowSelection::Named(vec![id.to_string()]))
}

/// Reads all API keys, for a check. Returns the number of keys, and the damage.
pub(crate) fn check_keys(keys: Vec<RowResult>, uses: Vec<RowResult>) -> (u64, Vec<DamageReport>) {
    let total = keys.len() as u64;
    let damaged = ReadKeys::read(vec![keys, uses]).damaged.into_iter();
    (total, damaged.map(|damaged| damaged.key.into()).collect())
}

#[async_trait]
impl<B: RowStore> KeyStore for B {
    async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        let location = self.location();
        let ids: BTreeSet<String> = keys.iter().map(|key| key.id.to_string()).collect();
        if ids.len() > MAX_KEYS {
            return Err(StoreError::TooManyKeys);
        }
        // Selects only the uses of these ids: there are many keys, and commits of matches might
        // wait for this transaction.
        let queries = vec![
            NamedTable::Key.all(),
            NamedTable::KeyUse.query(RowSelection::Named(ids.into_iter().collect())),
        ];
        let decide = move |results: QueryResults, _| -> RowDecision<()> {
            Ok((ReadKeys::read(results).add_all(&keys, &location)?, ()))
        };
        self.update_rows(queries, decide).await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let results = self.read_rows(queries(RowSelection::All)).await?;
        Ok(ReadKeys::read(results).intact)
    }

    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.read_keys_version().await
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let results = self.read_rows(queries(RowSelection::All)).await?;
        let damaged = ReadKeys::read(results).damaged.into_iter();
        Ok(damaged.map(|damaged| damaged.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let key_id = id.clone();
        let decide = move |results: QueryResults, is_retry: bool| -> RowDecision<()> {
            let keys = ReadKeys::read(results);
            let damaged = keys.damaged.iter().filter(|it| it.key.id == key_id);
            let stored_names: BTreeSet<&[u8]> = damaged.map(|it| &*it.row.name).collect();
            let key_id = key_id.clone();
            if !stored_names.is_empty() {
                let delete = |name: &&[u8]| {
                    [NamedTable::Key, NamedTable::KeyUse]
                        .map(|table| RowChange::DeleteDamaged { table, name: name.to_vec() })
                };
                return Ok((stored_names.iter().flat_map(delete).collect(), ()));
            }
            if keys.find(&key_id).is_some() {
                let value = DamagedValue::Key(key_id);
                return Err(StoreError::NotDamaged(value));
            }
            // An earlier attempt of this transaction may already have deleted the key.
            if is_retry { Ok((Vec::new(), ())) } else { Err(StoreError::UnknownKey(key_id)) }
        };
        self.update_rows(queries(RowSelection::All), decide).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let mut keys = ReadKeys::read(self.read_rows(queries_of(id)).await?);
        match keys.damaged.pop() {
            Some(damaged) => Err(named_rows::damaged(self.location(), damaged.row)),
            None => Ok(keys.intact.pop()),
        }
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let (key_id, location) = (id.clone(), self.location());
        let decide = move |results: QueryResults, _| -> RowDecision<Key> {
            let mut keys = ReadKeys::read(results);
            if let Some(damaged) = keys.damaged.pop() {
                return Err(named_rows::damaged(location.clone(), damaged.row));
            }
            let key_id = key_id.clone();
            let mut key = keys.intact.pop().ok_or(StoreError::UnknownKey(key_id))?;
            if !key.is_in_force() {
                return Ok((Vec::new(), key));
            }
            key.revoked_at_unix_ms = Some(revoked_at_unix_ms);
            Ok((vec![put(&key)], key))
        };
        self.update_rows(queries_of(id), decide).await
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for uses in uses.chunks(USES_PER_TRANSACTION) {
            let ids = uses.iter().map(|(id, _)| id.to_string()).collect();
            let uses = uses.to_vec();
            let decide = move |results: QueryResults, _| -> RowDecision<()> {
                // An unreadable key is left unchanged, for inspection.
                let mut keys = ReadKeys::read(results).intact;
                let mut changes = Vec::new();
                for (id, used_at_unix_ms) in &uses {
                    let Some(key) = keys.iter_mut().find(|key| key.id == *id) else {
                        continue;
                    };
                    if key.last_used_at_unix_ms < Some(*used_at_unix_ms) {
                        key.last_used_at_unix_ms = Some(*used_at_unix_ms);
                        changes.push(put_use(id, *used_at_unix_ms));
                    }
                }
                Ok((changes, ()))
            };
            self.update_rows(queries(RowSelection::Named(ids)), decide).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    fn new_key(id: &str) -> NewKey {
        NewKey {
            id: KeyId::new(id).unwrap(),
            name: KeyName::new(id).unwrap(),
            owner: None,
            scopes: BTreeSet::new(),
            secret_hash: SecretHash::new([7; 32]),
            created_at_unix_ms: 1,
            expires_at_unix_ms: None,
        }
    }

    #[tokio::test]
    async fn no_more_keys_are_in_force_than_a_server_keeps() {
        let store = MemoryStore::new();
        let fill = |_, _| -> RowDecision<()> {
            let keys = (1..MAX_KEYS).map(|n| put(&new_key(&format!("k{n}")).into()));
            // A key without a hash counts as damaged. It is stored as revoked, so that it does not
            // count towards the limit.
            let revoked = StoredKey {
                name: "last".to_owned(),
                revoked_at_unix_ms: Some(1),
                ..StoredKey::default()
            };
            let revoked = NamedTable::Key.put("revoked", revoked.encode_to_vec());
            Ok((keys.chain([revoked]).collect(), ()))
        };
        store.update_rows(Vec::new(), fill).await.unwrap();
        store.add_key(new_key("last")).await.unwrap();
        let refused = store.add_key(new_key("more")).await.unwrap_err();
        assert!(matches!(refused, StoreError::TooManyKeys));
        let last = KeyId::new("last").unwrap();
        store.revoke_key(&last, 2).await.unwrap();
        store.add_key(new_key("more")).await.unwrap();
    }
}
