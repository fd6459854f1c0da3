//! A pool of connections for reading. The driver's own pool is not used, because it connects only
//! to one host and with a password that cannot change.

use std::ops::{Deref, DerefMut};

use parking_lot::Mutex;
use sqlx::{Connection as _, PgConnection};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{sleep, timeout},
};

use bridgemaster_lease::limits::{POSTGRES_MAX_BACKOFF, POSTGRES_MIN_BACKOFF};

use super::address::Address;
use crate::{
    StoreError,
    db_error::DbError,
    limits::{POSTGRES_CONNECT_TIMEOUT, POSTGRES_PING_TIMEOUT},
};

/// A pool of read connections, opened on demand.
#[derive(Debug)]
pub(super) struct ReadPool {
    address: Address,
    /// Limits the number of connections in use. Closed together with the store.
    free: Semaphore,
    /// Open connections that are not in use.
    idle: Mutex<Vec<PgConnection>>,
}

impl ReadPool {
    pub(super) fn new(address: Address, max_connections: usize) -> Self {
        Self { address, free: Semaphore::new(max_connections), idle: Mutex::default() }
    }

    /// Waits for a free connection. While the database is unreachable, retries for a short time.
    pub(super) async fn acquire(&self) -> Result<Reader<'_>, DbError> {
        let mut failure = DbError::Timeout;
        let acquiring = async {
            let permit = self.free.acquire().await;
            let permit = permit.map_err(|_| DbError::Store(StoreError::Closed))?;
            let connection = match self.pop_responsive().await {
                Some(connection) => connection,
                None => self.connect(&mut failure).await?,
            };
            Ok(Reader { connection: Some(connection), pool: self, _permit: permit })
        };
        let acquired = timeout(POSTGRES_CONNECT_TIMEOUT, acquiring).await;
        acquired.unwrap_or(Err(failure))
    }

    /// Returns an idle connection that responds.
    async fn pop_responsive(&self) -> Option<PgConnection> {
        let mut connection = self.idle.lock().pop()?;
        let pinged = timeout(POSTGRES_PING_TIMEOUT, connection.ping()).await;
        if matches!(pinged, Ok(Ok(()))) {
            return Some(connection);
        }
        // Once one connection has failed, the other idle ones have probably failed too.
        self.idle.lock().clear();
        None
    }

    /// Connects, with retries until the future is dropped. Stores the last error in `failure`.
    async fn connect(&self, failure: &mut DbError) -> Result<PgConnection, DbError> {
        let mut pause = POSTGRES_MIN_BACKOFF;
        loop {
            match self.address.connect().await {
                Err(error) if error.is_transient() => *failure = error,
                connected => return connected,
            }
            sleep(pause).await;
            pause = POSTGRES_MAX_BACKOFF.min(pause * 2);
        }
    }

    /// Closes all connections; later reads fail.
    pub(super) async fn close(&self) {
        self.free.close();
        let idle = std::mem::take(&mut *self.idle.lock());
        for connection in idle {
            // An error means that the connection is already closed.
            let _ = connection.close().await;
        }
    }
}

/// A connection that returns to its pool when it is dropped.
pub(super) struct Reader<'a> {
    /// `None` only during the drop.
    connection: Option<PgConnection>,
    pool: &'a ReadPool,
    _permit: SemaphorePermit<'a>,
}

impl Deref for Reader<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.connection.as_ref().expect("only `drop` removes it")
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.connection.as_mut().expect("only `drop` removes it")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let connection = self.connection.take();
        if !self.pool.free.is_closed() {
            self.pool.idle.lock().extend(connection);
        }
    }
}
