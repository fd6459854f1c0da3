//! What a node has left, read before it is taken over: all that it had, if it has no lease any more,
//! or what it has released.
//!
//! It is read beside the commits of whoever takes it over: matches are then taken some at a time,
//! each time in a short transaction. That finds out whether what was read is still so. Every commit of
//! a node adds a batch of the next number to its journal, and the newest stays there; so while the
//! newest has the same number, and no server has opened the node since, it has committed nothing. Of a
//! match that it has released, it commits nothing in any case. Other nodes that take matches from it
//! change those alone which they take.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use sqlx::{PgConnection, postgres::PgPool};
use tokio::time::timeout;

use super::{
    failure::Fault,
    journal,
    link::Patience,
    node_number::NodeNumber,
    node_rows, released_rows,
    whole_matches::{self, WholeMatch},
};
use crate::{
    IsLed, OpenMatch, checksum::StoreId, journal::in_play::Standing, limits::POSTGRES_TRY_TIMEOUT,
};

/// How a node has left matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It has no lease. This is what it had done last when it was read.
    Gone(Last),
    /// It has released them.
    Released,
}

/// Begins to read the database as it is at one moment.
const ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What a node did last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Last {
    /// The number of its newest batch.
    newest: i64,
    /// How often a server has opened it. A crash of the database may lose the newest batches, and a
    /// server that opens the node then gives their numbers again.
    openings: i64,
}

impl Last {
    /// As the database has it.
    pub(super) async fn of(connection: &mut PgConnection, node: NodeNumber) -> Result<Self, Fault> {
        let openings = sqlx::query_scalar("SELECT openings FROM node WHERE number = $1");
        let openings = openings
            .bind(node.get())
            .fetch_one(&mut *connection)
            .await?;
        Ok(Self {
            newest: journal::newest(connection, node).await?,
            openings,
        })
    }
}

/// The matches that a node has left, but for those that cannot be read.
pub(super) struct LeftMatches {
    pub(super) node: NodeNumber,
    pub(super) how: Left,
    /// By their keys, and so in the order in which they were opened.
    matches: BTreeMap<i64, WholeMatch>,
}

impl LeftMatches {
    /// Reads what a node without a lease has left, as it is at one moment, and which of it cannot be
    /// read.
    async fn of_gone(
        readers: &PgPool,
        store: StoreId,
        node: NodeNumber,
    ) -> Result<(Self, Vec<i64>), Fault> {
        let mut connection = readers.begin_with(ONE_MOMENT).await?;
        let last = Last::of(&mut connection, node).await?;
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
            how: Left::Gone(last),
            matches,
        };
        Ok((left, unreadable))
    }

    /// Reads some of what a node has released, and which of it cannot be read.
    async fn of_released(
        readers: &PgPool,
        store: StoreId,
        node: NodeNumber,
        but_for: &[i64],
    ) -> Result<(Self, Vec<i64>), Fault> {
        let mut connection = readers.begin_with(ONE_MOMENT).await?;
        let read = released_rows::read_some(&mut connection, store, node, but_for).await?;
        let (matches, unreadable) = read;
        let matches = matches.into_iter().map(|left| (left.row.match_key, left));
        let left = Self {
            node,
            how: Left::Released,
            matches: matches.collect(),
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
        is_led: IsLed,
    ) -> Result<(), Fault> {
        let mut patience = Patience::default();
        loop {
            let looked = timeout(
                POSTGRES_TRY_TIMEOUT,
                self.try_to_look(readers, store, this, is_led),
            );
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
        is_led: IsLed,
    ) -> Result<(), Fault> {
        let unreadable: Vec<i64> = self.unreadable.iter().copied().collect();
        // First, since their bots are there and wait.
        if let Some(node) = released_rows::node(readers, &unreadable).await? {
            self.left = None;
            let read = LeftMatches::of_released(readers, store, node, &unreadable).await?;
            let leads = node_rows::leads(readers, this).await?;
            self.found_now(read);
            let left = self.left.as_ref();
            if left.is_some_and(|left| left.candidates(leads, is_led).next().is_some()) {
                return Ok(());
            }
            // They wait for the node that leads. What a dead node left does not wait for them.
        }
        let Some(node) = gone(readers, this, &unreadable).await? else {
            self.left = None;
            return Ok(());
        };
        let last = Last::of(&mut *readers.acquire().await?, node).await?;
        let is_known = |left: &LeftMatches| (left.node, left.how) == (node, Left::Gone(last));
        if !self.left.as_ref().is_some_and(is_known) {
            // Not both at once in memory.
            self.left = None;
            self.found_now(LeftMatches::of_gone(readers, store, node).await?);
        }
        Ok(())
    }

    fn found_now(&mut self, (left, unreadable): (LeftMatches, Vec<i64>)) {
        self.unreadable.extend(unreadable);
        self.left = Some(left);
    }
}

/// The first node that has matches and no lease, but for matches of these keys.
async fn gone(
    readers: &PgPool,
    this: NodeNumber,
    but_for: &[i64],
) -> Result<Option<NodeNumber>, Fault> {
    let number: Option<i64> = sqlx::query_scalar(
        "SELECT number FROM node WHERE lease_until < now() AND number <> $1 AND EXISTS (
             SELECT 1 FROM open_match
             WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                 AND match_key <> ALL ($2))
         ORDER BY number LIMIT 1",
    )
    .bind(this.get())
    .bind(but_for)
    .fetch_optional(readers)
    .await?;
    number.map(NodeNumber::new).transpose()
}
