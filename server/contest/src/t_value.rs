//! The generalized sequential probability ratio test for the groups' t-value.
//!
//! Source: M. Van den Bergh, "Normalized Elo" (section 4.2), with groups instead of games. The test
//! depends only on the number of groups and on the mean and variance of their scores. So the test
//! applies to any kind of score and any number of seats.

use crate::{GroupScores, Hypotheses, Verdict};

/// Returns the log-likelihood ratio between two t-values, given the observed t-value: `groups/2 *
/// ln((1 + (t - lower)^2) / (1 + (t - upper)^2))`.
#[must_use]
pub fn closed_form_llr(groups: f64, t: f64, [lower, upper]: [f64; 2]) -> f64 {
    groups / 2.0 * ((1.0 + (t - lower).powi(2)) / (1.0 + (t - upper).powi(2))).ln()
}

/// The sequential test for the t-value.
#[derive(Clone, Copy, Debug)]
pub struct TValueTest {
    hypotheses: Hypotheses,
}

impl TValueTest {
    /// Creates a test of these hypotheses. Bounds in Elo are converted to t-values by the observed
    /// deviation.
    #[must_use]
    pub fn new(hypotheses: Hypotheses) -> Self {
        Self { hypotheses }
    }

    /// Returns the log-likelihood ratio after these groups; 0 before the first. The t-value is
    /// clamped to the range in which the closed form increases, so that a larger t-value never
    /// gives a smaller ratio.
    #[must_use]
    pub fn llr(&self, scores: &GroupScores) -> f64 {
        if scores.groups() == 0 {
            return 0.0;
        }
        let (mean, variance) = scores.regularized();
        let deviation = variance.sqrt();
        let bounds @ [lower, upper] = self.hypotheses.t_values(deviation);
        let (centre, reach) = (
            (lower + upper) / 2.0,
            (1.0 + ((upper - lower) / 2.0).powi(2)).sqrt(),
        );
        let t = ((mean - 0.5) / deviation).clamp(centre - reach, centre + reach);
        closed_form_llr(scores.groups() as f64, t, bounds)
    }

    /// Returns the verdict after these groups.
    #[must_use]
    pub fn verdict(&self, scores: &GroupScores) -> Verdict {
        self.hypotheses.rates().verdict(self.llr(scores))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Bounds, ErrorRates, GroupScore, NormalizedElo};

    fn test(lower: f64, upper: f64, matches: u32) -> TValueTest {
        let bounds = Bounds::Normalized {
            lower: NormalizedElo(lower),
            upper: NormalizedElo(upper),
        };
        let rates = ErrorRates::new(0.05, 0.05).unwrap();
        TValueTest::new(Hypotheses::new(bounds, rates, matches).unwrap())
    }

    #[test]
    fn a_candidate_that_always_ties_is_rejected_in_the_end() {
        let mut scores = GroupScores::default();
        let test = test(0.0, 20.0, 2);
        while test.verdict(&scores) == Verdict::Undecided {
            scores.record(GroupScore::new(0.5).unwrap());
            assert!(test.llr(&scores) < 0.0);
        }
        assert_eq!(test.verdict(&scores), Verdict::Rejected);
    }

    proptest! {
        #[test]
        fn the_llr_rises_with_the_t_value(
            low in 0.0..1.0f64,
            rise in 0.0..1.0f64,
            spread in 0.0..0.3f64,
            groups in 1..200u64,
        ) {
            // Scores with the same spread around different means.
            let at = |mean: f64| {
                let mut scores = GroupScores::default();
                for i in 0..groups {
                    let off = if i % 2 == 0 { spread } else { -spread };
                    scores.record(GroupScore::new((mean + off).clamp(0.0, 1.0)).unwrap());
                }
                scores
            };
            let (worse, better) = (at(low), at(low + rise * (1.0 - low)));
            let t = |scores: &GroupScores| {
                let (mean, variance) = scores.regularized();
                (mean - 0.5) / variance.sqrt()
            };
            prop_assume!(t(&better) >= t(&worse));
            let test = test(0.0, 30.0, 2);
            prop_assert!(test.llr(&better) >= test.llr(&worse) - 1e-12);
        }
    }
}
