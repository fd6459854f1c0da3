//! Limits expensive reads, so that reads of finished matches delay neither matches in play nor
//! other callers.

use std::{net::SocketAddr, sync::Arc};

use bridgemaster_edge::{
    limits::Limits,
    refusal::Refusal,
    transport::{KeyedLimiter, KeyedPermit, Origin},
};
use bridgemaster_store::KeyId;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Limits on concurrent reads, per caller and in total.
pub struct ReadLimiter {
    of_keys: Arc<KeyedLimiter<KeyId>>,
    of_addresses: Arc<KeyedLimiter<Origin>>,
    of_connections: Arc<KeyedLimiter<SocketAddr>>,
    permits: Semaphore,
    /// A permit for each call that waits.
    waiting: Semaphore,
    max_waiting: usize,
}

/// The caller that requests a read.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// The caller's key; `None` on a server without keys.
    pub key: Option<KeyId>,
    /// The caller's connection and network origin.
    pub peer: Option<(SocketAddr, Origin)>,
}

/// Permission for an expensive read, released when dropped.
pub struct ReadPermit {
    _of_key: Option<KeyedPermit<KeyId>>,
    _of_address: Option<KeyedPermit<Origin>>,
    _of_connection: Option<KeyedPermit<SocketAddr>>,
}

impl ReadLimiter {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            of_keys: KeyedLimiter::new("reads_per_key", limits.reads_per_key),
            of_addresses: KeyedLimiter::new("reads_per_address", limits.reads_per_address),
            of_connections: KeyedLimiter::new("reads_per_connection", limits.reads_per_connection),
            permits: Semaphore::new(limits.store_reads),
            waiting: Semaphore::new(limits.store_reads_waiting),
            max_waiting: limits.store_reads_waiting,
        }
    }

    /// Admits an expensive call by this reader.
    ///
    /// # Errors
    /// Returns an error if too many calls of the reader's key, address or connection are in
    /// progress.
    pub fn admit(&self, reader: &Reader) -> Result<ReadPermit, Refusal> {
        let Reader { key, peer } = reader;
        let of_key = key.clone().map(|key| self.of_keys.acquire(key));
        let of_connection = peer.map(|(peer, _)| self.of_connections.acquire(peer));
        let of_address = peer.map(|(_, origin)| self.of_addresses.acquire(origin));
        Ok(ReadPermit {
            _of_key: of_key.transpose()?,
            _of_connection: of_connection.transpose()?,
            _of_address: of_address.transpose()?,
        })
    }

    /// Waits, in FIFO order, for a permit to read from the store.
    ///
    /// # Errors
    /// Returns an error if too many calls are waiting.
    pub async fn acquire(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(permit);
        }
        let full = |_| Refusal::server_limit("store_reads_waiting", self.max_waiting);
        let _waiting = self.waiting.try_acquire().map_err(full)?;
        // The semaphore is never closed.
        self.permits.acquire().await.map_err(|_| Refusal::stopping())
    }
}
