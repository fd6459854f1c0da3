//! The uncertainty of the bots' order, and the information that a match gives about this order.

use std::f64::consts::PI;

use statrs::function::erf::erf;

use crate::{
    Ratings,
    matrix::{Matrix, add_scaled},
};

/// The uncertainty of ratings after a fit, reduced by the matches paired since the fit. Ratings
/// that are far apart are treated as if they were closer (see `ratings::BOUND`).
///
/// The purpose of pairing is to find the bots' order. So the uncertainty of two bots' rating
/// difference has more weight if their order is less certain (`order_uncertainty`). If two ratings
/// are far apart, their order is certain even if the ratings are not. An alternative that reduced
/// all rating errors equally was worse. It gave most matches to the strongest and the weakest bots,
/// whose errors are largest, and found the order later than random tables did.
///
/// The matrix `C` is the covariance of the ratings. `G` is the matrix of the weights: its quadratic
/// form for a vector `x` is the sum over pairs of `g (x_i - x_j)²`. The product `C G C` is
/// maintained in addition to `C`, so that only three numbers are needed to compute the information
/// from a match between two bots. This saving matters, since 200 bots have 19,900 pairs.
#[derive(Clone, Debug, Default)]
pub struct Uncertainty {
    covariance: Matrix,
    /// The product `C G C` of the covariance, the weights and the covariance.
    at_stake: Matrix,
}

/// Returns the information, in inverse squared log odds, that a match gives about the rating
/// difference between two of its bots. The match has this many seats and equally strong bots. The
/// result is the Plackett-Luce information, averaged over the pairs. Pairing uses this value for
/// all pairs. A preference for close *ratings* would make the spread of all ratings too wide (by a
/// fifth in simulations), since lucky bots would meet each other.
fn weight_of_match(seats: usize) -> f64 {
    // A choice among `left` bots gives the information 1 / left² about each pair of them. The
    // probability that a given pair is still among them is left (left - 1) / (seats (seats - 1)).
    let information_terms = (2..=seats).map(|left| (left - 1) as f64 / left as f64);
    information_terms.sum::<f64>() / (seats * seats.saturating_sub(1)).max(1) as f64
}

/// Returns the order uncertainty of two bots whose ratings differ by this many standard errors. It
/// states how much a small decrease of the error reduces the probability of a wrong order. The
/// reduction is averaged over the possible differences, and multiplied by twice the variance.
///
/// A difference `D` with the error `e` is observed in the wrong order with the probability
/// `P(Z > |D| / e)`. The derivative of this probability by `e²` is
/// `|D| / e³ * density(D / e) / 2`. The result is the mean of this derivative over `D`, up to a
/// constant. `D` is normally distributed around the observation with the error `e`.
fn order_uncertainty(errors_apart: f64) -> f64 {
    let half = errors_apart.abs() / 2.0;
    let near = (-half * half).exp();
    near * (near / PI.sqrt() + half * erf(half))
}

impl Uncertainty {
    /// Creates the uncertainty after a fit. The time is cubic in the number of bots.
    pub fn from_ratings(ratings: &Ratings) -> Self {
        let covariance = ratings.bounded_covariance().clone();
        let weighed = covariance.times(&weights(ratings, &covariance));
        Self { at_stake: weighed.times(&covariance), covariance }
    }

    /// Returns the number of bots.
    pub fn bots(&self) -> usize {
        self.covariance.size()
    }

    /// Adds a bot whose rating has this variance, as squared log odds, and returns its number.
    pub fn add_bot(&mut self, variance: f64) -> usize {
        let bot = self.bots();
        self.covariance = self.covariance.widened(variance);
        // Each pair of this bot and another bot has the weight `order_uncertainty(0)` divided by
        // the variance and by the number of other bots.
        self.at_stake = self.at_stake.widened(order_uncertainty(0.0) * variance);
        bot
    }

    /// Adds a paired match, whose expected information reduces the uncertainty.
    pub fn add_table(&mut self, table: &[usize]) {
        let weight = weight_of_match(table.len());
        for (seat, &one) in table.iter().enumerate() {
            for &other in &table[seat + 1..] {
                self.add_pair(one, other, weight);
            }
        }
    }

    /// Updates the covariance `C` to `C - s r r'`, where `r` is the covariance of all ratings with
    /// the difference of these two. Let `M = C G C`, `q` the same column difference of `M`, and `n
    /// = r' G r`. Then `M` becomes `M - s (r q' + q r') + s² n r r'`.
    fn add_pair(&mut self, one: usize, other: usize, weight: f64) {
        let with_difference = |matrix: &Matrix| -> Vec<f64> {
            let pairs = matrix.row(one).iter().zip(matrix.row(other));
            pairs.map(|(one, other)| one - other).collect()
        };
        let reach = with_difference(&self.covariance);
        let stake = with_difference(&self.at_stake);
        let shrink = weight / (1.0 + weight * (reach[one] - reach[other]));
        let all = stake[one] - stake[other];
        for row in 0..self.bots() {
            add_scaled(self.covariance.row_mut(row), -shrink * reach[row], &reach);
            let of_row = self.at_stake.row_mut(row).iter_mut();
            for ((value, reached), staked) in of_row.zip(&reach).zip(&stake) {
                *value += shrink
                    * (shrink * all * reach[row] * reached
                        - reach[row] * staked
                        - stake[row] * reached);
            }
        }
    }

