//! Finds and reads orphaned matches: matches of a node whose lease has expired, and matches that a
//! node has released.
//!
//! Orphaned matches are read outside the transactions of the writer, so that its commits continue.
//! They are then taken over in several short transactions, each of which verifies that the matches
//! have not changed since they were read. Every commit of a node appends a batch with the next
//! number to its journal, and the newest batch is never deleted. So the node has committed nothing
//! as long as the newest number is the same and no server has opened the node. A node never commits
//! to a match that it has released. Another node that takes over matches of the same node changes
//! only these matches.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
    sync::{Arc, atomic::AtomicU64},
};

use sqlx::{Connection as _, PgConnection, Row as _};
use tokio::time::timeout;

use super::{
    commit::{self, Retry, Transaction},
    node_number::NodeNumber,
    nodes,
    read_pool::ReadPool,
};
use crate::{
    DamageReport, DamagedValue, IsLeaderOnly, OpenMatch,
    checksum::StoreId,
    db_error::DbError,
    journal::{JournalState, MatchInPlay},
    limits::{MAX_TAKEOVER_MATCHES, POSTGRES_ATTEMPT_TIMEOUT},
    rows::{
        Param, SqlConnection as _, StoredRow as _, Unreadable,
        journal::load_batches,
        open_matches::{OpenRow, RowWithHeader},
        scalar,
        whole_matches::{UnreadableMatch, WholeMatch, read_whole, split},
    },
};

/// The reason why matches are orphaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrphanCause {
    /// The lease of the node has expired. Contains the last activity of the node at the time when
    /// the matches were read.
    Expired(LastActivity),
    /// The node has released the matches.
    Released,
}

/// The last activity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastActivity {
    /// The number of the newest batch of the node.
    newest: i64,
    /// The number of times that a server has opened the node. It is compared because the newest
    /// batches may be lost in a crash of the database, and a server that opens the node later
    /// reuses their numbers.
    openings: i64,
}

impl LastActivity {
    pub(super) async fn read(
        connection: &mut PgConnection,
        node: NodeNumber,
    ) -> Result<Self, DbError> {
        let openings = "SELECT openings FROM node WHERE number = $1";
        let openings = scalar(connection, openings, &[node.get().into()]).await?;
        Ok(Self {
            newest: commit::newest_batch(connection, node).await?,
            openings: openings.ok_or(sqlx::Error::RowNotFound)?,
        })
    }
}

/// The readable orphaned matches of a node.
pub(super) struct OrphanedMatches {
    pub(super) node: NodeNumber,
    pub(super) kind: OrphanCause,
    /// The matches by match key, in the order in which they were opened.
    matches: BTreeMap<i64, WholeMatch>,
}

impl OrphanedMatches {
    /// Reads a snapshot of the matches of a node with an expired lease, or some of the matches that
    /// a node has released, except those with keys in `released_except`. Also returns the match
    /// keys of unreadable matches.
    async fn read(
        readers: &ReadPool,
        store: StoreId,
        node: NodeNumber,
        released_except: Option<&[i64]>,
    ) -> Result<(Self, Vec<i64>), DbError> {
        let mut reader = readers.acquire().await?;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut connection = reader.begin_with(begin).await?;
        let (kind, read) = match released_except {
            Some(excluding) => {
                let read = read_released(&mut connection, store, node, excluding).await?;
                (OrphanCause::Released, read)
            }
            None => {
                let last = LastActivity::read(&mut connection, node).await?;
                let read = read_whole(&mut *connection, store, node.range()).await?;
                (OrphanCause::Expired(last), read)
            }
        };
        let (mut matches, mut unreadable) = (BTreeMap::new(), Vec::new());
        for read in read {
            match read {
                Ok(orphan) => _ = matches.insert(orphan.row.match_key, orphan),
                Err(orphan) => unreadable.push(orphan.match_key),
            }
        }
        Ok((Self { node, kind, matches }, unreadable))
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
            let open = OpenMatch::from(self.matches.remove(old)?);
            let state = JournalState {
                match_key: *match_key,
                opened_at_unix_ms: open.opened_at_unix_ms,
                entries: open.journal.len() as u64,
                last_batch: (!open.journal.is_empty()).then_some(batch),
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
        retries: Arc<AtomicU64>,
    ) -> Result<(), DbError> {
        let mut retry = Retry::new(retries);
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
        // The node may be this one, if it has become the leader since the release.
        let except = Param::Numbers(&unreadable);
        let mut reader = readers.acquire().await?;
        let matches = "released_match JOIN open_match USING (match_key)";
        let released = find_node(&mut reader, "true", matches, &[except]).await?;
        drop(reader);
        if let Some(node) = released {
            self.orphans = None;
            let read = OrphanedMatches::read(readers, store, node, Some(&unreadable)).await?;
            let is_leader = nodes::is_leader(&mut *readers.acquire().await?, this).await?;
            self.set_found(read);
            let orphans = self.orphans.as_ref();
            if orphans.is_some_and(|orphans| {
                orphans.candidates(is_leader, is_leader_only).next().is_some()
            }) {
                return Ok(());
            }
            // If only the leader may take over the released matches, this node can still take over
            // matches of an expired node.
        }
        let mut reader = readers.acquire().await?;
        let (nodes, params) = ("lease_until < now() AND number <> $2", [except, this.get().into()]);
        let Some(node) = find_node(&mut reader, nodes, "open_match", &params).await? else {
            self.orphans = None;
            return Ok(());
        };
        let last = LastActivity::read(&mut reader, node).await?;
        drop(reader);
        let is_current = |orphans: &OrphanedMatches| {
            (orphans.node, orphans.kind) == (node, OrphanCause::Expired(last))
        };
        if !self.orphans.as_ref().is_some_and(is_current) {
            // Frees the old matches before the new ones are read.
            self.orphans = None;
            self.set_found(OrphanedMatches::read(readers, store, node, None).await?);
        }
        Ok(())
    }

    fn set_found(&mut self, (orphans, unreadable): (OrphanedMatches, Vec<i64>)) {
        self.unreadable.extend(unreadable);
        self.orphans = Some(orphans);
    }
}

/// Returns the first of some nodes that has such matches, whose keys are not in parameter 1.
async fn find_node(
    connection: &mut PgConnection,
    nodes: &str,
    matches: &str,
    params: &[Param<'_>],
) -> Result<Option<NodeNumber>, DbError> {
    let find = format!(
        "SELECT number FROM node WHERE {nodes} AND EXISTS (
             SELECT 1 FROM {matches}
             WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                 AND match_key <> ALL ($1))
         ORDER BY number LIMIT 1"
    );
    let number: Option<i64> = scalar(connection, &find, params).await?;
    number.map(NodeNumber::new).transpose()
}

/// Releases matches in play.
pub(super) struct ReleaseMatches<'a>(pub(super) Vec<&'a MatchInPlay>);

