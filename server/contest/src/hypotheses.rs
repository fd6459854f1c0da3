//! The hypotheses of a sequential test.

use serde::{Deserialize, Serialize};

use crate::{ContestError, Elo, NormalizedElo, error::in_range};

/// The two strengths that a test distinguishes. A candidate is to be rejected up to the lower
/// strength, which comes first, and to be accepted from the upper strength on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bounds {
    /// Differences in Elo, which are equivalent to mean scores.
    Elo([f64; 2]),
    /// Differences in normalized Elo, that is, in units of the standard deviation of a match
    /// result. They are equivalent to t-values.
    NormalizedElo([f64; 2]),
}

impl Bounds {
    /// Returns the bounds as t-values per group of `matches` matches, given the standard deviation
    /// of group scores. Normalized bounds do not depend on the deviation.
    pub(crate) fn t_values(self, deviation: f64, matches: u32) -> [f64; 2] {
        match self {
            Self::Elo(elo) => elo.map(|elo| (Elo(elo).expected_score() - 0.5) / deviation),
            Self::NormalizedElo(nelo) => nelo.map(|nelo| NormalizedElo(nelo).t_of_group(matches)),
        }
    }

    /// Returns the bounds as mean scores per group of `matches` matches, given the standard
    /// deviation of group scores. Bounds in Elo do not depend on the deviation.
    pub(crate) fn means(self, deviation: f64, matches: u32) -> [f64; 2] {
        match self {
            Self::Elo(elo) => elo.map(|elo| Elo(elo).expected_score()),
            Self::NormalizedElo(_) => {
                let t_values = self.t_values(deviation, matches);
                t_values.map(|t| 0.5 + t * deviation)
            }
        }
    }
}

/// The maximum probabilities of a wrong verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRates {
    alpha: f64,
    beta: f64,
}

impl ErrorRates {
    /// Creates error rates. `alpha` is the probability of accepting a candidate at the lower bound,
    /// and `beta` the probability of rejecting a candidate at the upper bound. Each rate must be
    /// above 0 and below 0.5.
    ///
    /// # Errors
    /// Returns [`ContestError::OutOfRange`] if a rate is not in its range.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, ContestError> {
        for (field, rate) in [("alpha", alpha), ("beta", beta)] {
            let holds = rate > 0.0 && rate < 0.5;
            in_range(field, rate, holds, "above 0 and below 0.5")?;
        }
        Ok(Self { alpha, beta })
    }

    /// Returns the probability of accepting a candidate at the lower bound.
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// Returns the probability of rejecting a candidate at the upper bound.
    pub fn beta(self) -> f64 {
        self.beta
    }

    /// Returns half of each rate. If two tests with half the rates run in parallel and the first
    /// verdict counts, the total error rates are at most the original rates.
    pub fn halved(self) -> Self {
        Self { alpha: self.alpha / 2.0, beta: self.beta / 2.0 }
    }

    /// Returns the log-likelihood ratio at which a candidate is rejected, `ln(beta / (1 - alpha))`
    /// (Wald 1945).
    pub fn lower_llr(self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// Returns the log-likelihood ratio at which a candidate is accepted, `ln((1 - beta) / alpha)`.
    pub fn upper_llr(self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Returns the verdict at a log-likelihood ratio.
    pub fn verdict(self, llr: f64) -> Verdict {
        if llr >= self.upper_llr() {
            Verdict::Accepted
        } else if llr <= self.lower_llr() {
            Verdict::Rejected
        } else {
            Verdict::Undecided
        }
    }
}

/// The maximum of a bound, in Elo or normalized Elo, on each side of 0.
const MAX_BOUND: f64 = 1000.0;
/// The minimum difference of the bounds, in the same unit.
const MIN_DISTANCE: f64 = 0.01;

/// A test's hypotheses, with its error rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hypotheses {
    bounds: Bounds,
    rates: ErrorRates,
    matches_per_group: u32,
}

impl Hypotheses {
    /// Creates hypotheses. The bounds are from -1000 to 1000 and differ by 0.01 or more, since
    /// scores of other bounds cannot be distinguished. `matches_per_group` is the number of matches
    /// in a group. It equals the number of seats if the candidate takes each seat once.
    ///
    /// # Errors
    /// Returns [`ContestError::BoundsOutOfOrder`], or [`ContestError::OutOfRange`] for a bound
    /// outside its range or a group without matches.
    pub fn new(
        bounds: Bounds,
        rates: ErrorRates,
        matches_per_group: u32,
    ) -> Result<Self, ContestError> {
        let (Bounds::Elo([lower, upper]) | Bounds::NormalizedElo([lower, upper])) = bounds;
        for (field, bound) in [("the lower bound", lower), ("the upper bound", upper)] {
            in_range(field, bound, bound.abs() <= MAX_BOUND, "-1000..=1000")?;
        }
        if upper - lower < MIN_DISTANCE {
            return Err(ContestError::BoundsOutOfOrder { lower, upper });
        }
        let matches = f64::from(matches_per_group);
        in_range("matches of a group", matches, matches > 0.0, "at least 1")?;
        Ok(Self { bounds, rates, matches_per_group })
    }

    /// Returns the test's bounds.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the error rates.
    pub fn rates(&self) -> ErrorRates {
        self.rates
    }