    /// Returns the information that a match with this many seats gains from these two bots: the
    /// decrease in the weighted sum of all difference variances. The bots are assumed to be equally
    /// strong.
    pub fn information(&self, one: usize, other: usize, seats: usize) -> f64 {
        let at_stake = self.at_stake.variance_of_difference(one, other);
        let variance = self.covariance.variance_of_difference(one, other);
        let weight = weight_of_match(seats);
        weight * at_stake / (1.0 + weight * variance)
    }
}

/// Returns the weights of all pairs as a matrix: negated weights off the diagonal, and sums of
/// weights on it.
fn weights(ratings: &Ratings, covariance: &Matrix) -> Matrix {
    let bots = ratings.bots();
    let mut weights = Matrix::zero(bots);
    for one in 0..bots {
        for other in 0..one {
            let variance = covariance.variance_of_difference(one, other);
            if variance <= 0.0 {
                continue;
            }
            let weight =
                order_uncertainty(ratings.errors_above(one, other)) / (variance * bots as f64);
            weights[(one, other)] = -weight;
            weights[(other, one)] = -weight;
            weights[(one, one)] += weight;
            weights[(other, other)] += weight;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlackettLuce, RatingMethod as _, samples::add_wins};

    /// Returns the ratings after these meetings: two bots, and the wins and losses of the first.
    fn ratings_after(bots: usize, meetings: &[(usize, usize, u64, u64)]) -> Ratings {
        let mut rankings = Vec::new();
        for (one, other, wins, losses) in meetings {
            add_wins(&mut rankings, *one, *other, *wins);
            add_wins(&mut rankings, *other, *one, *losses);
        }
        PlackettLuce::default().fit(bots, &rankings).unwrap()
    }

    /// Returns by how much this match decreases the weighted sum of all difference variances.
    fn decrease(before: &Uncertainty, weights: &Matrix, one: usize, other: usize) -> f64 {
        let sum = |of: &Uncertainty| -> f64 {
            let bots = (0..of.bots()).flat_map(|one| (0..of.bots()).map(move |other| (one, other)));
            bots.map(|pair| of.covariance[pair] * weights[pair]).sum()
        };
        let mut after = before.clone();
        after.add_table(&[one, other]);
        sum(before) - sum(&after)
    }

    #[test]
    fn information_is_the_decrease_of_the_variances_by_a_match() {
        let ratings = ratings_after(4, &[(0, 1, 7, 3), (1, 2, 2, 5), (2, 3, 4, 4)]);
        let mut uncertainty = Uncertainty::from_ratings(&ratings);
        let weights = weights(&ratings, &uncertainty.covariance);
        for table in [&[0, 1][..], &[1, 2], &[0, 1, 2], &[2, 0]] {
            uncertainty.add_table(table);
            for one in 0..4 {
                for other in (0..4).filter(|other| *other != one) {
                    let found = uncertainty.information(one, other, 2);
                    let decrease = decrease(&uncertainty, &weights, one, other);
                    let off = (found - decrease).abs();
                    assert!(off < 1e-9 * found.max(1.0), "{found} and {decrease}");
                    assert!(found > 0.0);
                }
            }
        }
        let newcomer = uncertainty.add_bot(100.0);
        let known = uncertainty.information(0, 1, 2);
        assert!(uncertainty.information(newcomer, 0, 2) > known);
    }

    #[test]
    fn pairs_in_an_uncertain_order_give_more_information() {
        let equals = [(0, 1), (2, 3)].map(|(one, other)| (one, other, 20, 20));
        let apart = [(0, 2), (0, 3), (1, 2), (1, 3)];
        let apart = apart.map(|(one, other)| (one, other, 36, 4));
        let ratings = ratings_after(4, &[&equals[..], &apart].concat());
        let uncertainty = Uncertainty::from_ratings(&ratings);
        let information = |(one, other)| uncertainty.information(one, other, 2);
        for open in [(0, 1), (2, 3)].map(information) {
            for known in [(0, 2), (0, 3), (1, 2), (1, 3)].map(information) {
                assert!(open > known, "{open} and {known}");
            }
        }
    }

    #[test]
    fn a_pair_at_a_larger_table_has_less_information() {
        // For two seats, the information is that of a fair coin; the value for three seats was
        // computed by hand.
        assert!((weight_of_match(2) - 0.25).abs() < 1e-12);
        assert!((weight_of_match(3) - 7.0 / 36.0).abs() < 1e-12);
        assert!(weight_of_match(6) < weight_of_match(4));
    }

    #[test]
    fn order_uncertainty_is_largest_between_equal_bots() {
        let doubts = [0.0, 1.0, 2.0, 3.0, 5.0, 40.0].map(order_uncertainty);
        assert!(doubts.is_sorted_by(|one, other| one > other), "{doubts:?}");
        assert!(doubts[4] < 0.02 * doubts[0]);
        assert_eq!(order_uncertainty(2.0), order_uncertainty(-2.0));
    }
}
