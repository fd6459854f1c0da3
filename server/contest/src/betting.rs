//! Betting tests, which are valid at any time, for any number of seats and any variance.
//!
//! Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting"
//! (2020). Before a group's score is known, a bet against the hypothesis is placed on the score. If
//! the hypothesis is true, the wealth is a nonnegative martingale, so the probability that it ever
//! reaches `1/alpha` is at most `alpha`.

use crate::{Elo, GroupScore, Hypotheses, Interval, Verdict};

/// The maximum share of the wealth that a bet can lose in one match group.
const MAX_STAKE: f64 = 0.9;

/// Mean and variance of earlier groups' scores, which determine the next bet. As in the paper, the
/// prior is half a group with the score 1 and half a group with the score 0.
#[derive(Clone, Copy, Debug)]
struct EarlierGroups {
    groups: f64,
    sum: f64,
    squared_deviations: f64,
}

impl EarlierGroups {
    const NONE: Self = Self { groups: 0.0, sum: 0.5, squared_deviations: 0.25 };

    fn mean(&self) -> f64 {
        self.sum / (self.groups + 1.0)
    }

    fn variance(&self) -> f64 {
        self.squared_deviations / (self.groups + 1.0)
    }

    fn record(&mut self, score: f64) {
        self.groups += 1.0;
        self.sum += score;
        self.squared_deviations += (score - self.mean()).powi(2);
    }

    /// Returns the size of the bet (aGRAPA) that the true mean is above `mean`. A negative size is
    /// a bet that the true mean is below `mean`.
    fn bet(&self, mean: f64) -> f64 {
        let ahead = self.mean() - mean;
        ahead / (self.variance() + ahead * ahead)
    }
}

/// The log wealth from bets against one mean, one value per direction, starting from a wealth of 1.
#[derive(Clone, Copy, Debug, Default)]
struct Wealth {
    above: f64,
    below: f64,
}

impl Wealth {
    /// Settles the bets that the true mean is above or below `mean`, given this score.
    fn update(&mut self, past: &EarlierGroups, mean: f64, score: f64) {
        // Each bet is on only one side, so the other side's wealth does not change.
        let bet = past.bet(mean);
        if bet > 0.0 {
            self.above += (bet.min(MAX_STAKE / mean) * (score - mean)).ln_1p();
        } else {
            self.below += ((-bet).min(MAX_STAKE / (1.0 - mean)) * (mean - score)).ln_1p();
        }
    }
}

/// The betting test: a bet that the mean is above the lower bound, and a bet that it is below the
/// upper bound. With bounds in Elo, the test's error rates hold without approximation. Normalized
/// bounds are converted to means with the standard deviation of earlier groups. This conversion is
/// exact only for a bound of 0.
#[derive(Clone, Copy, Debug)]
pub struct BettingTest {
    hypotheses: Hypotheses,
    past: EarlierGroups,
    against_lower: Wealth,
    against_upper: Wealth,
}

impl BettingTest {
    /// Creates a test of these hypotheses.
    pub fn new(hypotheses: Hypotheses) -> Self {
        Self {
            hypotheses,
            past: EarlierGroups::NONE,
            against_lower: Wealth::default(),
            against_upper: Wealth::default(),
        }
    }

    /// Records the next group.
    pub fn record(&mut self, score: GroupScore) {
        let [lower, upper] = self.hypotheses.means(self.past.variance().sqrt());
        self.against_lower.update(&self.past, lower, score.get());
        self.against_upper.update(&self.past, upper, score.get());
        self.past.record(score.get());
    }

    /// Returns the wealth from the bet against the lower bound. At `1/alpha`, the candidate is
    /// accepted.
    pub fn wealth_for(&self) -> f64 {
        self.against_lower.above.exp()
    }

    /// Returns the wealth from the bet against the upper bound. At `1/beta`, the candidate is
    /// rejected.
    pub fn wealth_against(&self) -> f64 {
        self.against_upper.below.exp()
    }

    /// Returns the verdict after the groups recorded so far.
    pub fn verdict(&self) -> Verdict {
        let rates = self.hypotheses.rates();
        if self.against_lower.above >= -rates.alpha().ln() {
            Verdict::Accepted
        } else if self.against_upper.below >= -rates.beta().ln() {
            Verdict::Rejected
        } else {
            Verdict::Undecided
        }
    }
}

/// The number of cells in a confidence sequence. Each cell covers 0.0005 of the score, which is a
/// third of an Elo point near a score of 0.5.
const MEANS: usize = 2_000;

