//! Row locks of transactions, as in PostgreSQL.

use super::transaction::TxId;

/// A mode of row locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowLock {
    /// Acquired by the fence. It blocks only takeovers.
    KeyShare,
    /// Acquired by a takeover. It blocks every other transaction.
    Update,
}

#[derive(Debug, Default)]
pub(crate) struct Locks {
    held: Vec<(usize, TxId, RowLock)>,
}

impl Locks {
    /// Acquires the lock of a row, unless another transaction holds a conflicting one.
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

    /// Returns whether an update that changes no key can proceed.
    pub(crate) fn may_renew(&self, row: usize) -> bool {
        let mut held = self.held.iter();
        !held.any(|(locked, _, lock)| *locked == row && *lock == RowLock::Update)
    }

    pub(crate) fn release(&mut self, of: TxId) {
        self.held.retain(|(_, holder, _)| *holder != of);
    }
}
