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
//! * A [`RatingMethod`] computes [`Ratings`] with rank ranges from results with any number of bots
//!   and seats: [`PlackettLuce`] by one fit to all results, [`Glicko2`] period by period.
//! * [`schedule`] lists the matches of a format, and [`pairing`] picks the next match of a ladder.

#![forbid(unsafe_code)]

mod betting;
mod bias;
mod brownian;
mod choices;
mod elo;
mod error;
mod estimate;
mod frequencies;
mod glicko2;
mod hypotheses;
mod likelihood;
mod matrix;
pub mod pairing;
mod plackett_luce;
mod rank_ranges;
mod ranking;
mod rating_method;
mod ratings;
#[cfg(test)]
mod samples;
pub mod schedule;
mod score;
mod sequential;
mod stopping;

pub use crate::{
    betting::{BettingTest, ConfidenceSequence, MAX_LEVEL},
    bias::Bias,
    elo::{Elo, NELO_PER_T, NormalizedElo},
    error::ContestError,
    estimate::{Estimate, FEW_GROUPS, Interval, mean_with_interval},
    frequencies::{Frequencies, FrequencyTest},
    glicko2::Glicko2,
    hypotheses::{
        Bounds, ErrorRates, ExpectedGroups, Hypotheses, Verdict, expected_groups, typical_deviation,
    },
    likelihood::closed_form_llr,
    plackett_luce::PlackettLuce,
    rank_ranges::rank_ranges,
    ranking::Ranking,
    rating_method::RatingMethodId,
    ratings::{RankRange, Rating, RatingMethod, Ratings},
    score::{GroupScore, GroupScores, beat_fraction},
    sequential::{DecidedBy, SequentialTest},
    stopping::{StoppedEstimate, estimate_after_stopping},
};