/// The maximum confidence level of a contest. Above it, intervals hardly ever exclude a score.
pub const MAX_LEVEL: f64 = 0.9999;

/// An always-valid confidence interval for the mean score. With a probability of at least the
/// confidence level, it contains the true mean after every group.
#[derive(Clone, Debug)]
pub struct ConfidenceSequence {
    level: f64,
    past: EarlierGroups,
    wealth: Vec<Wealth>,
    /// The cells with the lowest and the highest mean that have not been excluded yet.
    remaining: (usize, usize),
}

impl ConfidenceSequence {
    /// Creates a sequence with this confidence level, such as 0.95. The level is clamped to
    /// 0.5..=[`MAX_LEVEL`].
    pub fn new(level: f64) -> Self {
        Self {
            level: level.clamp(0.5, MAX_LEVEL),
            past: EarlierGroups::NONE,
            wealth: vec![Wealth::default(); MEANS],
            remaining: (0, MEANS - 1),
        }
    }

    /// Returns the confidence level, such as 0.95.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Returns the mean at the centre of a cell.
    fn mean(number: usize) -> f64 {
        (number as f64 + 0.5) / MEANS as f64
    }

    /// Records the next group.
    pub fn record(&mut self, score: GroupScore) {
        // Each side of the interval starts with half of the wealth.
        let limit = (2.0 / (1.0 - self.level)).ln();
        // Excluded means stay excluded.
        let (first, last) = self.remaining;
        for (number, wealth) in self.wealth.iter_mut().enumerate().take(last + 1).skip(first) {
            wealth.update(&self.past, Self::mean(number), score.get());
        }
        self.past.record(score.get());
        let holds = |number: &usize| {
            let Wealth { above, below } = self.wealth[*number];
            above < limit && below < limit
        };
        let found = (first..=last).find(holds).zip((first..=last).rev().find(holds));
        // If all means were excluded, the interval would be empty, so keep the previous interval.
        self.remaining = found.unwrap_or(self.remaining);
    }

    /// Returns the interval for the mean score.
    pub fn interval(&self) -> Interval {
        let (first, last) = self.remaining;
        // A cell whose centre is excluded can still contain the true mean, so one cell is added on
        // each side.
        let cells = MEANS as f64;
        Interval {
            low: (first.saturating_sub(1)) as f64 / cells,
            high: ((last + 2).min(MEANS)) as f64 / cells,
        }
    }

    /// Returns the interval in Elo. An end that corresponds to no score is infinite.
    pub fn elo_interval(&self) -> Interval {
        let Interval { low, high } = self.interval();
        Interval { low: Elo::from_score(low).0, high: Elo::from_score(high).0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, ErrorRates};

    fn test(lower: f64, upper: f64) -> BettingTest {
        let rates = ErrorRates::new(0.05, 0.05).unwrap();
        BettingTest::new(Hypotheses::new(Bounds::Elo([lower, upper]), rates, 2).unwrap())
    }

    fn groups_until_decided(mut test: BettingTest, score: f64) -> (Verdict, usize) {
        let mut groups = 0;
        while test.verdict() == Verdict::Undecided {
            test.record(GroupScore::new(score).unwrap());
            groups += 1;
        }
        (test.verdict(), groups)
    }

    #[test]
    fn a_candidate_that_wins_everything_is_accepted_after_seven_groups() {
        for upper in [5.0, 35.0, 174.0] {
            let decided = groups_until_decided(test(0.0, upper), 1.0);
            assert_eq!(decided, (Verdict::Accepted, 7));
        }
    }

    #[test]
    fn a_candidate_that_loses_everything_is_rejected_within_seven_groups() {
        let (verdict, groups) = groups_until_decided(test(0.0, 35.0), 0.0);
        assert_eq!(verdict, Verdict::Rejected);
        assert!(groups <= 7, "{groups}");
    }

    #[test]
    fn the_confidence_sequence_shrinks_around_the_mean() {
        let mut sequence = ConfidenceSequence::new(0.95);
        let mut widths = Vec::new();
        for group in 0..2_000 {
            let score = if group % 2 == 0 { 0.35 } else { 0.85 };
            sequence.record(GroupScore::new(score).unwrap());
            let Interval { low, high } = sequence.interval();
            assert!(low <= 0.6 && 0.6 <= high, "group {group}: {low} to {high}");
            widths.push(high - low);
        }
        assert!(widths.is_sorted_by(|wide, narrow| wide >= narrow));
        assert!(widths[1_999] < 0.07, "{}", widths[1_999]);
    }
}
