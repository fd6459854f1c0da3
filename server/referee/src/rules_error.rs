//! Why the rules of a match are refused.

use bridgemaster_games::{FieldError, Seat};
use thiserror::Error;

use crate::{FaultAction, ForkError};

/// Why the rules of a match are refused.
#[derive(Debug, Error)]
pub enum RulesError {
    /// The game is not for so many.
    #[error("{}: {}", self.field(), self.detail())]
    Seats {
        /// Name of the game, for people.
        game: &'static str,
        /// The number given.
        seats: u8,
        /// Fewest seats.
        min: u8,
        /// Most seats.
        max: u8,
    },
    /// A number out of its range.
    #[error("{}: {}", self.field(), self.detail())]
    Range {
        /// Path of the field below the rules.
        field: &'static str,
        /// The value given.
        value: u32,
        /// Least valid value.
        min: u32,
        /// Greatest valid value.
        max: u32,
    },
    /// An action that is not possible for this fault.
    #[error("{}: {}", self.field(), self.detail())]
    Action {
        /// Path of the field below the rules.
        field: &'static str,
        /// The action given.
        action: FaultAction,
        /// The actions that are possible.
        valid: &'static [FaultAction],
    },
    /// A seat whose clock differs in two ways.
    #[error("{}: {}", self.field(), self.detail())]
    SeatTwice(Seat),
    /// The match cannot be forked from that position.
    #[error("fork: {0}")]
    Fork(ForkError),
    /// The config of the game is refused.
    #[error("game config: {0}")]
    Config(FieldError),
    /// The setup that was drawn is refused.
    #[error("game setup: {0}")]
    Setup(FieldError),
}

impl RulesError {
    /// Path of the field that is wrong.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Seats { .. } => "seats",
            Self::Range { field, .. } | Self::Action { field, .. } => field,
            Self::SeatTwice(_) => "seat_clocks.seat",
            Self::Fork(_) => "fork",
            Self::Config(_) | Self::Setup(_) => "game",
        }
    }

    /// What is wrong with that field, and what would be valid.
    pub fn detail(&self) -> String {
        match self {
            Self::Seats {
                game,
                seats,
                min,
                max,
            } => format!("{seats} is out of range; {game} has {min} to {max}"),
            Self::Range {
                value, min, max, ..
            } => format!("{value} is out of range; {min} to {max} is valid"),
            Self::Action { action, valid, .. } => {
                format!("{action} is not possible; valid: {}", list(valid))
            }
            Self::Fork(error) => error.to_string(),
            Self::SeatTwice(seat) => {
                format!("seat {seat} is there twice; a seat has one entry at most")
            }
            Self::Config(error) => error.to_string(),
            Self::Setup(error) => error.to_string(),
        }
    }
}

fn list(actions: &[FaultAction]) -> String {
    actions
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Checks that a number is within `min..=max`.
pub(crate) fn check_range(
    field: &'static str,
    value: u32,
    min: u32,
    max: u32,
) -> Result<(), RulesError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(RulesError::Range {
            field,
            value,
            min,
            max,
        })
    }
}
