//! A transaction, as the database has it.

use std::rc::Rc;

use bridgemaster_lease::RowLock;

use super::{
    events::Of,
    journal::{Appended, Handed},
};

/// Numbers the tries of all transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TxId(pub(crate) u64);

/// What a transaction is for.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// A server takes its node.
    Open,
    /// What happened in the match is stored.
    Append(Rc<Appended>),
    /// The match is taken over, if nobody plays it.
    Take,
    /// A server gives up its lease.
    Release,
}

/// What a server sends.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A transaction begins, with a look at the row of the node.
    Begin(Box<Begun>),
    /// It writes.
    Write,
    /// It is to be committed.
    Commit,
}

/// A transaction as a server begins it.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) row: usize,
    pub(crate) epoch: i64,
    /// The number of the commit.
    pub(crate) number: i64,
    pub(crate) lock: RowLock,
    /// An earlier try may have been committed.
    pub(crate) is_again: bool,
    pub(crate) work: Work,
}

/// How far it is.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// It waits for the row of its node.
    Waiting,
    Fenced,
    Written(Written),
    /// It is being written down, and will be committed whatever becomes of the server.
    Flushing(Written),
}

/// What a transaction comes to, if it is committed.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// An earlier try was committed.
    IsThere,
    Appended,
    Taken(Option<Taken>),
    Opened(Opened),
    Released,
}

/// A match that is taken over.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// The row of the node that had it.
    pub(crate) from: usize,
    pub(crate) handed: Handed,
}

/// A node that is a server's now.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) epoch: i64,
    /// Commits so far, this one included.
    pub(crate) commits: i64,
    pub(crate) lease_until_us: i64,
    /// The match, if the node has it.
    pub(crate) handed: Option<Handed>,
}

/// A transaction.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) id: TxId,
    /// The process that it is of; `None` once nobody hears of it any more.
    pub(crate) of: Option<Of>,
    pub(crate) begun: Begun,
    /// What the clock of the database said when it began.
    pub(crate) begun_at_us: i64,
    pub(crate) stage: Stage,
    /// Steps that were answered.
    pub(crate) steps: u32,
}
