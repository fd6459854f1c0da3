//! Ratings with their errors, intervals and rank ranges, and the trait of methods that compute
//! them.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    ContestError, Elo, Interval, MAX_LEVEL, Ranking, elo::ELO_PER_LOG_ODDS, matrix::Matrix,
    stopping::normal_share_below,
};

/// The bound to which ratings are clamped for the bounded covariance, in log odds: 208 Elo on each
/// side of the mean. The strength of a bot that always wins stays uncertain even after many
/// matches. Based on its unbounded rating's error, such a bot could not be distinguished from any
/// other bot (W. W. Hauck and A. Donner, "Wald's Test as Applied to Hypotheses in Logit Analysis",
/// 1977), and pairing would select it for every match.
const BOUND: f64 = 1.2;

/// Clamps the ratings to [`BOUND`].
pub(crate) fn bounded(log_odds: &[f64]) -> Vec<f64> {
    log_odds.iter().map(|rating| clamped(*rating)).collect()
}

fn clamped(rating: f64) -> f64 {
    rating.clamp(-BOUND, BOUND)
}

/// A method that computes ratings from results.
pub trait RatingMethod {
    /// Rates `bots` bots; the mean of the ratings is 0. The order of the rankings does not change a
    /// single bit of the ratings. A method that depends on the order of play takes it from the
    /// numbers of the rankings.
    ///
    /// # Errors
    /// Returns [`ContestError::Ranking`] for the first invalid ranking, or
    /// [`ContestError::Undetermined`] if the results do not determine ratings.
    fn fit(&self, bots: usize, rankings: &[Ranking]) -> Result<Ratings, ContestError>;

    /// Returns the variance of the rating of a bot without matches, in log odds squared.
    fn initial_variance(&self) -> f64;
}

/// All bots' ratings, by bot number.
#[derive(Clone, Debug)]
pub struct Ratings {
    log_odds: Vec<f64>,
    covariance: Matrix,
    /// The covariance of the [`bounded`] ratings.
    bounded_covariance: Matrix,
    matches: Vec<u64>,
    /// For each bot, whether it has a rank.
    is_ranked: Vec<bool>,
}

/// The rating of one bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The bot's number, from 0.
    pub bot: usize,
    /// The rating relative to the mean over the bots.
    pub elo: Elo,
    /// The interval for the rating, in Elo.
    pub interval: Interval,
    /// The range of possible ranks.
    pub ranks: RankRange,
    /// The number of matches that the bot has played.
    pub matches: u64,
}

/// A bot's range of possible ranks. Bots without a significant difference share ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// The best possible rank: one more than the number of bots that are significantly better.
    pub best: usize,
    /// The worst possible rank: one more than the number of bots that are not significantly worse.
    pub worst: usize,
}

impl Ratings {
    pub(crate) fn new(
        log_odds: Vec<f64>,
        covariance: Matrix,
        bounded_covariance: Matrix,
        matches: Vec<u64>,
    ) -> Self {
        let is_ranked = vec![true; matches.len()];
        Self { log_odds, covariance, bounded_covariance, matches, is_ranked }
    }

    /// Restricts ranks, the mean and [`Self::is_settled`] to some of the bots, such as the newest
    /// version of each program. Any other bot is rated relative to them.
    #[must_use]
    pub fn ranking_only(self, is_ranked: Vec<bool>) -> Self {
        Self { is_ranked, ..self }
    }

    /// Returns the number of bots.
    pub fn bots(&self) -> usize {
        self.log_odds.len()
    }

    /// Returns the ratings as natural log odds, with the mean 0.
    pub fn log_odds(&self) -> &[f64] {
        &self.log_odds
    }

