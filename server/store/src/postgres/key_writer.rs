//! The transactions of API keys and secrets, and the connection that writes them. It is separate
//! from the write connection, so that commits of matches do not wait for keys that another server
//! has locked.

use sqlx::{AssertSqlSafe, PgConnection};
use tokio::sync::Mutex;

use super::{
    db_error::DbError,
    node_number::NodeEpoch,
    sessions::Sessions,
    write_connection::{ServerContext, Transaction, WriteConnection},
};
use crate::{
    StoreError,
    checksum::StoreId,
    named_rows::{Decision, NamedTable, QueryResults, RowQuery, TableMark},
    rows::named,
};

/// Writes the keys and secrets of a server.
#[derive(Debug)]
pub(super) struct KeyWriter(
    /// `None` once the store is closed.
    Mutex<Option<WriteConnection>>,
);

impl KeyWriter {
    /// Creates the writer. The first transaction connects.
    pub(super) fn new(sessions: Sessions, node: NodeEpoch) -> Self {
        let server = ServerContext {
            node,
            unflushed: None,
        };
        let connection = WriteConnection::new(sessions, None, Some(server));
        Self(Mutex::new(Some(connection)))
    }

    pub(super) async fn write<W: Transaction>(&self, work: &W) -> Result<W::Output, DbError> {
        let mut connection = self.0.lock().await;
        let connection = connection.as_mut().ok_or(StoreError::Closed)?;
        connection.write(work).await
    }

    /// Closes the connection; later transactions fail.
    pub(super) async fn close(&self) {
        if let Some(connection) = self.0.lock().await.take() {
            // If this fails, the connection is already closed.
            let _ = connection.close().await;
        }
    }
}

/// Reads rows in a transaction of their own.
pub(super) struct ReadRows<'a> {
    pub(super) store: StoreId,
    pub(super) queries: &'a [RowQuery],
}

impl Transaction for ReadRows<'_> {
    type Output = QueryResults;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<QueryResults, DbError> {
        named::read(connection, self.store, self.queries).await
    }
}

/// Reads the mark of a table in a transaction of its own.
pub(super) struct ReadMark(pub(super) NamedTable);

impl Transaction for ReadMark {
    type Output = TableMark;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<TableMark, DbError> {
        named::mark(connection, self.0).await
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
    D: Fn(QueryResults, bool) -> Decision<T> + Send + Sync,
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

/// Locks a table against other writers until the transaction ends. Readers are not blocked.
/// Requires an open transaction. It waits at most 1 s and is then retried, since the transaction
/// also locks the row of the node, which delays a takeover of its matches.
async fn lock(connection: &mut PgConnection, table: NamedTable) -> Result<(), DbError> {
    let lock = format!(
        "SET LOCAL lock_timeout = '1s'; LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE",
        table.sql_name()
    );
    sqlx::raw_sql(AssertSqlSafe(lock))
        .execute(connection)
        .await?;
    Ok(())
}
