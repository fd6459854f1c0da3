//! The store in a PostgreSQL database.
//!
//! One connection writes; it is the only one that changes matches, so what it has to know of the
//! matches in play is kept in memory beside it. Every transaction of it begins with the fence: it
//! goes on only in the epoch in which this server took the store. A few connections read finished
//! matches, and one of its own reads keys. Where flushes are slow, a few more flush what the first has
//! committed while it goes on.

mod address;
mod as_key_store;
mod as_ladder_store;
mod as_node;
mod certificates;
mod commit;
mod failure;
mod finished_rows;
mod flush_times;
mod flushers;
mod found;
mod given_numbers;
mod journal;
mod key_rows;
mod key_store;
mod ladder_rows;
mod left_matches;
mod link;
mod node_list;
mod node_number;
mod node_rows;
mod note_rows;
mod open_rows;
mod opening;
mod pulse;
mod released_rows;
mod replay_rows;
mod secret_rows;
mod taking;
mod told_rows;
pub(crate) mod transfer;
mod unflushed;
mod whole_matches;
mod work;
mod writer;

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;

use crate::{
    CompiledFuture, Damage, Durability, FinishedCursor, FinishedMatch, FinishedPage, Flush,
    KeptReplay, KeyName, MatchCounts, MatchId, NodeIdentity, Notes, OpenMatch, Opening, Store,
    StoreError, Write,
    checksum::StoreId,
    detached::detached,
    limits::{MAX_PAGE_MATCHES, POSTGRES_READERS},
    secrets::check_secret,
};

use address::Address;
use failure::Fault;
use flushers::Flushers;
use found::Found;
use left_matches::Orphans;
use opening::Readers;
use pulse::Pulse;
use writer::Writer;

pub use key_store::PostgresKeys;
pub use node_list::stored_nodes;

/// A [`Store`] in a PostgreSQL database, which it takes over from the server that had it before.
///
/// ```no_run
/// use bridgemaster_store::{Durability, PostgresStore, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "postgres://bridgemaster@db.example/bridgemaster";
/// let store = PostgresStore::open(url, Durability::Power).await?;
/// println!("{} matches in play", store.open_match_ids().await?.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PostgresStore {
    address: Address,
    store: StoreId,
    opening: Opening,
    /// `None` once closed. Shared with the commit that runs.
    writer: Arc<Mutex<Option<Writer>>>,
    readers: Readers,
    flushers: Arc<Flushers>,
    pulse: Pulse,
    /// What other nodes have left. Locked before the writer.
    orphans: Arc<Mutex<Orphans>>,
}

impl PostgresStore {
    /// Opens a database as [`open_as`](Self::open_as) does, as the node of a server that was given
    /// no name.
    ///
    /// # Errors
    /// Those of [`open_as`](Self::open_as).
    pub async fn open(url: &str, durability: Durability) -> Result<Self, StoreError> {
        Self::open_as(url, durability, &NodeIdentity::default()).await
    }

    /// Opens the database of an address `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, brings its
    /// schema up to date, takes the node over, and reads which of its matches are in play. A server
    /// that was this node before stores nothing any more: it learns so by
    /// [`StoreError::EpochOver`]. The node has a lease, which has to be
    /// [renewed](crate::Nodes::renew_lease): without one nothing is stored.
    ///
    /// # Errors
    /// [`StoreError::BadAddress`], [`StoreError::Unreachable`],
    /// [`StoreError::CertificateRefused`], [`StoreError::OldPostgres`],
    /// [`StoreError::StandbyOnly`]; [`StoreError::ForeignTables`], [`StoreError::NewerSchema`],
    /// [`StoreError::DifferentSchema`] and [`StoreError::Corrupt`] for a database that is not
    /// believed, which is left as it is. Where single values are damaged, [`Store::opening`] says
    /// so.
    pub fn open_as<'a>(
        url: &'a str,
        durability: Durability,
        identity: &'a NodeIdentity,
    ) -> CompiledFuture<'a, Result<Self, StoreError>> {
        Box::pin(Self::opened(url, durability, identity))
    }

    async fn opened(
        url: &str,
        durability: Durability,
        identity: &NodeIdentity,
    ) -> Result<Self, StoreError> {
        let address = Address::parse(url, durability)?;
        let (writer, node, opening) = Writer::start(&address, identity).await?;
        let unflushed = Arc::clone(writer.unflushed());
        Ok(Self {
            flushers: Arc::new(Flushers::new(address.clone(), node, unflushed)),
            store: writer.store(),
            opening,
            readers: Readers {
                matches: address.readers(POSTGRES_READERS),
                keys: address.readers(1),
            },
            pulse: Pulse::new(address.clone(), node, writer.in_play()),
            orphans: Arc::default(),
            writer: Arc::new(Mutex::new(Some(writer))),
            address,
        })
    }

    /// A failure, told of this database.
    fn told(&self, fault: Fault) -> StoreError {
        fault.at(self.address.shown())
    }

    /// What was read of finished matches, once they are flushed: a crash of the database must not
    /// undo what somebody has seen.
    async fn flushed<T>(&self, found: Result<Found<T>, Fault>) -> Result<T, StoreError> {
        let flushed = async {
            let Found { value, newest } = found?;
            if newest.is_some_and(|newest| !self.flushers.is_finished_flushed(newest)) {
                self.flushers.flush_all().await?;
            }
            Ok(value)
        };
        flushed.await.map_err(|fault| self.told(fault))
    }
}

