//! Errors in a match's rules.

use thiserror::Error;

/// An invalid field of a match's rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {detail}")]
pub struct RulesError {
    /// Path of the field, relative to the rules.
    pub field: String,
    /// Description of the error, with the valid values.
    pub detail: String,
}

impl RulesError {
    pub(crate) fn new(field: impl Into<String>, detail: impl ToString) -> Self {
        Self { field: field.into(), detail: detail.to_string() }
    }

    /// Creates the error for a config or setup that the game rejects.
    pub(crate) fn game(error: impl ToString) -> Self {
        Self::new("game", error)
    }

    /// Creates the error for a position of another match from which this match cannot continue.
    pub(crate) fn fork(error: impl ToString) -> Self {
        Self::new("fork", error)
    }
}

/// Checks that a value is within `min..=max`.
pub(crate) fn check_range(
    field: impl Into<String>,
    value: u32,
    min: u32,
    max: u32,
) -> Result<(), RulesError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let detail = format!("{value} is out of range ({min}..={max})");
    Err(RulesError::new(field, detail))
}
