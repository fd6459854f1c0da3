//! Why a statistic cannot be computed.

use thiserror::Error;

/// An invalid input.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ContestError {
    /// A number is out of range.
    #[error("{field} is {value}, and must be {valid}")]
    OutOfRange {
        /// Its name.
        field: &'static str,
        /// The number.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// The lower bound of a test is not below the upper one.
    #[error("the lower bound {lower} must be below the upper bound {upper}")]
    BoundsOutOfOrder {
        /// The bound of the hypothesis that is rejected.
        lower: f64,
        /// The bound of the hypothesis that is accepted.
        upper: f64,
    },
    /// A ranking that is not one of the bots.
    #[error("ranking {ranking}: {problem}")]
    Ranking {
        /// Its place among the rankings, from 0.
        ranking: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// No finite rating follows from the results: some bots never met the others, or never beat
    /// them.
    #[error(
        "the results fix no ratings: some bots have never met the others, or have won or lost \
         every match; give the fit a ridge above 0, or play more matches"
    )]
    NotFixed,
    /// Too few groups, matches or bots.
    #[error("{what}: {found} is too few, at least {least} are needed")]
    TooFew {
        /// What there are too few of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        least: usize,
    },
}

/// Fails unless `holds`.
pub(crate) fn in_range(
    field: &'static str,
    value: f64,
    holds: bool,
    valid: &'static str,
) -> Result<(), ContestError> {
    match holds {
        true => Ok(()),
        false => Err(ContestError::OutOfRange {
            field,
            value,
            valid,
        }),
    }
}
