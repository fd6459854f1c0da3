//! The transactions of API keys and secrets, and the connection that writes them. It is separate
//! from the write connection, so that commits of matches do not wait for keys that another server
//! has locked. Commands such as `bridgemaster key` run the same transactions while servers use the
//! database.

use std::path::PathBuf;

use sqlx::{AssertSqlSafe, PgConnection};
use tokio::sync::Mutex;

use super::{
    address::Address,
    commit::Transaction,
    node_number::NodeEpoch,
    opening,
    read_pool::ReadPool,
    sessions::{Session, Sessions},
    write_connection::{ServerContext, WriteConnection, commit},
};
use crate::{
    Durability, KeysVersion, StoreError,
    checksum::StoreId,
    db_error::DbError,
    named_rows::{NamedTable, QueryResults, RowDecision, RowQuery, RowStore},
    rows::{named, row_sums},
    schema::{self, SchemaUse},
};

/// Writes the keys and secrets of a server.
#[derive(Debug)]
pub(super) struct KeyWriter(
    /// `None` once the store is closed.
    Mutex<Option<WriteConnection>>,
);

impl KeyWriter {
    /// Creates the writer for a node or for a command. Without a session, the first transaction
    /// connects.
    pub(super) fn new(
        sessions: Sessions,
        session: Option<Session>,
        node: Option<NodeEpoch>,
    ) -> Self {
        let server = node.map(|node| ServerContext { node, unflushed: None });
        Self(Mutex::new(Some(WriteConnection::new(sessions, session, server))))
    }

    pub(super) async fn write<W: Transaction>(&self, work: &W) -> Result<W::Output, DbError> {
        let mut connection = self.0.lock().await;
        let connection = connection.as_mut().ok_or(StoreError::Closed)?;
        connection.write(work).await
    }

    /// Closes the connection; later transactions fail.
    pub(super) async fn close(&self) {
        if let Some(connection) = self.0.lock().await.take() {
            // An error means that the connection is already closed.
            let _ = connection.close().await;
        }
    }
}

/// Reads rows, and applies the changes that `decide` derives from them.
pub(super) struct UpdateRows<D> {
    pub(super) store: StoreId,
    pub(super) queries: Vec<RowQuery>,
    pub(super) decide: D,
}

impl<T: Send, D> Transaction for UpdateRows<D>
where
    D: Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync,
{
    type Output = T;

    async fn run(&self, connection: &mut PgConnection, is_retry: bool) -> Result<T, DbError> {
        for query in &self.queries {
            lock(connection, query.table).await?;
        }
        let decide = |results| (self.decide)(results, is_retry);
        named::update(connection, self.store, &self.queries, decide).await
    }
}

/// Locks a table against other writers until the transaction ends, without blocking readers.
/// Requires an open transaction. The wait is limited to 1 s, after which the transaction is
/// retried. Without this limit, the transaction's lock on the row of the node would delay a
/// takeover of the node's matches.
async fn lock(connection: &mut PgConnection, table: NamedTable) -> Result<(), DbError> {
    let lock = format!(
        "SET LOCAL lock_timeout = '1s'; LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE",
        table.sql_name()
    );
    sqlx::raw_sql(AssertSqlSafe(lock)).execute(connection).await?;
    Ok(())
}

/// Access to the API keys of a database, whether or not servers are running. Does not take over a
/// node.
#[derive(Debug)]
pub struct PostgresKeys {
    address: Address,
    store: StoreId,
    reader: ReadPool,
    writer: KeyWriter,
}

impl PostgresKeys {
    /// Opens the database with this address, as [`PostgresStore::open`](super::PostgresStore::open)
    /// does.
    ///
    /// # Errors
    /// Returns the errors of [`PostgresStore::open`](super::PostgresStore::open), and
    /// [`StoreError::NotMigrated`] instead of a migration.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url, Durability::Disk)?;
        let work = async {
            let mut connection = opening::open(&address, &schema::CURRENT, SchemaUse::Use).await?;
            sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
            let store = opening::store_id(&mut connection).await;
            let store = commit(&mut connection, store).await?;
            let sessions = Sessions::new(address.clone());
            let session = sessions.adopt(connection).await?;
            Ok((store, KeyWriter::new(sessions, Some(session), None)))
        };
        let (store, writer) = address.at(work).await?;
        Ok(Self { reader: ReadPool::new(address.clone(), 1), address, store, writer })
    }
}

impl RowStore for PostgresKeys {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        let work =
            async { named::read(&mut *self.reader.acquire().await?, self.store, &queries).await };
        self.address.at(work).await
    }

    async fn read_keys_version(&self) -> Result<KeysVersion, StoreError> {
        let work = async { row_sums::keys_version(&mut *self.reader.acquire().await?).await };
        self.address.at(work).await
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let update = UpdateRows { store: self.store, queries, decide };
        self.address.at(self.writer.write(&update)).await
    }

    fn location(&self) -> PathBuf {
        self.address.redacted().into()
    }
}