impl Transaction for ReleaseMatches<'_> {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<(), DbError> {
        for MatchInPlay { state, batches, .. } in &self.0 {
            // If the result of an earlier attempt was lost, the attempt may have been committed,
            // and another node may have taken over the match since.
            let insert = "INSERT INTO released_match (match_key, entries, batches)
                 SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM open_match WHERE match_key = $1)
                 ON CONFLICT DO NOTHING";
            let (key, entries) = (state.match_key.into(), state.entries.cast_signed().into());
            let batches: Vec<i64> = batches.iter().collect();
            connection.execute(insert, &[key, entries, Param::Numbers(&batches)]).await?;
        }
        Ok(())
    }
}

/// Counts the released matches of a node that no node has taken over yet.
pub(super) async fn count_released(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<u64, DbError> {
    let count = "SELECT count(*) FROM released_match JOIN open_match USING (match_key)
         WHERE match_key > $1 AND match_key <= $2";
    let params = [node.base().into(), node.last().into()];
    let count: Option<i64> = scalar(connection, count, &params).await?;
    Ok(count.unwrap_or_default().unsigned_abs())
}

/// Reads the first released matches of a node, up to the limit of one takeover. Requires an open
/// snapshot transaction.
async fn read_released(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
    excluding: &[i64],
) -> Result<Vec<Result<WholeMatch, UnreadableMatch>>, DbError> {
    let select = "SELECT match_key, match_id, opened_at_unix_ms, header, checksum, entries, batches
         FROM open_match JOIN released_match USING (match_key)
         WHERE match_key > $1 AND match_key <= $2 AND match_key <> ALL ($3)
         ORDER BY match_key LIMIT $4";
    let params = [
        node.base().into(),
        node.last().into(),
        Param::Numbers(excluding),
        (MAX_TAKEOVER_MATCHES as i64).into(),
    ];
    let rows = connection.query(select, &params).await?;
    let (mut open, mut entries, mut batches) = (Vec::new(), HashMap::new(), BTreeSet::new());
    for row in &rows {
        let with_header = RowWithHeader::read(store, row);
        entries.insert(with_header.row.match_key, row.try_get::<i64, _>("entries")?);
        batches.extend(row.try_get::<Vec<i64>, _>("batches")?);
        open.push(with_header);
    }
    let batches = Vec::from_iter(batches);
    let loaded = load_batches(connection, store, open, &batches).await?;
    let check = |read: Result<WholeMatch, UnreadableMatch>| {
        let whole = read?;
        let WholeMatch { row: OpenRow { match_key, match_id, .. }, journal, .. } = &whole;
        if entries.get(match_key) == Some(&(journal.len() as i64)) {
            return Ok(whole);
        }
        let value = DamagedValue::Journal(match_id.clone());
        let detail = "entries that were stored at the release are missing".to_owned();
        Err(UnreadableMatch { match_key: *match_key, damage: DamageReport { value, detail } })
    };
    Ok(split(loaded).into_iter().map(check).collect())
}

/// Claims the matches that are still released, and returns their keys. Skips matches that another
/// node is claiming, because waiting for that node would delay the commits of this one.
pub(super) async fn claim_released(
    connection: &mut PgConnection,
    keys: &[i64],
) -> Result<HashSet<i64>, DbError> {
    let claim = "DELETE FROM released_match WHERE match_key IN (
             SELECT match_key FROM released_match WHERE match_key = ANY ($1)
             FOR UPDATE SKIP LOCKED)
         RETURNING match_key";
    let rows = connection.query(claim, &[Param::Numbers(keys)]).await?;
    let keys = rows.iter().map(|row| row.value(0));
    Ok(keys.collect::<Result<_, Unreadable>>()?)
}

/// Takes back the matches that a node has released and no other node has taken over. Called in the
/// transaction that takes over the node.
pub(super) async fn reclaim_released(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<(), DbError> {
    let delete = "DELETE FROM released_match WHERE match_key > $1 AND match_key <= $2";
    let params = [node.base().into(), node.last().into()];
    connection.execute(delete, &params).await?;
    Ok(())
}
