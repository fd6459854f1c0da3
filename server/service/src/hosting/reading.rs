//! Who may read from the store, and how many at once: what callers read of matches that have ended
//! must hold up neither matches in play nor other callers.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_store::KeyId;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    limits::Limits,
    refusal::Refusal,
    transport::{Origin, Share, Shares},
};

/// The places of those who read.
pub(crate) struct Reading {
    of_keys: Arc<Shares<KeyId>>,
    of_addresses: Arc<Shares<Origin>>,
    of_connections: Arc<Shares<SocketAddr>>,
    turns: Semaphore,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// Who reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    /// The caller's key, on a server that asks for keys.
    pub(crate) key: Option<KeyId>,
    /// The other end of the caller's connection, and where the caller is.
    pub(crate) peer: Option<(SocketAddr, Origin)>,
}

/// The place of one who reads, given back when it is dropped.
pub(crate) struct ReadingPlace {
    _of_key: Option<Share<KeyId>>,
    _of_address: Option<Share<Origin>>,
    _of_connection: Option<Share<SocketAddr>>,
}

impl Reading {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            of_keys: Shares::new("reads_per_key", limits.reads_per_key),
            of_addresses: Shares::new("reads_per_address", limits.reads_per_address),
            of_connections: Shares::new("reads_per_connection", limits.reads_per_connection),
            turns: Semaphore::new(limits.store_reads),
            waiting: AtomicUsize::new(0),
            most_waiting: limits.store_reads_waiting,
        }
    }

    /// Takes a place of the reader's for a call that reads much.
    ///
    /// # Errors
    /// When too many calls of its key, its address or its connection read.
    pub(crate) fn begin(&self, reader: &Reader) -> Result<ReadingPlace, Refusal> {
        let Reader { key, peer } = reader;
        let of_key = key.clone().map(|key| self.of_keys.acquire(key));
        let of_connection = peer.map(|(peer, _)| self.of_connections.acquire(peer));
        let of_address = peer.map(|(_, origin)| self.of_addresses.acquire(origin));
        Ok(ReadingPlace {
            _of_key: of_key.transpose()?,
            _of_connection: of_connection.transpose()?,
            _of_address: of_address.transpose()?,
        })
    }

    /// Waits for its turn to read from the store; who came first has the first.
    ///
    /// # Errors
    /// When too many wait.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        let full = || Refusal::server_limit("store_reads_waiting", self.most_waiting);
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let _waiting = Waiting::begin(self).ok_or_else(full)?;
        // The semaphore is never closed.
        self.turns.acquire().await.map_err(|_| Refusal::stopping())
    }
}

/// One who waits.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(reading: &'a Reading) -> Option<Self> {
        let before = reading.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Self(&reading.waiting);
        (before < reading.most_waiting).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
