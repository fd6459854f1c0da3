//! What can be chosen for a match of Carcassonne with the Drawbridges.

use std::sync::Arc;

use thiserror::Error;

use super::components::{MAX_PLAYERS, MIN_PLAYERS};
use super::edition::Edition;
use crate::SeatCount;

/// What can be chosen for a match. The default has drawbridges and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whether the twelve drawbridge tiles are in the game; without them the 72 base tiles are.
    pub drawbridges: bool,
    /// Whether meeples may be placed on fields.
    pub fields: bool,
    /// The drawbridge tiles, in the game or not.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            drawbridges: true,
            fields: true,
            edition: Edition::house(),
        }
    }
}

/// Why a config is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// A number of seats that the game does not have.
    #[error("seats: {0} is not in {MIN_PLAYERS} to {MAX_PLAYERS}")]
    Seats(SeatCount),
}

impl Config {
    pub(super) fn check(&self, seats: SeatCount) -> Result<(), ConfigError> {
        if (MIN_PLAYERS..=MAX_PLAYERS).contains(&usize::from(seats.get())) {
            Ok(())
        } else {
            Err(ConfigError::Seats(seats))
        }
    }
}
