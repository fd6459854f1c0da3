//! Predicts how many groups a sequential test needs.

use crate::Hypotheses;

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
#[must_use]
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
#[must_use]
pub fn typical_deviation(seats: u32) -> f64 {
    // If all bots are equally strong, each place is equally likely.
    let seats = f64::from(seats.max(2));
    let of_match = (seats + 1.0) / (12.0 * (seats - 1.0));
    (of_match / seats).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Elo, ErrorRates};

    #[test]
    fn a_small_effect_takes_in_proportion_to_its_square() {
        let of = |upper| {
            let bounds = Bounds::Elo {
                lower: Elo(0.0),
                upper: Elo(upper),
            };
            let rates = ErrorRates::new(0.05, 0.05).unwrap();
            let hypotheses = Hypotheses::new(bounds, rates, 2).unwrap();
            expected_groups(&hypotheses, typical_deviation(2))
        };
        let (small, large) = (of(5.0), of(10.0));
        let ratio = small.at_lower / large.at_lower;
        assert!((ratio - 4.0).abs() < 0.01, "{ratio}");
        assert!((small.at_lower - small.at_upper).abs() < 1e-6);
        assert!(small.half_way > small.at_upper);
    }

    #[test]
    fn a_match_of_two_equals_is_a_coin() {
        assert!((typical_deviation(2) - (0.25f64 / 2.0).sqrt()).abs() < 1e-15);
    }
}
