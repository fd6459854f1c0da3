//! Rows of API keys.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{all as all_rows, execute, first},
};
use crate::{
    Key, KeyId, KeysMark, NewKey, OwnerName, StoreError,
    checksum::StoreId,
    limits::MAX_KEYS,
    rows::{
        StoredRow as _,
        key_rows::{COLUMNS, ReadKeys, checksum_of, id_of, joined, key_of},
    },
};

/// Every key.
pub(super) fn all(connection: &Connection, store: StoreId) -> Result<ReadKeys, Fault> {
    let rows = all_rows(connection, &format!("SELECT {COLUMNS} FROM api_key"), ())?;
    Ok(ReadKeys::of(store, &rows))
}

/// How the keys stand.
pub(super) fn mark(connection: &Connection) -> Result<KeysMark, Fault> {
    let row = first(
        connection,
        "SELECT count(*), count(revoked_at_unix_ms), coalesce(max(key_number), 0) FROM api_key",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(KeysMark {
        kept: row.value::<i64>(0)?.unsigned_abs(),
        revoked: row.value::<i64>(1)?.unsigned_abs(),
        newest: row.value::<i64>(2)?.unsigned_abs(),
    })
}

/// The key of an id.
pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    id: &KeyId,
) -> Result<Option<Key>, Fault> {
    let select = format!("SELECT {COLUMNS} FROM api_key WHERE key_id = ?");
    let row = first(connection, &select, [id.as_str()])?;
    let key = row.map(|row| key_of(store, &row)).transpose();
    key.map_err(|row| Fault::Damage(row.key.into()))
}

/// Within a transaction: adds a key.
pub(super) fn add(connection: &Connection, store: StoreId, key: NewKey) -> Result<(), Fault> {
    if let Some(other) = get(connection, store, &key.id)? {
        if other.stands_as(&key) {
            return Ok(());
        }
        return Err(StoreError::KeyIdTaken { key_id: key.id }.into());
    }
    let holder = first(
        connection,
        "SELECT key_id, key_number FROM api_key WHERE name = ? AND revoked_at_unix_ms IS NULL",
        [key.name.as_str()],
    )?;
    if let Some(row) = holder {
        let key_id = id_of(&row, row.value(1)?);
        return Err(StoreError::KeyNameTaken {
            name: key.name,
            key_id,
        }
        .into());
    }
    let KeysMark { kept, revoked, .. } = mark(connection)?;
    if kept.saturating_sub(revoked) >= MAX_KEYS as u64 {
        return Err(StoreError::TooManyKeys { limit: MAX_KEYS }.into());
    }
    write(connection, store, &key.into())
}

/// Within a transaction: revokes a key.
pub(super) fn revoke(
    connection: &Connection,
    store: StoreId,
    id: &KeyId,
    revoked_at_unix_ms: i64,
) -> Result<Key, Fault> {
    let key = get(connection, store, id)?;
    let mut key = key.ok_or_else(|| StoreError::UnknownKey { key_id: id.clone() })?;
    if key.is_in_force() {
        key.revoked_at_unix_ms = Some(revoked_at_unix_ms);
        write(connection, store, &key)?;
    }
    Ok(key)
}

/// Within a transaction: removes a key that cannot be read.
pub(super) fn remove_damaged(
    connection: &Connection,
    store: StoreId,
    id: &KeyId,
) -> Result<(), Fault> {
    let keys = all(connection, store)?;
    let row = keys.to_be_removed(id)?;
    // The indexes may still have what was in the row before, and SQLite removes no row from an
    // index that lacks it.
    execute(connection, "REINDEX api_key", ())?;
    execute(
        connection,
        "DELETE FROM api_key WHERE key_number = ?",
        [row.key_number],
    )?;
    Ok(())
}

/// Within a transaction: notes uses of keys.
pub(super) fn note_uses(
    connection: &Connection,
    store: StoreId,
    uses: &[(KeyId, i64)],
) -> Result<(), Fault> {
    for (id, used_at_unix_ms) in uses {
        let mut key = match get(connection, store, id) {
            Ok(Some(key)) => key,
            // A key that cannot be read stays as it is, for whoever looks into it.
            Ok(None) | Err(Fault::Damage(_)) => continue,
            Err(fault) => return Err(fault),
        };
        if key.last_used_at_unix_ms < Some(*used_at_unix_ms) {
            key.last_used_at_unix_ms = Some(*used_at_unix_ms);
            write(connection, store, &key)?;
        }
    }
    Ok(())
}

/// Writes the row of a key, in place of the one of its id.
fn write(connection: &Connection, store: StoreId, key: &Key) -> Result<(), Fault> {
    let scopes = joined(&key.scopes);
    execute(
        connection,
        "INSERT INTO api_key
             (key_id, name, scopes, secret_hash, created_at_unix_ms, expires_at_unix_ms,
              last_used_at_unix_ms, revoked_at_unix_ms, checksum, owner)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (key_id) DO UPDATE
         SET last_used_at_unix_ms = excluded.last_used_at_unix_ms,
             revoked_at_unix_ms = excluded.revoked_at_unix_ms, checksum = excluded.checksum",
        params![
            key.id.as_str(),
            key.name.as_str(),
            scopes,
            &key.secret_hash.as_bytes()[..],
            key.created_at_unix_ms,
            key.expires_at_unix_ms,
            key.last_used_at_unix_ms,
            key.revoked_at_unix_ms,
            checksum_of(store, key, &scopes),
            key.owner.as_ref().map(OwnerName::as_str),
        ],
    )?;
    Ok(())
}
