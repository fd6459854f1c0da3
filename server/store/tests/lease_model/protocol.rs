//! How the servers of the model behave, and how large the model is.

/// The protocol of the leases, with the choices in it that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protocol {
    /// What a transaction looks at before it writes.
    pub(crate) fence: Fence,
    /// When a node that is taken over gets its next epoch.
    pub(crate) raise: Raise,
    /// Who takes a node over locks its row until its matches have moved.
    pub(crate) locks_whom_it_takes: bool,
    /// A transaction that is tried again waits for the try before it.
    pub(crate) retry_waits: bool,
    /// It then looks whether that try was committed.
    pub(crate) retry_looks: bool,
    /// Since when a server that has started trusts its lease.
    pub(crate) trust_begins: TrustBegins,
    /// How old the last renewal may be, by the clock of the server, for it to answer: in ticks.
    pub(crate) trust: u8,
    /// Who gives up a lease ends the epoch too.
    pub(crate) release_ends_epoch: bool,
    /// When bots are told of a commit that is flushed apart.
    pub(crate) tells: Tells,
    /// A flush looks whether the commit is there.
    pub(crate) flush_looks_at_number: bool,
    /// It looks whether its node is in the epoch of its server.
    pub(crate) flush_looks_at_epoch: bool,
    /// The first transaction after a crash makes again what that has lost.
    pub(crate) puts_back: bool,
    /// A server that releases a match stores nothing of it any more.
    pub(crate) lets_go_of_what_it_releases: bool,
    /// Who takes a released match locks the row of its node meanwhile.
    pub(crate) locks_node_of_released: bool,
    /// What a node has released, and nobody has taken, is its own again when a server starts under
    /// its name.
    pub(crate) start_takes_back: bool,
}

/// When bots are told of a commit that is flushed apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    /// Once it is flushed.
    Flushed,
    /// Once it is committed.
    Committed,
}

/// What a transaction looks at before it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    /// The row of the node, once it has locked it: the epoch, and the lease against
    /// `clock_timestamp()`.
    Row,
    /// The same, with the lease as it was when the transaction began: against `now()`, or looked at
    /// before the lock is had.
    RowAtBegin,
    /// The clock of the server: whether the lease that it renewed last still runs.
    OwnClock,
    /// Nothing.
    Missing,
}

/// When a node that is taken over gets its next epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raise {
    /// In the transaction that moves its matches.
    First,
    /// By another one after it.
    Afterwards,
}

/// Since when a server that has started trusts its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustBegins {
    /// Since its first renewal began.
    FirstRenewal,
    /// Since it learned that it has its node: the lease may be old by then.
    Opened,
}

/// Ticks of a lease: 8 s, where a tick is 2 s, the time between two renewals.
pub(crate) const LEASE: u8 = 4;

/// Ticks for which a server trusts a renewal: 6 s.
pub(crate) const TRUST: u8 = 3;

impl Protocol {
    /// The one that the code has.
    pub(crate) const OURS: Self = Self {
        fence: Fence::Row,
        raise: Raise::First,
        locks_whom_it_takes: true,
        retry_waits: true,
        retry_looks: true,
        trust_begins: TrustBegins::FirstRenewal,
        trust: TRUST,
        release_ends_epoch: true,
        tells: Tells::Flushed,
        flush_looks_at_number: true,
        flush_looks_at_epoch: true,
        puts_back: true,
        lets_go_of_what_it_releases: true,
        locks_node_of_released: true,
        start_takes_back: true,
    };
}

/// The clocks of the servers, against that of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clocks {
    /// There are none, and no lost renewals: no commit depends on them.
    None,
    /// Each loses at most a tick while a lease runs.
    Close,
    /// Each may stand still as long as it likes.
    Any,
}

/// How large a model is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The node of each server. The first has the match in the beginning; one of a node that has
    /// another server before it starts later.
    pub(crate) nodes: &'static [usize],
    /// The first server is dead in the beginning, and its lease over.
    pub(crate) first_is_dead: bool,
    /// Ticks of a lease. One is enough where only matters whether it runs.
    pub(crate) lease: u8,
    pub(crate) clocks: Clocks,
    /// Entries of the match.
    pub(crate) entries: usize,
    /// Transactions whose connection is lost before their answer.
    pub(crate) losses: u8,
    /// How often matches are taken over.
    pub(crate) takes: u8,
    /// How often the database crashes. If it does at all, decisions are flushed apart; else each is
    /// flushed with its commit.
    pub(crate) crashes: u8,
    /// Matches are released by nodes that keep their leases.
    pub(crate) releases_matches: bool,
}

impl Bounds {
    /// Whether a server is there from the beginning.
    pub(crate) fn is_there(&self, server: usize) -> bool {
        !self.nodes[..server].contains(&self.nodes[server])
    }
}
