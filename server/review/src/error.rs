//! The reason why a match cannot be reviewed.

use bridgemaster_games::{FieldError, Seat};
use thiserror::Error;

/// The reason why a match cannot be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReviewError {
    /// The seat does not exist.
    #[error("seat {seat} is out of range (0..={last})", seat = .0, last = .1 - 1)]
    Seat(Seat, u8),
    /// An observation of the match cannot be sampled.
    #[error("cannot sample a state from what the seat knew: {0}")]
    Observation(#[from] FieldError),
    /// A decision is illegal in a sampled state.
    #[error("a sampled state refuses the decision: {0}")]
    Refused(String),
    /// A match does not end.
    #[error("a match that is played on from this replay does not end")]
    Endless,
}
