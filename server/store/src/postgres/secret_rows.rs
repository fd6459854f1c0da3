//! Rows of secrets in PostgreSQL.

use sqlx::{PgConnection, PgExecutor};

use super::{db_error::DbError, write_connection::Transaction};
use crate::{
    DamageReport,
    checksum::StoreId,
    rows::named_rows::{NamedValues, SECRETS},
};

/// Returns all secrets, since there are only a few.
async fn all(database: impl PgExecutor<'_>, store: StoreId) -> Result<NamedValues, DbError> {
    let rows = sqlx::query("SELECT name, value, checksum FROM secret")
        .fetch_all(database)
        .await?;
    Ok(SECRETS.read_all(store, &rows))
}

pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, DbError> {
    let secrets = all(database, store).await?;
    secrets.get(name).map_err(DbError::Damaged)
}

/// Inserts a secret, unless a secret with this name exists. Returns the stored secret.
pub(super) struct GetOrInsertSecret<'a> {
    pub(super) store: StoreId,
    pub(super) name: &'a str,
    pub(super) value: &'a [u8],
}

impl Transaction for GetOrInsertSecret<'_> {
    type Output = Vec<u8>;

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<Vec<u8>, DbError> {
        if let Some(stored) = get(&mut *connection, self.store, self.name).await? {
            return Ok(stored);
        }
        // Another node may insert a secret with this name at the same time. The first secret is
        // used.
        sqlx::query(
            "INSERT INTO secret (name, value, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(self.name.as_bytes())
        .bind(self.value)
        .bind(SECRETS.checksum(self.store, self.name, self.value))
        .execute(&mut *connection)
        .await?;
        let stored = get(connection, self.store, self.name).await?;
        stored.ok_or_else(|| DbError::Inconsistent("the inserted secret is missing".to_owned()))
    }
}

/// Deletes the secrets that cannot be read, and returns their damage.
pub(super) struct RemoveDamagedSecrets {
    pub(super) store: StoreId,
}

impl Transaction for RemoveDamagedSecrets {
    type Output = Vec<DamageReport>;

    async fn run(
        &self,
        connection: &mut PgConnection,
        _: bool,
    ) -> Result<Vec<DamageReport>, DbError> {
        let secrets = all(&mut *connection, self.store).await?;
        if secrets.damaged.is_empty() {
            return Ok(secrets.damaged);
        }
        let sound: Vec<Vec<u8>> = secrets.intact.into_keys().map(String::into_bytes).collect();
        sqlx::query("DELETE FROM secret WHERE name <> ALL ($1)")
            .bind(&sound)
            .execute(connection)
            .await?;
        Ok(secrets.damaged)
    }
}
