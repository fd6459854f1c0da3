//! Tests by betting: they hold at any time, for any number of seats and any variance.
//!
//! Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
//! betting" (2020). Somebody bets on the score of each group before it is known. If the mean is
//! what the hypothesis says, the wealth does not grow in the long run, and reaches `1/alpha`
//! with a chance of at most `alpha`, whenever one looks.

use crate::{GroupScore, Hypotheses, Interval, Verdict};

/// Most of what a bet may lose of the wealth in one group.
const MOST_AT_STAKE: f64 = 0.9;

/// Mean and variance of earlier groups, from which a bet is made: those of the paper, with half
/// a score of 1 and half of one of 0 before the first.
#[derive(Clone, Copy, Debug)]
struct Past {
    groups: f64,
    sum: f64,
    squared_deviations: f64,
}

impl Past {
    const NONE: Self = Self {
        groups: 0.0,
        sum: 0.5,
        squared_deviations: 0.25,
    };

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

    /// How much to bet on a mean above `mean` (aGRAPA); below 0, on one below it.
    fn bet(&self, mean: f64) -> f64 {
        let ahead = self.mean() - mean;
        ahead / (self.variance() + ahead * ahead)
    }
}

/// What bets against one mean have made of a wealth of 1, as logarithms.
#[derive(Clone, Copy, Debug, Default)]
struct Wealth {
    above: f64,
    below: f64,
}

impl Wealth {
    /// Settles the bets on this score, which were made on means above and below `mean`.
    fn settle(&mut self, past: &Past, mean: f64, score: f64) {
        // A bet is on one side, and the wealth on the other side stays.
        let bet = past.bet(mean);
        if bet > 0.0 {
            self.above += (bet.min(MOST_AT_STAKE / mean) * (score - mean)).ln_1p();
        } else {
            self.below += ((-bet).min(MOST_AT_STAKE / (1.0 - mean)) * (mean - score)).ln_1p();
        }
    }
}

/// The test by betting: one bet that the mean is above the lower bound, one that it is below the
/// upper bound. With bounds in Elo its errors hold without approximation; normalised bounds
/// become means by the deviation of earlier groups, which is exact for a bound of 0.
#[derive(Clone, Copy, Debug)]
pub struct BettingTest {
    hypotheses: Hypotheses,
    past: Past,
    against_lower: Wealth,
    against_upper: Wealth,
}

impl BettingTest {
    /// A test of these hypotheses.
    #[must_use]
    pub fn new(hypotheses: Hypotheses) -> Self {
        Self {
            hypotheses,
            past: Past::NONE,
            against_lower: Wealth::default(),
            against_upper: Wealth::default(),
        }
    }

    /// Counts one more group.
    pub fn record(&mut self, score: GroupScore) {
        let [lower, upper] = self.hypotheses.means(self.past.variance().sqrt());
        self.against_lower.settle(&self.past, lower, score.get());
        self.against_upper.settle(&self.past, upper, score.get());
        self.past.record(score.get());
    }

    /// The wealth of the bet against the lower bound; at `1/alpha` the candidate is accepted.
    #[must_use]
    pub fn wealth_for(&self) -> f64 {
        self.against_lower.above.exp()
    }

    /// The wealth of the bet against the upper bound; at `1/beta` the candidate is rejected.
    #[must_use]
    pub fn wealth_against(&self) -> f64 {
        self.against_upper.below.exp()
    }

    /// The verdict after the groups so far.
    #[must_use]
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

/// Means that a confidence sequence tells apart: 0.0005 of the score, a third of an Elo at 0.5.
const MEANS: usize = 2_000;

/// An interval for the mean score that stays valid however often one looks: with the chance of
/// the level it holds the true mean after every group at once.
#[derive(Clone, Debug)]
pub struct ConfidenceSequence {
    level: f64,
    past: Past,
    wealth: Vec<Wealth>,
    /// The first and the last mean that no look has excluded yet.
    kept: (usize, usize),
}

impl ConfidenceSequence {
    /// A sequence of this level, such as 0.95; levels outside 0.5 to 0.9999 count as those.
    #[must_use]
    pub fn new(level: f64) -> Self {
        Self {
            level: level.clamp(0.5, 0.9999),
            past: Past::NONE,
            wealth: vec![Wealth::default(); MEANS],
            kept: (0, MEANS - 1),
        }
    }

    /// The level, such as 0.95.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The mean of this number: the middle of its cell.
    fn mean(number: usize) -> f64 {
        (number as f64 + 0.5) / MEANS as f64
    }

    /// Counts one more group.
    pub fn record(&mut self, score: GroupScore) {
        // Half of the wealth bets on each side.
        let limit = (2.0 / (1.0 - self.level)).ln();
        // What a look has excluded stays excluded.
        let (first, last) = self.kept;
        for (number, wealth) in self
            .wealth
            .iter_mut()
            .enumerate()
            .take(last + 1)
            .skip(first)
        {
            wealth.settle(&self.past, Self::mean(number), score.get());
        }
        self.past.record(score.get());
        let holds = |number: &usize| {
            let Wealth { above, below } = self.wealth[*number];
            above < limit && below < limit
        };
        let found = (first..=last)
            .find(holds)
            .zip((first..=last).rev().find(holds));
        // When all means are excluded the level has failed; the last interval stays.
        self.kept = found.unwrap_or(self.kept);
    }

    /// The interval for the mean score.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let (first, last) = self.kept;
        // A cell whose middle is excluded may yet hold the mean, so one more on each side.
        let cells = MEANS as f64;
        Interval {
            low: (first.saturating_sub(1)) as f64 / cells,
            high: ((last + 2).min(MEANS)) as f64 / cells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Elo, ErrorRates};

    fn test(lower: f64, upper: f64) -> BettingTest {
        let bounds = Bounds::Elo {
            lower: Elo(lower),
            upper: Elo(upper),
        };
        let rates = ErrorRates::new(0.05, 0.05).unwrap();
        BettingTest::new(Hypotheses::new(bounds, rates, 2).unwrap())
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
    fn a_candidate_that_wins_everything_is_accepted_after_seven_groups_whatever_the_bounds() {
        for upper in [5.0, 35.0, 174.0] {
            assert_eq!(
                groups_until_decided(test(0.0, upper), 1.0),
                (Verdict::Accepted, 7)
            );
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
