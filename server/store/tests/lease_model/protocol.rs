//! Variants of the protocol, and the size of a model.

/// The lease protocol, with its essential choices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protocol {
    /// The check of a transaction before it writes.
    pub(crate) fence: Fence,
    /// The time at which a takeover ends the old epoch.
    pub(crate) increment_epoch: EpochIncrement,
    /// A takeover of a node waits until its lease has expired.
    pub(crate) takeover_waits_for_lease: bool,
    /// A renewal checks that the node is in the epoch of its server.
    pub(crate) renewal_checks_epoch: bool,
    /// A takeover of a node locks its row until its matches have moved.
    pub(crate) locks_orphaned_node: bool,
    /// A retry waits for the previous attempt.
    pub(crate) retry_waits: bool,
    /// A retry checks whether the previous attempt was committed.
    pub(crate) retry_checks_outcome: bool,
    /// The time from which a server that has started trusts its lease.
    pub(crate) trust_start: TrustStart,
    /// Maximum age of the last renewal at which the server answers, in ticks of its clock.
    pub(crate) trust: u8,
    /// Maximum age of the last check of the session at which the server answers, in ticks of its
    /// clock.
    pub(crate) session_trust: u8,
    /// Ticks from the first observation of a node without a session until its lease may be ended.
    pub(crate) session_loss: u8,
    /// The end of a lease checks that it was not renewed since that observation.
    pub(crate) end_checks_renewal: bool,
    /// The end of a lease checks that the node still has no session.
    pub(crate) end_checks_session: bool,
    /// A server trusts a new session only once it has renewed its lease on it.
    pub(crate) new_session_renews: bool,
    /// Releasing a lease also ends the epoch.
    pub(crate) release_ends_epoch: bool,
    /// The time at which a commit with a deferred flush is published.
    pub(crate) publishes_after: PublishAfter,
    /// A flush checks that the commit exists.
    pub(crate) flush_checks_number: bool,
    /// A flush checks that its node is in the epoch of its server.
    pub(crate) flush_checks_epoch: bool,
    /// The first transaction after a crash restores the lost commits.
    pub(crate) restores_lost_commits: bool,
    /// A server stops writing a match that it has released.
    pub(crate) stops_writing_released: bool,
    /// The takeover of a released match locks the row of its node.
    pub(crate) locks_node_of_released: bool,
    /// When a server starts, it reclaims the matches that its node has released.
    pub(crate) start_reclaims_released: bool,
}

/// The time at which a commit with a deferred flush is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublishAfter {
    Flushed,
    Committed,
}

/// The check of a transaction before it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    /// The locked row of the node: the epoch, and the lease against `clock_timestamp()`.
    Row,
    /// The same, with the lease at the start of the transaction: against `now()`, or checked before
    /// the lock is acquired.
    RowAtBegin,
    /// The clock of the server, by which the lease that it renewed last is still valid.
    OwnClock,
    /// No check at all.
    Missing,
}

/// The time at which a takeover ends the old epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EpochIncrement {
    /// In the transaction that moves its matches.
    First,
    /// In a separate transaction after it.
    Afterwards,
}

/// The time from which a server that has started trusts its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustStart {
    /// From the start of its first renewal.
    FirstRenewal,
    /// From the answer that the server holds its node. The lease may be old by then.
    Opened,
}

/// Duration of a lease in ticks: 8 s, where a tick is 2 s, the renewal interval.
pub(crate) const LEASE: u8 = 4;

/// Ticks for which a server trusts a renewal: 6 s.
pub(crate) const TRUST: u8 = 3;

/// Ticks for which a server trusts its session. Here a tick stands for 1 s, not for 2 s as in
/// [`LEASE`].
pub(crate) const SESSION_TRUST: u8 = 1;

impl Protocol {
    /// The protocol of the code.
    pub(crate) const IMPLEMENTED: Self = Self {
        fence: Fence::Row,
        increment_epoch: EpochIncrement::First,
        takeover_waits_for_lease: true,
        renewal_checks_epoch: true,
        locks_orphaned_node: true,
        retry_waits: true,
        retry_checks_outcome: true,
        trust_start: TrustStart::FirstRenewal,
        trust: TRUST,
        session_trust: SESSION_TRUST,
        session_loss: SESSION_TRUST + 1,
        end_checks_renewal: true,
        end_checks_session: true,
        new_session_renews: true,
        release_ends_epoch: true,
        publishes_after: PublishAfter::Flushed,
        flush_checks_number: true,
        flush_checks_epoch: true,
        restores_lost_commits: true,
        stops_writing_released: true,
        locks_node_of_released: true,
        start_reclaims_released: true,
    };
}

/// The clocks of the servers, relative to that of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clocks {
    /// No clocks and no lost renewals, because commits do not depend on them.
    None,
    /// Each clock loses at most one tick during a lease.
    Close,
    /// Each clock may stop for any time.
    Any,
}

/// The size of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The node of each server. The first initially has the match. A server with the node of an
    /// earlier one starts later.
    pub(crate) nodes: &'static [usize],
    /// Initially, the first server is dead, and its lease has expired.
    pub(crate) first_is_dead: bool,
    /// Duration of a lease in ticks. One is enough if only its expiry matters.
    pub(crate) lease: u8,
    pub(crate) clocks: Clocks,
    /// Maximum number of entries of the match.
    pub(crate) entries: usize,
    /// Maximum number of transactions whose connection is lost before the answer.
    pub(crate) losses: u8,
    /// Maximum number of takeovers.
    pub(crate) takes: u8,
    /// Maximum number of crashes of the database. If there are any, flushes of decisions are
    /// deferred; otherwise each commit is flushed.
    pub(crate) crashes: u8,
    /// Nodes may release matches while they keep their leases.
    pub(crate) releases_matches: bool,
    /// Sessions of the first node may be lost, and other nodes may then end its lease.
    pub(crate) loses_sessions: bool,
}

impl Bounds {
    /// Returns whether a server runs initially.
    pub(crate) fn starts_immediately(&self, server: usize) -> bool {
        !self.nodes[..server].contains(&self.nodes[server])
    }
}
