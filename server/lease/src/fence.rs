//! The look at the row of its node with which each transaction of a server begins.

/// What a transaction finds there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// The node is the server's, and has its lease.
    Stands,
    /// The lease has run out, and nobody has taken the node over yet: it may be renewed.
    LeaseOver,
    /// Another server has taken the node over.
    Superseded,
}

impl Fence {
    /// What the row says of the node in the epoch of the server, once it is locked: `None` if the node
    /// is in another epoch, and else whether its lease runs by the clock of the database at that
    /// moment.
    #[must_use]
    pub fn of(lease_runs: Option<bool>) -> Self {
        match lease_runs {
            Some(true) => Self::Stands,
            Some(false) => Self::LeaseOver,
            None => Self::Superseded,
        }
    }
}

/// How a transaction locks the row of its node before it looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLock {
    /// Against who takes the node over. Renewals, and other transactions of the server, go on.
    KeyShare,
    /// Against every other transaction.
    Update,
}

impl RowLock {
    /// That of a try. After a failure the stronger one waits for a commit of the server's own that may
    /// still be on its way.
    #[must_use]
    pub fn of_try(is_again: bool) -> Self {
        match is_again {
            true => Self::Update,
            false => Self::KeyShare,
        }
    }
}
