//! Locks that show which nodes have a database session.
//!
//! A server holds an advisory lock on the session that renews its lease. PostgreSQL releases the
//! lock when the session ends, and the session ends when the process crashes. A server that has
//! only lost its connection locks again on its next session. A node's lease is ended after its lock
//! has been free, without a renewal, for longer than a server may answer without a session check.
//! All of this is observed on one session: after an outage of the database, which ends every
//! session, the observation starts over.
//!
//! The key of a lock contains the epoch, so that a server does not wait for an earlier one with the
//! same name.

use std::collections::BTreeMap;

use sqlx::PgConnection;

use super::node_number::NodeEpoch;
use crate::{
    CrashedNode, NodeAddress, NodeName,
    checksum::StoreId,
    db_error::DbError,
    limits::SESSION_LOSS_TIMEOUT,
    rows::{Param, SqlConnection as _, StoredRow as _, Unreadable},
};

/// SQL expression for the key of a node's lock. `$1` distinguishes the stores of a database.
const LOCK_KEY: &str = "($1::bigint # (number << 40 | epoch))";

/// SQL expression for the end of a node's lease.
const LEASE_UNTIL_US: &str = "(extract(epoch FROM lease_until) * 1000000)::bigint";

/// The locks of the nodes of a store.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionLocks {
    /// The part of the keys that differs among stores.
    store_key: i64,
    /// The node of this server.
    node: NodeEpoch,
}

impl SessionLocks {
    pub(super) fn new(store: StoreId, node: NodeEpoch) -> Self {
        Self { store_key: store.start_row_checksum("session").finish(), node }
    }

    /// Locks the node of this server until the session ends. Waits for the end of its previous
    /// session.
    pub(super) async fn acquire(self, connection: &mut PgConnection) -> Result<(), DbError> {
        let key = self.store_key ^ (self.node.number.base() | self.node.epoch);
        connection.execute("SELECT pg_advisory_lock($1)", &[key.into()]).await?;
        Ok(())
    }

    /// Reads which of the other live nodes have a session.
    async fn read(self, connection: &mut PgConnection) -> Result<Vec<Observation>, DbError> {
        // The lock of a node without a session is held only during this statement, and shared, so
        // that two nodes can observe a third one at the same time.
        let select = format!(
            "SELECT node_id, address, number, epoch, {LEASE_UNTIL_US},
                 (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
                 NOT pg_try_advisory_xact_lock_shared({LOCK_KEY})
             FROM node WHERE number <> $2 AND address <> '' AND lease_until > now()"
        );
        let params = [self.store_key.into(), self.node.number.get().into()];
        let rows = connection.query(&select, &params).await?;
        let observations = rows.iter().map(|row| -> Result<_, Unreadable> {
            let node = CrashedNode {
                name: NodeName::new(row.value::<String>(0)?)?,
                address: NodeAddress::new(row.value::<String>(1)?)?,
                number: row.value(2)?,
                epoch: row.value(3)?,
                lease_until_us: row.value(4)?,
            };
            Ok(Observation { node, at_us: row.value(5)?, has_session: row.value(6)? })
        });
        // A damaged row must not make the session of every server count as lost. The lease of its
        // node is not ended early.
        Ok(observations.filter_map(Result::ok).collect())
    }

    /// Ends the lease of a crashed node. Returns `false` if that node has a session again, has
    /// renewed its lease or is being taken over. Does not wait for locks.
    pub(super) async fn end_lease(
        self,
        connection: &mut PgConnection,
        crashed: &CrashedNode,
    ) -> Result<bool, DbError> {
        let update = format!(
            "UPDATE node SET lease_until = now() - interval '1 millisecond'
             WHERE number = (
                 SELECT number FROM node
                 WHERE number = $2 AND epoch = $3 AND {LEASE_UNTIL_US} = $4
                 FOR NO KEY UPDATE SKIP LOCKED)
             AND pg_try_advisory_xact_lock_shared({LOCK_KEY})"
        );
        let CrashedNode { number, epoch, lease_until_us, .. } = *crashed;
        let params = [self.store_key, number, epoch, lease_until_us].map(Param::from);
        Ok(connection.execute(&update, &params).await? == 1)
    }
}

/// The observation of another node.
struct Observation {
    node: CrashedNode,
    has_session: bool,
    /// Time of the observation by the database's clock.
    at_us: i64,
}

/// The other nodes that were seen with a session, by number. A node that never was may have an
/// older version, which does not lock.
#[derive(Debug, Default)]
pub(super) struct PeerSessions(BTreeMap<i64, WatchedNode>);

#[derive(Debug)]
struct WatchedNode {
    epoch: i64,
    lease_until_us: i64,
    /// Time since which the node has had no session and has not renewed its lease.
    lost_at_us: Option<i64>,
}

impl PeerSessions {
    /// Observes the other nodes. Returns those that have had no session for
    /// [`SESSION_LOSS_TIMEOUT`].
    pub(super) async fn find_crashed(
        &mut self,
        connection: &mut PgConnection,
        locks: SessionLocks,
    ) -> Result<Vec<CrashedNode>, DbError> {
        Ok(self.record(locks.read(connection).await?))
    }

