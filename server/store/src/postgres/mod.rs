//! The store in a PostgreSQL database.
//!
//! Only one connection changes the matches of the node, so their state is cached in memory. A
//! second one changes keys and secrets. Each of their transactions begins by checking the fence:
//! that the node is still in the epoch in which this server took it over. A few connections read
//! finished matches, and a separate one reads keys. If flushes are slow, a few more connections
//! flush commits while the write connection continues.

mod address;
mod commands;
mod commit;
mod credentials;
mod flushes;
mod hosts;
mod keys;
mod migrations;
mod node_number;
mod nodes;
mod nodes_impl;
pub(crate) mod opening;
mod orphans;
mod read_pool;
mod session_locks;
mod session_settings;
mod sessions;
mod sql;
mod takeover;
#[cfg(test)]
mod upgrade_tests;
mod write_connection;
mod writer;

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicU64},
};

use async_trait::async_trait;
use tokio::sync::Mutex;

use crate::{
    CompiledFuture, Durability, FinishedCursor, FinishedMatch, FinishedPage, Flush, IndexKey,
    KeyName, KeysVersion, ListedPage, MatchId, NodeIdentity, OpenMatch, OpenReport, ReplayMetadata,
    Store, StoreError, Write,
    checksum::StoreId,
    db_error::DbError,
    detached::run_detached,
    limits::{MAX_PAGE_MATCHES, MAX_SCANNED_ENTRIES, POSTGRES_READ_CONNECTIONS},
    named_rows::{NamedTable, QueryResults, RowDecision, RowQuery, RowStore},
    rows::{
        finished::{self, MaybeUnflushed},
        named, replays, row_sums,
    },
    schema::{self, Schema},
};

use address::Address;
use flushes::Flushers;
use keys::{KeyWriter, UpdateRows};
use nodes::LeaseRenewer;
use opening::Readers;
use orphans::OrphanFinder;
use read_pool::{ReadPool, Reader};
use sessions::Sessions;
use writer::Writer;

pub use commands::{migrate_database, remove_node, stored_nodes};
pub use keys::PostgresKeys;

/// A [`Store`] in a PostgreSQL database. Opening it takes over the node from its previous server.
///
/// ```no_run
/// use bridgemaster_store::{Durability, PostgresStore, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "postgres://bridgemaster@db.example/bridgemaster";
/// let store = PostgresStore::open(url, Durability::Disk).await?;
/// println!("{} matches in play", store.open_match_ids().await?.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PostgresStore {
    address: Address,
    store: StoreId,
    open_report: OpenReport,
    /// `None` once the store is closed. Shared with the running commit.
    writer: Arc<Mutex<Option<Writer>>>,
    key_writer: Arc<KeyWriter>,
    readers: Readers,
    flushers: Arc<Flushers>,
    lease_renewer: LeaseRenewer,
    /// The number of repeated operations.
    retries: Arc<AtomicU64>,
    /// Orphaned matches of other nodes. This lock is acquired before that of the writer.
    orphans: Arc<Mutex<OrphanFinder>>,
}

impl PostgresStore {
    /// Opens a database as [`open_as`](Self::open_as) does, as the node with the default name.
    ///
    /// # Errors
    /// Returns the errors of [`open_as`](Self::open_as).
    pub async fn open(url: &str, durability: Durability) -> Result<Self, StoreError> {
        Self::open_as(url, durability, &NodeIdentity::default()).await
    }

    /// Opens the database with the address `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, which may
    /// list several `HOST:PORT`. Creates the tables in an empty database, migrates those of an
    /// older version, takes over the node, and loads its matches in play. Commits of the node's
    /// previous server then fail with [`StoreError::EpochEnded`]. The lease of the node must be
    /// [renewed](crate::Nodes::renew_lease), since commits fail without a lease.
    ///
    /// # Errors
    /// Returns [`StoreError::InvalidAddress`], an error of a database that
    /// [is unavailable](StoreError::is_unavailable), [`StoreError::SettingIgnored`],
    /// [`StoreError::SharedSessions`], [`StoreError::UnsupportedPostgres`];
    /// [`StoreError::ForeignTables`], [`StoreError::NewerSchema`], [`StoreError::OlderSchema`] and
    /// [`StoreError::NodeTooOld`] for a database that is not accepted, which is left unchanged;
    /// [`StoreError::Corrupt`], before which the tables may already have been migrated. Single
    /// damaged values are not errors: see [`Store::open_report`].
    pub fn open_as<'a>(
        url: &'a str,
        durability: Durability,
        identity: &'a NodeIdentity,
    ) -> CompiledFuture<'a, Result<Self, StoreError>> {
        Box::pin(Self::open_with(url, durability, identity, &schema::CURRENT))
    }

    async fn open_with(
        url: &str,
        durability: Durability,
        identity: &NodeIdentity,
        schema: &Schema,
    ) -> Result<Self, StoreError> {
        let address = Address::parse(url, durability)?;
        let sessions = Sessions::new(address.clone());
        let (writer, node, open_report) =
            Writer::start(&address, &sessions, identity, schema).await?;
        let unflushed = Arc::clone(&writer.unflushed);
        Ok(Self {
            flushers: Arc::new(Flushers::new(sessions.clone(), node, unflushed)),
            store: writer.store,
            key_writer: Arc::new(KeyWriter::new(sessions.clone(), None, Some(node))),
            open_report,
            readers: Readers {
                matches: Arc::new(ReadPool::new(address.clone(), POSTGRES_READ_CONNECTIONS)),
                keys: ReadPool::new(address.clone(), 1),
            },
            retries: sessions.retries(),
            lease_renewer: LeaseRenewer::new(
                sessions,
                writer.store,
                node,
                Arc::clone(&writer.in_play_count),
            ),
            orphans: Arc::default(),
            writer: Arc::new(Mutex::new(Some(writer))),
            address,
        })
    }

    /// Runs `work`, and adds the address of the database to its error.
    async fn at<T>(&self, work: impl Future<Output = Result<T, DbError>>) -> Result<T, StoreError> {
        self.address.at(work).await
    }

    /// Returns a connection for reading.
    async fn reader(&self) -> Result<Reader<'_>, DbError> {
        self.readers.matches.acquire().await
    }

    /// Withholds a value that was read from finished matches until they are flushed, because a
    /// crash of the database must not undo what a client has seen.
    async fn after_flush<T>(&self, (value, newest): MaybeUnflushed<T>) -> Result<T, DbError> {
        if newest.is_some_and(|newest| !self.flushers.is_finished_flushed(newest)) {
            self.flushers.flush_all().await?;
        }
        Ok(value)
    }
}

