//! What ratings leave open about the order of bots, and how much of it a match would settle.

use std::f64::consts::PI;

use statrs::function::erf::erf;

use crate::Ratings;

/// How unsure ratings are: by a fit, and less what the matches tell that were paired since. That of
/// bots whose ratings are far apart is taken as if they were near (`ratings::BOUND`).
///
/// What counts is the order. How unsure the difference of two bots is weighs the more, the less it
/// is known who of them is stronger (`doubt`): of two that are far apart it is known, however
/// unsure their ratings are. Pairing that reduced the errors of all ratings alike gave most matches
/// to the strongest and the weakest, whose errors are largest, and found the order later than random
/// tables did.
///
/// With the covariance `C` of the ratings and the weights `G`, a matrix whose form for a vector `x`
/// is the sum over pairs of `g (x_i - x_j)²`, the product `C G C` is kept beside `C`. So what a
/// match of any pair would tell is three numbers: among 200 bots there are 19,900 pairs.
#[derive(Clone, Debug, Default)]
pub struct Uncertainty {
    bots: usize,
    /// The covariance, row by row.
    covariance: Vec<f64>,
    /// The covariance times the weights times the covariance, row by row.
    at_stake: Vec<f64>,
}

/// What a match with so many seats tells of the difference of two of its bots when all are equals,
/// as the inverse of a squared log odds: the mean over the pairs of the information of Plackett and
/// Luce. Pairing takes it for all pairs: to prefer pairs whose *ratings* are close makes the spread
/// of all ratings too wide, by a fifth in the simulation, since who was lucky meets who was lucky.
fn weight_of_match(seats: usize) -> f64 {
    // Whoever is chosen among `left` bots tells 1 / left² of each pair of them, and a pair is still
    // among them with the share left (left - 1) of seats (seats - 1).
    let told = (2..=seats).map(|left| (left - 1) as f64 / left as f64);
    told.sum::<f64>() / (seats * seats.saturating_sub(1)).max(1) as f64
}

/// How much is open about the order of two bots that are apart by so many standard errors: the fall
/// of the chance of a wrong order when the error falls by a little, in the mean over what their
/// difference may be by now, times twice the variance.
///
/// A difference `D` that is known with the error `e` is seen in the wrong order with the chance
/// `P(Z > |D| / e)`, which falls with `e²` as `|D| / e³ * density(D / e) / 2`. The mean of that over
/// `D`, normal about what is seen with the error `e`, is the following, up to a constant.
fn doubt(errors_apart: f64) -> f64 {
    let half = errors_apart.abs() / 2.0;
    let near = (-half * half).exp();
    near * (near / PI.sqrt() + half * erf(half))
}

impl Uncertainty {
    /// That of a fit. Takes time with the third power of the bots.
    #[must_use]
    pub fn of(ratings: &Ratings) -> Self {
        let bots = ratings.bots();
        let pairs = (0..bots).flat_map(|one| (0..bots).map(move |other| (one, other)));
        let covariance: Vec<f64> = pairs
            .map(|(one, other)| ratings.bounded_covariance(one, other))
            .collect();
        let weighed = product(&covariance, &weights(ratings, &covariance), bots);
        Self {
            bots,
            at_stake: product(&weighed, &covariance, bots),
            covariance,
        }
    }

    /// How many bots there are.
    #[must_use]
    pub fn bots(&self) -> usize {
        self.bots
    }

    /// One more bot, of which nothing is known but that its rating varies so, as a squared log
    /// odds. Gives its number.
    pub fn join(&mut self, variance: f64) -> usize {
        let bots = self.bots;
        let more = bots + 1;
        let wider = |matrix: &[f64], own: f64| {
            let mut wide = Vec::with_capacity(more * more);
            for row in matrix.chunks(bots.max(1)) {
                wide.extend_from_slice(row);
                wide.push(0.0);
            }
            wide.resize(more * more, 0.0);
            wide[more * more - 1] = own;
            wide
        };
        self.covariance = wider(&self.covariance, variance);
        // Against each of the others the weight is `doubt(0)` over the variance, and a share of all.
        self.at_stake = wider(&self.at_stake, doubt(0.0) * variance);
        self.bots = more;
        bots
    }

    /// Takes note of a match that is not fitted yet: what it will tell is not asked again.
    pub fn expect(&mut self, table: &[usize]) {
        let weight = weight_of_match(table.len());
        for (seat, &one) in table.iter().enumerate() {
            for &other in &table[seat + 1..] {
                self.expect_pair(one, other, weight);
            }
        }
    }

    /// The covariance `C` becomes `C - s r r'`, where `r` is that of all ratings with the difference
    /// of these two. With `q`, the same of `M = C G C`, and `n` what `M` has of the difference, `M`
    /// becomes `M - s (r q' + q r') + s² n r r'`.
    fn expect_pair(&mut self, one: usize, other: usize, weight: f64) {
        let bots = self.bots;
        let with_difference = |matrix: &[f64]| -> Vec<f64> {
            let of = |bot: usize| &matrix[bot * bots..][..bots];
            let pairs = of(one).iter().zip(of(other));
            pairs.map(|(one, other)| one - other).collect()
        };
        let reach = with_difference(&self.covariance);
        let stake = with_difference(&self.at_stake);
        let shrink = weight / (1.0 + weight * (reach[one] - reach[other]));
        let all = stake[one] - stake[other];
        for row in 0..bots {
            let begin = row * bots;
            let of_row = self.covariance[begin..begin + bots].iter_mut();
            for (value, reached) in of_row.zip(&reach) {
                *value -= shrink * reach[row] * reached;
            }
            let of_row = self.at_stake[begin..begin + bots].iter_mut();
            for ((value, reached), staked) in of_row.zip(&reach).zip(&stake) {
                *value += shrink
                    * (shrink * all * reach[row] * reached
                        - reach[row] * staked
                        - stake[row] * reached);
            }
        }
    }

