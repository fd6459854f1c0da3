//! The connection that writes API keys and secrets. It is separate from the write connection, so
//! that commits of matches do not wait for keys that another server has locked.

use tokio::sync::Mutex;

use super::{
    db_error::DbError,
    node_number::NodeEpoch,
    sessions::Sessions,
    write_connection::{ServerContext, Transaction, WriteConnection},
};
use crate::StoreError;

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
