//! A pool of read connections, opened on demand.

use std::{path::PathBuf, sync::Arc, time::Duration};

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{db_error::DbError, opening};
use crate::{StoreError, detached::run_blocking};

/// Timeout for waiting until a connection is free. Reads are short.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A few connections, each used by one read at a time.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    connections: u32,
    /// Limits the number of running reads. The semaphore is closed together with the store.
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// Creates a pool with a maximum number of connections.
    pub(super) fn new(path: PathBuf, connections: u32) -> Self {
        Self {
            path,
            connections,
            permits: Arc::new(Semaphore::new(connections as usize)),
            idle: Arc::default(),
        }
    }

    /// Runs a read on a thread where it is allowed to block.
    ///
    /// # Errors
    /// The read's own error; [`StoreError::Busy`] if no connection is free in time;
    /// [`StoreError::Closed`].
    pub(super) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, DbError> + Send + 'static,
    ) -> Result<R, DbError> {
        let permit = self.acquire().await?;
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        run_blocking(move || {
            let idle_connection = idle.lock().pop();
            let connection = match idle_connection {
                Some(connection) => connection,
                None => opening::connect_read_only(&path)?,
            };
            let read = work(&connection);
            idle.lock().push(connection);
            // The permit is released only after the connection is returned to the pool.
            drop(permit);
            read
        })
        .await
    }

    pub(super) async fn acquire(&self) -> Result<OwnedSemaphorePermit, DbError> {
        let permit = timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.permits).acquire_owned()).await;
        match permit {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(StoreError::Closed.into()),
            Err(_) => Err(StoreError::Busy {
                path: self.path.clone(),
            }
            .into()),
        }
    }

    /// Waits for running reads, and closes the connections.
    pub(super) async fn close(&self) {
        // This fails if the pool is already closed.
        let all = self.permits.acquire_many(self.connections).await;
        self.permits.close();
        self.idle.lock().clear();
        drop(all);
    }
}
