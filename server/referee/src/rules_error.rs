//! Errors in a match's rules.

use bridgemaster_games::FieldError;
use thiserror::Error;

use crate::ForkError;

/// An error in a match's rules.
#[derive(Debug, Error)]
pub enum RulesError {
    /// A field of the rules is invalid.
    #[error("{field}: {detail}")]
    Field {
        /// Path of the field, relative to the rules.
        field: &'static str,
        /// Description of the error, with the valid values.
        detail: String,
    },
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
            Self::Field { field, .. } => field,
            Self::Fork(_) => "fork",
            Self::Config(_) | Self::Setup(_) => "game",
        }
    }

    /// Description of the error, with the valid values.
    pub fn detail(&self) -> String {
        match self {
            Self::Field { detail, .. } => detail.clone(),
            Self::Fork(error) => error.to_string(),
            Self::Config(error) | Self::Setup(error) => error.to_string(),
        }
    }
}

/// Checks that a value is within `min..=max`.
pub(crate) fn check_range(
    field: &'static str,
    value: u32,
    min: u32,
    max: u32,
) -> Result<(), RulesError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let detail = format!("{value} is out of range ({min}..={max})");
    Err(RulesError::Field { field, detail })
}
