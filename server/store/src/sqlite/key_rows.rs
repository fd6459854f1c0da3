//! Rows of API keys.

use sqlx::{AssertSqlSafe, Row as _, SqliteConnection, SqliteExecutor};

use super::failure::Fault;
use crate::{
    Key, KeyId, KeysMark, NewKey, OwnerName, StoreError,
    checksum::StoreId,
    limits::MAX_KEYS,
    rows::key_rows::{COLUMNS, ReadKeys, checksum_of, id_of, joined, key_of},
};

/// Every key.
pub(super) async fn all(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
) -> Result<ReadKeys, Fault> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM api_key"));
    let rows = sqlx::query(select).fetch_all(database).await?;
    Ok(ReadKeys::of(store, &rows))
}

/// How the keys stand.
pub(super) async fn mark(database: impl SqliteExecutor<'_>) -> Result<KeysMark, Fault> {
    let (kept, revoked, newest): (i64, i64, Option<i64>) =
        sqlx::query_as("SELECT count(*), count(revoked_at_unix_ms), max(key_number) FROM api_key")
            .fetch_one(database)
            .await?;
    Ok(KeysMark {
        kept: kept.unsigned_abs(),
        revoked: revoked.unsigned_abs(),
        newest: newest.unwrap_or_default().unsigned_abs(),
    })
}

/// The key of an id.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    id: &KeyId,
) -> Result<Option<Key>, Fault> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM api_key WHERE key_id = ?"));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let key = row.map(|row| key_of(store, &row)).transpose();
    key.map_err(|row| Fault::Damage(row.key.into()))
}

/// Within a transaction: adds a key.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    store: StoreId,
    key: NewKey,
) -> Result<(), Fault> {
    if let Some(other) = get(&mut *connection, store, &key.id).await? {
        if other.stands_as(&key) {
            return Ok(());
        }
        return Err(StoreError::KeyIdTaken { key_id: key.id }.into());
    }
    let holder = sqlx::query(
        "SELECT key_id, key_number FROM api_key WHERE name = ? AND revoked_at_unix_ms IS NULL",
    )
    .bind(key.name.as_str())
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(row) = holder {
        let key_id = id_of(&row, row.try_get(1)?);
        return Err(StoreError::KeyNameTaken {
            name: key.name,
            key_id,
        }
        .into());
    }
    let KeysMark { kept, revoked, .. } = mark(&mut *connection).await?;
    if kept.saturating_sub(revoked) >= MAX_KEYS as u64 {
        return Err(StoreError::TooManyKeys { limit: MAX_KEYS }.into());
    }
    write(connection, store, &key.into()).await
}

/// Within a transaction: revokes a key.
pub(super) async fn revoke(
    connection: &mut SqliteConnection,
    store: StoreId,
    id: &KeyId,
    revoked_at_unix_ms: i64,
) -> Result<Key, Fault> {
    let key = get(&mut *connection, store, id).await?;
    let mut key = key.ok_or_else(|| StoreError::UnknownKey { key_id: id.clone() })?;
    if key.is_in_force() {
        key.revoked_at_unix_ms = Some(revoked_at_unix_ms);
        write(connection, store, &key).await?;
    }
    Ok(key)
}

/// Within a transaction: removes a key that cannot be read.
pub(super) async fn remove_damaged(
    connection: &mut SqliteConnection,
    store: StoreId,
    id: &KeyId,
) -> Result<(), Fault> {
    let keys = all(&mut *connection, store).await?;
    let row = keys.to_be_removed(id)?;
    // The indexes may still have what was in the row before, and SQLite removes no row from an
    // index that lacks it.
    sqlx::query("REINDEX api_key")
        .execute(&mut *connection)
        .await?;
    sqlx::query("DELETE FROM api_key WHERE key_number = ?")
        .bind(row.key_number)
        .execute(connection)
        .await?;
    Ok(())
}

/// Within a transaction: notes uses of keys.
pub(super) async fn note_uses(
    connection: &mut SqliteConnection,
    store: StoreId,
    uses: &[(KeyId, i64)],
) -> Result<(), Fault> {
    for (id, used_at_unix_ms) in uses {
        let mut key = match get(&mut *connection, store, id).await {
            Ok(Some(key)) => key,
            // A key that cannot be read stays as it is, for whoever looks into it.
            Ok(None) | Err(Fault::Damage(_)) => continue,
            Err(fault) => return Err(fault),
        };
        if key.last_used_at_unix_ms < Some(*used_at_unix_ms) {
            key.last_used_at_unix_ms = Some(*used_at_unix_ms);
            write(connection, store, &key).await?;
        }
    }
    Ok(())
}

/// Writes the row of a key, in place of the one of its id.
async fn write(connection: &mut SqliteConnection, store: StoreId, key: &Key) -> Result<(), Fault> {
    let scopes = joined(&key.scopes);
    sqlx::query(
        "INSERT INTO api_key
             (key_id, name, scopes, secret_hash, created_at_unix_ms, expires_at_unix_ms,
              last_used_at_unix_ms, revoked_at_unix_ms, checksum, owner)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (key_id) DO UPDATE
         SET last_used_at_unix_ms = excluded.last_used_at_unix_ms,
             revoked_at_unix_ms = excluded.revoked_at_unix_ms, checksum = excluded.checksum",
    )
    .bind(key.id.as_str())
    .bind(key.name.as_str())
    .bind(&scopes)
    .bind(&key.secret_hash.as_bytes()[..])
    .bind(key.created_at_unix_ms)
    .bind(key.expires_at_unix_ms)
    .bind(key.last_used_at_unix_ms)
    .bind(key.revoked_at_unix_ms)
    .bind(checksum_of(store, key, &scopes))
    .bind(key.owner.as_ref().map(OwnerName::as_str))
    .execute(connection)
    .await?;
    Ok(())
}
