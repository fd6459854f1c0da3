//! The error type of positions.

use bridgemaster_games::{GAME_IDS, SeatCount};
use thiserror::Error;

use crate::opening::InvalidField;

/// The reason why a position cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// The game is unknown to this version.
    #[error("game_id: {0:?} is not a known game; known: {known}", known = GAME_IDS.join(", "))]
    UnknownGame(String),
    /// A field of the replay is missing or invalid.
    #[error("{field}: {problem}")]
    Field {
        /// Path of the invalid field, relative to `Replay`.
        field: String,
        /// Description of the error.
        problem: String,
    },
    /// A viewer's seat is out of range.
    #[error("viewers[{place}].seat: {seat} is out of range (0..={})", .seats.get() - 1)]
    NoSuchSeat {
        /// The viewer's index in the list of viewers.
        place: usize,
        /// The rejected seat number.
        seat: u32,
        /// The number of seats in the match.
        seats: SeatCount,
    },
}

impl From<InvalidField> for PositionError {
    fn from(InvalidField { field, problem }: InvalidField) -> Self {
        Self::Field { field, problem }
    }
}
