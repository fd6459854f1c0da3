//! Rows of secrets in SQLite.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{all as all_rows, execute},
};
use crate::{
    DamageReport,
    checksum::StoreId,
    rows::named_rows::{NamedValues, SECRETS},
};

/// Returns all secrets, since there are only a few.
pub(super) fn all(connection: &Connection, store: StoreId) -> Result<NamedValues, DbError> {
    let rows = all_rows(connection, "SELECT name, value, checksum FROM secret", ())?;
    Ok(SECRETS.read_all(store, &rows))
}

pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, DbError> {
    let secrets = all(connection, store)?;
    secrets.get(name).map_err(DbError::Damaged)
}

/// Deletes the secrets that cannot be read. Requires an open transaction.
pub(super) fn remove_damaged(
    connection: &Connection,
    store: StoreId,
) -> Result<Vec<DamageReport>, DbError> {
    let secrets = all(connection, store)?;
    if secrets.damaged.is_empty() {
        return Ok(secrets.damaged);
    }
    // The names of damaged rows might be damaged too, so all rows are replaced.
    execute(connection, "DELETE FROM secret", ())?;
    for (name, value) in secrets.intact {
        add(connection, store, &name, &value)?;
    }
    Ok(secrets.damaged)
}

/// Inserts a secret, unless a secret with this name exists. Returns the stored secret. Requires an
/// open transaction.
pub(super) fn get_or_insert(
    connection: &Connection,
    store: StoreId,
    name: &str,
    value: Vec<u8>,
) -> Result<Vec<u8>, DbError> {
    if let Some(stored) = get(connection, store, name)? {
        return Ok(stored);
    }
    add(connection, store, name, &value)?;
    Ok(value)
}

fn add(connection: &Connection, store: StoreId, name: &str, value: &[u8]) -> Result<(), DbError> {
    execute(
        connection,
        "INSERT INTO secret (name, value, checksum) VALUES (?, ?, ?)",
        params![name, value, SECRETS.checksum(store, name, value)],
    )?;
    Ok(())
}