    /// What a match with so many seats tells about the order by two of its bots, if they were
    /// equals: the decrease of the sum of the variances of all differences, each with its weight.
    #[must_use]
    pub fn information(&self, one: usize, other: usize, seats: usize) -> f64 {
        let of = |matrix: &[f64]| {
            let at = |row: usize, column: usize| matrix[row * self.bots + column];
            at(one, one) + at(other, other) - 2.0 * at(one, other)
        };
        let weight = weight_of_match(seats);
        weight * of(&self.at_stake) / (1.0 + weight * of(&self.covariance))
    }
}

/// What the order of each pair weighs, as a matrix: off the diagonal the weights with a minus, on it
/// the sums of the rows.
fn weights(ratings: &Ratings, covariance: &[f64]) -> Vec<f64> {
    let bots = ratings.bots();
    let at = |row: usize, column: usize| covariance[row * bots + column];
    let mut weights = vec![0.0; bots * bots];
    for one in 0..bots {
        for other in 0..one {
            let variance = at(one, one) + at(other, other) - 2.0 * at(one, other);
            if variance <= 0.0 {
                continue;
            }
            let weight = doubt(ratings.errors_above(one, other)) / (variance * bots as f64);
            weights[one * bots + other] = -weight;
            weights[other * bots + one] = -weight;
            weights[one * bots + one] += weight;
            weights[other * bots + other] += weight;
        }
    }
    weights
}

/// The product of two matrices of this size, row by row.
fn product(one: &[f64], other: &[f64], size: usize) -> Vec<f64> {
    let mut product = vec![0.0; size * size];
    let rows = one.chunks(size.max(1)).zip(product.chunks_mut(size.max(1)));
    for (row, sums) in rows {
        for (factor, other) in row.iter().zip(other.chunks(size)) {
            for (sum, value) in sums.iter_mut().zip(other) {
                *sum += factor * value;
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlackettLuce, Ranking};

    /// Ratings of so many bots: of two that met, so many wins and losses of the first.
    fn met(bots: usize, met: &[(usize, usize, u32, u32)]) -> Ratings {
        let mut rankings = Vec::new();
        for (one, other, wins, losses) in met {
            for number in 0..wins + losses {
                let (own, theirs) = if number < *wins { (1, 2) } else { (2, 1) };
                let places = vec![(*one, own), (*other, theirs)];
                rankings.push(Ranking::new(places, rankings.len() as u64));
            }
        }
        PlackettLuce::default().fit(bots, &rankings).unwrap()
    }

    /// The decrease of the sum of the weighed variances of all differences by this match.
    fn decrease(before: &Uncertainty, weights: &[f64], one: usize, other: usize) -> f64 {
        let sum = |of: &Uncertainty| -> f64 {
            let pairs = of.covariance.iter().zip(weights);
            pairs.map(|(covariance, weight)| covariance * weight).sum()
        };
        let mut after = before.clone();
        after.expect(&[one, other]);
        sum(before) - sum(&after)
    }

    #[test]
    fn information_is_what_a_match_takes_from_the_variances_after_any_matches() {
        let ratings = met(4, &[(0, 1, 7, 3), (1, 2, 2, 5), (2, 3, 4, 4)]);
        let mut uncertainty = Uncertainty::of(&ratings);
        let weights = weights(&ratings, &uncertainty.covariance);
        for table in [&[0, 1][..], &[1, 2], &[0, 1, 2], &[2, 0]] {
            uncertainty.expect(table);
            for one in 0..4 {
                for other in (0..4).filter(|other| *other != one) {
                    let told = uncertainty.information(one, other, 2);
                    let decrease = decrease(&uncertainty, &weights, one, other);
                    let off = (told - decrease).abs();
                    assert!(off < 1e-9 * told.max(1.0), "{told} and {decrease}");
                    assert!(told > 0.0);
                }
            }
        }
        let newcomer = uncertainty.join(100.0);
        let known = uncertainty.information(0, 1, 2);
        assert!(uncertainty.information(newcomer, 0, 2) > known);
    }

    #[test]
    fn bots_whose_order_is_open_come_before_bots_whose_order_is_known() {
        let equals = [(0, 1), (2, 3)].map(|(one, other)| (one, other, 20, 20));
        let apart = [(0, 2), (0, 3), (1, 2), (1, 3)];
        let apart = apart.map(|(one, other)| (one, other, 36, 4));
        let ratings = met(4, &[&equals[..], &apart].concat());
        let uncertainty = Uncertainty::of(&ratings);
        let told = |one, other| uncertainty.information(one, other, 2);
        for open in [told(0, 1), told(2, 3)] {
            for known in [told(0, 2), told(0, 3), told(1, 2), told(1, 3)] {
                assert!(open > known, "{open} and {known}");
            }
        }
    }

    #[test]
    fn a_pair_of_a_larger_table_tells_less_of_its_difference() {
        // Of two seats it is the information of a fair coin; of three, by hand.
        assert!((weight_of_match(2) - 0.25).abs() < 1e-12);
        assert!((weight_of_match(3) - 7.0 / 36.0).abs() < 1e-12);
        assert!(weight_of_match(6) < weight_of_match(4));
    }

    #[test]
    fn doubt_is_largest_between_equals_and_gone_where_the_order_is_known() {
        let doubts = [0.0, 1.0, 2.0, 3.0, 5.0, 40.0].map(doubt);
        assert!(doubts.is_sorted_by(|one, other| one > other), "{doubts:?}");
        assert!(doubts[4] < 0.02 * doubts[0]);
        assert_eq!(doubt(2.0), doubt(-2.0));
    }
}
