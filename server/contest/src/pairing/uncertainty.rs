//! What ratings leave open, and how much of it a match would settle.

use crate::Ratings;

/// What one match of two bots tells of their difference when they are equals, as the inverse of a
/// squared log odds. Pairing takes it for all pairs: to prefer pairs whose *ratings* are close
/// makes the spread of all ratings too wide, by a fifth in the simulation.
const WEIGHT_OF_A_MATCH: f64 = 0.25;

/// How unsure ratings are: by a fit, and less what the matches tell that were paired since. That of
/// bots whose ratings are far apart is taken as if they were near (`ratings::BOUND`).
///
/// The square of the covariance is kept beside it, so that what a match of any pair would tell is
/// three numbers: among 200 bots there are 19,900 pairs.
#[derive(Clone, Debug, Default)]
pub struct Uncertainty {
    bots: usize,
    /// The covariance, row by row.
    covariance: Vec<f64>,
    /// The covariance times itself, row by row.
    square: Vec<f64>,
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
        let mut square = vec![0.0; bots * bots];
        for (row, sums) in covariance
            .chunks(bots.max(1))
            .zip(square.chunks_mut(bots.max(1)))
        {
            for (factor, other) in row.iter().zip(covariance.chunks(bots)) {
                for (sum, value) in sums.iter_mut().zip(other) {
                    *sum += factor * value;
                }
            }
        }
        Self {
            bots,
            covariance,
            square,
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
        self.square = wider(&self.square, variance * variance);
        self.bots = more;
        bots
    }

    /// Takes note of a match that is not fitted yet: what it will tell is not asked again.
    pub fn expect(&mut self, table: &[usize]) {
        for (seat, &one) in table.iter().enumerate() {
            for &other in &table[seat + 1..] {
                self.expect_pair(one, other);
            }
        }
    }

    /// The covariance `C` becomes `C - s r r'`, where `r` is that of all ratings with the difference
    /// of these two; so its square becomes `CC - s (r q' + q r') + s s |r|^2 r r'`, where `q = C r`.
    fn expect_pair(&mut self, one: usize, other: usize) {
        let bots = self.bots;
        let reach: Vec<f64> = (0..bots)
            .map(|bot| self.at(one, bot) - self.at(other, bot))
            .collect();
        let variance = reach[one] - reach[other];
        let shrink = WEIGHT_OF_A_MATCH / (1.0 + WEIGHT_OF_A_MATCH * variance);
        // What the square has of the pair is the covariance times the reach.
        let further: Vec<f64> = (0..bots)
            .map(|bot| self.square[one * bots + bot] - self.square[other * bots + bot])
            .collect();
        let norm: f64 = reach.iter().map(|value| value * value).sum();
        for row in 0..bots {
            let begin = row * bots;
            let of_row = self.covariance[begin..begin + bots].iter_mut();
            for (value, reached) in of_row.zip(&reach) {
                *value -= shrink * reach[row] * reached;
            }
            let of_row = self.square[begin..begin + bots].iter_mut();
            for ((value, reached), far) in of_row.zip(&reach).zip(&further) {
                *value += shrink
                    * (shrink * norm * reach[row] * reached
                        - reach[row] * far
                        - further[row] * reached);
            }
        }
    }

    /// Information gained by a match of two bots: the decrease of the sum of the variances of all
    /// ratings, in squared log odds, if the two were equals.
    #[must_use]
    pub fn information(&self, one: usize, other: usize) -> f64 {
        let of = |matrix: &[f64]| {
            let at = |row: usize, column: usize| matrix[row * self.bots + column];
            at(one, one) + at(other, other) - 2.0 * at(one, other)
        };
        WEIGHT_OF_A_MATCH * of(&self.square) / (1.0 + WEIGHT_OF_A_MATCH * of(&self.covariance))
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.covariance[row * self.bots + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decrease of the sum of the variances by this match.
    fn decrease(before: &Uncertainty, one: usize, other: usize) -> f64 {
        let sum = |of: &Uncertainty| -> f64 { (0..of.bots).map(|bot| of.at(bot, bot)).sum() };
        let mut after = before.clone();
        after.expect(&[one, other]);
        sum(before) - sum(&after)
    }

    #[test]
    fn information_is_what_a_match_takes_from_the_variances_after_any_matches() {
        let mut uncertainty = Uncertainty::default();
        for _ in 0..4 {
            uncertainty.join(100.0);
        }
        for table in [&[0, 1][..], &[1, 2], &[0, 1, 2], &[2, 0]] {
            uncertainty.expect(table);
            for one in 0..4 {
                for other in (0..4).filter(|other| *other != one) {
                    let told = uncertainty.information(one, other);
                    let decrease = decrease(&uncertainty, one, other);
                    let off = (told - decrease).abs();
                    assert!(off < 1e-9 * told.max(1.0), "{told} and {decrease}");
                }
            }
        }
        let newcomer = uncertainty.join(100.0);
        let known = uncertainty.information(0, 1);
        assert!(uncertainty.information(newcomer, 0) > known);
    }
}
