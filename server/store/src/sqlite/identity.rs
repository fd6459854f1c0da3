//! The row that says which store this is, and which server holds it.

use sqlx::{Row as _, SqliteConnection};

use super::failure::Fault;
use crate::checksum::StoreId;

/// What the row says.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) store: StoreId,
    /// Drawn by the server that opened the store last; empty if none has.
    pub(super) server_id: Vec<u8>,
}

/// Reads the row; `None` if there is none.
pub(super) async fn read(connection: &mut SqliteConnection) -> Result<Option<Identity>, Fault> {
    let row = sqlx::query("SELECT store_id, server_id, checksum FROM store")
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let damaged = || Fault::Contradiction("the row that says which store it is".to_owned());
    let store_id: Vec<u8> = row.try_get(0).map_err(|_| damaged())?;
    let server_id: Vec<u8> = row.try_get(1).map_err(|_| damaged())?;
    let checksum: i64 = row.try_get(2).map_err(|_| damaged())?;
    let store = StoreId::read(&store_id).ok_or_else(damaged)?;
    if checksum != checksum_of(store, &server_id) {
        return Err(damaged());
    }
    Ok(Some(Identity { store, server_id }))
}

/// Within a transaction: a server takes the store, or a command makes it; one that is new gets its
/// identifier.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    is_server: bool,
) -> Result<Identity, Fault> {
    let known = read(connection).await?;
    if known.is_none() && has_rows(connection).await? {
        let missing = "the row that says which store it is, is missing";
        return Err(Fault::Contradiction(missing.to_owned()));
    }
    let (drawn, server_id): (Vec<u8>, Vec<u8>) =
        sqlx::query_as("SELECT randomblob(16), randomblob(16)")
            .fetch_one(&mut *connection)
            .await?;
    let store = match known {
        Some(Identity { store, .. }) => store,
        None => StoreId::read(&drawn).ok_or_else(|| {
            Fault::Contradiction("SQLite draws identifiers of another length".to_owned())
        })?,
    };
    let server_id = if is_server { server_id } else { Vec::new() };
    put(connection, store, &server_id).await?;
    Ok(Identity { store, server_id })
}

/// Within a transaction: gives a database that is made the identifier of a store.
pub(super) async fn keep(connection: &mut SqliteConnection, store: StoreId) -> Result<(), Fault> {
    put(connection, store, &[]).await
}

async fn put(
    connection: &mut SqliteConnection,
    store: StoreId,
    server_id: &[u8],
) -> Result<(), Fault> {
    sqlx::query("REPLACE INTO store (only_row, store_id, server_id, checksum) VALUES (1, ?, ?, ?)")
        .bind(&store.0[..])
        .bind(server_id)
        .bind(checksum_of(store, server_id))
        .execute(connection)
        .await?;
    Ok(())
}

async fn has_rows(connection: &mut SqliteConnection) -> Result<bool, Fault> {
    let has_rows = "SELECT EXISTS (SELECT 1 FROM journal) OR EXISTS (SELECT 1 FROM open_match)
        OR EXISTS (SELECT 1 FROM finished_match) OR EXISTS (SELECT 1 FROM api_key)
        OR EXISTS (SELECT 1 FROM secret)
        OR EXISTS (SELECT 1 FROM note)";
    Ok(sqlx::query_scalar(has_rows).fetch_one(connection).await?)
}

fn checksum_of(store: StoreId, server_id: &[u8]) -> i64 {
    store.row("store").bytes(server_id).finish()
}
