//! Why a setup, or another result of chance, is refused.

use std::error::Error as StdError;

use thiserror::Error;

/// Why no match can begin or go on with what a replay or an observation says; `C` is why the game
/// refuses a config.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError<C: StdError + 'static> {
    /// The config itself is refused.
    #[error(transparent)]
    Config(#[from] C),
    /// A field has a value that no match of this config could have.
    #[error("{field}: {problem}")]
    Field {
        /// Path of the field, such as `stacks[2][5]`.
        field: String,
        /// What is wrong with it, and what would be valid.
        problem: String,
    },
}

impl<C: StdError + 'static> SetupError<C> {
    /// `Err` of a wrong field.
    pub(crate) fn field<T>(
        field: impl Into<String>,
        problem: impl Into<String>,
    ) -> Result<T, Self> {
        Err(Self::Field {
            field: field.into(),
            problem: problem.into(),
        })
    }
}

/// Fails with a named field unless `holds`.
pub(crate) fn require<C: StdError + 'static>(
    holds: bool,
    field: impl FnOnce() -> String,
    problem: &str,
) -> Result<(), SetupError<C>> {
    match holds {
        true => Ok(()),
        false => SetupError::field(field(), problem),
    }
}
