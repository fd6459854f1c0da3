//! The part of the spec that defines the statistical test.

use bridgemaster_contest::{Bounds, ErrorRates, Hypotheses};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// Default maximum number of groups in a sequential test. It is twice the number needed to test for
/// a difference of 30 Elo at two seats.
const DEFAULT_MAX_GROUPS: u64 = 1000;
/// The maximum number of groups in a test. It is limited because each group takes some memory.
const MAX_GROUPS: u64 = 1_000_000;
/// Default strengths that a test distinguishes.
const DEFAULT_BOUNDS: Bounds = Bounds::Elo([0.0, 50.0]);
/// Default error rate of a test, for each kind of error.
const DEFAULT_ERROR_RATE: f64 = 0.05;

/// A contest's test, and its stopping condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TestSpec {
    /// Two sequential tests, each at half the error rates. The test that decides first determines
    /// the verdict. For any number of seats.
    Sequential(SequentialSpec),
    /// The pentanomial test for game pairs, as used for chess engines. For two-seat matches, each
    /// of which is won, drawn or lost.
    Pentanomial(SequentialSpec),
    /// No test: the contest plays a fixed number of groups and estimates the difference with an
    /// interval.
    Fixed {
        /// The number of groups to play.
        groups: u64,
    },
}

/// The hypotheses, the error rates and the limit of a test that stops as soon as it has decided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SequentialSpec {
    /// The two strengths to distinguish.
    pub bounds: Bounds,
    /// The probability of accepting a candidate at the lower bound: above 0 and below 0.5.
    pub alpha: f64,
    /// The probability of rejecting a candidate at the upper bound: above 0 and below 0.5.
    pub beta: f64,
    /// The number of groups after which an undecided test ends without a verdict.
    pub most_groups: u64,
}

impl Default for SequentialSpec {
    fn default() -> Self {
        Self {
            bounds: DEFAULT_BOUNDS,
            alpha: DEFAULT_ERROR_RATE,
            beta: DEFAULT_ERROR_RATE,
            most_groups: DEFAULT_MAX_GROUPS,
        }
    }
}

impl Default for TestSpec {
    fn default() -> Self {
        Self::Sequential(SequentialSpec::default())
    }
}

impl TestSpec {
    /// Returns the maximum number of groups.
    pub fn max_groups(&self) -> u64 {
        match self {
            Self::Sequential(test) | Self::Pentanomial(test) => test.most_groups,
            Self::Fixed { groups } => *groups,
        }
    }

    /// Returns the test's hypotheses; `None` for a fixed number of groups.
    ///
    /// # Errors
    /// Returns an error if the bounds or the error rates are not valid.
    pub fn hypotheses(&self, matches_per_group: u32) -> Result<Option<Hypotheses>, SpecError> {
        let (Self::Sequential(test) | Self::Pentanomial(test)) = self else {
            return Ok(None);
        };
        let rates = ErrorRates::new(test.alpha, test.beta)?;
        let hypotheses = Hypotheses::new(test.bounds, rates, matches_per_group)?;
        Ok(Some(hypotheses))
    }

    pub(super) fn validate(&self, seats: u8, matches_per_group: u32) -> Result<(), SpecError> {
        self.hypotheses(matches_per_group)?;
        if matches!(self, Self::Pentanomial(_)) && (seats != 2 || matches_per_group != 2) {
            return Err(SpecError::invalid(
                "test",
                "pentanomial requires pairs of matches at two seats against one opponent; use \
                 sequential",
            ));
        }
        let groups = self.max_groups();
        if !(1..=MAX_GROUPS).contains(&groups) {
            return Err(SpecError::out_of_range("number of groups", groups, "1..=1000000"));
        }
        Ok(())
    }
}
