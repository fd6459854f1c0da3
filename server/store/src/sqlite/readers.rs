//! Connections that read while another writes, made when they are needed.

use std::{path::PathBuf, sync::Arc, time::Duration};

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{failure::Fault, opening};
use crate::{StoreError, detached::on_a_thread};

/// How long a read waits for a connection that another has: reads are short.
const PATIENCE: Duration = Duration::from_secs(5);

/// A few connections, each used by one read at a time.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    connections: u32,
    /// Closed with the store.
    places: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// At most so many connections to a database.
    pub(super) fn new(path: PathBuf, connections: u32) -> Self {
        Self {
            path,
            connections,
            places: Arc::new(Semaphore::new(connections as usize)),
            idle: Arc::default(),
        }
    }

    /// Reads with a connection, on a thread where it may block.
    ///
    /// # Errors
    /// What the read fails with; [`StoreError::Busy`] if others have all connections for long;
    /// [`StoreError::Closed`].
    pub(super) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        let place = self.place().await?;
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        on_a_thread(move || {
            let known = idle.lock().pop();
            let connection = match known {
                Some(connection) => connection,
                None => opening::reading(&path)?,
            };
            let read = work(&connection);
            idle.lock().push(connection);
            // After the connection is where the next one looks for it.
            drop(place);
            read
        })
        .await
    }

    /// A place for a read.
    pub(super) async fn place(&self) -> Result<OwnedSemaphorePermit, Fault> {
        let place = timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await;
        match place {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(StoreError::Closed.into()),
            Err(_) => Err(StoreError::Busy {
                path: self.path.clone(),
            }
            .into()),
        }
    }

    /// Waits for the reads that run, and lets go of the database.
    pub(super) async fn close(&self) {
        // Fails if it is closed already.
        let all = self.places.acquire_many(self.connections).await;
        self.places.close();
        self.idle.lock().clear();
        drop(all);
    }
}