/// Completes when the commit of a number is flushed.
async fn flush(
    flushers: &Flushers,
    writer: &Mutex<Option<Writer>>,
    number: i64,
) -> Result<(), Fault> {
    while !flushers.flush(number).await? {
        opened(&mut *writer.lock().await)?.put_back().await?;
    }
    Ok(())
}

fn opened(writer: &mut Option<Writer>) -> Result<&mut Writer, Fault> {
    Ok(writer.as_mut().ok_or(StoreError::Closed)?)
}

#[async_trait]
impl Store for PostgresStore {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.begin_commit(batch).await?.wait().await
    }

    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError> {
        let (writer, flushers) = (Arc::clone(&self.writer), Arc::clone(&self.flushers));
        let address = self.address.clone();
        let committed = detached(async move {
            let committed = opened(&mut *writer.lock().await)?.commit(batch).await?;
            let Some(number) = committed else {
                return Ok(Flush::done());
            };
            // Begun here, since nobody may wait for the outcome of this.
            let flushing = detached(async move {
                let flushed = flush(&flushers, &writer, number).await;
                flushed.map_err(|fault| fault.at(address.shown()))
            });
            Ok(Flush::until(flushing))
        });
        committed.await.map_err(|fault: Fault| self.told(fault))
    }

    fn opening(&self) -> Opening {
        self.opening.clone()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        let mut writer = self.writer.lock().await;
        let writer = opened(&mut writer).map_err(|fault| self.told(fault))?;
        Ok(writer.open_match_ids())
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        let mut writer = self.writer.lock().await;
        let work = async {
            let readers = &self.readers.matches;
            opened(&mut writer)?.open_match(readers, id).await
        };
        work.await.map_err(|fault| self.told(fault))
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let mut writer = self.writer.lock().await;
        let work = async {
            let readers = &self.readers.matches;
            opened(&mut writer)?.open_match_header(readers, id).await
        };
        work.await.map_err(|fault| self.told(fault))
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let page = finished_rows::page(&self.readers.matches, self.store, after, limit, of).await;
        self.flushed(page).await
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        let finished = finished_rows::one(&self.readers.matches, self.store, id).await;
        self.flushed(finished).await
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        let is_party = finished_rows::is_party(&self.readers.matches, id, name).await;
        self.flushed(is_party).await
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let replay = replay_rows::get(&self.readers.matches, self.store, id).await;
        self.flushed(replay).await
    }

    async fn kept_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<KeptReplay>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let kept =
            finished_rows::kept_replays(&self.readers.matches, self.store, after, limit, spared)
                .await;
        self.flushed(kept).await
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        let counts = finished_rows::counts(&self.readers.matches).await;
        counts.map_err(|fault| self.told(fault))
    }

    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let read = async {
            let note = note_rows::get(&self.readers.matches, self.store, name).await?;
            // As what is read of finished matches; a note has no number.
            if note.is_some() {
                self.flushers.flush_all().await?;
            }
            Ok(note)
        };
        read.await.map_err(|fault| self.told(fault))
    }

    async fn notes(&self, prefix: &str) -> Result<Notes, StoreError> {
        let read = async {
            let notes = note_rows::all(&self.readers.matches, self.store, prefix).await?;
            if !notes.kept.is_empty() {
                self.flushers.flush_all().await?;
            }
            Ok(notes)
        };
        read.await.map_err(|fault| self.told(fault))
    }

    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let secret = secret_rows::get(&self.readers.matches, self.store, name).await;
        secret.map_err(|fault| self.told(fault))
    }

    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        check_secret(name, &value)?;
        let (writer, name) = (Arc::clone(&self.writer), name.to_owned());
        detached(async move {
            let mut writer = writer.lock().await;
            let writer = opened(&mut writer)?;
            let (store, name, value) = (writer.store(), &name, &value);
            writer
                .write(&secret_rows::Keep { store, name, value })
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn remove_damaged_secrets(&self) -> Result<Vec<Damage>, StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move {
            let mut writer = writer.lock().await;
            let writer = opened(&mut writer)?;
            let store = writer.store();
            writer.write(&secret_rows::RemoveDamaged { store }).await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.readers.matches.close().await;
        self.readers.keys.close().await;
        self.pulse.stop().await;
        let (writer, flushers) = (Arc::clone(&self.writer), Arc::clone(&self.flushers));
        detached(async move {
            let closed = match writer.lock().await.take() {
                Some(writer) => writer.close().await,
                None => Ok(()),
            };
            flushers.close().await;
            closed
        })
        .await
        .map_err(|fault| self.told(fault))
    }
}
