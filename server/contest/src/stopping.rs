//! How much better a candidate is, after a sequential test stopped.
//!
//! A test stops when the results look extreme, so the plain mean is too extreme. The
//! median-unbiased estimate asks instead how strong a candidate would have to be for such an end,
//! or a worse one, to have a given chance. The log-likelihood ratio is taken for a Brownian
//! motion, which is right for small effects.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    Bounds, ContestError, Elo, ErrorRates, Frequencies, GroupScores, Interval, NELO_PER_T,
    brownian::Brownian, error::in_range, roots::root_of_falling,
};

/// Strengths beyond these are not looked for, in Elo.
const MOST_ELO: f64 = 1_000.0;

/// Beyond a bound by more than this share, an estimate is that of the bound.
const OVERSHOT: f64 = 1.03;

/// An estimate after a sequential test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppedEstimate {
    /// The strength at which a better and a worse end are equally likely.
    pub elo: Elo,
    /// Its interval, in Elo.
    pub elo_interval: Interval,
    /// The chance that the candidate is better at all, 0 to 1.
    pub superiority: f64,
    /// The results lie so far beyond a bound that only the bound counted: a test that was not
    /// stopped in time, or few groups of a great effect.
    pub is_clamped: bool,
}

/// The estimate from the groups at which a test of `bounds` and `rates` stopped, or from those so
/// far. Normalised bounds are turned into means by the variance of the groups.
///
/// # Errors
/// [`ContestError::TooFew`] without a group, [`ContestError::OutOfRange`] for a level that is not
/// above 0 and below 1.
pub fn estimate_after_stopping(
    scores: &GroupScores,
    matches_per_group: u32,
    bounds: Bounds,
    rates: ErrorRates,
    level: f64,
) -> Result<StoppedEstimate, ContestError> {
    if scores.groups() == 0 {
        return Err(ContestError::TooFew {
            what: "groups",
            found: 0,
            least: 1,
        });
    }
    let (mean, variance) = match scores.variance() > 0.0 {
        true => (scores.mean(), scores.variance()),
        false => scores.regularized(),
    };
    let groups = scores.groups() as f64;
    stopped(
        (groups, mean, variance),
        matches_per_group,
        bounds,
        rates,
        level,
    )
}

impl Frequencies {
    /// [`estimate_after_stopping`] of these observations.
    ///
    /// # Errors
    /// [`ContestError::OutOfRange`] for a level that is not above 0 and below 1.
    pub fn estimate_after_stopping(
        &self,
        bounds: Bounds,
        rates: ErrorRates,
        level: f64,
    ) -> Result<StoppedEstimate, ContestError> {
        stopped(self.mean_and_variance(), self.games(), bounds, rates, level)
    }
}

fn stopped(
    (groups, mean, variance): (f64, f64, f64),
    matches_per_group: u32,
    bounds: Bounds,
    rates: ErrorRates,
    level: f64,
) -> Result<StoppedEstimate, ContestError> {
    in_range(
        "the level",
        level,
        level > 0.0 && level < 1.0,
        "above 0 and below 1",
    )?;
    let per_match = (variance * f64::from(matches_per_group)).sqrt();
    let [low_mean, high_mean] = match bounds {
        Bounds::Elo { lower, upper } => [lower, upper].map(Elo::expected_score),
        Bounds::Normalized { lower, upper } => {
            [lower, upper].map(|nelo| 0.5 + nelo.0 / NELO_PER_T * per_match)
        }
    };
    // The linear form of the log-likelihood ratio, a Brownian motion in the groups.
    let width = high_mean - low_mean;
    let drift_at = |mean: f64| (mean - (low_mean + high_mean) / 2.0) * width / variance;
    let slope = drift_at(mean);
    let (lower, upper) = (rates.lower_llr(), rates.upper_llr());
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
    let elo_at =
        |chance: f64| root_of_falling(-MOST_ELO, MOST_ELO, |elo| worse_at(elo) - (1.0 - chance));
    Ok(StoppedEstimate {
        elo: Elo(elo_at(0.5)),
        elo_interval: Interval {
            low: elo_at((1.0 - level) / 2.0),
            high: elo_at((1.0 + level) / 2.0),
        },
        superiority: worse_at(0.0),
        is_clamped: llr > OVERSHOT * upper || llr < OVERSHOT * lower,
    })
}

/// The share of a normal distribution below a value.
pub(crate) fn normal_share_below(value: f64) -> f64 {
    Normal::standard().cdf(value)
}
