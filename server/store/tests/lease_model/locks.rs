//! Locks of rows of nodes, as PostgreSQL grants them. They follow from the transactions that are
//! open.

use crate::{
    protocol::{Fence, Protocol},
    state::{At, State, Transaction, What, Work, World},
};

/// How a row is locked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// By the fence.
    KeyShare,
    /// By an update of no key: a renewal.
    NoKeyUpdate,
    /// By who takes the node over, and by the fence of a retry.
    Update,
}

impl Work {
    /// Its transaction, once that holds locks and until it has ended.
    pub(crate) fn transaction(&self) -> Option<Transaction> {
        let (takes_from, is_released) = match self.at {
            At::Fenced => (None, false),
            At::Locked { node } => (Some(node), false),
            At::Claimed { node } => (Some(node), true),
            At::Waiting | At::Begun { .. } | At::Committed => return None,
        };
        Some(Transaction {
            what: self.what,
            again: self.again,
            takes_from,
            is_released,
        })
    }
}

impl State {
    /// Whether a transaction gets this lock of a row now. Its own connection holds none of it yet.
    pub(crate) fn is_free(&self, world: &World, row: usize, wanted: Lock) -> bool {
        let mut held = self.servers.iter().enumerate().flat_map(|(server, it)| {
            let node = world.bounds.nodes.get(server).copied();
            let open = [it.work.and_then(|work| work.transaction()), it.stray];
            open.into_iter().flatten().filter_map(move |open| {
                if open.takes_from == Some(row) {
                    return world.protocol.taking_lock(open);
                }
                (node == Some(row))
                    .then(|| world.protocol.fence_lock(open))
                    .flatten()
            })
        });
        match wanted {
            Lock::KeyShare | Lock::NoKeyUpdate => held.all(|held| held != Lock::Update),
            Lock::Update => held.next().is_none(),
        }
    }
}

impl Protocol {
    /// How one that takes the match locks the row of the node that has it.
    fn taking_lock(&self, open: Transaction) -> Option<Lock> {
        match open.is_released {
            true => self.locks_node_of_released.then_some(Lock::KeyShare),
            false => self.locks_whom_it_takes.then_some(Lock::Update),
        }
    }

    /// How an open transaction locks the row of its own node.
    pub(crate) fn fence_lock(&self, open: Transaction) -> Option<Lock> {
        if open.what == What::Open {
            return Some(Lock::Update);
        }
        match self.fence {
            Fence::Row | Fence::RowAtBegin if open.again && self.retry_waits => Some(Lock::Update),
            Fence::Row | Fence::RowAtBegin => Some(Lock::KeyShare),
            Fence::OwnClock | Fence::Missing => None,
        }
    }
}
