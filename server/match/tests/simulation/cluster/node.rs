//! What a server knows of its node, and what it is doing.

use std::time::Duration;

use bridgemaster_lease::{Commits, Tries, Trust};
use bridgemaster_referee::Time;

use super::{
    clock::{Clock, TRUE_RATE},
    events::Of,
    journal::Handed,
    plan::ClusterPlan,
    transaction::{TxId, Work, Written},
};

/// How far a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Down,
    /// It takes its node.
    Opening,
    /// It has it, and answers nobody before it has renewed its lease.
    Joining,
    Up,
    /// It stops soon.
    Draining,
    /// Its streams have ended; it stores what is left, and gives up its lease.
    Closing,
}

/// A piece of work with the database, tried until its outcome is known.
#[derive(Debug)]
pub(crate) struct Trying {
    pub(crate) work: Work,
    /// Entries of the match once it is done.
    pub(crate) count: usize,
    pub(crate) number: i64,
    pub(crate) tries: Tries,
    /// The try at hand; `None` in a pause.
    pub(crate) transaction: Option<TxId>,
    /// What the last try that wrote anything came to: its answer may have been lost, and not what it
    /// did.
    pub(crate) tried: Option<Written>,
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
    pub(crate) commits: Commits,
    pub(crate) trust: Trust,
    /// Its streams go on.
    pub(crate) answers: bool,
    /// Counts its renewals.
    pub(crate) renewals: u32,
    /// When the one began that is not answered yet.
    pub(crate) renewal_begun: Option<Duration>,
    pub(crate) work: Option<Trying>,
    /// The match that it found at its node, until it goes on with it.
    pub(crate) handed: Option<Handed>,
    /// The clock of the wall, which somebody sets.
    pub(crate) wall: Clock,
    /// Rate of its other clock.
    pub(crate) rate: u64,
    /// When it went on last after it had stood still.
    pub(crate) woke_at: Time,
    /// The line to the database lets nothing through.
    pub(crate) silent_until: Time,
    /// It is cut, and no connection can be made.
    pub(crate) cut_until: Time,
    /// Its machine is gone: who goes there hears nothing.
    pub(crate) lost_until: Time,
    /// Every message takes long.
    pub(crate) slow_until: Time,
    /// When the last message arrives in each direction: messages keep their order.
    pub(crate) to_database_at: Time,
    /// The same of renewals, which have a connection of their own.
    pub(crate) renewal_at: Time,
    pub(crate) to_server_at: Time,
    /// Entries of its match that are known to be in the database.
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
            commits: Commits::new(1),
            trust: Trust::default(),
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

    /// The process ends.
    pub(crate) fn ends(&mut self) {
        self.life += 1;
        self.phase = Phase::Down;
        self.trust = Trust::default();
        self.answers = false;
        self.renewal_begun = None;
        self.work = None;
        self.handed = None;
        self.proved = 0;
        self.woke_at = Time(0);
    }
}
