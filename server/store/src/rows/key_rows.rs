//! Reads rows of API keys, and computes their checksums.

use std::collections::BTreeSet;

use super::{StoredRow, Unreadable};
use crate::{
    DamagedKey, DamagedValue, InvalidText, Key, KeyId, KeyName, OwnerName, Scope, SecretHash,
    StoreError,
    checksum::{CHECKSUM_MISMATCH, StoreId},
};

/// Prefix of the substitute id for a key whose id cannot be read. The row number follows the
/// prefix.
const SUBSTITUTE_ID_PREFIX: &str = "damaged-key-";

/// The columns that [`key_from_row`] expects.
pub(crate) const COLUMNS: &str = "key_id, name, scopes, secret_hash, created_at_unix_ms,
     expires_at_unix_ms, last_used_at_unix_ms, revoked_at_unix_ms, checksum, key_number, owner";

/// Maximum number of key uses recorded in one transaction. Match commits wait for this transaction,
/// which takes a few milliseconds, about as long as a commit.
pub(crate) const USES_PER_TRANSACTION: usize = 100;

/// The result of reading all keys.
#[derive(Debug, Default)]
pub(crate) struct ReadKeys {
    /// Readable keys, ordered by creation time and then by id.
    pub(crate) intact: Vec<Key>,
    pub(crate) damaged: Vec<DamagedRow>,
}

#[derive(Debug)]
pub(crate) struct DamagedRow {
    pub(crate) key_number: i64,
    pub(crate) key: DamagedKey,
}

impl ReadKeys {
    /// Reads all rows.
    pub(crate) fn read(store: StoreId, rows: &[impl StoredRow]) -> Self {
        let mut keys = Self::default();
        for row in rows {
            match key_from_row(store, row) {
                Ok(key) => keys.intact.push(key),
                Err(row) => keys.damaged.push(row),
            }
        }
        keys.intact
            .sort_by(|a, b| (a.created_at_unix_ms, &a.id).cmp(&(b.created_at_unix_ms, &b.id)));
        keys
    }

    /// Returns the damaged key with this id, for its removal.
    ///
    /// # Errors
    /// [`StoreError::NotDamaged`] and [`StoreError::UnknownKey`].
    pub(crate) fn find_damaged(&self, id: &KeyId) -> Result<&DamagedRow, StoreError> {
        let damaged = self.damaged.iter().find(|row| row.key.id == *id);
        damaged.ok_or_else(|| {
            let key_id = id.clone();
            if self.intact.iter().any(|key| key.id == *id) {
                StoreError::NotDamaged {
                    value: DamagedValue::Key(key_id),
                }
            } else {
                StoreError::UnknownKey { key_id }
            }
        })
    }
}

/// Reads a key from a row with [`COLUMNS`].
pub(crate) fn key_from_row(store: StoreId, row: &impl StoredRow) -> Result<Key, DamagedRow> {
    let read = || -> Result<(Key, i64), Unreadable> {
        let scopes: String = row.value(2)?;
        let owner: Option<String> = row.value(10)?;
        let read_scopes = scopes.split_ascii_whitespace().map(Scope::new);
        let secret_hash: Vec<u8> = row.value(3)?;
        let length = secret_hash.len();
        let secret_hash = secret_hash
            .try_into()
            .map_err(|_| Unreadable::new(format!("the secret hash has {length} bytes, not 32")))?;
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
        (Ok(_), Ok(_)) => CHECKSUM_MISMATCH.to_owned(),
        (Err(error), _) | (_, Err(error)) => error.to_string(),
    };
    let key_number = row.value(9).unwrap_or_default();
    let name: Option<String> = row.value(1).ok();
    Err(DamagedRow {
        key_number,
        key: DamagedKey {
            id: id_from_row(row, key_number),
            name: name.and_then(|name| KeyName::new(name).ok()),
            detail,
        },
    })
}

/// Returns the id in the first column, or a substitute if it cannot be read.
pub(crate) fn id_from_row(row: &impl StoredRow, key_number: i64) -> KeyId {
    let id = row.value::<String>(0).ok();
    id.and_then(|id| KeyId::new(id).ok()).unwrap_or_else(|| {
        KeyId::new(format!("{SUBSTITUTE_ID_PREFIX}{key_number}"))
            .expect("letters, '-' and a number form an id")
    })
}

pub(crate) fn checksum_of(store: StoreId, key: &Key, scopes: &str) -> i64 {
    store
        .row_checksum("api_key")
        .add_text(key.id.as_str())
        .add_text(key.name.as_str())
        // A missing owner is stored as an empty text, since an owner is never empty.
        .add_text(key.owner.as_ref().map_or("", OwnerName::as_str))
        .add_text(scopes)
        .add_bytes(key.secret_hash.as_bytes())
        .add_number(key.created_at_unix_ms)
        .add_optional_number(key.expires_at_unix_ms)
        .add_optional_number(key.last_used_at_unix_ms)
        .add_optional_number(key.revoked_at_unix_ms)
        .finish()
}

/// Joins scopes with spaces, as they are stored.
pub(crate) fn join_scopes(scopes: &BTreeSet<Scope>) -> String {
    let scopes: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
    scopes.join(" ")
}
