//! What a node without a lease has left, read before it is taken over.
//!
//! It is read once, and beside the commits of whoever takes it over: matches are then taken some at a
//! time, each time in a short transaction. That finds out whether what was read is still so. Every
//! commit of a node adds a batch of the next number to its journal, and the newest stays there; so
//! while the newest has the same number, the node has committed nothing. Other nodes that take matches
//! from it change those alone which they take.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use sqlx::postgres::PgPool;
use tokio::time::timeout;

use super::{
    failure::Fault,
    journal,
    link::Patience,
    node_number::NodeNumber,
    whole_matches::{self, WholeMatch},
};
use crate::{
    IsLed, OpenMatch, checksum::StoreId, journal::in_play::Standing, limits::POSTGRES_TRY_TIMEOUT,
};

/// The matches that a node has left, but for those that cannot be read.
pub(super) struct LeftMatches {
    pub(super) node: NodeNumber,
    /// The number of the newest batch of the node.
    pub(super) newest: i64,
    /// By their keys, and so in the order in which they were opened.
    matches: BTreeMap<i64, WholeMatch>,
}

impl LeftMatches {
    /// Reads what a node has left, as it is at one moment, and which of it cannot be read.
    async fn read(
        readers: &PgPool,
        store: StoreId,
        node: NodeNumber,
    ) -> Result<(Self, Vec<i64>), Fault> {
        let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut connection = readers.begin_with(snapshot).await?;
        let newest = journal::newest(&mut *connection, node).await?;
        let (mut matches, mut unreadable) = (BTreeMap::new(), Vec::new());
        for read in whole_matches::read(&mut connection, store, node).await? {
            match read {
                Ok(left) => {
                    matches.insert(left.row.match_key, left);
                }
                Err(left) => unreadable.push(left.match_key),
            }
        }
        let left = Self {
            node,
            newest,
            matches,
        };
        Ok((left, unreadable))
    }

    /// Those that a node may take that `leads` or not, in the order in which they were opened.
    pub(super) fn candidates(
        &self,
        leads: bool,
        is_led: IsLed,
    ) -> impl Iterator<Item = &WholeMatch> {
        let matches = self.matches.values();
        matches.filter(move |left| leads || !is_led(&left.header))
    }

    /// Gives away what was taken, each with how it stands now.
    pub(super) fn take(&mut self, taken: &Taken, batch: i64) -> Vec<(Standing, OpenMatch)> {
        for gone in &taken.gone {
            self.matches.remove(gone);
        }
        let given = taken.keys.iter().filter_map(|(old, match_key)| {
            let WholeMatch {
                row,
                header,
                journal,
            } = self.matches.remove(old)?;
            let standing = Standing {
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
            Some((standing, open))
        });
        given.collect()
    }
}

/// Which of them were taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// The new keys of those that were taken, by their old ones.
    pub(super) keys: BTreeMap<i64, i64>,
    /// The old keys of those that were gone.
    pub(super) gone: Vec<i64>,
}

/// What is known of the matches that other nodes have left.
#[derive(Default)]
pub(super) struct Orphans {
    left: Option<LeftMatches>,
    /// Keys of those that cannot be read, and stay where they are.
    unreadable: HashSet<i64>,
}

/// What it holds are secrets of matches in play.
impl fmt::Debug for Orphans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orphans").finish_non_exhaustive()
    }
}

impl Orphans {
    /// What was found by the last look.
    pub(super) fn found(&mut self) -> Option<&mut LeftMatches> {
        self.left.as_mut()
    }

    /// Looks what a node has left that has no lease. While the database is away, it looks again: that
    /// it was away for long is told as of a commit.
    pub(super) async fn look(
        &mut self,
        readers: &PgPool,
        store: StoreId,
        this: NodeNumber,
    ) -> Result<(), Fault> {
        let mut patience = Patience::default();
        loop {
            let looked = timeout(POSTGRES_TRY_TIMEOUT, self.try_to_look(readers, store, this));
            match looked.await.unwrap_or(Err(Fault::NoAnswer)) {
                Err(fault) => patience.after(fault).await?,
                Ok(()) => return Ok(()),
            }
        }
    }

    async fn try_to_look(
        &mut self,
        readers: &PgPool,
        store: StoreId,
        this: NodeNumber,
    ) -> Result<(), Fault> {
        let Some(node) = self.gone(readers, this).await? else {
            self.left = None;
            return Ok(());
        };
        let newest = journal::newest(readers, node).await?;
        let is_known = |left: &LeftMatches| (left.node, left.newest) == (node, newest);
        if !self.left.as_ref().is_some_and(is_known) {
            // Not both at once in memory.
            self.left = None;
            let (left, unreadable) = LeftMatches::read(readers, store, node).await?;
            self.unreadable.extend(unreadable);
            self.left = Some(left);
        }
        Ok(())
    }

    /// The first node that has matches and no lease.
    async fn gone(&self, readers: &PgPool, this: NodeNumber) -> Result<Option<NodeNumber>, Fault> {
        let unreadable: Vec<i64> = self.unreadable.iter().copied().collect();
        let number: Option<i64> = sqlx::query_scalar(
            "SELECT number FROM node WHERE lease_until < now() AND number <> $1 AND EXISTS (
                 SELECT 1 FROM open_match
                 WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                     AND match_key <> ALL ($2))
             ORDER BY number LIMIT 1",
        )
        .bind(this.get())
        .bind(&unreadable)
        .fetch_optional(readers)
        .await?;
        number.map(NodeNumber::new).transpose()
    }
}
