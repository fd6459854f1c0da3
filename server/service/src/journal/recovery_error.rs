//! Errors while a server restores matches from its store.

use bridgemaster_store::StoreError;
use thiserror::Error;

/// The error when a server cannot restore the contents of its store.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A match that was to be dropped is not in the store.
    #[error("cannot drop match {match_id}: it is not in the store")]
    UnknownMatch {
        /// The identifier of the match that was to be dropped.
        match_id: String,
    },
}
