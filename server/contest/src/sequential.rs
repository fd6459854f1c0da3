//! A contest's sequential test. Two tests run in parallel, each at half the error rates, and the
//! first verdict counts.
//!
//! The t-value test needs fewer groups when bots are close. When bots are far apart and the
//! variance vanishes, the betting test decides within a few groups. Its error rates hold without
//! approximation. Together, the two tests do not exceed the requested error rates.

use crate::{
    BettingTest, ConfidenceSequence, ContestError, Elo, GroupScore, GroupScores, Hypotheses,
    Interval, StoppedEstimate, TValueTest, Verdict, estimate_after_stopping,
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
///     Bounds, Elo, ErrorRates, GroupScore, Hypotheses, SequentialTest, Verdict,
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bounds = Bounds::Elo { lower: Elo(0.0), upper: Elo(30.0) };
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
    t_value: TValueTest,
    betting: BettingTest,
    decided: Option<(Verdict, DecidedBy)>,
}

impl SequentialTest {
    /// Creates a test of these hypotheses.
    #[must_use]
    pub fn new(hypotheses: Hypotheses) -> Self {
        Self {
            hypotheses,
            scores: GroupScores::default(),
            t_value: TValueTest::new(hypotheses.halved()),
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
            let by_t_value = (self.t_value.verdict(&self.scores), DecidedBy::TValue);
            let by_betting = (self.betting.verdict(), DecidedBy::Betting);
            let mut decided = [by_t_value, by_betting].into_iter();
            self.decided = decided.find(|(verdict, _)| *verdict != Verdict::Undecided);
        }
        self.verdict()
    }

    /// Returns the verdict after the groups so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.decided
            .map_or(Verdict::Undecided, |(verdict, _)| verdict)
    }

    /// Returns the test that decided, if any.
    #[must_use]
    pub fn decided_by(&self) -> Option<DecidedBy> {
        self.decided.map(|(_, by)| by)
    }

    /// Returns the test's hypotheses.
    #[must_use]
    pub fn hypotheses(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// Returns the scores on which the verdict is based.
    #[must_use]
    pub fn scores(&self) -> &GroupScores {
        &self.scores
    }

    /// Returns the log-likelihood ratio of the t-value test.
    #[must_use]
    pub fn llr(&self) -> f64 {
        self.t_value.llr(&self.scores)
    }

    /// Returns the log-likelihood ratios at which the t-value test rejects and accepts.
    #[must_use]
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
    /// [`ContestError::TooFew`] without a group.
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
        let Interval { low, high } = seen.interval();
        Ok(StoppedEstimate {
            elo_interval: Interval {
                low: Elo::of_score(low).0,
                high: Elo::of_score(high).0,
            },
            ..estimate
        })
    }

    /// Returns the betting test.
    #[must_use]
    pub fn betting(&self) -> &BettingTest {
        &self.betting
    }
}
