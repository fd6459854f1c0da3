//! Rows of API keys in PostgreSQL.

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor};

use super::{db_error::DbError, sequences, write_connection::Transaction};
use crate::{
    Key, KeyId, KeysVersion, NewKey, OwnerName, StoreError,
    checksum::StoreId,
    limits::MAX_KEYS,
    rows::{
        StoredRow as _,
        key_rows::{COLUMNS, ReadKeys, checksum_of, id_from_row, join_scopes, key_from_row},
    },
};

pub(super) async fn all(
    database: impl PgExecutor<'_>,
    store: StoreId,
) -> Result<ReadKeys, DbError> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM api_key"));
    let rows = sqlx::query(select).fetch_all(database).await?;
    Ok(ReadKeys::read(store, &rows))
}

/// Returns the version of the keys.
pub(super) async fn version(database: impl PgExecutor<'_>) -> Result<KeysVersion, DbError> {
    let row = sqlx::query(
        "SELECT count(*), count(revoked_at_unix_ms), coalesce(max(key_number), 0) FROM api_key",
    )
    .fetch_one(database)
    .await?;
    Ok(KeysVersion {
        total: row.value::<i64>(0)?.unsigned_abs(),
        revoked: row.value::<i64>(1)?.unsigned_abs(),
        newest: row.value::<i64>(2)?.unsigned_abs(),
    })
}

pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &KeyId,
) -> Result<Option<Key>, DbError> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM api_key WHERE key_id = $1"));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let key = row.map(|row| key_from_row(store, &row)).transpose();
    key.map_err(|row| DbError::Damaged(row.key.into()))
}

pub(super) struct ReadAllKeys {
    pub(super) store: StoreId,
}

impl Transaction for ReadAllKeys {
    type Output = ReadKeys;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<ReadKeys, DbError> {
        all(connection, self.store).await
    }
}

pub(super) struct ReadKey<'a> {
    pub(super) store: StoreId,
    pub(super) id: &'a KeyId,
}

impl Transaction for ReadKey<'_> {
    type Output = Option<Key>;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<Option<Key>, DbError> {
        get(connection, self.store, self.id).await
    }
}

/// Reads the version of the keys.
pub(super) struct ReadKeysVersion;

impl Transaction for ReadKeysVersion {
    type Output = KeysVersion;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<KeysVersion, DbError> {
        version(connection).await
    }
}

/// Locks the keys against other writers until the transaction ends. Readers are not blocked.
/// Requires an open transaction. It waits at most 1 s and is then retried, since the transaction
/// also locks the row of the node, which delays a takeover of its matches.
async fn lock(connection: &mut PgConnection) -> Result<(), DbError> {
    let lock = "SET LOCAL lock_timeout = '1s'; LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE";
    sqlx::raw_sql(lock).execute(connection).await?;
    Ok(())
}

/// Adds keys, all of them or none.
pub(super) struct AddKeys<'a> {
    pub(super) store: StoreId,
    pub(super) keys: &'a [NewKey],
}

impl Transaction for AddKeys<'_> {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<(), DbError> {
        lock(connection).await?;
        for key in self.keys {
            add(connection, self.store, key).await?;
        }
        Ok(())
    }
}

async fn add(connection: &mut PgConnection, store: StoreId, key: &NewKey) -> Result<(), DbError> {
    if let Some(other) = get(&mut *connection, store, &key.id).await? {
        if other.is_result_of_adding(key) {
            return Ok(());
        }
        let key_id = key.id.clone();
        return Err(StoreError::KeyIdTaken { key_id }.into());
    }
    let holder = sqlx::query(
        "SELECT key_id, key_number FROM api_key WHERE name = $1 AND revoked_at_unix_ms IS NULL",
    )
    .bind(key.name.as_str())
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(row) = holder {
        let key_id = id_from_row(&row, row.value(1)?);
        let name = key.name.clone();
        return Err(StoreError::KeyNameTaken { name, key_id }.into());
    }
    let KeysVersion { total, revoked, .. } = version(&mut *connection).await?;
    if total.saturating_sub(revoked) >= MAX_KEYS as u64 {
        return Err(StoreError::TooManyKeys { limit: MAX_KEYS }.into());
    }
    let number = sequences::next_number(connection, "api_key").await?;
    insert(connection, store, number, &key.clone().into()).await
}

async fn insert(
    connection: &mut PgConnection,
    store: StoreId,
    number: i64,
    key: &Key,
) -> Result<(), DbError> {
    let scopes = join_scopes(&key.scopes);
    sqlx::query(
        "INSERT INTO api_key
             (key_number, key_id, name, scopes, secret_hash, created_at_unix_ms,
              expires_at_unix_ms, last_used_at_unix_ms, revoked_at_unix_ms, checksum, owner)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(number)
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

/// Updates the mutable columns of a key.
async fn update(connection: &mut PgConnection, store: StoreId, key: &Key) -> Result<(), DbError> {
    sqlx::query(
        "UPDATE api_key SET last_used_at_unix_ms = $1, revoked_at_unix_ms = $2, checksum = $3
         WHERE key_id = $4",
    )
    .bind(key.last_used_at_unix_ms)
    .bind(key.revoked_at_unix_ms)
    .bind(checksum_of(store, key, &join_scopes(&key.scopes)))
    .bind(key.id.as_str())
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) struct RevokeKey<'a> {
    pub(super) store: StoreId,
    pub(super) id: &'a KeyId,
    pub(super) revoked_at_unix_ms: i64,
}

impl Transaction for RevokeKey<'_> {
    type Output = Key;

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<Key, DbError> {
        lock(connection).await?;
        let key = get(&mut *connection, self.store, self.id).await?;
        let mut key = key.ok_or_else(|| StoreError::UnknownKey {
            key_id: self.id.clone(),
        })?;
        if key.is_in_force() {
            key.revoked_at_unix_ms = Some(self.revoked_at_unix_ms);
            update(connection, self.store, &key).await?;
        }
        Ok(key)
    }
}

/// Deletes a key that cannot be read.
pub(super) struct RemoveDamagedKey<'a> {
    pub(super) store: StoreId,
    pub(super) id: &'a KeyId,
}

impl Transaction for RemoveDamagedKey<'_> {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, is_retry: bool) -> Result<(), DbError> {
        lock(connection).await?;
        let keys = all(&mut *connection, self.store).await?;
        let row = match keys.find_damaged(self.id) {
            // An earlier attempt of this transaction has deleted the key.
            Err(StoreError::UnknownKey { .. }) if is_retry => return Ok(()),
            row => row?,
        };
        sqlx::query("DELETE FROM api_key WHERE key_number = $1")
            .bind(row.key_number)
            .execute(connection)
            .await?;
        Ok(())
    }
}

pub(super) struct RecordKeyUses<'a> {
    pub(super) store: StoreId,
    pub(super) uses: &'a [(KeyId, i64)],
}

impl Transaction for RecordKeyUses<'_> {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<(), DbError> {
        lock(connection).await?;
        for (id, used_at_unix_ms) in self.uses {
            let mut key = match get(&mut *connection, self.store, id).await {
                Ok(Some(key)) => key,
                // An unreadable key is left unchanged, for inspection.
                Ok(None) | Err(DbError::Damaged(_)) => continue,
                Err(error) => return Err(error),
            };
            if key.last_used_at_unix_ms < Some(*used_at_unix_ms) {
                key.last_used_at_unix_ms = Some(*used_at_unix_ms);
                update(connection, self.store, &key).await?;
            }
        }
        Ok(())
    }
}
