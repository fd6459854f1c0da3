//! Why a contest does not run.

use thiserror::Error;

use crate::{FolderError, JournalError, SpecError, calls::DeskError};

/// Why a contest cannot begin or go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// What was asked for makes no contest.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The server cannot be reached.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// A finished match cannot be stored.
    #[error("a finished match cannot be stored")]
    Journal(#[from] JournalError),
    /// The statistics refuse a result.
    #[error(transparent)]
    Statistics(#[from] bridgemaster_contest::ContestError),
    /// The system gives no random numbers for a seed.
    #[error("the system gives no random numbers; give a seed")]
    NoRandomness,
    /// A task of the program failed.
    #[error("a task of the program failed")]
    Task(#[from] tokio::task::JoinError),
}
