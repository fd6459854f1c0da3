//! Rows of nodes: their names, leases, and leadership, and the connection that renews the lease.

use std::{
    io::ErrorKind,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use sqlx::{PgConnection, postgres::PgRow};
use tokio::{sync::Mutex, time::timeout};

use super::{
    commit::Transaction,
    node_number::{NODE_OF_KEY, NodeEpoch, NodeNumber},
    session_locks::{PeerSessions, SessionLocks},
    sessions::{Session, Sessions},
};
use crate::{
    CrashedNode, InvalidText, MatchId, MatchLocation, NodeAddress, NodeIdentity, NodeName,
    NodeStatus, StoreError, StoredNode,
    checksum::StoreId,
    db_error::DbError,
    limits::{LEASE_RENEWAL_INTERVAL, LEASE_TERM},
    rows::{Param, SqlConnection as _, StoredRow as _, first, scalar},
};

/// Takes over a node, after all transactions of its previous server have ended. Creates the node if
/// it is new. Requires an open transaction.
pub(super) async fn take_over(
    connection: &mut PgConnection,
    node: &NodeIdentity,
    schema_version: i64,
) -> Result<NodeEpoch, DbError> {
    let name = node.name.as_str().into();
    // Waits for the transactions of the previous server. An update alone would not wait, since the
    // epoch is not part of a key. Until the node is locked, `cluster remove` may remove it.
    let lock = "SELECT epoch FROM node WHERE node_id = $1 FOR UPDATE";
    while scalar::<_, i64>(connection, lock, &[name]).await?.is_none() {
        let next = "UPDATE given_number SET last = last + 1 WHERE of_table = 'node' RETURNING last";
        let number: Option<i64> = scalar(connection, next, &[]).await?;
        let number = number.ok_or_else(|| {
            DbError::Inconsistent("the highest assigned number of table node is missing".to_owned())
        })?;
        // Another server may be creating the same node.
        let insert =
            "INSERT INTO node (node_id, epoch, number) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING";
        connection.execute(insert, &[name, number.into()]).await?;
    }
    let address = node.address.as_ref().map_or("", NodeAddress::as_str);
    let update = "UPDATE node
         SET epoch = epoch + 1, openings = openings + 1, address = $2, draining = false,
             schema_version = $3, clock_skew_ms = 0, peer_problems = ''
         WHERE node_id = $1 RETURNING number, epoch";
    let params = [name, address.into(), schema_version.into()];
    let row = first(connection, update, &params).await?;
    let row = row.ok_or(sqlx::Error::RowNotFound)?;
    let (number, epoch): (i64, i64) = (row.value(0)?, row.value(1)?);
    let number = NodeNumber::new(number)?;
    Ok(NodeEpoch { number, epoch })
}

/// Renews the lease of a node and stores its status, unless it was taken over. An expired lease can
/// be renewed: without a takeover all earlier commits are still valid. Returns the time of the
/// database, as Unix time in ms.
pub(super) async fn renew(
    connection: &mut PgConnection,
    node: NodeEpoch,
    matches: u64,
    status: &NodeStatus,
) -> Result<i64, DbError> {
    let renew = "UPDATE node SET draining = $4 <> 0, matches = $5, slots = $6, load_percent = $7,
             lag_ms = $8, clock_skew_ms = $9, peer_problems = $10,
             lease_until = clock_timestamp() + $3 * interval '1 millisecond'
         WHERE number = $1 AND epoch = $2
         RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let params = [
        node.number.get().into(),
        node.epoch.into(),
        (LEASE_TERM.as_millis() as i64).into(),
        i64::from(status.draining).into(),
        matches.cast_signed().into(),
        i64::from(status.slots).into(),
        Param::Number(status.load_percent.map(i64::from)),
        i64::from(status.lag_ms).into(),
        status.clock_skew_ms.into(),
        status.peer_problems.as_str().into(),
    ];
    let renewed = scalar(connection, renew, &params).await?;
    renewed.ok_or(DbError::EpochEnded)
}

/// Releases the lease and leadership of a node and removes its address, so that other nodes take
/// over its matches at once. Also ends the epoch, because otherwise a renewal in flight would
/// restore the lease.
pub(super) struct ReleaseLease(pub(super) NodeNumber);

impl Transaction for ReleaseLease {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<(), DbError> {
        let release = "UPDATE node SET epoch = epoch + 1, lease_until = 'epoch',
                 address = '', leads = false, draining = false,
                 matches = (SELECT count(*) FROM open_match
                     WHERE match_key > $2 AND match_key <= $3)
             WHERE number = $1";
        let Self(node) = self;
        let params = [node.get().into(), node.base().into(), node.last().into()];
        connection.execute(release, &params).await?;
        Ok(())
    }
}

/// Acquires leadership, unless another node with a valid lease is the leader.
pub(super) struct AcquireLeadership {
    pub(super) store: StoreId,
    pub(super) node: NodeNumber,
}

impl Transaction for AcquireLeadership {
    type Output = bool;

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<bool, DbError> {
        const LEADER: &str = "SELECT number FROM node WHERE leads";

        let number = self.node.get();
        if scalar(connection, LEADER, &[]).await? == Some(number) {
            return Ok(true);
        }
        // Only one node tries at a time. Other nodes do not wait for the lock, since waiting would
        // delay their commits.
        let lock = self.store.start_row_checksum("leadership").finish();
        let try_lock = "SELECT pg_try_advisory_xact_lock($1)";
        if scalar(connection, try_lock, &[lock.into()]).await? != Some(true) {
            return Ok(false);
        }
        // Another node may have become the leader before this node got the lock.
        if let Some(leader) = scalar::<_, i64>(connection, LEADER, &[]).await?
            && !depose_expired_leader(connection, leader).await?
        {
            return Ok(false);
        }
        let lead = "UPDATE node SET leads = true WHERE number = $1";
        connection.execute(lead, &[number.into()]).await?;
        Ok(true)
    }
}

/// Removes leadership from a node with an expired lease. Also ends the epoch of that node, since
/// its commits may depend on leadership. Returns whether leadership was removed.
async fn depose_expired_leader(
    connection: &mut PgConnection,
    leader: i64,
) -> Result<bool, DbError> {
    // A node with a commit in progress is skipped until the next attempt. `now()` is the start of
    // this transaction, so a lease that was renewed since does not count as expired.
    let lock = "SELECT number FROM node WHERE number = $1 AND leads AND lease_until < now()
         FOR UPDATE SKIP LOCKED";
    let deposed: Option<i64> = scalar(connection, lock, &[leader.into()]).await?;
    let depose = "UPDATE node SET leads = false, epoch = epoch + 1 WHERE number = $1";
    let params = [Param::Number(deposed)];
    Ok(connection.execute(depose, &params).await? > 0)
}

/// Returns whether a node is the leader.
pub(super) async fn is_leader(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<bool, DbError> {
    let is_leader = "SELECT leads FROM node WHERE number = $1";
    Ok(scalar(connection, is_leader, &[node.get().into()]).await? == Some(true))
}

/// The columns that [`node_from_row`] expects. A node whose lease has expired no longer reports its
/// number of matches, and other nodes take them over, so the rows are counted.
const COLUMNS: &str = "node_id, address, epoch,
    (extract(epoch FROM greatest(least(lease_until - clock_timestamp(), interval '1 day'),
        interval '-1000 days')) * 1000)::bigint,
    draining, leads,
    CASE WHEN lease_until > clock_timestamp() THEN matches ELSE (SELECT count(*)
        FROM open_match AS own WHERE own.match_key > number << 40
            AND own.match_key < (number + 1) << 40) END,
    slots, load_percent, lag_ms, clock_skew_ms, peer_problems";

fn node_from_row(row: &PgRow) -> Result<StoredNode, DbError> {
    let wrong = |error: InvalidText| DbError::Inconsistent(error.to_string());
    let address: String = row.value(1)?;
    let address = Some(address).filter(|address| !address.is_empty());
    Ok(StoredNode {
        name: NodeName::new(row.value::<String>(0)?).map_err(wrong)?,
        address: address.map(NodeAddress::new).transpose().map_err(wrong)?,
        epoch: row.value::<i64>(2)?.unsigned_abs(),
        lease_left_ms: row.value(3)?,
        is_leader: row.value(5)?,
        matches: row.value::<i64>(6)?.unsigned_abs(),
        status: NodeStatus {
            draining: row.value(4)?,
            slots: saturating_u32(row.value(7)?),
            load_percent: row.value::<Option<i64>>(8)?.map(saturating_u32),
            lag_ms: saturating_u32(row.value(9)?),
            clock_skew_ms: row.value(10)?,
            peer_problems: row.value(11)?,
        },
    })
}

/// Converts an SQL integer, clamping it to the range of `u32`.
fn saturating_u32(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns every node, by name.
pub(super) async fn all_nodes(connection: &mut PgConnection) -> Result<Vec<StoredNode>, DbError> {
    let select = format!("SELECT {COLUMNS} FROM node ORDER BY node_id");
    let rows = connection.query(&select, &[]).await?;
    rows.iter().map(node_from_row).collect()
}

/// Returns the node of a match in play.
pub(super) async fn node_of_match(
    connection: &mut PgConnection,
    id: &MatchId,
) -> Result<Option<MatchLocation>, DbError> {
    let select = format!(
        "SELECT {COLUMNS},
             EXISTS (SELECT 1 FROM released_match WHERE match_key = open_match.match_key)
         FROM open_match JOIN node ON number = {NODE_OF_KEY} WHERE match_id = $1"
    );
    let location =
        |row: PgRow| Ok(MatchLocation { node: node_from_row(&row)?, is_released: row.value(12)? });
    let row = first(connection, &select, &[id.as_str().into()]).await?;
    row.map(location).transpose()
}

/// Returns the number of sessions of this user, and the age of the oldest transaction that keeps
/// deleted rows of the store from being removed. Transactions in other databases do not keep them,
/// and the `catalog_xmin` of a replication slot keeps only rows of system tables. PostgreSQL hides
/// the transactions of other users' sessions from users without the role pg_read_all_stats.
pub(super) async fn read_figures(connection: &mut PgConnection) -> Result<(u64, u64), DbError> {
    let select = "SELECT
             (SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND usename = current_user),
             (SELECT coalesce(max(age(xmin)), 0)::bigint FROM (
                 SELECT backend_xmin FROM pg_stat_activity
                     WHERE datname = current_database() OR datname IS NULL
                 UNION ALL SELECT xmin FROM pg_replication_slots
                 UNION ALL SELECT transaction FROM pg_prepared_xacts
                     WHERE database = current_database()) AS held (xmin))";
    let row = first(connection, select, &[]).await?;
    let row = row.ok_or(sqlx::Error::RowNotFound)?;
    let (sessions, xmin_age): (i64, i64) = (row.value(0)?, row.value(1)?);
    Ok((sessions.unsigned_abs(), xmin_age.unsigned_abs()))
}

/// Renews the lease of a node, and observes which other nodes have crashed.
#[derive(Debug)]
pub(super) struct LeaseRenewer {
    sessions: Sessions,
    node: NodeEpoch,
    locks: SessionLocks,
    /// The number of matches in play, which the writer maintains because counting rows would be
    /// slow.
    matches: Arc<AtomicU64>,
    /// The minimum clock skew between this server and the database at the last renewal, in ms.
    clock_skew_ms: AtomicI64,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Not connected; the next renewal connects.
    Idle,
    Connected(LockedSession),
    /// The lease was released, and must not be renewed.
    Stopped,
}

/// A session that holds the lock of the node.
#[derive(Debug)]
struct LockedSession {
    session: Session,
    watch: PeerSessions,
}

impl State {
    /// Removes the session, so that it is not reused if the future of its user is dropped.
    fn take(&mut self) -> Result<Option<LockedSession>, DbError> {
        match std::mem::replace(self, Self::Idle) {
            Self::Idle => Ok(None),
            Self::Connected(session) => Ok(Some(session)),
            Self::Stopped => {
                *self = Self::Stopped;
                Err(StoreError::Closed.into())
            }
        }
    }

    /// Like [`take`](Self::take), but fails if there is no session.
    fn take_connected(&mut self) -> Result<LockedSession, DbError> {
        let not_connected = || sqlx::Error::Io(ErrorKind::NotConnected.into());
        Ok(self.take()?.ok_or_else(not_connected)?)
    }
}

impl LeaseRenewer {
    pub(super) fn new(
        sessions: Sessions,
        store: StoreId,
        node: NodeEpoch,
        matches: Arc<AtomicU64>,
    ) -> Self {
        Self {
            sessions,
            node,
            locks: SessionLocks::new(store, node),
            matches,
            clock_skew_ms: AtomicI64::default(),
            state: Mutex::new(State::Idle),
        }
    }

    pub(super) fn node(&self) -> NodeNumber {
        self.node.number
    }

    /// Renews the lease once. The timeout is the interval to the next renewal.
    pub(super) async fn renew(&self, status: &NodeStatus) -> Result<(), DbError> {
        let mut state = self.state.lock().await;
        let locked = state.take()?;
        let renewing = timeout(LEASE_RENEWAL_INTERVAL, async {
            let mut locked = match locked {
                Some(locked) => locked,
                None => self.open_session().await?,
            };
            let matches = self.matches.load(Ordering::Relaxed);
            let before = now_unix_ms();
            let at = renew(&mut locked.session.connection, self.node, matches, status).await?;
            let skew = clock_skew_ms(before, at, now_unix_ms());
            self.clock_skew_ms.store(skew, Ordering::Relaxed);
            Ok(locked)
        });
        let locked = renewing.await.unwrap_or(Err(DbError::Timeout))?;
        *state = State::Connected(locked);
        Ok(())
    }

    async fn open_session(&self) -> Result<LockedSession, DbError> {
        let mut session = self.sessions.open().await?;
        self.locks.acquire(&mut session.connection).await?;
        Ok(LockedSession { session, watch: PeerSessions::default() })
    }

    /// Checks the session, and returns the nodes that have probably crashed.
    pub(super) async fn check_session(&self) -> Result<Vec<CrashedNode>, DbError> {
        let mut state = self.state.lock().await;
        let LockedSession { mut session, mut watch } = state.take_connected()?;
        let finding = watch.find_crashed(&mut session.connection, self.locks);
        let found = timeout(LEASE_RENEWAL_INTERVAL, finding).await;
        let crashed = found.unwrap_or(Err(DbError::Timeout))?;
        *state = State::Connected(LockedSession { session, watch });
        Ok(crashed)
    }

    /// Ends the lease of a crashed node. Returns `false` if the node has not crashed.
    pub(super) async fn end_lease(&self, crashed: &CrashedNode) -> Result<bool, DbError> {
        let mut state = self.state.lock().await;
        let mut locked = state.take_connected()?;
        let ending = self.locks.end_lease(&mut locked.session.connection, crashed);
        let ended = timeout(LEASE_RENEWAL_INTERVAL, ending).await;
        let is_ended = ended.unwrap_or(Err(DbError::Timeout))?;
        *state = State::Connected(locked);
        Ok(is_ended)
    }

    pub(super) fn clock_skew_ms(&self) -> i64 {
        self.clock_skew_ms.load(Ordering::Relaxed)
    }

    /// Stops all further renewals. Returns the session, whose end would let other nodes end the
    /// lease.
    pub(super) async fn stop(&self) -> Option<Session> {
        match std::mem::replace(&mut *self.state.lock().await, State::Stopped) {
            State::Connected(locked) => Some(locked.session),
            State::Idle | State::Stopped => None,
        }
    }
}

/// Returns the minimum clock skew in ms, from a database time `reported` between two readings of
/// this server's clock. The skew is positive if this server is ahead, negative if this server is
/// behind, and 0 if the two clocks may agree.
fn clock_skew_ms(before: i64, reported: i64, after: i64) -> i64 {
    before.saturating_sub(reported).max(0) + after.saturating_sub(reported).min(0)
}

fn now_unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_skew_excludes_the_duration_of_the_measurement() {
        assert_eq!(clock_skew_ms(1_000, 1_000, 1_000), 0);
        assert_eq!(clock_skew_ms(1_000, 1_700, 2_000), 0);
        assert_eq!(clock_skew_ms(5_000, 1_700, 6_000), 3_300);
        assert_eq!(clock_skew_ms(1_000, 9_000, 2_000), -7_000);
    }
}
