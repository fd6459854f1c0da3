//! A cluster of servers that share a database, each as a node with a lease: the database, the state
//! of each server, the trouble, and the invariants of all of them.
//!
//! The database is simulated, with PostgreSQL's locks and a clock that may be wrong. The decisions
//! of servers are the code of `bridgemaster-lease`: whether they answer, when they renew their
//! lease, and how they proceed after a commit with a lost response.

pub(crate) mod clock;
pub(crate) mod database;
pub(crate) mod events;
pub(crate) mod journal;
mod locks;
pub(crate) mod node;
pub(crate) mod plan;
pub(crate) mod tampering;
pub(crate) mod transaction;
pub(crate) mod trouble;
mod witness;

use bridgemaster_referee::Time;

use self::{
    database::Database, node::Node, plan::ClusterPlan, tampering::ClusterDefect, transaction::TxId,
    trouble::TROUBLES, witness::Witness,
};
use crate::dice::{Dice, Purpose};

/// The shared state of the servers.
pub(crate) struct Cluster {
    pub(crate) plan: ClusterPlan,
    pub(crate) database: Database,
    /// The state of each server.
    pub(crate) nodes: Vec<Node>,
    pub(crate) witness: Witness,
    /// The random source of trouble.
    pub(crate) dice: Dice,
    /// The random source of latencies and commit times.
    pub(crate) lines: Dice,
    /// The random source of client requests.
    pub(crate) caller: Dice,
    pub(crate) wrong: Option<ClusterDefect>,
    last_transaction: u64,
    /// The number of servers that have resumed the match.
    pub(crate) lives: u32,
    pub(crate) troubles_left: u32,
    /// The server whose connection is lost with its next commit, if any.
    pub(crate) loses_commit: Option<usize>,
    /// The time until which commits are slow.
    pub(crate) slow_until: Time,
    /// The time at which the end of the match was stored.
    pub(crate) over_at: Option<Time>,
    /// Unhandled inputs of matches that are gone.
    pub(crate) inputs: u64,
    pub(crate) figures: Figures,
}

/// Statistics of a cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// The number of times that each trouble struck.
    pub(crate) troubles: [u64; TROUBLES],
    /// The number of times that the match moved.
    pub(crate) moves: u64,
    /// The number of times that a server resumed it.
    pub(crate) lives: u64,
    /// Servers that stopped because another one had their node.
    pub(crate) superseded: u64,
    /// The number of times that a server stopped answering because it could not renew its lease.
    pub(crate) lapses: u64,
    /// Commits that were retried.
    pub(crate) retries: u64,
    /// Commits that were found by a retry.
    pub(crate) found: u64,
    /// Bots that a server redirected to another one.
    pub(crate) sent_on: u64,
    /// Bots that reconnected when only the stored summary was left.
    pub(crate) final_messages: u64,
}

impl Figures {
    pub(crate) fn add(&mut self, other: &Self) {
        let troubles = self.troubles.iter_mut().zip(other.troubles);
        troubles.for_each(|(sum, count)| *sum += count);
        self.moves += other.moves;
        self.lives += other.lives;
        self.superseded += other.superseded;
        self.lapses += other.lapses;
        self.retries += other.retries;
        self.found += other.found;
        self.sent_on += other.sent_on;
        self.final_messages += other.final_messages;
    }
}

impl Cluster {
    pub(crate) fn new(
        plan: ClusterPlan,
        seed: u64,
        seats: usize,
        header: &[u8],
        wrong: Option<ClusterDefect>,
    ) -> Self {
        let servers = plan.nodes + plan.rivals;
        Self {
            database: Database::new(&plan, header, wrong),
            nodes: (0..servers)
                .map(|server| Node::new(&plan, server))
                .collect(),
            witness: Witness::new(seats),
            dice: Dice::new(seed, Purpose::Troubles),
            lines: Dice::new(seed, Purpose::Lines),
            caller: Dice::new(seed, Purpose::Caller),
            wrong,
            last_transaction: 0,
            lives: 0,
            troubles_left: plan.troubles,
            loses_commit: None,
            slow_until: Time(0),
            over_at: None,
            inputs: 0,
            figures: Figures::default(),
            plan,
        }
    }

    pub(crate) fn next_transaction(&mut self) -> TxId {
        self.last_transaction += 1;
        TxId(self.last_transaction)
    }

    pub(crate) fn does(&self, wrong: ClusterDefect) -> bool {
        self.wrong == Some(wrong)
    }

    /// Returns whether a server has the match, according to the database.
    pub(crate) fn is_owner(&self, server: usize) -> bool {
        let node = &self.nodes[server];
        let row = &self.database.rows[node.row];
        self.database.owner == node.row && row.epoch == node.epoch
    }

    /// Handles the takeover of a server's node by another process.
    pub(crate) fn was_replaced(&self, server: usize) -> bool {
        let node = &self.nodes[server];
        self.database.rows[node.row].opened_in > node.epoch
    }
}
