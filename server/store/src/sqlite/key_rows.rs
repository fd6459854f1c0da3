//! Rows of API keys.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Row as _, SqliteConnection, SqliteExecutor, sqlite::SqliteRow};

use super::failure::Fault;
use crate::{
    DamagedKey, DamagedValue, InvalidText, Key, KeyId, KeyName, KeysMark, NewKey, OwnerName, Scope,
    SecretHash, StoreError,
    checksum::{CHECKSUM_DIFFERS, StoreId},
    limits::MAX_KEYS,
};

/// Reads rows of keys.
const SELECT: &str = "SELECT key_id, name, scopes, secret_hash, created_at_unix_ms,
     expires_at_unix_ms, last_used_at_unix_ms, revoked_at_unix_ms, checksum, key_number, owner
     FROM api_key";

/// What the ids begin with by which keys are named whose own cannot be read; the number of the row
/// follows.
const STAND_IN: &str = "damaged-key-";

/// Uses of keys that one transaction notes: commits of matches wait for it, and a hundred updates
/// take a few milliseconds, as a commit does itself.
pub(super) const USES_PER_TRANSACTION: usize = 100;

/// The keys, and those that cannot be read.
#[derive(Debug, Default)]
pub(super) struct ReadKeys {
    /// By the moment of their making and then by their ids.
    pub(super) sound: Vec<Key>,
    pub(super) damaged: Vec<DamagedRow>,
}

/// A row that cannot be read.
#[derive(Debug)]
pub(super) struct DamagedRow {
    key_number: i64,
    pub(super) key: DamagedKey,
}

/// Every key.
pub(super) async fn all(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
) -> Result<ReadKeys, Fault> {
    let rows = sqlx::query(SELECT).fetch_all(database).await?;
    let mut keys = ReadKeys::default();
    for row in &rows {
        match key_of(store, row) {
            Ok(key) => keys.sound.push(key),
            Err(row) => keys.damaged.push(row),
        }
    }
    keys.sound
        .sort_by(|a, b| (a.created_at_unix_ms, &a.id).cmp(&(b.created_at_unix_ms, &b.id)));
    Ok(keys)
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
    let row = sqlx::query(AssertSqlSafe(format!("{SELECT} WHERE key_id = ?")))
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
    let Some(row) = keys.damaged.iter().find(|row| row.key.id == *id) else {
        let key_id = id.clone();
        let refusal = match keys.sound.iter().any(|key| key.id == *id) {
            true => StoreError::NotDamaged {
                value: DamagedValue::Key(key_id),
            },
            false => StoreError::UnknownKey { key_id },
        };
        return Err(refusal.into());
    };
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

/// A key, from its row.
fn key_of(store: StoreId, row: &SqliteRow) -> Result<Key, DamagedRow> {
    let read = || -> Result<(Key, i64), sqlx::Error> {
        let wrong = |error: InvalidText| sqlx::Error::Decode(error.into());
        let scopes: String = row.try_get(2)?;
        let owner: Option<String> = row.try_get(10)?;
        let read_scopes = scopes.split_ascii_whitespace().map(Scope::new);
        let secret_hash: Vec<u8> = row.try_get(3)?;
        let length = secret_hash.len();
        let secret_hash = secret_hash.try_into().map_err(|_| {
            sqlx::Error::Decode(format!("its secret hash has {length} bytes, not 32").into())
        })?;
        let key = Key {
            scopes: read_scopes.collect::<Result<_, _>>().map_err(wrong)?,
            id: KeyId::new(row.try_get::<String, _>(0)?).map_err(wrong)?,
            name: KeyName::new(row.try_get::<String, _>(1)?).map_err(wrong)?,
            owner: owner.map(OwnerName::new).transpose().map_err(wrong)?,
            secret_hash: SecretHash::new(secret_hash),
            created_at_unix_ms: row.try_get(4)?,
            expires_at_unix_ms: row.try_get(5)?,
            last_used_at_unix_ms: row.try_get(6)?,
            revoked_at_unix_ms: row.try_get(7)?,
        };
        let computed = checksum_of(store, &key, &scopes);
        Ok((key, computed))
    };
    let detail = match (read(), row.try_get::<i64, _>(8)) {
        (Ok((key, computed)), Ok(checksum)) if computed == checksum => return Ok(key),
        (Ok(_), Ok(_)) => CHECKSUM_DIFFERS.to_owned(),
        (Err(error), _) | (_, Err(error)) => error.to_string(),
    };
    let key_number = row.try_get(9).unwrap_or_default();
    let name: Option<String> = row.try_get(1).ok();
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
fn id_of(row: &SqliteRow, key_number: i64) -> KeyId {
    let id = row.try_get::<String, _>(0).ok();
    id.and_then(|id| KeyId::new(id).ok()).unwrap_or_else(|| {
        KeyId::new(format!("{STAND_IN}{key_number}")).expect("letters, '-' and a number are an id")
    })
}

fn checksum_of(store: StoreId, key: &Key, scopes: &str) -> i64 {
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

fn joined(scopes: &BTreeSet<Scope>) -> String {
    let scopes: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
    scopes.join(" ")
}
