//! What there is: the database, the servers, and what bots were told.

use crate::protocol::{Bounds, Protocol};

/// Most servers, and so most nodes.
pub(crate) const SERVERS: usize = 3;

/// Most entries of the match; one more than is planned has room, to be found.
pub(crate) const ENTRIES: usize = 3;

/// A protocol in a world of some size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) protocol: Protocol,
    pub(crate) bounds: Bounds,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// A row for each node.
    pub(crate) rows: [Row; SERVERS],
    /// The node that has the match.
    pub(crate) holder: usize,
    /// How many entries it had when its holder released it, if it is released.
    pub(crate) released_with: Option<u8>,
    /// How often it was taken since it was released.
    pub(crate) released_takes: u8,
    /// The journal of the match, as its holder has it in the database.
    pub(crate) journal: Journal,
    pub(crate) servers: [Server; SERVERS],
    /// What bots were told, whoever told them.
    pub(crate) told: Journal,
    pub(crate) wrongs: Wrongs,
    pub(crate) losses_left: u8,
    pub(crate) takes_left: u8,
    pub(crate) crashes_left: u8,
    /// Commits that a crash may lose. All are decisions, at the end of the journal and of the batches
    /// of the node that has the match: whatever else is committed flushes them.
    pub(crate) unflushed: u8,
}

/// The row of a node in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Row {
    pub(crate) epoch: u8,
    /// Ticks of the database's clock until its lease runs out.
    pub(crate) lease_left: u8,
    /// Batches of its journal.
    pub(crate) batches: u8,
    /// The epoch that another node gave it last.
    pub(crate) taken_in: u8,
    /// The epoch in which a server of its name has started last.
    pub(crate) started_in: u8,
    /// Its lease was given up, and no server has started since.
    pub(crate) is_released: bool,
}

/// An entry of a journal: the decision that was accepted, by whom, and how many epochs there had
/// been when he got the match.
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

    /// The last entry, taken away.
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let mut entries = self.0.iter_mut().rev();
        entries.find_map(Option::take)
    }

    /// Adds an entry, if there is room.
    pub(crate) fn push(&mut self, entry: Entry) {
        if let Some(free) = self.0.iter_mut().find(|entry| entry.is_none()) {
            *free = Some(entry);
        }
    }
}

/// A server: a process that is one node, until it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    pub(crate) phase: Phase,
    /// The epoch in which it holds its node.
    pub(crate) epoch: u8,
    /// How many epochs there had been when it got the match.
    pub(crate) fence: u8,
    /// The number of its last batch.
    pub(crate) batches: u8,
    /// It plays the match.
    pub(crate) plays: bool,
    /// The journal of the match as it knows it; or as it is about to have taken it.
    pub(crate) journal: Journal,
    /// There is something that it has not told bots.
    pub(crate) is_untold: bool,
    /// Its last commits of which it does not know that they are flushed: that many entries at the end
    /// of its journal.
    pub(crate) unflushed: u8,
    pub(crate) flush: Flush,
    /// Its connections were lost, and it has committed nothing since.
    pub(crate) was_cut_off: bool,
    /// What its writing connection does.
    pub(crate) work: Option<Work>,
    /// A try whose connection was lost: it may still be committed.
    pub(crate) stray: Option<Transaction>,
    pub(crate) renewal: Renewal,
    /// A renewal that it waits for no more: it may still be done.
    pub(crate) has_late_renewal: bool,
    /// Since the last renewal that succeeded began, by its own clock.
    pub(crate) renewed: Age,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    #[default]
    NotStarted,
    Opening,
    Up,
    /// It was killed, or has ended.
    Gone,
}

/// A piece of work, tried until its outcome is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Work {
    pub(crate) what: What,
    /// An earlier try may have been committed.
    pub(crate) again: bool,
    pub(crate) at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// A decision of the match is stored.
    Append,
    /// The match is taken over.
    Take,
    /// The match is released.
    ReleaseMatch,
    /// The server takes its node.
    Open,
    /// What a crash has lost is made again, and nothing else.
    PutBack,
}

/// What a flush of a server has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Flush {
    #[default]
    Idle,
    Sent,
    /// The database has done it, and the server does not know yet.
    Done(Seen),
}

/// What the transaction of a flush has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Seen {
    UpTo(u8),
    Missing,
    Superseded,
}

/// How far a try is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// It is to be begun.
    Waiting,
    /// The transaction has begun, when its node had or had not a lease.
    Begun { had_lease: bool },
    /// The fence is passed, and the row of its node locked.
    Fenced,
    /// The row of the node to be taken is locked too.
    Locked { node: usize },
    /// The match is to be taken, which its node has released.
    Claimed { node: usize },
    /// It is committed, and the server does not know yet.
    Committed,
}

/// A transaction that is open in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Transaction {
    pub(crate) what: What,
    pub(crate) again: bool,
    /// The node from which it takes the match.
    pub(crate) takes_from: Option<usize>,
    /// That has released it.
    pub(crate) is_released: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Renewal {
    #[default]
    Idle,
    Sent(Age),
    Done(Age),
}

/// Time by the clock of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Age {
    pub(crate) ticks: u8,
    /// Ticks of the database's clock that the server's has lost meanwhile.
    pub(crate) lost: u8,
}

/// What happened and must not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Wrongs {
    pub(crate) committed_after_its_epoch: bool,
    pub(crate) passed_the_fence_without_lease: bool,
    pub(crate) taken_with_a_lease: bool,
    /// A server has found another number of batches than it has made.
    pub(crate) contradicted: bool,
    pub(crate) told_two_things: bool,
}