    fn record(&mut self, observations: Vec<Observation>) -> Vec<CrashedNode> {
        let before = std::mem::take(&mut self.0);
        let mut crashed = Vec::new();
        for Observation { node, has_session, at_us } in observations {
            let CrashedNode { number, epoch, lease_until_us, .. } = node;
            let watched = before.get(&number).filter(|watched| watched.epoch == epoch);
            let lost_at_us = match watched {
                _ if has_session => None,
                None => continue,
                Some(watched) => {
                    let lost_at_us = watched.lost_at_us;
                    let lost_at_us =
                        lost_at_us.filter(|_| watched.lease_until_us == lease_until_us);
                    Some(lost_at_us.unwrap_or(at_us))
                }
            };
            self.0.insert(number, WatchedNode { epoch, lease_until_us, lost_at_us });
            let timeout_us = SESSION_LOSS_TIMEOUT.as_micros() as i64;
            if lost_at_us.is_some_and(|lost_at_us| at_us - lost_at_us >= timeout_us) {
                crashed.push(node);
            }
        }
        crashed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000;

    /// Observes a node at a time; returns whether it counts as crashed.
    fn is_crashed(
        watch: &mut PeerSessions,
        at_us: i64,
        has_session: bool,
        (epoch, lease_until_us): (i64, i64),
    ) -> bool {
        let node = CrashedNode {
            name: NodeName::new("one").unwrap(),
            address: NodeAddress::new("one.example:1").unwrap(),
            number: 0,
            epoch,
            lease_until_us,
        };
        let crashed = watch.record(vec![Observation { node: node.clone(), has_session, at_us }]);
        assert!(crashed.is_empty() || crashed == [node]);
        !crashed.is_empty()
    }

    #[test]
    fn a_node_counts_as_crashed_some_time_after_its_session_was_first_missed() {
        let (mut watch, lease) = (PeerSessions::default(), (1, 8 * S));
        assert!(!is_crashed(&mut watch, 0, true, lease));
        // The session may have ended at any time since the last observation.
        assert!(!is_crashed(&mut watch, 5 * S, false, lease));
        assert!(!is_crashed(&mut watch, 6 * S, false, lease));
        assert!(is_crashed(&mut watch, 7 * S, false, lease));
        assert!(!is_crashed(&mut watch, 8 * S, true, lease), "it has locked again");
        assert!(!is_crashed(&mut watch, 9 * S, false, lease));
    }

    #[test]
    fn a_node_that_renews_its_lease_or_was_never_seen_with_a_session_has_not_crashed() {
        let mut watch = PeerSessions::default();
        for at_us in [0, 2 * S, 4 * S] {
            assert!(!is_crashed(&mut watch, at_us, false, (1, 8 * S)), "not seen");
        }
        assert!(!is_crashed(&mut watch, 5 * S, true, (1, 8 * S)));
        for at_us in [6 * S, 8 * S, 10 * S] {
            assert!(!is_crashed(&mut watch, at_us, false, (1, at_us + 8 * S)), "renewed");
        }
        assert!(!is_crashed(&mut watch, 12 * S, false, (2, 18 * S)), "another server");
    }
}
