//! Several servers that share a database: their leases, their leader, and how matches move between
//! them.

use async_trait::async_trait;

use crate::{MatchId, NodeAddress, NodeName, OpenMatch, StoreError};

/// A function that returns whether only the leader may take over a match with this header.
pub type IsLeaderOnly = fn(&[u8]) -> bool;

/// A server's identity among the servers that share a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeIdentity {
    /// Unique name. A server takes over the matches of an earlier server with the same name, and
    /// ends the epoch of that server.
    pub name: NodeName,
    /// The address to which other nodes forward calls; `None` if there are no other nodes.
    pub address: Option<NodeAddress>,
}

/// Default name of a server.
const DEFAULT_NODE_NAME: &str = "only";

impl Default for NodeIdentity {
    fn default() -> Self {
        Self {
            name: NodeName::new(DEFAULT_NODE_NAME).expect("the default name is valid"),
            address: None,
        }
    }
}

/// A node, as stored in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNode {
    /// Unique name of the node.
    pub name: NodeName,
    /// The address of the node; `None` if the node has no address or has shut down.
    pub address: Option<NodeAddress>,
    /// The number of times that the node was taken over, by a server of the same name or by another
    /// node, or shut down.
    pub epoch: u64,
    /// Time until the node's lease expires by the database's clock, in milliseconds; negative after
    /// expiry.
    pub lease_left_ms: i64,
    /// True for the leader, on which ladders, queues and match groups run.
    pub is_leader: bool,
    /// The number of matches in play on the node.
    pub matches: u64,
    /// The status that the node reported with its last lease renewal.
    pub status: NodeStatus,
}

/// A node's status, reported with each lease renewal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeStatus {
    /// True while the node is draining, and therefore accepts no new matches.
    pub draining: bool,
    /// The number of matches that the node can play at once; 0 if unknown.
    pub slots: u32,
    /// CPU time used since the last renewal, in percent of the CPU time available to the node;
    /// `None` if unknown.
    pub load_percent: Option<u32>,
    /// The longest delay of a task that was ready to run since the last renewal, in milliseconds.
    pub lag_ms: u32,
    /// The minimum clock skew between the node and the database, in milliseconds: positive if the
    /// node is ahead, negative if the node is behind.
    pub clock_skew_ms: i64,
    /// The nodes that the node cannot reach, and why: one per line.
    pub peer_problems: String,
}

/// A node without a database session. Its server has probably crashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashedNode {
    /// Unique name of the node.
    pub name: NodeName,
    /// The address at which other nodes reach the node if its server still runs.
    pub address: NodeAddress,
    pub(crate) number: i64,
    pub(crate) epoch: i64,
    /// The end of the lease when the node was first seen without a session.
    pub(crate) lease_until_us: i64,
}

/// Statistics of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatabaseFigures {
    /// The number of sessions of this user, by all nodes and commands.
    pub sessions: u64,
    /// Age of the oldest transaction that keeps deleted rows from being removed, in transactions.
    pub xmin_age: u64,
}

/// The node to which a match in play belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchLocation {
    /// The node that plays or has released the match.
    pub node: StoredNode,
    /// True if the node has released the match, and no other node has taken it over yet.
    pub is_released: bool,
}

impl StoredNode {
    /// Returns the number of additional matches that the node can play; 0 if it is draining or its
    /// lease has expired.
    #[must_use]
    pub fn free_slots(&self) -> u64 {
        if self.is_live() && !self.status.draining {
            u64::from(self.status.slots).saturating_sub(self.matches)
        } else {
            0
        }
    }

    /// Returns whether the node's lease is valid.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.lease_left_ms > 0
    }
}

/// A node's operations on a database that several nodes share.
///
/// A node cannot commit without a lease, which expires by the database's clock. Once the lease has
/// expired, another node can take over the node's matches. A takeover ends the node's epoch: all
/// its further commits fail with [`StoreError::EpochEnded`]. One node is the leader. Ladders,
/// queues and match groups run on the leader, and only the leader takes over their matches.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// Extends the lease to [`LEASE_TERM`](crate::limits::LEASE_TERM) from now. Must be called
    /// every [`LEASE_RENEWAL_INTERVAL`](crate::limits::LEASE_RENEWAL_INTERVAL). An expired lease
    /// can be renewed as long as no other node has taken over this node.
    ///
    /// # Errors
    /// Returns [`StoreError::EpochEnded`] once the node was taken over; or a storage failure.
    async fn renew_lease(&self, status: NodeStatus) -> Result<(), StoreError>;

    /// Checks the database session that renewed the lease last. Returns nodes that have probably
    /// crashed: their sessions have ended, and they have not opened others for
    /// [`SESSION_LOSS_TIMEOUT`](crate::limits::SESSION_LOSS_TIMEOUT).
    ///
    /// # Errors
    /// Returns a storage failure, if the session is lost. The next renewal opens another one.
    async fn check_session(&self) -> Result<Vec<CrashedNode>, StoreError> {
        Ok(Vec::new())
    }

    /// Ends the lease of a crashed node, unless that node has a session again or has renewed its
    /// lease. Returns whether the lease was ended. Without a takeover, the node can still renew it.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn end_lease(&self, _: &CrashedNode) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Returns the minimum clock skew between this server and the database at the last renewal, in
    /// milliseconds: positive if this server was ahead, negative if this server was behind.
    fn clock_skew_ms(&self) -> i64 {
        0
    }

    /// Returns the number of operations that this server has repeated after a failure of the
    /// database. It is known even while the database is unreachable.
    fn retries(&self) -> u64 {
        0
    }

    /// Returns database statistics, for metrics.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn database_figures(&self) -> Result<DatabaseFigures, StoreError> {
        Ok(DatabaseFigures::default())
    }

    /// Tries to become the leader. The attempt succeeds unless another node with a valid lease is
    /// the leader. Returns whether this node is the leader.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn acquire_leadership(&self) -> Result<bool, StoreError>;

    /// Takes over some of the matches that nodes have released. If there are none, takes over some
    /// matches from a node whose lease has expired, and ends the epoch of that node. The matches
    /// are then in play on this node. Only the leader takes over matches whose header satisfies
    /// `is_leader_only`. An empty result means that no matches are left, except unreadable ones and
    /// those that other nodes are taking over.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn take_over_orphans(
        &self,
        is_leader_only: IsLeaderOnly,
    ) -> Result<Vec<OpenMatch>, StoreError>;

    /// Releases matches in play on this node, so that other nodes take them over while this node
    /// keeps its lease. This node can no longer write their journals. Matches that are unreadable
    /// or not in play on this node are skipped.
    ///
    /// # Errors
    /// Returns [`StoreError::EpochEnded`] once the node was taken over; or a storage failure.
    async fn release(&self, ids: &[MatchId]) -> Result<(), StoreError>;

    /// Counts the matches that this node has released and that no node has taken over yet.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn released_count(&self) -> Result<u64, StoreError>;

    /// Returns the node of a match in play; `None` if no match with this id is in play.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn node_of(&self, id: &MatchId) -> Result<Option<MatchLocation>, StoreError>;

    /// Returns all nodes that have ever used the database, in name order.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError>;
}
