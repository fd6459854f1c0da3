//! Ranks bots by their mean scores over groups.

use crate::{
    FEW_GROUPS, GroupScore, GroupScores, RankRange, estimate::student_quantile, matrix::Matrix,
};

/// The variance below which scores count as constant.
const NO_VARIANCE: f64 = 1e-12;

/// Ranks `bots` bots by their scores in these groups: each group lists its bots with their scores.
/// Returns each bot's range of ranks at this confidence level, such as 0.95; `None` for a bot with
/// fewer than two groups, which is not compared with other bots.
///
/// Two bots are compared by the difference of their mean scores, with Student's quantile. The error
/// of the difference accounts for the correlation of scores in the same group.
pub fn rank_ranges(
    bots: usize,
    groups: &[Vec<(usize, GroupScore)>],
    level: f64,
) -> Vec<Option<RankRange>> {
    let table = ScoreTable::new(bots, groups);
    let is_ranked = |bot: &usize| table.scores[*bot].groups() >= 2;
    let ranked: Vec<usize> = (0..bots).filter(is_ranked).collect();
    let range = |bot: usize| {
        let (mut best, mut worst) = (1, 1);
        for &other in ranked.iter().filter(|other| **other != bot) {
            best += usize::from(table.is_better(other, bot, level));
            worst += usize::from(!table.is_better(bot, other, level));
        }
        RankRange { best, worst }
    };
    (0..bots).map(|bot| is_ranked(&bot).then(|| range(bot))).collect()
}

/// The bots' scores, and the errors of their means.
struct ScoreTable {
    scores: Vec<GroupScores>,
    /// The covariance of the mean scores, from the spread between groups.
    covariance: Matrix,
}

impl ScoreTable {
    fn new(bots: usize, groups: &[Vec<(usize, GroupScore)>]) -> Self {
        let mut scores = vec![GroupScores::default(); bots];
        for (bot, score) in groups.iter().flatten() {
            scores[*bot].record(*score);
        }
        let deviation = |(bot, score): (usize, GroupScore)| {
            let all = &scores[bot];
            (score.get() - all.mean()) / all.groups() as f64
        };
        let mut covariance = Matrix::zero(bots);
        for group in groups {
            for &one in group {
                for &other in group {
                    covariance[(one.0, other.0)] += deviation(one) * deviation(other);
                }
            }
        }
        Self { scores, covariance }
    }

    /// Returns whether one bot's mean score is significantly higher than another's.
    fn is_better(&self, one: usize, other: usize, level: f64) -> bool {
        let both = [one, other].map(|bot| &self.scores[bot]);
        let groups = both.map(GroupScores::groups).into_iter().min().unwrap_or(0);
        let degrees_of_freedom = groups.saturating_sub(1);
        let variance = self.covariance.variance_of_difference(one, other);
        let sample = variance * groups as f64 / degrees_of_freedom as f64;
        let variance = if groups < FEW_GROUPS || variance <= NO_VARIANCE {
            sample.max(self.regularized_variance_of_difference(one, other))
        } else {
            sample
        };
        let difference = both[0].mean() - both[1].mean();
        difference > student_quantile(degrees_of_freedom, level) * variance.sqrt()
    }

    /// Returns the variance of the difference of two mean scores, from their regularized variances.
    /// As in [`Estimate`](crate::Estimate), it is the minimum for few groups.
    fn regularized_variance_of_difference(&self, one: usize, other: usize) -> f64 {
        let variances = [one, other].map(|bot| self.covariance[(bot, bot)]);
        let product = variances[0] * variances[1];
        // A positive correlation would reduce the error. Without a spread, the worst case is
        // assumed.
        let correlation = if variances.iter().all(|variance| *variance > NO_VARIANCE) {
            (self.covariance[(one, other)] / product.sqrt()).min(0.0)
        } else {
            -1.0
        };
        let [one, other] = [one, other].map(|bot| &self.scores[bot]);
        let [one, other] = [one, other].map(|of| of.regularized().1 / of.groups() as f64);
        one + other - 2.0 * correlation * (one * other).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(groups: &[&[f64]]) -> Vec<Option<(usize, usize)>> {
        let score = |(bot, score): (usize, &f64)| (bot, GroupScore::new(*score).unwrap());
        let groups: Vec<Vec<_>> =
            groups.iter().map(|group| group.iter().enumerate().map(score).collect()).collect();
        let ranges = rank_ranges(3, &groups, 0.95);
        ranges.iter().map(|range| range.map(|range| (range.best, range.worst))).collect()
    }

    #[test]
    fn a_bot_that_wins_everything_is_separated_after_four_groups() {
        let won: &[f64] = &[1.0, 0.0];
        assert_eq!(ranges(&[won; 3]), [Some((1, 2)), Some((1, 2)), None]);
        assert_eq!(ranges(&[won; 4]), [Some((1, 1)), Some((2, 2)), None]);
        assert_eq!(ranges(&[won; 1]), [None; 3]);
        // A result that is hardly worse does not count for more.
        assert_eq!(ranges(&[won, won, &[0.95, 0.0]]), [Some((1, 2)), Some((1, 2)), None]);
    }

    #[test]
    fn the_difference_of_two_bots_has_the_error_of_their_paired_scores() {
        // The scores vary widely, but their differences hardly do.
        let paired: [&[f64]; 4] = [&[0.5, 0.25], &[1.0, 0.75], &[0.25, 0.0], &[0.75, 0.25]];
        assert_eq!(ranges(&paired.repeat(8)), [Some((1, 1)), Some((2, 2)), None]);
        let mixed: [&[f64]; 4] = [&[0.5, 0.25], &[0.25, 0.5], &[0.75, 0.0], &[0.25, 0.75]];
        assert_eq!(ranges(&mixed.repeat(8)), [Some((1, 2)), Some((1, 2)), None]);
    }
}
