//! Several servers over one database: what they know of each other, and how matches move.

use async_trait::async_trait;

use crate::{
    KeyName, MatchId, NodeAddress, NodeName, OpenMatch, StoreError, ToldCursor, ToldMatch, ToldPage,
};

/// Tells by its header whether a match is moved to the node that leads alone.
pub type IsLed = fn(&[u8]) -> bool;

/// Which node a server is of those that share a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeIdentity {
    /// Its name. A server takes over what an earlier one of its name had, and ends that one.
    pub name: NodeName,
    /// Where bots and callers of other nodes are sent to; `None` where nobody is sent.
    pub address: Option<NodeAddress>,
}

/// The name of a server that was given none.
const ONLY_NODE: &str = "only";

impl Default for NodeIdentity {
    fn default() -> Self {
        Self {
            name: NodeName::new(ONLY_NODE).expect("it is a short ASCII word"),
            address: None,
        }
    }
}

/// A node, as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNode {
    /// Its name.
    pub name: NodeName,
    /// Where it is reached, if it said so and has not ended since.
    pub address: Option<NodeAddress>,
    /// How often it was taken over, by a server of its name or by another node, or given up.
    pub epoch: u64,
    /// Time until its lease runs out by the clock of the database, in milliseconds; negative once
    /// it has.
    pub lease_left_ms: i64,
    /// It keeps what spans matches.
    pub leads: bool,
    /// Matches in play that are its own.
    pub matches: u64,
    /// What it said of itself when it renewed its lease.
    pub standing: NodeStanding,
}

/// What a node says of itself as it renews its lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeStanding {
    /// It makes no match any more.
    pub draining: bool,
    /// Most matches that it plays at once; 0 where it does not say.
    pub slots: u32,
    /// Processor time that it used since the renewal before, in percent of all that it may use; `None`
    /// where that is not known.
    pub load_percent: Option<u32>,
    /// The longest time since then in which it did nothing though it had something to do, in
    /// milliseconds.
    pub lag_ms: u32,
}

/// The node that has a match in play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOfMatch {
    /// The node.
    pub node: StoredNode,
    /// It has released the match, and nobody has taken it over yet.
    pub is_released: bool,
}

impl StoredNode {
    /// Matches that it can play besides those that it has: none once it is gone or makes no more.
    #[must_use]
    pub fn free_slots(&self) -> u64 {
        match self.is_live() && !self.standing.draining {
            true => u64::from(self.standing.slots).saturating_sub(self.matches),
            false => 0,
        }
    }

    /// Whether its lease has not run out.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.lease_left_ms > 0
    }
}

/// A node among those that share a database.
///
/// A node holds a lease by the clock of the database. Nothing is committed without one, and a node
/// whose lease has run out may be taken over: its matches then belong to another node, and it
/// commits nothing more ([`StoreError::EpochOver`]). One node leads: what spans matches is kept by
/// it, and matches that belong to that are moved to no other node.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// Makes the lease run out [`LEASE_TERM`](crate::limits::LEASE_TERM) from now. To be done every
    /// [`LEASE_RENEWAL`](crate::limits::LEASE_RENEWAL). A lease that has run out is renewed too, if
    /// no node has been taken over meanwhile: then nothing was missed.
    ///
    /// # Errors
    /// [`StoreError::EpochOver`] once the node was taken over; or a failure of the storage.
    async fn renew_lease(&self, standing: NodeStanding) -> Result<(), StoreError>;

    /// Takes the address of this node out of what others know: from now on nobody is sent to it, and
    /// its callers wait for the node that takes its matches over. For a node that is about to end.
    ///
    /// # Errors
    /// [`StoreError::EpochOver`] once the node was taken over; or a failure of the storage.
    async fn withdraw(&self) -> Result<(), StoreError>;

    /// Whether this node leads: it takes the lead if no node that has its lease does.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn lead(&self) -> Result<bool, StoreError>;

    /// Takes over some matches that a node has released; or, where there are none, of a node whose
    /// lease has run out, and ends that node. They are in play here from then on. Matches with a
    /// header for which `is_led` are taken by the node that leads alone. None are left once this gives
    /// none, but for those that cannot be read, and those that others take right now.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn take_orphans(&self, is_led: IsLed) -> Result<Vec<OpenMatch>, StoreError>;

    /// Releases matches that are in play here, so that others take them over though this node keeps
    /// its lease. It stores nothing of them any more. Those that are not in play here or cannot be
    /// read are left out.
    ///
    /// # Errors
    /// [`StoreError::EpochOver`] once the node was taken over; or a failure of the storage.
    async fn release(&self, ids: &[MatchId]) -> Result<(), StoreError>;

    /// How many matches that this node has released nobody has taken over yet.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn released(&self) -> Result<u64, StoreError>;

    /// The node that has a match in play; `None` if no match of this id is in play.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn node_of(&self, id: &MatchId) -> Result<Option<NodeOfMatch>, StoreError>;

    /// Tells other nodes of matches in play of this one, for their lists. What was told of a match
    /// before is told no more; a match that is not in play here is left out.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn tell(&self, matches: &[ToldMatch]) -> Result<(), StoreError>;

    /// What other nodes tell of their matches in play, and have told of those that this one has just
    /// taken over, the newest first, of all or of those of one
    /// name: at most `limit`, and at most
    /// [`MAX_PAGE_MATCHES`](crate::limits::MAX_PAGE_MATCHES).
    ///
    /// # Errors
    /// A failure of the storage.
    async fn told_elsewhere(
        &self,
        after: &ToldCursor,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<ToldPage, StoreError>;

    /// Removes what was told of matches that are in play no more: nobody is shown it, and it takes
    /// room.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn sweep_told(&self) -> Result<(), StoreError>;

    /// All nodes that there have been, by name.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError>;
}
