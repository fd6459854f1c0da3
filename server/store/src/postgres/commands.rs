//! Access to a database for commands, such as `bridgemaster key`, that run while servers use it.

use std::path::PathBuf;

use tokio::sync::Mutex;

use super::{
    address::Address,
    db_error::DbError,
    key_writer::{ReadMark, ReadRows, UpdateRows},
    node_rows, opening,
    sessions::Sessions,
    write_connection::{self, WriteConnection},
};
use crate::{
    Durability, StoreError, StoredNode,
    checksum::StoreId,
    named_rows::{Decision, NamedTable, QueryResults, RowQuery, RowStore, TableMark},
};

/// Access to the API keys of a database, whether or not servers are running. Opening it takes over
/// no node.
#[derive(Debug)]
pub struct PostgresKeys {
    address: Address,
    store: StoreId,
    write_connection: Mutex<WriteConnection>,
}

impl PostgresKeys {
    /// Opens the database with this address, as [`PostgresStore::open`](super::PostgresStore::open)
    /// does.
    ///
    /// # Errors
    /// As [`PostgresStore::open`](super::PostgresStore::open).
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url, Durability::Disk)?;
        let work = async {
            let mut connection = opening::open(&address).await?;
            sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
            let store = opening::store_id(&mut connection).await;
            let store = write_connection::commit(&mut connection, store).await?;
            let sessions = Sessions::new(address.clone());
            let session = sessions.adopt(connection).await?;
            Ok((store, WriteConnection::new(sessions, Some(session), None)))
        };
        let (store, write_connection) = work
            .await
            .map_err(|error: DbError| error.at(address.redacted()))?;
        Ok(Self {
            address,
            store,
            write_connection: Mutex::new(write_connection),
        })
    }

    async fn write<W: write_connection::Transaction>(
        &self,
        work: &W,
    ) -> Result<W::Output, StoreError> {
        let written = self.write_connection.lock().await.write(work).await;
        written.map_err(|error| error.at(self.address.redacted()))
    }
}

impl RowStore for PostgresKeys {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        let (store, queries) = (self.store, &queries[..]);
        self.write(&ReadRows { store, queries }).await
    }

    async fn table_mark(&self, table: NamedTable) -> Result<TableMark, StoreError> {
        self.write(&ReadMark(table)).await
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> Decision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store;
        let update = UpdateRows {
            store,
            queries,
            decide,
        };
        self.write(&update).await
    }

    fn location(&self) -> PathBuf {
        self.address.redacted().into()
    }
}

/// Returns all nodes that have ever used a database, by name. Takes over no node.
///
/// # Errors
/// As [`PostgresStore::open`](crate::PostgresStore::open).
pub async fn stored_nodes(url: &str) -> Result<Vec<StoredNode>, StoreError> {
    let address = Address::parse(url, Durability::Disk)?;
    let work = async {
        let mut connection = opening::open(&address).await?;
        node_rows::all(&mut connection).await
    };
    work.await
        .map_err(|error: DbError| error.at(address.redacted()))
}
