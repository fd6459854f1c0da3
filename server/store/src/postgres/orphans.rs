//! Finds and reads orphaned matches, which are matches of a node with an expired lease and matches
//! that a node has released.
//!
//! Orphaned matches are read outside the transactions of the writer, so that its commits continue.
//! They are then taken over in several short transactions, each of which verifies that the snapshot
//! is still current. Every commit of a node appends a batch with the next number to its journal,
//! and the newest batch is never deleted. So the node has committed nothing while the newest number
//! is the same and no server has opened the node. A node never commits to a match that it has
//! released. Another node that takes over matches of the same node changes only these matches.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use super::{
    db_error::DbError, journal, node_number::NodeNumber, node_rows, read_pool::ReadPool,
    released_rows, write_connection::Retry,
};
use crate::{
    IsLeaderOnly, OpenMatch,
    checksum::StoreId,
    journal::in_play::JournalState,
    limits::POSTGRES_ATTEMPT_TIMEOUT,
    rows::whole_matches::{WholeMatch, read_whole},
};

/// The reason why matches are orphaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrphanKind {
    /// The lease of the node has expired. The value is the last activity of the node when the
    /// matches were read.
    Expired(LastActivity),
    /// The node has released them.
    Released,
}

/// Begins a transaction that reads one snapshot.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The last activity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastActivity {
    /// The number of the newest batch of the node.
    newest: i64,
    /// The number of times that a server has opened the node. A crash of the database may lose the
    /// newest batches, and a server that opens the node afterwards reuses their numbers.
    openings: i64,
}

impl LastActivity {
    pub(super) async fn read(
        connection: &mut PgConnection,
        node: NodeNumber,
    ) -> Result<Self, DbError> {
        let openings = sqlx::query_scalar("SELECT openings FROM node WHERE number = $1");
        let openings = openings
            .bind(node.get())
            .fetch_one(&mut *connection)
            .await?;
        Ok(Self {
            newest: journal::newest_batch(connection, node).await?,
            openings,
        })
    }
}

/// The readable orphaned matches of a node.
pub(super) struct OrphanedMatches {
    pub(super) node: NodeNumber,
    pub(super) kind: OrphanKind,
    /// The matches by match key, in the order in which they were opened.
    matches: BTreeMap<i64, WholeMatch>,
}

impl OrphanedMatches {
    /// Reads a snapshot of the matches of a node with an expired lease. Also returns the match keys
    /// of unreadable matches.
    async fn read_expired(
        readers: &ReadPool,
        store: StoreId,
        node: NodeNumber,
    ) -> Result<(Self, Vec<i64>), DbError> {
        let mut reader = readers.acquire().await?;
        let mut connection = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let last = LastActivity::read(&mut connection, node).await?;
        let (mut matches, mut unreadable) = (BTreeMap::new(), Vec::new());
        for read in read_whole(&mut *connection, store, node.range()).await? {
            match read {
                Ok(orphan) => {
                    matches.insert(orphan.row.match_key, orphan);
                }
                Err(orphan) => unreadable.push(orphan.match_key),
            }
        }
        let orphans = Self {
            node,
            kind: OrphanKind::Expired(last),
            matches,
        };
        Ok((orphans, unreadable))
    }

    /// Reads some of the matches that a node has released. Also returns the match keys of
    /// unreadable matches.
    async fn read_released(
        readers: &ReadPool,
        store: StoreId,
        node: NodeNumber,
        excluding: &[i64],
    ) -> Result<(Self, Vec<i64>), DbError> {
        let mut reader = readers.acquire().await?;
        let mut connection = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let read = released_rows::read_chunk(&mut connection, store, node, excluding).await?;
        let (matches, unreadable) = read;
        let matches = matches
            .into_iter()
            .map(|orphan| (orphan.row.match_key, orphan));
        let orphans = Self {
            node,
            kind: OrphanKind::Released,
            matches: matches.collect(),
        };
        Ok((orphans, unreadable))
    }

    /// Iterates over the matches that a node may take over, in the order in which they were opened.
    pub(super) fn candidates(
        &self,
        is_leader: bool,
        is_leader_only: IsLeaderOnly,
    ) -> impl Iterator<Item = &WholeMatch> {
        let matches = self.matches.values();
        matches.filter(move |orphan| is_leader || !is_leader_only(&orphan.header))
    }

