//! Why there is no position.

use bridgemaster_games::{GAME_IDS, SeatCount};
use thiserror::Error;

use crate::opening::BadField;

/// Why there is no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// A game that this version does not know.
    #[error("game_id: {0:?} is no game; there are: {known}", known = GAME_IDS.join(", "))]
    UnknownGame(String),
    /// A part of the replay is missing or makes no sense.
    #[error("{field}: {problem}")]
    Field {
        /// Its path below `Replay`.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A viewer has a seat that the match does not have.
    #[error("viewers[{place}].seat: {seat} is no seat; the match has {seats}, from 0")]
    NoSeat {
        /// The place of the viewer in the list.
        place: usize,
        /// The seat that it has.
        seat: u32,
        /// The seats of the match.
        seats: SeatCount,
    },
}

impl From<BadField> for PositionError {
    fn from(BadField { field, problem }: BadField) -> Self {
        Self::Field { field, problem }
    }
}