    /// Returns the covariance of two ratings, in log odds.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance[(one, other)]
    }

    /// Returns the covariance of the [`bounded`] ratings, in log odds.
    pub(crate) fn bounded_covariance(&self) -> &Matrix {
        &self.bounded_covariance
    }

    /// Returns the probability, 0 to 1, that `one` is stronger than `other`. Uses the ratings or
    /// the bounded ratings, whichever differ more significantly. Ratings within the bound are the
    /// same in both.
    pub fn chance_above(&self, one: usize, other: usize) -> f64 {
        normal_share_below(self.errors_above(one, other))
    }

    /// Returns the number of standard errors by which `one` is above `other`.
    pub(crate) fn errors_above(&self, one: usize, other: usize) -> f64 {
        let by = |difference: f64, covariance: &Matrix| {
            let variance = covariance.variance_of_difference(one, other);
            if variance > 0.0 { difference / variance.sqrt() } else { 0.0 }
        };
        let [above, below] = [one, other].map(|bot| self.log_odds[bot]);
        let plain = by(above - below, &self.covariance);
        let bounded = by(clamped(above) - clamped(below), &self.bounded_covariance);
        if plain.abs() > bounded.abs() { plain } else { bounded }
    }

    /// Returns all bots, best first, with intervals and rank ranges at this confidence level, such
    /// as 0.95. Elo is relative to the mean over the ranked bots.
    pub fn table(&self, level: f64) -> Vec<Rating> {
        self.weighted_table(level, &vec![1.0; self.bots()])
    }

    /// Like [`Self::table`], but relative to a weighted mean: a bot with fewer than `full_matches`
    /// has less weight, in proportion to its matches. The strength of a bot that has hardly played
    /// is uncertain, and with full weight it would widen all intervals.
    pub fn table_by_matches(&self, level: f64, full_matches: u64) -> Vec<Rating> {
        let weights = self.matches.iter();
        let weights = weights.map(|matches| (*matches).min(full_matches) as f64);
        self.weighted_table(level, &weights.collect::<Vec<f64>>())
    }

    fn weighted_table(&self, level: f64, weights: &[f64]) -> Vec<Rating> {
        let weights = weights.iter().zip(&self.is_ranked);
        let weights = weights.map(|(weight, is_ranked)| if *is_ranked { *weight } else { 0.0 });
        let weights: Vec<f64> = weights.collect();
        let all: f64 = weights.iter().sum();
        let weighed = |values: &mut dyn Iterator<Item = f64>| -> f64 {
            let weighed = values.zip(&weights).map(|(value, weight)| value * weight);
            weighed.sum::<f64>() / all.max(f64::MIN_POSITIVE)
        };
        let mean = weighed(&mut self.log_odds.iter().copied());
        // Each rating's covariance with the mean, and the variance of the mean.
        let with_mean: Vec<f64> = (0..self.bots())
            .map(|bot| weighed(&mut self.covariance.row(bot).iter().copied()))
            .collect();
        let of_mean = weighed(&mut with_mean.iter().copied());
        let sure = (1.0 + level.clamp(0.5, MAX_LEVEL)) / 2.0;
        let reach = Normal::standard().inverse_cdf(sure);
        let rating = |&bot: &usize| {
            let (mut best, mut worst) = (1, 1);
            for other in (0..self.bots()).filter(|other| *other != bot && self.is_ranked[*other]) {
                let above = self.errors_above(bot, other);
                best += usize::from(above < -reach);
                worst += usize::from(above <= reach);
            }
            let elo = (self.log_odds[bot] - mean) * ELO_PER_LOG_ODDS;
            let variance = self.covariance[(bot, bot)] - 2.0 * with_mean[bot] + of_mean;
            let error = reach * variance.max(0.0).sqrt() * ELO_PER_LOG_ODDS;
            Rating {
                bot,
                elo: Elo(elo),
                interval: Interval { low: elo - error, high: elo + error },
                ranks: RankRange { best, worst },
                matches: self.matches[bot],
            }
        };
        self.order().iter().map(rating).collect()
    }

    /// Returns whether, with this confidence level, the best `count` ranked bots are in the correct
    /// order and no other ranked bot belongs among them. A single bot has no order.
    ///
    /// The order is wrong if any of the best bots is weaker than the next of them, or if the last
    /// of them is weaker than any other bot. By Boole's inequality, the probability of a wrong
    /// order is at most the sum of the probabilities of these events. The sum must be at most `1 -
    /// level`.
    pub fn is_settled(&self, count: usize, level: f64) -> bool {
        let mut order = self.order();
        order.retain(|bot| self.is_ranked[*bot]);
        let (best, others) = order.split_at(count.min(order.len()));
        let below = |one: usize, other: usize| 1.0 - self.chance_above(one, other);
        let among = best.windows(2).map(|pair| below(pair[0], pair[1]));
        let last = best.last().into_iter();
        let beside = last.flat_map(|last| others.iter().map(|other| below(*last, *other)));
        order.len() > 1 && among.chain(beside).sum::<f64>() <= 1.0 - level
    }

    /// Returns the bots, best first.
    fn order(&self) -> Vec<usize> {
        let mut bots: Vec<usize> = (0..self.bots()).collect();
        bots.sort_by(|one, other| {
            self.log_odds[*other].total_cmp(&self.log_odds[*one]).then(one.cmp(other))
        });
        bots
    }
}

