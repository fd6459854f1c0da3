//! Errors in a match's rules.

use bridgemaster_games::{FieldError, Seat};
use thiserror::Error;

use crate::{FaultAction, ForkError};

/// An error in a match's rules.
#[derive(Debug, Error)]
pub enum RulesError {
    /// The game does not support this number of seats.
    #[error("{}: {}", self.field(), self.detail())]
    Seats {
        /// The game's display name.
        game: &'static str,
        /// The rejected number of seats.
        seats: u8,
        /// The game's minimum number of seats.
        min: u8,
        /// The game's maximum number of seats.
        max: u8,
    },
    /// A value is out of range.
    #[error("{}: {}", self.field(), self.detail())]
    Range {
        /// Path of the field, relative to the rules.
        field: &'static str,
        /// The value that was rejected.
        value: u32,
        /// The lowest valid value.
        min: u32,
        /// The highest valid value.
        max: u32,
    },
    /// The action is not allowed for this fault.
    #[error("{}: {}", self.field(), self.detail())]
    Action {
        /// Path of the field, relative to the rules.
        field: &'static str,
        /// The action that was rejected.
        action: FaultAction,
        /// The allowed actions.
        valid: &'static [FaultAction],
    },
    /// A seat has two clock entries.
    #[error("{}: {}", self.field(), self.detail())]
    SeatTwice(Seat),
    /// The match's fork is invalid.
    #[error("fork: {0}")]
    Fork(ForkError),
    /// The game's config is invalid.
    #[error("game config: {0}")]
    Config(FieldError),
    /// The setup that was drawn is invalid.
    #[error("game setup: {0}")]
    Setup(FieldError),
}

impl RulesError {
    /// Path of the invalid field.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Seats { .. } => "seats",
            Self::Range { field, .. } | Self::Action { field, .. } => field,
            Self::SeatTwice(_) => "seat_clocks.seat",
            Self::Fork(_) => "fork",
            Self::Config(_) | Self::Setup(_) => "game",
        }
    }

    /// Description of the error, with the valid values.
    pub fn detail(&self) -> String {
        match self {
            Self::Seats {
                game,
                seats,
                min,
                max,
            } => format!("{seats} is out of range ({min}..={max} for {game})"),
            Self::Range {
                value, min, max, ..
            } => format!("{value} is out of range ({min}..={max})"),
            Self::Action { action, valid, .. } => {
                format!("{action} is not allowed; valid: {}", list(valid))
            }
            Self::Fork(error) => error.to_string(),
            Self::SeatTwice(seat) => {
                format!("seat {seat} has two entries; a seat has at most one")
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

/// Checks that a value is within `min..=max`.
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
