//! Ratings with their errors, and what they say of ranks.

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::{Elo, Interval, elo::ELO_PER_LOG_ODDS, stopping::normal_share_below};

/// What one match of two bots tells of their difference when they are equals, as the inverse of a
/// squared log odds. Pairing takes it for all pairs: to prefer pairs whose *ratings* are close
/// makes the spread of all ratings too wide, by a fifth in the simulation.
pub(crate) const WEIGHT_OF_A_MATCH: f64 = 0.25;

/// Ratings of all bots, by their numbers.
#[derive(Clone, Debug)]
pub struct Ratings {
    log_odds: DVector<f64>,
    covariance: DMatrix<f64>,
    /// The covariance that pairing goes by: that of ratings which are not far apart.
    for_pairing: DMatrix<f64>,
    matches: Vec<u64>,
}

/// The rating of one bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The bot's number.
    pub bot: usize,
    /// Its rating; the mean over all bots is 0.
    pub elo: Elo,
    /// The interval of its rating, in Elo.
    pub interval: Interval,
    /// The ranks that it may have.
    pub ranks: RankRange,
    /// Matches that it played.
    pub matches: u64,
}

/// The ranks that a bot may have: bots that cannot be told apart share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// One more than the number of bots that are significantly better.
    pub best: usize,
    /// The number of bots, less those that are significantly worse.
    pub worst: usize,
}

impl Ratings {
    pub(crate) fn new(
        log_odds: DVector<f64>,
        covariance: DMatrix<f64>,
        for_pairing: DMatrix<f64>,
        matches: Vec<u64>,
    ) -> Self {
        Self {
            log_odds,
            covariance,
            for_pairing,
            matches,
        }
    }

    /// How many bots there are.
    #[must_use]
    pub fn bots(&self) -> usize {
        self.log_odds.len()
    }

    /// The ratings as natural log odds, with the mean 0.
    #[must_use]
    pub fn log_odds(&self) -> &[f64] {
        self.log_odds.as_slice()
    }

    /// The standard error of a rating, as a log odds.
    #[must_use]
    pub fn standard_error(&self, bot: usize) -> f64 {
        self.covariance[(bot, bot)].max(0.0).sqrt()
    }

    /// The covariance of two ratings, as log odds.
    #[must_use]
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance[(one, other)]
    }

    /// Takes note of a match that is played and not fitted yet, for pairing: what it will tell is
    /// not asked again. Ratings and their errors stay.
    pub fn expect(&mut self, table: &[usize]) {
        for (seat, &one) in table.iter().enumerate() {
            for &other in &table[seat + 1..] {
                let (reach, variance) = self.reach(one, other);
                let shrink = WEIGHT_OF_A_MATCH / (1.0 + WEIGHT_OF_A_MATCH * variance);
                self.for_pairing.ger(-shrink, &reach, &reach, 1.0);
            }
        }
    }

    /// For pairing: the covariance of each rating with the difference of these two, and the variance
    /// of that.
    pub(crate) fn reach(&self, one: usize, other: usize) -> (DVector<f64>, f64) {
        let reach = self.for_pairing.column(one) - self.for_pairing.column(other);
        let variance = reach[one] - reach[other];
        (reach, variance)
    }

    /// The chance that `one` is stronger than `other`, 0 to 1: in how many of 100 repetitions of
    /// all matches it would be rated above.
    #[must_use]
    pub fn chance_above(&self, one: usize, other: usize) -> f64 {
        let covariance = &self.covariance;
        let variance =
            covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)];
        let error = variance.max(0.0).sqrt();
        match self.log_odds[one] - self.log_odds[other] {
            difference if error > 0.0 => normal_share_below(difference / error),
            _ => 0.5,
        }
    }

    /// All bots, the best first, with intervals and rank ranges of this level, such as 0.95.
    #[must_use]
    pub fn table(&self, level: f64) -> Vec<Rating> {
        let sure = (1.0 + level.clamp(0.5, 0.9999)) / 2.0;
        let reach = Normal::standard().inverse_cdf(sure);
        let mut bots: Vec<usize> = (0..self.bots()).collect();
        bots.sort_by(|one, other| {
            self.log_odds[*other]
                .total_cmp(&self.log_odds[*one])
                .then(one.cmp(other))
        });
        let rating = |&bot: &usize| {
            let others = || (0..self.bots()).filter(move |other| *other != bot);
            let better = others()
                .filter(|other| self.chance_above(*other, bot) > sure)
                .count();
            let worse = others()
                .filter(|other| self.chance_above(bot, *other) > sure)
                .count();
            let elo = self.log_odds[bot] * ELO_PER_LOG_ODDS;
            let error = reach * self.standard_error(bot) * ELO_PER_LOG_ODDS;
            Rating {
                bot,
                elo: Elo(elo),
                interval: Interval {
                    low: elo - error,
                    high: elo + error,
                },
                ranks: RankRange {
                    best: 1 + better,
                    worst: self.bots() - worse,
                },
                matches: self.matches[bot],
            }
        };
        bots.iter().map(rating).collect()
    }

    /// Whether the order of the best `count` bots holds with the level: each of them is above the
    /// next with at least that chance.
    #[must_use]
    pub fn is_settled(&self, count: usize, level: f64) -> bool {
        let table = self.table(level);
        let pairs = table.windows(2).take(count);
        pairs
            .into_iter()
            .all(|pair| self.chance_above(pair[0].bot, pair[1].bot) >= level)
    }
}