#[cfg(test)]
mod tests {
    use crate::{PlackettLuce, Ranking, RatingMethod as _, samples::add_wins};

    fn chance_after(fit: PlackettLuce, wins: u64) -> f64 {
        let mut rankings = Vec::new();
        add_wins(&mut rankings, 0, 1, wins);
        let ratings = fit.fit(2, &rankings).unwrap();
        ratings.chance_above(0, 1)
    }

    #[test]
    fn a_bot_that_has_hardly_played_hardly_widens_the_intervals_of_others() {
        let mut rankings = Vec::new();
        for number in 0..240 {
            let (one, other) = [(0, 1), (1, 2), (2, 0)][number % 3];
            let (won, lost) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
            rankings.push(Ranking::new(vec![(one, won), (other, lost)], number as u64));
        }
        let fit = |bots: usize, rankings: &[Ranking]| {
            let ratings = PlackettLuce::default().fit(bots, rankings).unwrap();
            let of_first = |table: Vec<super::Rating>| {
                let first = table.iter().find(|rating| rating.bot == 0).unwrap();
                first.interval.high - first.interval.low
            };
            let tables = (ratings.table(0.95), ratings.table_by_matches(0.95, 30));
            (of_first(tables.0), of_first(tables.1))
        };
        let (plain, by_matches) = fit(3, &rankings);
        assert!((plain - by_matches).abs() < 1e-9, "all have played enough");
        rankings.push(Ranking::new(vec![(3, 1), (0, 2)], 240));
        let (wider, as_before) = fit(4, &rankings);
        assert!(wider > 1.5 * plain, "{wider} after {plain}");
        assert!(as_before < 1.2 * plain, "{as_before} after {plain}");
    }

    #[test]
    fn a_bot_that_wins_everything_is_significantly_better_after_a_dozen_matches() {
        for fit in [PlackettLuce::default(), PlackettLuce::for_ladder()] {
            let chances = [4, 12, 100].map(|wins| chance_after(fit, wins));
            assert!(chances[0] < 0.975, "{chances:?}");
            assert!(chances[1] > 0.975, "{chances:?}");
            assert!(chances[2] > 0.999, "{chances:?}");
        }
    }

    #[test]
    fn an_order_is_settled_once_all_of_its_pairs_are_certain_together() {
        // Eleven bots in a chain. Each bot beats the next one in `wins` of a hundred matches.
        let settled = |wins: u64, count: usize| {
            let mut rankings = Vec::new();
            for better in 0..10 {
                add_wins(&mut rankings, better, better + 1, wins);
                add_wins(&mut rankings, better + 1, better, 100 - wins);
            }
            let ratings = PlackettLuce::default().fit(11, &rankings).unwrap();
            for better in 0..10 {
                let chance = ratings.chance_above(better, better + 1);
                assert!(chance > 0.95, "{chance}");
            }
            ratings.is_settled(count, 0.95)
        };
        assert!(settled(60, 1), "of the first alone");
        assert!(!settled(60, 10), "each of ten pairs is wrong with 2 %");
        assert!(settled(66, 10));
    }

    #[test]
    fn bots_beyond_the_bound_are_separated_by_their_own_matches() {
        // Bot 0 beats bot 1 in two of three matches, and both beat bot 2 in nine of ten.
        let mut rankings = Vec::new();
        let mut played = |winner, loser, times| add_wins(&mut rankings, winner, loser, times);
        played(0, 1, 200);
        played(1, 0, 100);
        for best in [0, 1] {
            played(best, 2, 180);
            played(2, best, 20);
        }
        let ratings = PlackettLuce::default().fit(3, &rankings).unwrap();
        assert!(ratings.chance_above(0, 1) > 0.999);
        assert!(ratings.chance_above(1, 2) > 0.999);
    }
}