    /// Removes the matches that were taken over, and returns each with its new journal state.
    pub(super) fn remove_taken_over(
        &mut self,
        taken_over: &TakenOver,
        batch: i64,
    ) -> Vec<(JournalState, OpenMatch)> {
        for missing in &taken_over.missing {
            self.matches.remove(missing);
        }
        let moved = taken_over.keys.iter().filter_map(|(old, match_key)| {
            let WholeMatch {
                row,
                header,
                journal,
            } = self.matches.remove(old)?;
            let state = JournalState {
                match_key: *match_key,
                opened_at_unix_ms: row.opened_at_unix_ms,
                entries: journal.len() as u64,
                last_batch: (!journal.is_empty()).then_some(batch),
            };
            let open = OpenMatch {
                match_id: row.match_id,
                opened_at_unix_ms: row.opened_at_unix_ms,
                header,
                journal,
            };
            Some((state, open))
        });
        moved.collect()
    }
}

/// The result of taking over matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TakenOver {
    /// The new match key for each old one.
    pub(super) keys: BTreeMap<i64, i64>,
    /// The old match keys of matches that other nodes had already taken over or dropped.
    pub(super) missing: Vec<i64>,
}

/// Cached orphaned matches, to be taken over next.
#[derive(Default)]
pub(super) struct OrphanFinder {
    orphans: Option<OrphanedMatches>,
    /// Match keys of unreadable matches, which are not taken over.
    unreadable: HashSet<i64>,
}

/// Omits the secret state of matches in play.
impl fmt::Debug for OrphanFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrphanFinder").finish_non_exhaustive()
    }
}

impl OrphanFinder {
    /// Returns the result of the last search.
    pub(super) fn found(&mut self) -> Option<&mut OrphanedMatches> {
        self.orphans.as_mut()
    }

    /// Searches for orphaned matches. While the database is unreachable, retries the search with
    /// the same timeout as a commit.
    pub(super) async fn find(
        &mut self,
        readers: &ReadPool,
        store: StoreId,
        this: NodeNumber,
        is_leader_only: IsLeaderOnly,
    ) -> Result<(), DbError> {
        let mut retry = Retry::default();
        loop {
            let found = timeout(
                POSTGRES_ATTEMPT_TIMEOUT,
                self.try_find(readers, store, this, is_leader_only),
            );
            match found.await.unwrap_or(Err(DbError::Timeout)) {
                Err(error) => retry.wait_after(error).await?,
                Ok(()) => return Ok(()),
            }
        }
    }

    async fn try_find(
        &mut self,
        readers: &ReadPool,
        store: StoreId,
        this: NodeNumber,
        is_leader_only: IsLeaderOnly,
    ) -> Result<(), DbError> {
        let unreadable: Vec<i64> = self.unreadable.iter().copied().collect();
        // Released matches come first, since their bots are connected and waiting.
        let mut reader = readers.acquire().await?;
        let released = released_rows::find_node(&mut *reader, &unreadable).await?;
        drop(reader);
        if let Some(node) = released {
            self.orphans = None;
            let read = OrphanedMatches::read_released(readers, store, node, &unreadable).await?;
            let is_leader = node_rows::is_leader(&mut *readers.acquire().await?, this).await?;
            self.set_found(read);
            let orphans = self.orphans.as_ref();
            if orphans.is_some_and(|orphans| {
                orphans
                    .candidates(is_leader, is_leader_only)
                    .next()
                    .is_some()
            }) {
                return Ok(());
            }
            // Only the leader may take over the released matches, but this node can take over
            // orphans of an expired node.
        }
        let Some(node) = find_expired(readers, this, &unreadable).await? else {
            self.orphans = None;
            return Ok(());
        };
        let last = LastActivity::read(&mut *readers.acquire().await?, node).await?;
        let is_current = |orphans: &OrphanedMatches| {
            (orphans.node, orphans.kind) == (node, OrphanKind::Expired(last))
        };
        if !self.orphans.as_ref().is_some_and(is_current) {
            // Frees the old matches before the new ones are read.
            self.orphans = None;
            self.set_found(OrphanedMatches::read_expired(readers, store, node).await?);
        }
        Ok(())
    }

    fn set_found(&mut self, (orphans, unreadable): (OrphanedMatches, Vec<i64>)) {
        self.unreadable.extend(unreadable);
        self.orphans = Some(orphans);
    }
}

/// Returns the first node with an expired lease that has matches whose match keys are not in
/// `excluding`.
async fn find_expired(
    readers: &ReadPool,
    this: NodeNumber,
    excluding: &[i64],
) -> Result<Option<NodeNumber>, DbError> {
    let number: Option<i64> = sqlx::query_scalar(
        "SELECT number FROM node WHERE lease_until < now() AND number <> $1 AND EXISTS (
             SELECT 1 FROM open_match
             WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                 AND match_key <> ALL ($2))
         ORDER BY number LIMIT 1",
    )
    .bind(this.get())
    .bind(excluding)
    .fetch_optional(&mut *readers.acquire().await?)
    .await?;
    number.map(NodeNumber::new).transpose()
}
