//! The fence at the start of each transaction: a check that the server still owns its node's row.

/// The result of checking the node's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// The server owns the node, and its lease is valid.
    Held,
    /// The lease has expired, but no other server has taken over the node yet. The server can still
    /// renew it.
    LeaseExpired,
    /// Another server has taken over the node.
    Superseded,
}

impl Fence {
    /// Interprets the node's locked row. `lease_runs` is `None` if the row's epoch differs from the
    /// server's. Otherwise `lease_runs` is true while the lease is valid by the database's clock.
    #[must_use]
    pub fn of(lease_runs: Option<bool>) -> Self {
        match lease_runs {
            Some(true) => Self::Held,
            Some(false) => Self::LeaseExpired,
            None => Self::Superseded,
        }
    }
}
