//! Rows of secrets.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{all as all_rows, execute},
};
use crate::{
    Damage,
    checksum::StoreId,
    rows::named_rows::{NamedValues, SECRETS},
};

/// Every secret: there are few.
pub(super) fn all(connection: &Connection, store: StoreId) -> Result<NamedValues, Fault> {
    let rows = all_rows(connection, "SELECT name, value, checksum FROM secret", ())?;
    Ok(SECRETS.read_all(store, &rows))
}

/// The secret of a name.
pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let secrets = all(connection, store)?;
    secrets.get(name).map_err(Fault::Damage)
}

/// Within a transaction: removes the secrets that cannot be read.
pub(super) fn remove_damaged(
    connection: &Connection,
    store: StoreId,
) -> Result<Vec<Damage>, Fault> {
    let secrets = all(connection, store)?;
    if secrets.damaged.is_empty() {
        return Ok(secrets.damaged);
    }
    // Whatever their names are now.
    execute(connection, "DELETE FROM secret", ())?;
    for (name, value) in secrets.sound {
        add(connection, store, &name, &value)?;
    }
    Ok(secrets.damaged)
}

/// Within a transaction: keeps a secret, unless there is one of its name. Returns the one that is
/// kept.
pub(super) fn keep(
    connection: &Connection,
    store: StoreId,
    name: &str,
    value: Vec<u8>,
) -> Result<Vec<u8>, Fault> {
    if let Some(kept) = get(connection, store, name)? {
        return Ok(kept);
    }
    add(connection, store, name, &value)?;
    Ok(value)
}

fn add(connection: &Connection, store: StoreId, name: &str, value: &[u8]) -> Result<(), Fault> {
    execute(
        connection,
        "INSERT INTO secret (name, value, checksum) VALUES (?, ?, ?)",
        params![name, value, SECRETS.checksum(store, name, value)],
    )?;
    Ok(())
}
