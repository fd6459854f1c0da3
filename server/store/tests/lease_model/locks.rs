//! Row locks of nodes, as PostgreSQL grants them. They follow from the open transactions.

use crate::{
    protocol::{Fence, Protocol},
    state::{Progress, State, Transaction, Work, WorkKind, World},
};

/// A mode of row locks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    KeyShare,
    /// The lock of a renewal, which updates no key.
    NoKeyUpdate,
    /// The lock of a takeover of the node.
    Update,
}

impl Work {
    /// Returns the transaction, if it holds locks.
    pub(crate) fn transaction(&self) -> Option<Transaction> {
        let (takes_from, is_released) = match self.progress {
            Progress::Fenced => (None, false),
            Progress::Locked { node } => (Some(node), false),
            Progress::Claimed { node } => (Some(node), true),
            Progress::Waiting | Progress::Started { .. } | Progress::Committed => return None,
        };
        Some(Transaction { kind: self.kind, is_retry: self.is_retry, takes_from, is_released })
    }
}

impl State {
    /// Returns whether a transaction gets this lock of a row now. Its own connection does not hold
    /// one yet.
    pub(crate) fn is_free(&self, world: &World, row: usize, wanted: Lock) -> bool {
        let mut held = self.servers.iter().enumerate().flat_map(|(server, it)| {
            let node = world.bounds.nodes.get(server).copied();
            let open = [it.work.and_then(|work| work.transaction()), it.late_transaction];
            open.into_iter().flatten().filter_map(move |open| {
                if open.takes_from == Some(row) {
                    return world.protocol.takeover_lock(open);
                }
                (node == Some(row)).then(|| world.protocol.fence_lock(open)).flatten()
            })
        });
        match wanted {
            Lock::KeyShare | Lock::NoKeyUpdate => held.all(|held| held != Lock::Update),
            Lock::Update => held.next().is_none(),
        }
    }
}

impl Protocol {
    /// Returns the lock of a takeover on the row of the node that has the match.
    fn takeover_lock(&self, open: Transaction) -> Option<Lock> {
        if open.is_released {
            self.locks_node_of_released.then_some(Lock::KeyShare)
        } else {
            self.locks_orphaned_node.then_some(Lock::Update)
        }
    }

    /// Returns the lock of an open transaction on the row of its own node.
    pub(crate) fn fence_lock(&self, open: Transaction) -> Option<Lock> {
        if open.kind == WorkKind::Open {
            return Some(Lock::Update);
        }
        match self.fence {
            Fence::Row | Fence::RowAtBegin => Some(Lock::KeyShare),
            Fence::OwnClock | Fence::Missing => None,
        }
    }
}
