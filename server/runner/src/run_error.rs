//! Errors that prevent a contest from running.

use thiserror::Error;

use crate::{FolderError, JournalError, SpecError, retry_client::CallError};

/// An error that prevents a contest from starting or continuing.
#[derive(Debug, Error)]
pub enum RunError {
    /// The spec is not valid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The contest's folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The server is unreachable or refused a call.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Writing a finished match to the journal failed.
    #[error("cannot store a finished match")]
    Journal(#[from] JournalError),
    /// A result is not valid for the statistics.
    #[error(transparent)]
    Statistics(#[from] bridgemaster_contest::ContestError),
    /// The operating system's random number generator failed.
    #[error("cannot read the operating system's random numbers; pass --seed")]
    NoRandomness,
    /// The operating system could not start the threads for built-in bots.
    #[error("cannot start the threads of the built-in bots")]
    NoThreads(#[source] std::io::Error),
    /// A task panicked or was aborted.
    #[error("an internal task failed")]
    Task(#[from] tokio::task::JoinError),
}
