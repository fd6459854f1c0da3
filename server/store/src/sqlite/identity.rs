//! The row that says which store this is, and which server holds it.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{execute, first, value},
};
use crate::{checksum::StoreId, rows::StoredRow as _};

/// What the row says.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) store: StoreId,
    /// Drawn by the server that opened the store last; empty if none has.
    pub(super) server_id: Vec<u8>,
}

/// Reads the row; `None` if there is none.
pub(super) fn read(connection: &Connection) -> Result<Option<Identity>, Fault> {
    let row = first(
        connection,
        "SELECT store_id, server_id, checksum FROM store",
        (),
    )?;
    let Some(row) = row else {
        return Ok(None);
    };
    let damaged = || Fault::Contradiction("the row that says which store it is".to_owned());
    let store_id: Vec<u8> = row.value(0).map_err(|_| damaged())?;
    let server_id: Vec<u8> = row.value(1).map_err(|_| damaged())?;
    let checksum: i64 = row.value(2).map_err(|_| damaged())?;
    let store = StoreId::read(&store_id).ok_or_else(damaged)?;
    if checksum != checksum_of(store, &server_id) {
        return Err(damaged());
    }
    Ok(Some(Identity { store, server_id }))
}

/// Within a transaction: a server takes the store, or a command makes it; one that is new gets its
/// identifier.
pub(super) fn write(connection: &Connection, is_server: bool) -> Result<Identity, Fault> {
    let known = read(connection)?;
    if known.is_none() && has_rows(connection)? {
        let missing = "the row that says which store it is, is missing";
        return Err(Fault::Contradiction(missing.to_owned()));
    }
    let drawn = || value::<Vec<u8>>(connection, "SELECT randomblob(16)", ());
    let store = match known {
        Some(Identity { store, .. }) => store,
        None => StoreId::read(&drawn()?).ok_or_else(|| {
            Fault::Contradiction("SQLite draws identifiers of another length".to_owned())
        })?,
    };
    let server_id = if is_server { drawn()? } else { Vec::new() };
    put(connection, store, &server_id)?;
    Ok(Identity { store, server_id })
}

/// Within a transaction: gives a database that is made the identifier of a store.
pub(super) fn keep(connection: &Connection, store: StoreId) -> Result<(), Fault> {
    put(connection, store, &[])
}

fn put(connection: &Connection, store: StoreId, server_id: &[u8]) -> Result<(), Fault> {
    execute(
        connection,
        "REPLACE INTO store (only_row, store_id, server_id, checksum) VALUES (1, ?, ?, ?)",
        params![&store.0[..], server_id, checksum_of(store, server_id)],
    )?;
    Ok(())
}

fn has_rows(connection: &Connection) -> Result<bool, Fault> {
    let has_rows = "SELECT EXISTS (SELECT 1 FROM journal) OR EXISTS (SELECT 1 FROM open_match)
        OR EXISTS (SELECT 1 FROM finished_match) OR EXISTS (SELECT 1 FROM api_key)
        OR EXISTS (SELECT 1 FROM secret)
        OR EXISTS (SELECT 1 FROM note)";
    Ok(value(connection, has_rows, ())?)
}

fn checksum_of(store: StoreId, server_id: &[u8]) -> i64 {
    store.row("store").bytes(server_id).finish()
}
