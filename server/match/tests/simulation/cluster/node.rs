//! The state of a server and of its node.

use std::time::Duration;

use bridgemaster_lease::{Backoff, CommitNumbers, LeaseTrust};
use bridgemaster_referee::Time;

use super::{
    clock::{Clock, TRUE_RATE},
    events::Of,
    journal::Handed,
    plan::ClusterPlan,
    transaction::{TxId, Work, WriteOutcome},
};

/// The phase of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Down,
    /// Taking its node.
    Opening,
    /// Has its node, but must renew its lease before it answers.
    Joining,
    Up,
    /// Will stop soon.
    Draining,
    /// Its streams have ended; it stores the rest and releases its lease.
    Closing,
}

/// A transaction, retried until its outcome is known.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) work: Work,
    /// The number of entries of the match afterwards.
    pub(crate) count: usize,
    pub(crate) number: i64,
    pub(crate) backoff: Backoff,
    /// The current attempt; `None` between attempts.
    pub(crate) transaction: Option<TxId>,
    /// The effect of the last attempt that wrote something; its response may have been lost.
    pub(crate) tried: Option<WriteOutcome>,
}

/// A process that is, or was, the server of a node.
#[derive(Debug)]
pub(crate) struct Node {
    /// The row of its node.
    pub(crate) row: usize,
    /// Counts its processes.
    pub(crate) life: u32,
    pub(crate) phase: Phase,
    /// The epoch in which it holds its node.
    pub(crate) epoch: i64,
    pub(crate) commits: CommitNumbers,
    pub(crate) trust: LeaseTrust,
    /// Its streams are served.
    pub(crate) answers: bool,
    /// Counts its renewals.
    pub(crate) renewals: u32,
    /// The start of the pending renewal.
    pub(crate) renewal_begun: Option<Duration>,
    pub(crate) work: Option<Attempt>,
    /// The match that it found at its node, until it resumes it.
    pub(crate) handed: Option<Handed>,
    /// Its wall clock, which can be set.
    pub(crate) wall: Clock,
    /// Rate of its monotonic clock.
    pub(crate) rate: u64,
    /// The last time at which it woke from a freeze.
    pub(crate) woke_at: Time,
    /// The connection to the database lets nothing through.
    pub(crate) silent_until: Time,
    /// The connection is cut, and no new one can be made.
    pub(crate) cut_until: Time,
    /// Its machine is gone, and connections to it time out.
    pub(crate) lost_until: Time,
    /// Every message is slow.
    pub(crate) slow_until: Time,
    /// Arrival of the last message in each direction, because messages keep their order.
    pub(crate) to_database_at: Time,
    /// Arrival of the last renewal, which uses a connection of its own.
    pub(crate) renewal_at: Time,
    pub(crate) to_server_at: Time,
    /// The number of entries of its match that are known to be stored.
    pub(crate) proved: usize,
}

impl Node {
    pub(crate) fn new(plan: &ClusterPlan, server: usize) -> Self {
        let is_there = server < plan.nodes;
        Self {
            row: if is_there { server } else { 0 },
            life: 0,
            phase: if is_there { Phase::Up } else { Phase::Down },
            epoch: 1,
            commits: CommitNumbers::new(1),
            trust: LeaseTrust::default(),
            answers: is_there,
            renewals: 0,
            renewal_begun: None,
            work: None,
            handed: None,
            wall: Clock::new(plan.wall_us[server % plan.wall_us.len()], TRUE_RATE),
            rate: plan.rates[server % plan.rates.len()],
            woke_at: Time(0),
            silent_until: Time(0),
            cut_until: Time(0),
            lost_until: Time(0),
            slow_until: Time(0),
            to_database_at: Time(0),
            renewal_at: Time(0),
            to_server_at: Time(0),
            proved: 0,
        }
    }

    pub(crate) fn of(&self, server: usize) -> Of {
        Of {
            server,
            life: self.life,
        }
    }

    /// Ends the process.
    pub(crate) fn end(&mut self) {
        self.life += 1;
        self.phase = Phase::Down;
        self.trust = LeaseTrust::default();
        self.answers = false;
        self.renewal_begun = None;
        self.work = None;
        self.handed = None;
        self.proved = 0;
        self.woke_at = Time(0);
    }
}
