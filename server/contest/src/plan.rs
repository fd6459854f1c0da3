//! How many groups a test needs.

use crate::Hypotheses;

/// Expected numbers of groups until a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedGroups {
    /// For a candidate at the lower bound.
    pub at_lower: f64,
    /// For a candidate at the upper bound.
    pub at_upper: f64,
    /// For a candidate half-way between, which takes longest.
    pub half_way: f64,
}

/// The expected length of a test, by Wald's formula, when the score of a group has this standard
/// deviation; see [`typical_deviation`] where none is known yet. A forecast: it ignores the
/// overshoot of the last step, and the share of alpha and beta that the betting test has.
#[must_use]
pub fn expected_groups(hypotheses: &Hypotheses, deviation: f64) -> ExpectedGroups {
    let rates = hypotheses.rates().halved();
    let (lower, upper) = (rates.lower_llr(), rates.upper_llr());
    let [low, high] = hypotheses.t_values(deviation);
    // The log-likelihood ratio has the variance `effect^2` a group, and half of it as its drift.
    let effect = high - low;
    let drift = effect * effect / 2.0;
    let (alpha, beta) = (rates.alpha(), rates.beta());
    ExpectedGroups {
        at_lower: -((1.0 - alpha) * lower + alpha * upper) / drift,
        at_upper: (beta * lower + (1.0 - beta) * upper) / drift,
        half_way: -lower * upper / (effect * effect),
    }
}

/// The standard deviation of the score of a group of independent matches between equals, one for
/// each seat, without ties: what a plan assumes before the first result.
#[must_use]
pub fn typical_deviation(seats: u32) -> f64 {
    // The place of one among equals is uniform over the seats.
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
