//! Servers that share a database, each as a node with a lease: the database, what each server knows
//! of its node, what goes wrong, and what must hold over all of them.
//!
//! The database is the simulation's own, with PostgreSQL's locks and a clock that may lie. What a
//! server decides is the code of `bridgemaster-lease`: whether it answers, when it renews its lease,
//! how it goes on after a commit whose answer was lost.

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
    database::Database, node::Node, plan::ClusterPlan, tampering::WrongCluster, transaction::TxId,
    trouble::TROUBLES, witness::Witness,
};
use crate::dice::{Dice, Purpose};

/// What servers have together.
pub(crate) struct Cluster {
    pub(crate) plan: ClusterPlan,
    pub(crate) database: Database,
    /// What each server knows of its node.
    pub(crate) nodes: Vec<Node>,
    pub(crate) witness: Witness,
    /// What goes wrong, and when.
    pub(crate) dice: Dice,
    /// How long what is sent to the database is on its way, and what is written down.
    pub(crate) lines: Dice,
    /// Whom somebody asks for the match, and when.
    pub(crate) caller: Dice,
    pub(crate) wrong: Option<WrongCluster>,
    last_transaction: u64,
    /// How many servers have gone on with the match.
    pub(crate) lives: u32,
    pub(crate) troubles_left: u32,
    /// The server whose connection is lost with its next commit, if any.
    pub(crate) loses_commit: Option<usize>,
    /// Until when commits take long.
    pub(crate) slow_until: Time,
    /// When the end of the match was stored.
    pub(crate) over_at: Option<Time>,
    /// Inputs that matches had which are gone.
    pub(crate) inputs: u64,
    pub(crate) figures: Figures,
}

/// What happened to servers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// How often each trouble was made.
    pub(crate) troubles: [u64; TROUBLES],
    /// How often the match moved.
    pub(crate) moves: u64,
    /// How often a server went on with it.
    pub(crate) lives: u64,
    /// Servers that ended since another one had their node.
    pub(crate) superseded: u64,
    /// How often a server did not answer since it could not renew its lease.
    pub(crate) lapses: u64,
    /// Commits that were tried again.
    pub(crate) retries: u64,
    /// Commits that were found when they were tried again.
    pub(crate) found: u64,
    /// Bots that a server sent to another one.
    pub(crate) sent_on: u64,
    /// Bots that came when all was over and only what is kept was left.
    pub(crate) last_words: u64,
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
        self.last_words += other.last_words;
    }
}

impl Cluster {
    pub(crate) fn new(
        plan: ClusterPlan,
        seed: u64,
        seats: usize,
        header: &[u8],
        wrong: Option<WrongCluster>,
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

    pub(crate) fn does(&self, wrong: WrongCluster) -> bool {
        self.wrong == Some(wrong)
    }

    /// Whether a server has the match, as the database knows it.
    pub(crate) fn is_owner(&self, server: usize) -> bool {
        let node = &self.nodes[server];
        let row = &self.database.rows[node.row];
        self.database.owner == node.row && row.epoch == node.epoch
    }

    /// A process has taken the node of this one, and not another node.
    pub(crate) fn was_replaced(&self, server: usize) -> bool {
        let node = &self.nodes[server];
        self.database.rows[node.row].opened_in > node.epoch
    }
}
