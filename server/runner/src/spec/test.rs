//! What a contest decides, and when.

use bridgemaster_contest::{self as statistics, Elo, ErrorRates, Hypotheses, NormalizedElo};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// Groups after which a sequential test gives up, unless the spec says otherwise: twice what a
/// difference of 30 Elo at two seats takes.
const DEFAULT_MOST_GROUPS: u64 = 1000;
/// Most groups that can be asked for: what is kept of each in memory is small, not nothing.
const MOST_GROUPS: u64 = 1_000_000;
/// Share of wrong verdicts of each kind, unless the spec says otherwise.
const DEFAULT_ERROR_RATE: f64 = 0.05;

/// What a contest decides, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TestSpec {
    /// Two tests at half of the errors each, the first to decide wins; for any number of seats.
    Sequential {
        /// The strengths that are told apart.
        #[serde(default)]
        bounds: Bounds,
        /// Share of candidates at the lower bound that may be accepted: above 0 and below 0.5.
        #[serde(default = "default_error_rate")]
        alpha: f64,
        /// Share of candidates at the upper bound that may be rejected: above 0 and below 0.5.
        #[serde(default = "default_error_rate")]
        beta: f64,
        /// Groups after which the test gives up without a verdict.
        #[serde(default = "default_most_groups")]
        most_groups: u64,
    },
    /// The exact test of pairs of games that chess programmers know; for two seats, where a match
    /// is won, drawn or lost.
    Pentanomial {
        /// As in `sequential`.
        #[serde(default)]
        bounds: Bounds,
        /// As in `sequential`.
        #[serde(default = "default_error_rate")]
        alpha: f64,
        /// As in `sequential`.
        #[serde(default = "default_error_rate")]
        beta: f64,
        /// As in `sequential`.
        #[serde(default = "default_most_groups")]
        most_groups: u64,
    },
    /// No test: so many groups are played, and the result is an estimate with its interval.
    Fixed {
        /// Groups.
        groups: u64,
    },
}

/// The two strengths that a test tells apart, the lower one first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bounds {
    /// In Elo.
    Elo([f64; 2]),
    /// In normalised Elo.
    NormalizedElo([f64; 2]),
}

impl Default for Bounds {
    fn default() -> Self {
        Self::Elo([0.0, 50.0])
    }
}

impl Default for TestSpec {
    fn default() -> Self {
        Self::Sequential {
            bounds: Bounds::default(),
            alpha: DEFAULT_ERROR_RATE,
            beta: DEFAULT_ERROR_RATE,
            most_groups: DEFAULT_MOST_GROUPS,
        }
    }
}

fn default_error_rate() -> f64 {
    DEFAULT_ERROR_RATE
}

fn default_most_groups() -> u64 {
    DEFAULT_MOST_GROUPS
}

impl Bounds {
    /// The bounds as the statistics take them.
    #[must_use]
    pub fn of_statistics(self) -> statistics::Bounds {
        match self {
            Self::Elo([lower, upper]) => statistics::Bounds::Elo {
                lower: Elo(lower),
                upper: Elo(upper),
            },
            Self::NormalizedElo([lower, upper]) => statistics::Bounds::Normalized {
                lower: NormalizedElo(lower),
                upper: NormalizedElo(upper),
            },
        }
    }
}

impl TestSpec {
    /// Most groups that are played.
    #[must_use]
    pub fn most_groups(&self) -> u64 {
        match self {
            Self::Sequential { most_groups, .. } | Self::Pentanomial { most_groups, .. } => {
                *most_groups
            }
            Self::Fixed { groups } => *groups,
        }
    }

    /// What the test is asked; none for a fixed number of groups.
    ///
    /// # Errors
    /// Bounds and rates that make no sense.
    pub fn hypotheses(&self, matches_per_group: u32) -> Result<Option<Hypotheses>, SpecError> {
        let (bounds, alpha, beta) = match self {
            Self::Fixed { .. } => return Ok(None),
            Self::Sequential {
                bounds,
                alpha,
                beta,
                ..
            }
            | Self::Pentanomial {
                bounds,
                alpha,
                beta,
                ..
            } => (*bounds, *alpha, *beta),
        };
        let rates = ErrorRates::new(alpha, beta)?;
        let hypotheses = Hypotheses::new(bounds.of_statistics(), rates, matches_per_group)?;
        Ok(Some(hypotheses))
    }

    pub(super) fn check(&self, seats: u8, matches_per_group: u32) -> Result<(), SpecError> {
        self.hypotheses(matches_per_group)?;
        if matches!(self, Self::Pentanomial { .. }) && (seats != 2 || matches_per_group != 2) {
            return Err(SpecError::Test(
                "pentanomial is for pairs of matches at two seats against one opponent; take \
                 sequential"
                    .to_owned(),
            ));
        }
        let groups = self.most_groups();
        if !(1..=MOST_GROUPS).contains(&groups) {
            return Err(SpecError::OutOfRange {
                field: "the number of groups",
                value: groups.to_string(),
                valid: "1 to 1000000",
            });
        }
        Ok(())
    }
}
