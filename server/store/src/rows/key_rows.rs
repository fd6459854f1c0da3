//! Rows of API keys, as they are read, and their checksums.

use std::collections::BTreeSet;

use super::{StoredRow, Unreadable};
use crate::{
    DamagedKey, DamagedValue, InvalidText, Key, KeyId, KeyName, OwnerName, Scope, SecretHash,
    StoreError,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// What the ids begin with by which keys are named whose own cannot be read; the number of the row
/// follows.
const STAND_IN: &str = "damaged-key-";

/// The columns of a key, as they are selected.
pub(crate) const COLUMNS: &str = "key_id, name, scopes, secret_hash, created_at_unix_ms,
     expires_at_unix_ms, last_used_at_unix_ms, revoked_at_unix_ms, checksum, key_number, owner";

/// Uses of keys that one transaction notes: commits of matches wait for it, and a hundred updates
/// take a few milliseconds, as a commit does itself.
pub(crate) const USES_PER_TRANSACTION: usize = 100;

/// The keys, and those that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct ReadKeys {
    /// By the moment of their making and then by their ids.
    pub(crate) sound: Vec<Key>,
    pub(crate) damaged: Vec<DamagedRow>,
}

/// A row that cannot be read.
#[derive(Debug)]
pub(crate) struct DamagedRow {
    pub(crate) key_number: i64,
    pub(crate) key: DamagedKey,
}

impl ReadKeys {
    /// Reads each row.
    pub(crate) fn of(store: StoreId, rows: &[impl StoredRow]) -> Self {
        let mut keys = Self::default();
        for row in rows {
            match key_of(store, row) {
                Ok(key) => keys.sound.push(key),
                Err(row) => keys.damaged.push(row),
            }
        }
        keys.sound
            .sort_by(|a, b| (a.created_at_unix_ms, &a.id).cmp(&(b.created_at_unix_ms, &b.id)));
        keys
    }

    /// The damaged key of this id, to be removed.
    ///
    /// # Errors
    /// [`StoreError::NotDamaged`] and [`StoreError::UnknownKey`].
    pub(crate) fn to_be_removed(&self, id: &KeyId) -> Result<&DamagedRow, StoreError> {
        let damaged = self.damaged.iter().find(|row| row.key.id == *id);
        damaged.ok_or_else(|| {
            let key_id = id.clone();
            match self.sound.iter().any(|key| key.id == *id) {
                true => StoreError::NotDamaged {
                    value: DamagedValue::Key(key_id),
                },
                false => StoreError::UnknownKey { key_id },
            }
        })
    }
}

/// A key, from its row, in the order of [`COLUMNS`].
pub(crate) fn key_of(store: StoreId, row: &impl StoredRow) -> Result<Key, DamagedRow> {
    let read = || -> Result<(Key, i64), Unreadable> {
        let scopes: String = row.value(2)?;
        let owner: Option<String> = row.value(10)?;
        let read_scopes = scopes.split_ascii_whitespace().map(Scope::new);
        let secret_hash: Vec<u8> = row.value(3)?;
        let length = secret_hash.len();
        let secret_hash = secret_hash.try_into().map_err(|_| {
            Unreadable::because(format!("its secret hash has {length} bytes, not 32"))
        })?;
        let key = Key {
            scopes: read_scopes.collect::<Result<_, InvalidText>>()?,
            id: KeyId::new(row.value::<String>(0)?)?,
            name: KeyName::new(row.value::<String>(1)?)?,
            owner: owner.map(OwnerName::new).transpose()?,
            secret_hash: SecretHash::new(secret_hash),
            created_at_unix_ms: row.value(4)?,
            expires_at_unix_ms: row.value(5)?,
            last_used_at_unix_ms: row.value(6)?,
            revoked_at_unix_ms: row.value(7)?,
        };
        let computed = checksum_of(store, &key, &scopes);
        Ok((key, computed))
    };
    let detail = match (read(), row.value::<i64>(8)) {
        (Ok((key, computed)), Ok(checksum)) if computed == checksum => return Ok(key),
        (Ok(_), Ok(_)) => CHECKSUM_DIFFERS.to_owned(),
        (Err(error), _) | (_, Err(error)) => error.to_string(),
    };
    let key_number = row.value(9).unwrap_or_default();
    let name: Option<String> = row.value(1).ok();
    Err(DamagedRow {
        key_number,
        key: DamagedKey {
            id: id_of(row, key_number),
            name: name.and_then(|name| KeyName::new(name).ok()),
            detail,
        },
    })
}

/// The id in the first column of the row of this number, or one that stands in for it.
pub(crate) fn id_of(row: &impl StoredRow, key_number: i64) -> KeyId {
    let id = row.value::<String>(0).ok();
    id.and_then(|id| KeyId::new(id).ok()).unwrap_or_else(|| {
        KeyId::new(format!("{STAND_IN}{key_number}")).expect("letters, '-' and a number are an id")
    })
}

/// The checksum of a key with these scopes.
pub(crate) fn checksum_of(store: StoreId, key: &Key, scopes: &str) -> i64 {
    store
        .row("api_key")
        .text(key.id.as_str())
        .text(key.name.as_str())
        // An owner is never empty.
        .text(key.owner.as_ref().map_or("", OwnerName::as_str))
        .text(scopes)
        .bytes(key.secret_hash.as_bytes())
        .number(key.created_at_unix_ms)
        .number_if_any(key.expires_at_unix_ms)
        .number_if_any(key.last_used_at_unix_ms)
        .number_if_any(key.revoked_at_unix_ms)
        .finish()
}

/// Scopes as a row has them.
pub(crate) fn joined(scopes: &BTreeSet<Scope>) -> String {
    let scopes: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
    scopes.join(" ")
}
