//! The test of a contest: two tests at half of the errors each, the first to decide wins.
//!
//! The test of the t-value is the cheaper one when bots are close; the one by betting decides
//! within a few groups when they are far apart, where the variance vanishes, and is a guarantee
//! without approximation. The sum of their errors is bounded by the errors asked for.

use crate::{
    BettingTest, ConfidenceSequence, ContestError, Elo, GroupScore, GroupScores, Hypotheses,
    Interval, StoppedEstimate, TValueTest, Verdict, estimate_after_stopping,
};

/// Which test decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The test of the t-value.
    TValue,
    /// The betting test.
    Betting,
}

/// Tells after every group whether a candidate is accepted, rejected, or not decided yet.
///
/// Groups are recorded in the order of their numbers, not in the order in which they end:
/// otherwise short matches would bias the verdict.
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
    /// A test of these hypotheses.
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

    /// Records one more group, and returns the verdict. The first verdict is final; later groups
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

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.decided
            .map_or(Verdict::Undecided, |(verdict, _)| verdict)
    }

    /// Which test decided, if one has.
    #[must_use]
    pub fn decided_by(&self) -> Option<DecidedBy> {
        self.decided.map(|(_, by)| by)
    }

    /// The hypotheses.
    #[must_use]
    pub fn hypotheses(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// The scores that the verdict is based on.
    #[must_use]
    pub fn scores(&self) -> &GroupScores {
        &self.scores
    }

    /// The log-likelihood ratio of the t-value.
    #[must_use]
    pub fn llr(&self) -> f64 {
        self.t_value.llr(&self.scores)
    }

    /// The log-likelihood ratios at which the t-value rejects and accepts.
    #[must_use]
    pub fn llr_bounds(&self) -> (f64, f64) {
        let rates = self.hypotheses.rates().halved();
        (rates.lower_llr(), rates.upper_llr())
    }

    /// How much better the candidate is, corrected for the stopping rule. `seen` must have recorded
    /// the same groups, and gives the level. If the t-value test decided, the interval is that of
    /// [`estimate_after_stopping`]. If the betting test did, or nothing has been decided, it is the
    /// interval of `seen`, which is valid whenever one stops; the other one would contain the truth
    /// in only a third of such cases, by simulation.
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

    /// The betting test.
    #[must_use]
    pub fn betting(&self) -> &BettingTest {
        &self.betting
    }
}
