//! The state: the database, the servers, and the published entries.

use crate::protocol::{Bounds, Protocol};

/// Maximum number of servers, and therefore of nodes.
pub(crate) const SERVERS: usize = 3;

/// Maximum number of entries of the match: one more than allowed, so that a surplus entry is
/// detected.
pub(crate) const ENTRIES: usize = 3;

/// A protocol and the size of the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) protocol: Protocol,
    pub(crate) bounds: Bounds,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// The rows of the nodes.
    pub(crate) rows: [Row; SERVERS],
    /// The node that has the match.
    pub(crate) holder: usize,
    /// The number of entries when the match was released, if it is released.
    pub(crate) released_with: Option<u8>,
    /// The number of takeovers of released matches.
    pub(crate) released_takes: u8,
    /// The journal of the match in the database.
    pub(crate) journal: Journal,
    pub(crate) servers: [Server; SERVERS],
    /// The entries that any server has published.
    pub(crate) published: Journal,
    pub(crate) violations: Violations,
    pub(crate) losses_left: u8,
    pub(crate) takes_left: u8,
    pub(crate) crashes_left: u8,
    /// Commits that a crash may lose. All of them are decisions, at the end of the journal and of
    /// the batches of the node that has the match: any other commit flushes them.
    pub(crate) unflushed: u8,
}

/// The row of a node in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Row {
    pub(crate) epoch: u8,
    /// Ticks of the database clock until the lease of the node expires.
    pub(crate) lease_left: u8,
    /// The number of batches in the node's journal.
    pub(crate) batches: u8,
    /// The last epoch that another node started by a takeover.
    pub(crate) taken_over_in: u8,
    /// The last epoch in which a server with the node's name started.
    pub(crate) started_in: u8,
    /// The lease was released, and no server of the node has started since.
    pub(crate) is_released: bool,
    /// The lease was ended by another node, and has not been renewed since.
    pub(crate) is_ended: bool,
}

/// An entry of a journal: the accepted decision, the server, and the fence with which that server
/// got the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub(crate) decision: u8,
    pub(crate) server: u8,
    pub(crate) fence: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Journal([Option<Entry>; ENTRIES]);

impl Journal {
    pub(crate) fn len(&self) -> usize {
        self.entries().count()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + Clone {
        self.0.into_iter().flatten()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Entry> {
        self.0[index]
    }

    /// Removes the last entry.
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let mut entries = self.0.iter_mut().rev();
        entries.find_map(Option::take)
    }

    /// Adds an entry, if there is space.
    pub(crate) fn push(&mut self, entry: Entry) {
        if let Some(free) = self.0.iter_mut().find(|entry| entry.is_none()) {
            *free = Some(entry);
        }
    }
}

/// A server: the process of one node, until it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    pub(crate) phase: Phase,
    /// The epoch in which the server holds its node.
    pub(crate) epoch: u8,
    /// The sum of epochs when the server got the match.
    pub(crate) fence: u8,
    /// The number of the server's last batch.
    pub(crate) batches: u8,
    /// Whether the server plays the match.
    pub(crate) plays: bool,
    /// The journal of the match in the memory of the server. During a takeover it is the journal
    /// that is to be taken over.
    pub(crate) journal: Journal,
    /// Whether the server has unpublished entries.
    pub(crate) has_unpublished: bool,
    /// The number of entries at the end of the journal whose commits are not known to be flushed.
    pub(crate) unflushed: u8,
    pub(crate) flush: Flush,
    /// The server's connections were lost, and it has not committed anything since.
    pub(crate) has_lost_connection: bool,
    /// The operation on the write connection.
    pub(crate) work: Option<Work>,
    /// An attempt whose connection was lost: it may still be committed.
    pub(crate) late_transaction: Option<Transaction>,
    pub(crate) renewal: Renewal,
    /// An abandoned renewal, which may still take effect.
    pub(crate) has_late_renewal: bool,
    /// Time since the start of the last successful renewal, by the server's clock.
    pub(crate) renewed: Age,
    /// The server uses a session to renew its lease, and does not know whether the session is lost.
    pub(crate) is_connected: bool,
    /// The database still has that session, and with it the lock of the node.
    pub(crate) has_lock: bool,
    /// Time since the start of the last successful check of the session, by the server's clock.
    pub(crate) checked: Age,
    /// The server's observation that the first node has no session.
    pub(crate) loss: Option<Loss>,
}

/// The observation that a node has no session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Loss {
    /// Ticks since this was first observed.
    pub(crate) ticks: u8,
    /// The node has renewed its lease since then.
    pub(crate) is_renewed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    #[default]
    NotStarted,
    Opening,
    Up,
    Gone,
}

/// An operation, attempted until its outcome is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Work {
    pub(crate) kind: WorkKind,
    /// An earlier attempt may have been committed.
    pub(crate) is_retry: bool,
    pub(crate) progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WorkKind {
    Append,
    Take,
    ReleaseMatch,
    /// The server takes over its own node.
    Open,
    /// Lost commits are restored, and nothing else.
    RestoreLost,
}

/// State of a flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Flush {
    #[default]
    Idle,
    Sent,
    /// The database has flushed the commits, and the answer is on its way.
    Done(FlushResult),
}

/// Result of the transaction of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FlushResult {
    UpTo(u8),
    Missing,
    Superseded,
}

/// Progress of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Progress {
    Waiting,
    /// The transaction has started, and its node had a lease then or not.
    Started {
        had_lease: bool,
    },
    /// The fence is passed, and the row of the server's node is locked.
    Fenced,
    /// The row of the orphaned node is locked too.
    Locked {
        node: usize,
    },
    /// The released match is claimed.
    Claimed {
        node: usize,
    },
    /// The transaction is committed, and the answer is on its way.
    Committed,
}

/// A transaction that is open in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Transaction {
    pub(crate) kind: WorkKind,
    pub(crate) is_retry: bool,
    /// The node from which the transaction takes over the match.
    pub(crate) takes_from: Option<usize>,
    /// Whether that node has released the match.
    pub(crate) is_released: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Renewal {
    #[default]
    Idle,
    Sent(Age),
    Done(Age),
    /// A check of the session, instead of a renewal.
    Checking(Age),
    Checked(Age),
}

/// A time span by the clock of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Age {
    pub(crate) ticks: u8,
    /// The number of ticks by which the clock of the server has fallen behind.
    pub(crate) lost: u8,
}

/// Violated properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Violations {
    pub(crate) committed_after_its_epoch: bool,
    pub(crate) passed_the_fence_without_lease: bool,
    pub(crate) taken_with_a_lease: bool,
    /// A server has found a number of batches other than its own count.
    pub(crate) contradicted: bool,
    pub(crate) published_conflicting_entries: bool,
    pub(crate) ended_lease_with_session: bool,
}
