//! Rows of API keys.

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor};

use super::{failure::Fault, given_numbers, link::Work};
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
pub(super) async fn all(database: impl PgExecutor<'_>, store: StoreId) -> Result<ReadKeys, Fault> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM api_key"));
    let rows = sqlx::query(select).fetch_all(database).await?;
    Ok(ReadKeys::of(store, &rows))
}

/// How the keys stand.
pub(super) async fn mark(database: impl PgExecutor<'_>) -> Result<KeysMark, Fault> {
    let row = sqlx::query(
        "SELECT count(*), count(revoked_at_unix_ms), coalesce(max(key_number), 0) FROM api_key",
    )
    .fetch_one(database)
    .await?;
    Ok(KeysMark {
        kept: row.value::<i64>(0)?.unsigned_abs(),
        revoked: row.value::<i64>(1)?.unsigned_abs(),
        newest: row.value::<i64>(2)?.unsigned_abs(),
    })
}

/// The key of an id.
pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &KeyId,
) -> Result<Option<Key>, Fault> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM api_key WHERE key_id = $1"));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let key = row.map(|row| key_of(store, &row)).transpose();
    key.map_err(|row| Fault::Damage(row.key.into()))
}

/// Reads every key.
pub(super) struct All {
    pub(super) store: StoreId,
}

impl Work for All {
    type Done = ReadKeys;

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<ReadKeys, Fault> {
        all(connection, self.store).await
    }
}

/// Reads one key.
pub(super) struct One<'a> {
    pub(super) store: StoreId,
    pub(super) id: &'a KeyId,
}

impl Work for One<'_> {
    type Done = Option<Key>;

    async fn carry_out(
        &self,
        connection: &mut PgConnection,
        _: bool,
    ) -> Result<Option<Key>, Fault> {
        get(connection, self.store, self.id).await
    }
}

/// Reads how the keys stand.
pub(super) struct Mark;

impl Work for Mark {
    type Done = KeysMark;

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<KeysMark, Fault> {
        mark(connection).await
    }
}

/// Within a transaction: has other writers of keys wait for its end. Whoever reads goes on.
async fn lock(connection: &mut PgConnection) -> Result<(), Fault> {
    sqlx::query("LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE")
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds keys, all of them or none.
pub(super) struct Add<'a> {
    pub(super) store: StoreId,
    pub(super) keys: &'a [NewKey],
}

impl Work for Add<'_> {
    type Done = ();

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<(), Fault> {
        lock(connection).await?;
        for key in self.keys {
            add(connection, self.store, key).await?;
        }
        Ok(())
    }
}

async fn add(connection: &mut PgConnection, store: StoreId, key: &NewKey) -> Result<(), Fault> {
    if let Some(other) = get(&mut *connection, store, &key.id).await? {
        if other.stands_as(key) {
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
        let key_id = id_of(&row, row.value(1)?);
        let name = key.name.clone();
        return Err(StoreError::KeyNameTaken { name, key_id }.into());
    }
    let KeysMark { kept, revoked, .. } = mark(&mut *connection).await?;
    if kept.saturating_sub(revoked) >= MAX_KEYS as u64 {
        return Err(StoreError::TooManyKeys { limit: MAX_KEYS }.into());
    }
    let number = given_numbers::next(connection, "api_key").await?;
    insert(connection, store, number, &key.clone().into()).await
}

async fn insert(
    connection: &mut PgConnection,
    store: StoreId,
    number: i64,
    key: &Key,
) -> Result<(), Fault> {
    let scopes = joined(&key.scopes);
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

/// Writes what changes of a key in the course of time.
async fn update(connection: &mut PgConnection, store: StoreId, key: &Key) -> Result<(), Fault> {
    sqlx::query(
        "UPDATE api_key SET last_used_at_unix_ms = $1, revoked_at_unix_ms = $2, checksum = $3
         WHERE key_id = $4",
    )
    .bind(key.last_used_at_unix_ms)
    .bind(key.revoked_at_unix_ms)
    .bind(checksum_of(store, key, &joined(&key.scopes)))
    .bind(key.id.as_str())
    .execute(connection)
    .await?;
    Ok(())
}

/// Revokes a key.
pub(super) struct Revoke<'a> {
    pub(super) store: StoreId,
    pub(super) id: &'a KeyId,
    pub(super) revoked_at_unix_ms: i64,
}

impl Work for Revoke<'_> {
    type Done = Key;

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<Key, Fault> {
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

/// Removes a key that cannot be read.
pub(super) struct RemoveDamaged<'a> {
    pub(super) store: StoreId,
    pub(super) id: &'a KeyId,
}

impl Work for RemoveDamaged<'_> {
    type Done = ();

    async fn carry_out(&self, connection: &mut PgConnection, again: bool) -> Result<(), Fault> {
        lock(connection).await?;
        let keys = all(&mut *connection, self.store).await?;
        let row = match keys.to_be_removed(self.id) {
            // An earlier try has removed it.
            Err(StoreError::UnknownKey { .. }) if again => return Ok(()),
            row => row?,
        };
        sqlx::query("DELETE FROM api_key WHERE key_number = $1")
            .bind(row.key_number)
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// Notes uses of keys.
pub(super) struct NoteUses<'a> {
    pub(super) store: StoreId,
    pub(super) uses: &'a [(KeyId, i64)],
}

impl Work for NoteUses<'_> {
    type Done = ();

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<(), Fault> {
        lock(connection).await?;
        for (id, used_at_unix_ms) in self.uses {
            let mut key = match get(&mut *connection, self.store, id).await {
                Ok(Some(key)) => key,
                // A key that cannot be read stays as it is, for whoever looks into it.
                Ok(None) | Err(Fault::Damage(_)) => continue,
                Err(fault) => return Err(fault),
            };
            if key.last_used_at_unix_ms < Some(*used_at_unix_ms) {
                key.last_used_at_unix_ms = Some(*used_at_unix_ms);
                update(connection, self.store, &key).await?;
            }
        }
        Ok(())
    }
}