/// Completes when the commit with this number is flushed.
async fn flush(
    flushers: &Flushers,
    writer: &Mutex<Option<Writer>>,
    number: i64,
) -> Result<(), DbError> {
    while !flushers.flush(number).await? {
        open_writer(&mut *writer.lock().await)?.restore_lost().await?;
    }
    Ok(())
}

fn open_writer(writer: &mut Option<Writer>) -> Result<&mut Writer, DbError> {
    Ok(writer.as_mut().ok_or(StoreError::Closed)?)
}

impl RowStore for PostgresStore {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        self.at(async {
            let is_of_keys = queries.iter().any(|query| query.table.is_of_keys());
            let readers = if is_of_keys { &self.readers.keys } else { &self.readers.matches };
            let mut reader = readers.acquire().await?;
            let results = named::read(&mut *reader, self.store, &queries).await?;
            drop(reader);
            // A record is withheld until it is flushed, like a finished match. Records have no
            // numbers to compare, so everything is flushed. Changes to other rows wait for their
            // own flush.
            let is_record = |query: &RowQuery| query.table == NamedTable::Record;
            if queries.iter().any(is_record) && results.iter().flatten().any(Result::is_ok) {
                self.flushers.flush_all().await?;
            }
            Ok(results)
        })
        .await
    }

    async fn read_keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.at(async { row_sums::keys_version(&mut *self.readers.keys.acquire().await?).await })
            .await
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let (writer, store) = (Arc::clone(&self.key_writer), self.store);
        let update = UpdateRows { store, queries, decide };
        self.at(run_detached(async move { writer.write(&update).await })).await
    }

    fn location(&self) -> PathBuf {
        self.address.redacted().into()
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError> {
        let (writer, flushers) = (Arc::clone(&self.writer), Arc::clone(&self.flushers));
        let address = self.address.clone();
        let committed = run_detached(async move {
            let committed = open_writer(&mut *writer.lock().await)?.commit(batch).await?;
            let Some(number) = committed else {
                return Ok(Flush::already_durable());
            };
            // Spawned, because the caller might never await the flush.
            let flushing = run_detached(async move {
                let flushed = flush(&flushers, &writer, number).await;
                flushed.map_err(|error| error.at(address.redacted()))
            });
            Ok(Flush::from_future(flushing))
        });
        self.at(committed).await
    }

    fn open_report(&self) -> OpenReport {
        self.open_report.clone()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.at(async { Ok(open_writer(&mut *self.writer.lock().await)?.open_match_ids()) }).await
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.at(async {
            let mut writer = self.writer.lock().await;
            let readers = &self.readers.matches;
            open_writer(&mut writer)?.open_match(readers, id).await
        })
        .await
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.at(async {
            let mut writer = self.writer.lock().await;
            let readers = &self.readers.matches;
            open_writer(&mut writer)?.open_match_header(readers, id).await
        })
        .await
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        self.at(async {
            let store = self.store;
            let page = finished::page(&mut *self.reader().await?, store, after, limit).await?;
            self.after_flush(page).await
        })
        .await
    }

    async fn list(
        &self,
        before: Option<&MatchId>,
        limit: u32,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        self.at(async {
            let store = self.store;
            let (sql, scanned) = (&mut *self.reader().await?, MAX_SCANNED_ENTRIES);
            let page = finished::list(sql, store, before, limit, keys, scanned).await?;
            self.after_flush(page).await
        })
        .await
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        self.at(async {
            let found = finished::get(&mut *self.reader().await?, self.store, id).await?;
            self.after_flush(found).await
        })
        .await
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.at(async {
            let found = finished::find_party(&mut *self.reader().await?, id, name).await?;
            self.after_flush(found).await
        })
        .await
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.at(async {
            let replay = replays::replay(&mut *self.reader().await?, self.store, id).await?;
            self.after_flush(replay).await
        })
        .await
    }

    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        skip_newest: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        self.at(async {
            let found = replays::stored_replays(
                &mut *self.reader().await?,
                self.store,
                after,
                limit,
                skip_newest,
            )
            .await?;
            self.after_flush(found).await
        })
        .await
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.readers.matches.close().await;
        self.readers.keys.close().await;
        let lease_session = self.lease_renewer.stop().await;
        let (writer, flushers) = (Arc::clone(&self.writer), Arc::clone(&self.flushers));
        let key_writer = Arc::clone(&self.key_writer);
        self.at(run_detached(async move {
            let closed = match writer.lock().await.take() {
                Some(writer) => writer.close().await,
                None => Ok(()),
            };
            if let Some(session) = lease_session {
                // If this fails, the connection is already closed.
                let _ = session.close().await;
            }
            // A change of keys on another node may delay this, but must not delay the release of
            // the lease.
            key_writer.close().await;
            flushers.close().await;
            closed
        }))
        .await
    }
}
