//! Rows of API keys.

use std::collections::BTreeSet;

use sqlx::{FromRow, Row as _, SqliteConnection, SqliteExecutor, sqlite::SqliteRow};

use super::{failure::Fault, transaction};
use crate::{
    Key, KeyId, KeyName, KeysMark, NewKey, Scope, SecretHash, StoreError, limits::MAX_KEYS,
};

/// Adds a key in a transaction of its own.
pub(super) async fn add(connection: &mut SqliteConnection, key: NewKey) -> Result<(), Fault> {
    transaction::begin(connection).await?;
    let work = insert(connection, key).await;
    transaction::end(connection, work).await
}

/// Revokes a key in a transaction of its own.
pub(super) async fn revoke(
    connection: &mut SqliteConnection,
    id: &KeyId,
    revoked_at_unix_ms: i64,
) -> Result<Key, Fault> {
    transaction::begin(connection).await?;
    let work = mark_revoked(connection, id, revoked_at_unix_ms).await;
    transaction::end(connection, work).await
}

/// Every key.
pub(super) async fn all(database: impl SqliteExecutor<'_>) -> Result<Vec<Key>, Fault> {
    let rows: Vec<KeyRow> =
        sqlx::query_as("SELECT * FROM api_key ORDER BY created_at_unix_ms, key_id")
            .fetch_all(database)
            .await?;
    rows.into_iter().map(Key::try_from).collect()
}

/// How the keys stand.
pub(super) async fn mark(database: impl SqliteExecutor<'_>) -> Result<KeysMark, Fault> {
    let (kept, revoked): (i64, i64) =
        sqlx::query_as("SELECT count(*), count(revoked_at_unix_ms) FROM api_key")
            .fetch_one(database)
            .await?;
    Ok(KeysMark {
        kept: kept.unsigned_abs(),
        revoked: revoked.unsigned_abs(),
    })
}

/// The key of an id.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    id: &KeyId,
) -> Result<Option<Key>, Fault> {
    let row: Option<KeyRow> = sqlx::query_as("SELECT * FROM api_key WHERE key_id = ?")
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    row.map(Key::try_from).transpose()
}

async fn insert(connection: &mut SqliteConnection, key: NewKey) -> Result<(), Fault> {
    if let Some(other) = get(&mut *connection, &key.id).await? {
        if other.stands_as(&key) {
            return Ok(());
        }
        return Err(StoreError::KeyIdTaken { key_id: key.id }.into());
    }
    let holder: Option<String> = sqlx::query_scalar(
        "SELECT key_id FROM api_key WHERE name = ? AND revoked_at_unix_ms IS NULL",
    )
    .bind(key.name.as_str())
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(holder) = holder {
        let key_id = KeyId::new(holder)?;
        return Err(StoreError::KeyNameTaken {
            name: key.name,
            key_id,
        }
        .into());
    }
    let KeysMark { kept, revoked } = mark(&mut *connection).await?;
    if kept.saturating_sub(revoked) >= MAX_KEYS as u64 {
        return Err(StoreError::TooManyKeys { limit: MAX_KEYS }.into());
    }
    let scopes: Vec<&str> = key.scopes.iter().map(Scope::as_str).collect();
    sqlx::query(
        "INSERT INTO api_key (key_id, name, scopes, secret_hash, created_at_unix_ms)
         VALUES (?, ?, ?, ?, ?)",
    )
    .bind(key.id.as_str())
    .bind(key.name.as_str())
    .bind(scopes.join(" "))
    .bind(&key.secret_hash.as_bytes()[..])
    .bind(key.created_at_unix_ms)
    .execute(connection)
    .await?;
    Ok(())
}

async fn mark_revoked(
    connection: &mut SqliteConnection,
    id: &KeyId,
    revoked_at_unix_ms: i64,
) -> Result<Key, Fault> {
    sqlx::query(
        "UPDATE api_key SET revoked_at_unix_ms = coalesce(revoked_at_unix_ms, ?)
         WHERE key_id = ?",
    )
    .bind(revoked_at_unix_ms)
    .bind(id.as_str())
    .execute(&mut *connection)
    .await?;
    let key = get(connection, id).await?;
    key.ok_or_else(|| StoreError::UnknownKey { key_id: id.clone() }.into())
}

/// A key as its row has it.
struct KeyRow {
    key_id: String,
    name: String,
    scopes: String,
    secret_hash: Vec<u8>,
    created_at_unix_ms: i64,
    revoked_at_unix_ms: Option<i64>,
}

impl FromRow<'_, SqliteRow> for KeyRow {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            key_id: row.try_get("key_id")?,
            name: row.try_get("name")?,
            scopes: row.try_get("scopes")?,
            secret_hash: row.try_get("secret_hash")?,
            created_at_unix_ms: row.try_get("created_at_unix_ms")?,
            revoked_at_unix_ms: row.try_get("revoked_at_unix_ms")?,
        })
    }
}

impl TryFrom<KeyRow> for Key {
    type Error = Fault;

    fn try_from(row: KeyRow) -> Result<Self, Fault> {
        let scopes = row.scopes.split_ascii_whitespace().map(Scope::new);
        let secret_hash = row.secret_hash.try_into().map_err(|bytes: Vec<u8>| {
            Fault::Contradiction(format!(
                "the secret hash of key {} has {} bytes, not 32",
                row.key_id,
                bytes.len()
            ))
        })?;
        Ok(Self {
            scopes: scopes.collect::<Result<BTreeSet<_>, _>>()?,
            id: KeyId::new(row.key_id)?,
            name: KeyName::new(row.name)?,
            secret_hash: SecretHash::new(secret_hash),
            created_at_unix_ms: row.created_at_unix_ms,
            revoked_at_unix_ms: row.revoked_at_unix_ms,
        })
    }
}
