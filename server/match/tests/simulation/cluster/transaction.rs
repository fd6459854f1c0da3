//! Transactions, as seen by the database.

use std::rc::Rc;

use super::{
    events::Of,
    journal::{Appended, Handed},
};

/// Number of an attempt, over all transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TxId(pub(crate) u64);

/// The purpose of a transaction.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// A server takes its node.
    Open,
    /// New entries of the match are stored.
    Append(Rc<Appended>),
    /// The match is taken over if it is orphaned.
    Take,
    /// A server releases its lease.
    Release,
}

/// A message of a server.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Begins a transaction with the check of the node's row.
    Begin(Box<TransactionStart>),
    /// Writes the changes.
    Write,
    /// Commits the transaction.
    Commit,
}

/// The start of a transaction.
#[derive(Clone, Debug)]
pub(crate) struct TransactionStart {
    pub(crate) row: usize,
    pub(crate) epoch: i64,
    /// The number of the commit.
    pub(crate) number: i64,
    /// Waits until no earlier attempt of the process can be committed any more.
    pub(crate) ends_earlier: bool,
    /// An earlier attempt may have been committed.
    pub(crate) is_retry: bool,
    pub(crate) work: Work,
}

/// The stage of a transaction.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// Waits for the row of its node.
    Waiting,
    Fenced,
    WriteOutcome(WriteOutcome),
    /// Is being committed, whatever happens to the server.
    Flushing(WriteOutcome),
}

/// The outcome of a write, if it is committed.
#[derive(Clone, Debug)]
pub(crate) enum WriteOutcome {
    /// An earlier attempt was committed.
    IsThere,
    Appended,
    TakenOver(Option<TakenOver>),
    Opened(Opened),
    Released,
}

/// A match that is taken over.
#[derive(Clone, Debug)]
pub(crate) struct TakenOver {
    /// The row of the node that had it.
    pub(crate) from: usize,
    pub(crate) handed: Handed,
}

/// A node that a server has taken.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) epoch: i64,
    /// The number of commits so far, including this one.
    pub(crate) commits: i64,
    pub(crate) lease_until_us: i64,
    /// The match, if the node has it.
    pub(crate) handed: Option<Handed>,
}

/// An open transaction.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) id: TxId,
    /// Its process; `None` once its connection is gone.
    pub(crate) of: Option<Of>,
    pub(crate) start: TransactionStart,
    /// The database clock at its start.
    pub(crate) begun_at_us: i64,
    pub(crate) stage: Stage,
    /// The number of answered steps.
    pub(crate) steps: u32,
}
