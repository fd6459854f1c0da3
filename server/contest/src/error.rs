//! Errors in the statistics functions' inputs.

use thiserror::Error;

/// An invalid or insufficient input.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ContestError {
    /// A number is out of range.
    #[error("{field}: {value} is out of range ({valid})")]
    OutOfRange {
        /// Name of the parameter.
        field: &'static str,
        /// The value that is out of range.
        value: f64,
        /// Description of the valid range.
        valid: &'static str,
    },
    /// A test's lower bound is not far enough below its upper bound.
    #[error("the lower bound {lower} must be below the upper bound {upper}, by 0.01 or more")]
    BoundsOutOfOrder {
        /// The lower bound that was given.
        lower: f64,
        /// The upper bound that was given.
        upper: f64,
    },
    /// A ranking is not valid.
    #[error("ranking {ranking}: {problem}")]
    Ranking {
        /// The ranking's index, from 0.
        ranking: usize,
        /// Description of the problem.
        problem: &'static str,
    },
    /// The results do not determine finite ratings: some bots never met the other bots, or lost or
    /// won every match.
    #[error(
        "the results do not determine ratings: some bots have never met the others, or have won or \
         lost every match; use a ridge above 0 or play more matches"
    )]
    Undetermined,
    /// There are too few groups, matches or scores.
    #[error("{quantity}: {found} is too few; at least {min} are required")]
    TooFew {
        /// The kind of items.
        quantity: &'static str,
        /// The number of items.
        found: usize,
        /// The required number of items.
        min: usize,
    },
}

impl ContestError {
    /// Creates the error for too few of a kind of items.
    pub(crate) fn too_few(quantity: &'static str, found: usize, min: usize) -> Self {
        Self::TooFew { quantity, found, min }
    }
}

/// Checks a confidence level, which must be above 0 and below 1.
pub(crate) fn check_level(level: f64) -> Result<(), ContestError> {
    let holds = level > 0.0 && level < 1.0;
    in_range("the level", level, holds, "above 0 and below 1")
}

/// Returns an out-of-range error unless `holds` is true.
pub(crate) fn in_range(
    field: &'static str,
    value: f64,
    holds: bool,
    valid: &'static str,
) -> Result<(), ContestError> {
    if holds {
        return Ok(());
    }
    Err(ContestError::OutOfRange { field, value, valid })
}
