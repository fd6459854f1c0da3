//! Rows of secrets.

use sqlx::{PgConnection, PgExecutor};

use super::{failure::Fault, link::Work};
use crate::{
    Damage,
    checksum::StoreId,
    rows::named_rows::{NamedValues, SECRETS},
};

/// Every secret: there are few.
async fn all(database: impl PgExecutor<'_>, store: StoreId) -> Result<NamedValues, Fault> {
    let rows = sqlx::query("SELECT name, value, checksum FROM secret")
        .fetch_all(database)
        .await?;
    Ok(SECRETS.read_all(store, &rows))
}

/// The secret of a name.
pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let secrets = all(database, store).await?;
    secrets.get(name).map_err(Fault::Damage)
}

/// Keeps a secret, unless there is one of its name, and gives the one that is kept.
pub(super) struct Keep<'a> {
    pub(super) store: StoreId,
    pub(super) name: &'a str,
    pub(super) value: &'a [u8],
}

impl Work for Keep<'_> {
    type Done = Vec<u8>;

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<Vec<u8>, Fault> {
        if let Some(kept) = get(&mut *connection, self.store, self.name).await? {
            return Ok(kept);
        }
        // Another node may keep one of this name too: the first counts.
        sqlx::query(
            "INSERT INTO secret (name, value, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(self.name.as_bytes())
        .bind(self.value)
        .bind(SECRETS.checksum(self.store, self.name, self.value))
        .execute(&mut *connection)
        .await?;
        let kept = get(connection, self.store, self.name).await?;
        kept.ok_or_else(|| Fault::Contradiction("a secret is not kept".to_owned()))
    }
}

/// Removes the secrets that cannot be read, and gives what was wrong with them.
pub(super) struct RemoveDamaged {
    pub(super) store: StoreId,
}

impl Work for RemoveDamaged {
    type Done = Vec<Damage>;

    async fn carry_out(
        &self,
        connection: &mut PgConnection,
        _: bool,
    ) -> Result<Vec<Damage>, Fault> {
        let secrets = all(&mut *connection, self.store).await?;
        if secrets.damaged.is_empty() {
            return Ok(secrets.damaged);
        }
        let sound: Vec<Vec<u8>> = secrets.sound.into_keys().map(String::into_bytes).collect();
        sqlx::query("DELETE FROM secret WHERE name <> ALL ($1)")
            .bind(&sound)
            .execute(connection)
            .await?;
        Ok(secrets.damaged)
    }
}
