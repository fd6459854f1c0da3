//! Estimates after a sequential test.
//!
//! A test stops when the results look extreme, so the plain mean is biased. The median-unbiased
//! estimate is the strength at which a better outcome and a worse outcome are equally likely. The
//! log-likelihood ratio is approximated by a Brownian motion. This approximation is accurate for
//! small effects.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    Bounds, ContestError, Elo, ErrorRates, Frequencies, GroupScores, Interval, brownian::Brownian,
    error::check_level, likelihood::root_of_decreasing,
};

/// The limit of the search for a strength, in Elo on each side of 0. A strength beyond it counts as
/// unbounded.
const MAX_ELO: f64 = 1_000.0;
/// The tolerance of the search, in Elo.
const TOLERANCE: f64 = 1e-6;

/// An estimate after a sequential test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppedEstimate {
    /// The strength at which a better and a worse outcome are equally likely; infinite for a
    /// candidate that has won or lost everything.
    pub elo: Elo,
    /// The interval for the strength, in Elo; an end without a bound is infinite.
    pub elo_interval: Interval,
    /// The probability that the candidate is better, 0 to 1.
    pub superiority: f64,
}

/// Estimates the strength from the groups after which a test with `bounds` and `rates` stopped, or
/// from the groups so far. Normalized bounds are converted to means by the variance of the groups.
///
/// # Errors
/// Returns [`ContestError::TooFew`] without a group, [`ContestError::OutOfRange`] for a level that
/// is not above 0 and below 1.
pub fn estimate_after_stopping(
    scores: &GroupScores,
    matches_per_group: u32,
    bounds: Bounds,
    rates: ErrorRates,
    level: f64,
) -> Result<StoppedEstimate, ContestError> {
    if scores.groups() == 0 {
        return Err(ContestError::too_few("groups", 0, 1));
    }
    let (mean, variance) = if scores.variance() > 0.0 {
        (scores.mean(), scores.variance())
    } else {
        scores.regularized()
    };
    let groups = scores.groups() as f64;
    let estimate = stopped((groups, mean, variance), matches_per_group, bounds, rates, level)?;
    Ok(estimate.unless_extreme(scores.mean()))
}

impl StoppedEstimate {
    /// Replaces the estimate by infinity if the mean score is 0 or 1.
    fn unless_extreme(self, mean_score: f64) -> Self {
        let plain = Elo::from_score(mean_score);
        if plain.0.is_infinite() { Self { elo: plain, ..self } } else { self }
    }
}

impl Frequencies {
    /// Estimates the strength from these observations; see [`estimate_after_stopping`].
    ///
    /// # Errors
    /// Returns [`ContestError::OutOfRange`] for a level that is not above 0 and below 1.
    pub fn estimate_after_stopping(
        &self,
        bounds: Bounds,
        rates: ErrorRates,
        level: f64,
    ) -> Result<StoppedEstimate, ContestError> {
        let estimate = stopped(self.mean_and_variance(), self.games(), bounds, rates, level)?;
        Ok(estimate.unless_extreme(self.mean()))
    }
}

fn stopped(
    (groups, mean, variance): (f64, f64, f64),
    matches_per_group: u32,
    bounds: Bounds,
    rates: ErrorRates,
    level: f64,
) -> Result<StoppedEstimate, ContestError> {
    check_level(level)?;
    let [low_mean, high_mean] = bounds.means(variance.sqrt(), matches_per_group);
    // The linear form of the log-likelihood ratio: a Brownian motion whose time is the number of
    // groups.
    let width = high_mean - low_mean;
    let drift_at = |mean: f64| (mean - (low_mean + high_mean) / 2.0) * width / variance;
    let slope = drift_at(mean);
    let (lower, upper) = (rates.lower_llr(), rates.upper_llr());
    // If the results are beyond a bound, the estimate for the bound is used.
    let llr = groups * slope;
    let end = llr.clamp(lower, upper);
    let time = if end == llr { groups } else { end / slope };
    let worse_at = |elo: f64| {
        let motion = Brownian {
            lower,
            upper,
            drift: drift_at(Elo(elo).expected_score()),
            variance: width * width / variance,
        };
        motion.chance_of_worse(time, end)
    };
    let elo_at = |chance: f64| {
        let elo = root_of_decreasing(-MAX_ELO, MAX_ELO, |elo| worse_at(elo) - (1.0 - chance));
        if elo.abs() < MAX_ELO - TOLERANCE { elo } else { elo.signum() * f64::INFINITY }
    };
    Ok(StoppedEstimate {
        elo: Elo(elo_at(0.5)),
        elo_interval: Interval {
            low: elo_at((1.0 - level) / 2.0),
            high: elo_at((1.0 + level) / 2.0),
        },
        superiority: worse_at(0.0),
    })
}

/// Returns the share of the standard normal distribution below a value.
pub(crate) fn normal_share_below(value: f64) -> f64 {
    Normal::standard().cdf(value)
}