    /// Returns the number of matches per group.
    pub fn matches_per_group(&self) -> u32 {
        self.matches_per_group
    }

    /// Returns the same hypotheses with halved error rates.
    pub(crate) fn halved(self) -> Self {
        Self { rates: self.rates.halved(), ..self }
    }

    /// Returns the bounds as t-values per group, given the standard deviation of group scores.
    pub(crate) fn t_values(&self, deviation: f64) -> [f64; 2] {
        self.bounds.t_values(deviation, self.matches_per_group)
    }

    /// Returns the bounds as mean scores per group, given the standard deviation of group scores.
    /// Bounds in Elo do not depend on the deviation.
    pub(crate) fn means(&self, deviation: f64) -> [f64; 2] {
        /// The minimum distance of a mean from 0 and from 1. Bets require this distance.
        const MARGIN: f64 = 1e-6;
        let means = self.bounds.means(deviation, self.matches_per_group);
        means.map(|mean| mean.clamp(MARGIN, 1.0 - MARGIN))
    }
}

/// The verdict of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The test has not decided yet.
    #[default]
    Undecided,
    /// The candidate is better: its strength is closer to the upper bound than to the lower bound.
    Accepted,
    /// The candidate is not better.
    Rejected,
}

/// The expected number of groups until a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedGroups {
    /// The number of groups if the candidate is at the lower bound.
    pub at_lower: f64,
    /// The number of groups if the candidate is at the upper bound.
    pub at_upper: f64,
    /// The number of groups if the candidate is half-way between the bounds, which is the worst
    /// case.
    pub half_way: f64,
}

/// Returns a test's expected length by Wald's formula, given the standard deviation of group
/// scores. Before the first result, use [`typical_deviation`]. The result is approximate: it
/// ignores the overshoot of the last step, and the parts of alpha and beta that the betting test
/// uses.
pub fn expected_groups(hypotheses: &Hypotheses, deviation: f64) -> ExpectedGroups {
    let rates = hypotheses.rates().halved();
    let (lower, upper) = (rates.lower_llr(), rates.upper_llr());
    let [low, high] = hypotheses.t_values(deviation);
    // Per group, the log-likelihood ratio drifts by half of `effect^2`, with the variance
    // `effect^2`.
    let effect = high - low;
    let drift = effect * effect / 2.0;
    let (alpha, beta) = (rates.alpha(), rates.beta());
    ExpectedGroups {
        at_lower: -((1.0 - alpha) * lower + alpha * upper) / drift,
        at_upper: (beta * lower + (1.0 - beta) * upper) / drift,
        half_way: -lower * upper / (effect * effect),
    }
}

/// Returns the standard deviation of group scores under an assumption that is used before the first
/// result: each group consists of independent matches between equally strong bots, one match per
/// seat, without ties.
pub fn typical_deviation(seats: u32) -> f64 {
    // If all bots are equally strong, each place is equally likely.
    let seats = f64::from(seats.max(2));
    let of_match = (seats + 1.0) / (12.0 * (seats - 1.0));
    (of_match / seats).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walds_bounds_are_as_published() {
        let even = ErrorRates::new(0.05, 0.05).unwrap();
        assert!((even.lower_llr() + 2.944_438_979).abs() < 1e-9);
        assert!((even.upper_llr() - 2.944_438_979).abs() < 1e-9);
        let uneven = ErrorRates::new(0.05, 0.10).unwrap();
        assert!((uneven.lower_llr() + 2.251_291_799).abs() < 1e-9);
        assert!((uneven.upper_llr() - 2.890_371_758).abs() < 1e-9);
    }

    #[test]
    fn invalid_hypotheses_are_refused_by_name() {
        for (alpha, beta, name) in [(0.0, 0.05, "alpha"), (0.05, 0.5, "beta")] {
            let error = ErrorRates::new(alpha, beta).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        let rates = ErrorRates::new(0.05, 0.05).unwrap();
        for bounds in [[5.0, 5.0], [0.0, 1e-9], [0.0, f64::NAN], [7000.0, 8000.0], [-1001.0, 0.0]] {
            assert!(Hypotheses::new(Bounds::Elo(bounds), rates, 2).is_err(), "{bounds:?}");
        }
        assert!(Hypotheses::new(Bounds::Elo([0.0, 5.0]), rates, 0).is_err());
    }

    #[test]
    fn expected_groups_grow_with_the_inverse_square_of_the_effect() {
        let of = |upper| {
            let rates = ErrorRates::new(0.05, 0.05).unwrap();
            let hypotheses = Hypotheses::new(Bounds::Elo([0.0, upper]), rates, 2).unwrap();
            expected_groups(&hypotheses, typical_deviation(2))
        };
        let (small, large) = (of(5.0), of(10.0));
        let ratio = small.at_lower / large.at_lower;
        assert!((ratio - 4.0).abs() < 0.01, "{ratio}");
        assert!((small.at_lower - small.at_upper).abs() < 1e-6);
        assert!(small.half_way > small.at_upper);
    }

    #[test]
    fn equal_bots_have_even_chances() {
        assert!((typical_deviation(2) - (0.25f64 / 2.0).sqrt()).abs() < 1e-15);
    }
}
