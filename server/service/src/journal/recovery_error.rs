//! Why a server cannot go on with what is in its store.

use bridgemaster_store::StoreError;
use thiserror::Error;

/// Why a server cannot go on with what is in its store.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store has no match of an identifier that is to be given up.
    #[error("there is no match {match_id} in the store that could be given up")]
    NotThere {
        /// The match.
        match_id: String,
    },
}
