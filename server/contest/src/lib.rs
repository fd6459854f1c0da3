//! Statistics of contests and ladders: tests, estimates, ratings, schedules and pairing. All
//! functions are pure: no clock, no I/O, no randomness.
//!
//! The unit of every test is the **group**: matches with one seed in which the candidate (or every
//! bot) takes each seat once. So luck that comes from the seed or the seat cancels out. The score
//! of a match is the **beat fraction**: the share of opponents that the bot finished ahead of. The
//! score of a group is the mean over its matches. With two seats that is the usual score of a pair
//! of games.
//!
//! * After every group, [`SequentialTest`] accepts or rejects a candidate, or continues. The number
//!   of seats is arbitrary.
//! * [`Estimate`] and [`estimate_after_stopping`] estimate the difference in strength, with an
//!   interval.
//! * [`Frequencies`] computes the exact likelihood ratios of paired two-seat games.
//! * [`PlackettLuce`] fits ratings to results with any number of bots and seats, whatever the order
//!   of the results is. [`Ratings`] has the rank ranges.
//! * [`schedule`] lists the matches of a format, and [`pairing`] picks the next match of a ladder.

#![forbid(unsafe_code)]

mod bayes_elo;
mod betting;
mod bias;
mod brownian;
mod choices;
mod elo;
mod error;
mod estimate;
mod frequencies;
mod likelihood;
mod matrix;
pub mod pairing;
mod plackett_luce;
mod plan;
mod ranking;
mod ratings;
mod roots;
pub mod schedule;
mod score;
mod sequential;
mod stopping;
mod t_value;

pub use bayes_elo::{BayesElo, DrawElo};
pub use betting::{BettingTest, ConfidenceSequence};
pub use bias::Bias;
pub use elo::{Elo, NELO_PER_T, NormalizedElo};
pub use error::ContestError;
pub use estimate::{Estimate, FEW_GROUPS, Interval, Quantiles, mean_with_interval};
pub use frequencies::{Frequencies, FrequencyTest};
pub use plackett_luce::{Covariance, PlackettLuce};
pub use plan::{ExpectedGroups, expected_groups, typical_deviation};
pub use ranking::Ranking;
pub use ratings::{RankRange, Rating, Ratings};
pub use score::{GroupScore, GroupScores, beat_fraction};
pub use sequential::{DecidedBy, SequentialTest};
pub use stopping::{StoppedEstimate, estimate_after_stopping};
pub use t_value::{TValueTest, closed_form_llr};

mod hypotheses;
pub use hypotheses::{Bounds, ErrorRates, Hypotheses, Verdict};
