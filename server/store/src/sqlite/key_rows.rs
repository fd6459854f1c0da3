//! Rows of API keys in SQLite.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{all as all_rows, execute, first},
};
use crate::{
    Key, KeyId, KeysVersion, NewKey, OwnerName, StoreError,
    checksum::StoreId,
    limits::MAX_KEYS,
    rows::{
        StoredRow as _,
        key_rows::{COLUMNS, ReadKeys, checksum_of, id_from_row, join_scopes, key_from_row},
    },
};

pub(super) fn all(connection: &Connection, store: StoreId) -> Result<ReadKeys, DbError> {
    let rows = all_rows(connection, &format!("SELECT {COLUMNS} FROM api_key"), ())?;
    Ok(ReadKeys::read(store, &rows))
}

/// Returns the version of the keys.
pub(super) fn version(connection: &Connection) -> Result<KeysVersion, DbError> {
    let row = first(
        connection,
        "SELECT count(*), count(revoked_at_unix_ms), coalesce(max(key_number), 0) FROM api_key",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(KeysVersion {
        total: row.value::<i64>(0)?.unsigned_abs(),
        revoked: row.value::<i64>(1)?.unsigned_abs(),
        newest: row.value::<i64>(2)?.unsigned_abs(),
    })
}

pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    id: &KeyId,
) -> Result<Option<Key>, DbError> {
    let select = format!("SELECT {COLUMNS} FROM api_key WHERE key_id = ?");
    let row = first(connection, &select, [id.as_str()])?;
    let key = row.map(|row| key_from_row(store, &row)).transpose();
    key.map_err(|row| DbError::Damaged(row.key.into()))
}

pub(super) fn add(connection: &Connection, store: StoreId, key: NewKey) -> Result<(), DbError> {
    if let Some(other) = get(connection, store, &key.id)? {
        if other.is_result_of_adding(&key) {
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
        let key_id = id_from_row(&row, row.value(1)?);
        return Err(StoreError::KeyNameTaken {
            name: key.name,
            key_id,
        }
        .into());
    }
    let KeysVersion { total, revoked, .. } = version(connection)?;
    if total.saturating_sub(revoked) >= MAX_KEYS as u64 {
        return Err(StoreError::TooManyKeys { limit: MAX_KEYS }.into());
    }
    write(connection, store, &key.into())
}

pub(super) fn revoke(
    connection: &Connection,
    store: StoreId,
    id: &KeyId,
    revoked_at_unix_ms: i64,
) -> Result<Key, DbError> {
    let key = get(connection, store, id)?;
    let mut key = key.ok_or_else(|| StoreError::UnknownKey { key_id: id.clone() })?;
    if key.is_in_force() {
        key.revoked_at_unix_ms = Some(revoked_at_unix_ms);
        write(connection, store, &key)?;
    }
    Ok(key)
}

/// Deletes a key that cannot be read. Requires an open transaction.
pub(super) fn remove_damaged(
    connection: &Connection,
    store: StoreId,
    id: &KeyId,
) -> Result<(), DbError> {
    let keys = all(connection, store)?;
    let row = keys.find_damaged(id)?;
    // The indexes might still contain the undamaged values, and SQLite cannot delete a row that is
    // missing in an index.
    execute(connection, "REINDEX api_key", ())?;
    execute(
        connection,
        "DELETE FROM api_key WHERE key_number = ?",
        [row.key_number],
    )?;
    Ok(())
}

/// Records uses of keys. Requires an open transaction.
pub(super) fn record_uses(
    connection: &Connection,
    store: StoreId,
    uses: &[(KeyId, i64)],
) -> Result<(), DbError> {
    for (id, used_at_unix_ms) in uses {
        let mut key = match get(connection, store, id) {
            Ok(Some(key)) => key,
            // An unreadable key is left unchanged, for inspection.
            Ok(None) | Err(DbError::Damaged(_)) => continue,
            Err(error) => return Err(error),
        };
        if key.last_used_at_unix_ms < Some(*used_at_unix_ms) {
            key.last_used_at_unix_ms = Some(*used_at_unix_ms);
            write(connection, store, &key)?;
        }
    }
    Ok(())
}

/// Inserts or updates the row of a key.
fn write(connection: &Connection, store: StoreId, key: &Key) -> Result<(), DbError> {
    let scopes = join_scopes(&key.scopes);
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
