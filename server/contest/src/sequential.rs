//! A contest's sequential test. Two tests run in parallel, each at half the error rates, and the
//! first verdict counts.
//!
//! The t-value test needs fewer groups when bots are close. When bots are far apart and the
//! variance vanishes, the betting test decides within a few groups. Its error rates hold without
//! approximation. Together, the two tests do not exceed the requested error rates.

use crate::{
    BettingTest, ConfidenceSequence, ContestError, GroupScore, GroupScores, Hypotheses,
    StoppedEstimate, Verdict, estimate_after_stopping, likelihood::closed_form_llr,
};

/// The test that reached the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The t-value test decided.
    TValue,
    /// The betting test decided.
    Betting,
}

/// After every group, accepts or rejects a candidate, or continues.
///
/// Record groups in the order of their numbers. Recording them in the order in which they finish
/// would bias the verdict, since short matches finish first.
///
/// ```
/// use bridgemaster_contest::{
///     Bounds, ErrorRates, GroupScore, Hypotheses, SequentialTest, Verdict,
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bounds = Bounds::Elo([0.0, 30.0]);
/// let hypotheses = Hypotheses::new(bounds, ErrorRates::new(0.05, 0.05)?, 2)?;
/// let mut test = SequentialTest::new(hypotheses);
/// // A candidate that wins every match.
/// let mut groups = 0;
/// while test.verdict() == Verdict::Undecided {
///     test.record(GroupScore::new(1.0)?);
///     groups += 1;
/// }
/// assert_eq!(test.verdict(), Verdict::Accepted);
/// assert!(groups <= 10);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SequentialTest {
    hypotheses: Hypotheses,
    scores: GroupScores,
    betting: BettingTest,
    decided: Option<(Verdict, DecidedBy)>,
}

impl SequentialTest {
    /// Creates a test of these hypotheses.
    pub fn new(hypotheses: Hypotheses) -> Self {
        Self {
            hypotheses,
            scores: GroupScores::default(),
            betting: BettingTest::new(hypotheses.halved()),
            decided: None,
        }
    }

    /// Records the next group and returns the verdict. The first decision is final; later groups
    /// are ignored.
    pub fn record(&mut self, score: GroupScore) -> Verdict {
        if self.decided.is_none() {
            self.scores.record(score);
            self.betting.record(score);
            let by_t_value = self.hypotheses.halved().t_value_verdict(&self.scores);
            let by_t_value = (by_t_value, DecidedBy::TValue);
            let by_betting = (self.betting.verdict(), DecidedBy::Betting);
            let mut decided = [by_t_value, by_betting].into_iter();
            self.decided = decided.find(|(verdict, _)| *verdict != Verdict::Undecided);
        }
        self.verdict()
    }

    /// Returns the verdict after the groups so far.
    pub fn verdict(&self) -> Verdict {
        self.decided.map_or(Verdict::Undecided, |(verdict, _)| verdict)
    }

    /// Returns the test that decided, if any.
    pub fn decided_by(&self) -> Option<DecidedBy> {
        self.decided.map(|(_, by)| by)
    }

    /// Returns the test's hypotheses.
    pub fn hypotheses(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// Returns the scores on which the verdict is based.
    pub fn scores(&self) -> &GroupScores {
        &self.scores
    }

    /// Returns the log-likelihood ratio of the t-value test.
    pub fn llr(&self) -> f64 {
        self.hypotheses.halved().t_value_llr(&self.scores)
    }

    /// Returns the log-likelihood ratios at which the t-value test rejects and accepts.
    pub fn llr_bounds(&self) -> (f64, f64) {
        let rates = self.hypotheses.rates().halved();
        (rates.lower_llr(), rates.upper_llr())
    }

    /// Estimates the candidate's strength, corrected for optional stopping. `seen` must have
    /// recorded the same groups, and provides the confidence level. If the t-value test decided,
    /// the result has the interval of [`estimate_after_stopping`]. Otherwise the result has the
    /// interval of `seen`, which is valid at any time. In simulations of these cases, the interval
    /// of [`estimate_after_stopping`] contains the true value in only a third of the runs.
    ///
    /// # Errors
    /// Returns [`ContestError::TooFew`] without a group.
    pub fn estimate(&self, seen: &ConfidenceSequence) -> Result<StoppedEstimate, ContestError> {
        let rates = self.hypotheses.rates().halved();
        let estimate = estimate_after_stopping(
            &self.scores,
            self.hypotheses.matches_per_group(),
            self.hypotheses.bounds(),
            rates,
            seen.level(),
        )?;
        if self.decided_by() == Some(DecidedBy::TValue) {
            return Ok(estimate);
        }
        Ok(StoppedEstimate { elo_interval: seen.elo_interval(), ..estimate })
    }

    /// Returns the betting test.
    pub fn betting(&self) -> &BettingTest {
        &self.betting
    }
}

/// The generalized sequential probability ratio test for the groups' t-value.
///
/// Source: M. Van den Bergh, "Normalized Elo" (section 4.2), with groups instead of games. The test
/// depends only on the number of groups and on the mean and variance of their scores. So the test
/// applies to any kind of score and any number of seats.
impl Hypotheses {
    /// Returns the log-likelihood ratio after these groups; 0 without groups. Bounds in Elo are
    /// converted to t-values by the observed deviation. The t-value is clamped to the range in
    /// which the closed form increases, so that a larger t-value never gives a smaller ratio.
    pub(crate) fn t_value_llr(&self, scores: &GroupScores) -> f64 {
        if scores.groups() == 0 {
            return 0.0;
        }
        let (mean, variance) = scores.regularized();
        let deviation = variance.sqrt();
        let bounds @ [lower, upper] = self.t_values(deviation);
        let (centre, reach) =
            ((lower + upper) / 2.0, (1.0 + ((upper - lower) / 2.0).powi(2)).sqrt());
        let t = ((mean - 0.5) / deviation).clamp(centre - reach, centre + reach);
        closed_form_llr(scores.groups() as f64, t, bounds)
    }

    /// Returns the verdict of the t-value test after these groups.
    pub fn t_value_verdict(&self, scores: &GroupScores) -> Verdict {
        self.rates().verdict(self.t_value_llr(scores))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    use crate::{Bounds, ErrorRates, GroupScore};

    fn test(lower: f64, upper: f64, matches: u32) -> Hypotheses {
        let rates = ErrorRates::new(0.05, 0.05).unwrap();
        Hypotheses::new(Bounds::NormalizedElo([lower, upper]), rates, matches).unwrap()
    }

    #[test]
    fn a_candidate_that_always_ties_is_rejected_in_the_end() {
        let mut scores = GroupScores::default();
        let test = test(0.0, 20.0, 2);
        while test.t_value_verdict(&scores) == Verdict::Undecided {
            scores.record(GroupScore::new(0.5).unwrap());
            assert!(test.t_value_llr(&scores) < 0.0);
        }
        assert_eq!(test.t_value_verdict(&scores), Verdict::Rejected);
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
            prop_assert!(test.t_value_llr(&better) >= test.t_value_llr(&worse) - 1e-12);
        }
    }
}
