//! The locks that transactions have of the rows of nodes, as PostgreSQL has them.

use bridgemaster_lease::RowLock;

use super::transaction::TxId;

#[derive(Debug, Default)]
pub(crate) struct Locks {
    held: Vec<(usize, TxId, RowLock)>,
}

impl Locks {
    /// Takes the lock of a row, if no other transaction has one that it does not bear.
    pub(crate) fn take(&mut self, row: usize, of: TxId, lock: RowLock) -> bool {
        let bears = |other: RowLock| (lock, other) == (RowLock::KeyShare, RowLock::KeyShare);
        let mut held = self.held.iter();
        let is_free =
            held.all(|(locked, holder, other)| *locked != row || *holder == of || bears(*other));
        if is_free {
            self.held.push((row, of, lock));
        }
        is_free
    }

    /// Whether an update of a row that changes no key need not wait.
    pub(crate) fn may_renew(&self, row: usize) -> bool {
        let mut held = self.held.iter();
        !held.any(|(locked, _, lock)| *locked == row && *lock == RowLock::Update)
    }

    pub(crate) fn release(&mut self, of: TxId) {
        self.held.retain(|(_, holder, _)| *holder != of);
    }
}
