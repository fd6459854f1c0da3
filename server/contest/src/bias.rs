//! Bias reduction of ratings by pseudo-observations.
//!
//! With few results, maximum likelihood spreads ratings too widely, because some of several equally
//! strong bots win more often by chance and appear stronger. Pairing by ratings amplifies this
//! effect, since lucky bots then meet each other.
//!
//! Source: D. Firth, "Bias Reduction of Maximum Likelihood Estimates" (Biometrika 80, 1993). The
//! first-order bias vanishes if half of the trace of `C dI/dθ` is added to the derivative of the
//! log-likelihood by each rating `θ`. Here `I` is the negated second derivative (the information
//! matrix), and `C` is the inverse of `I`. For the Plackett-Luce model, this is equivalent to
//! adding pseudo-choices.

use crate::{
    choices::{Choices, PseudoChoices},
    matrix::Matrix,
};

/// The choice whether the bias of ratings is corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// No correction: maximizes the likelihood minus the ridge penalty, as most programs do.
    Uncorrected,
    /// Removes the first-order bias. Two bots' ratings differ by the log odds of their wins, with
    /// half a win added to each bot. A bot that won everything has a finite rating even without a
    /// ridge penalty.
    Reduced,
}

impl PseudoChoices {
    /// Sets the pseudo-choices that correct the bias of these ratings with this covariance. The
    /// amount for each pair of bots in a set is half the product of the two probabilities and the
    /// variance of the rating difference.
    ///
    /// At these ratings, the derivative of the log-likelihood is the corrected derivative of
    /// Firth's paper. Pseudo-choices in proportion to the probability of each bot in a set would
    /// give the same derivative. But with the chosen amounts, two bots get half a win each at any
    /// ratings, so few iterations are needed.
    pub(crate) fn set_bias_correction(
        &mut self,
        choices: &Choices,
        ratings: &[f64],
        covariance: &Matrix,
    ) {
        let weights: Vec<f64> = ratings.iter().map(|rating| rating.exp()).collect();
        self.chosen.fill(0.0);
        for ((members, share), among) in choices.sets().zip(&mut self.among) {
            let all: f64 = members.iter().map(|bot| weights[*bot]).sum();
            let scale = share / (2.0 * all * all);
            *among = 0.0;
            for (place, &one) in members.iter().enumerate() {
                let with_one = covariance.row(one);
                let of_one = scale * weights[one];
                let mut sum = 0.0;
                for &other in &members[place + 1..] {
                    let own = covariance[(other, other)];
                    let variance = with_one[one] + own - 2.0 * with_one[other];
                    let added = of_one * weights[other] * variance;
                    self.chosen[other] += added;
                    sum += added;
                }
                self.chosen[one] += sum;
                *among += 2.0 * sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::{Covariance, PlackettLuce, Ranking, Ratings};

    /// Fits without a ridge, so that only the bias correction keeps the ratings finite.
    fn reduced(bots: usize, rankings: &[Ranking]) -> Ratings {
        let fit = PlackettLuce {
            ridge: 0.0,
            covariance: Covariance::Model,
            bias: Bias::Reduced,
        };
        fit.fit(bots, rankings).unwrap()
    }

    fn in_order(bots: &[usize], number: u64) -> Ranking {
        Ranking::new(bots.iter().copied().zip(1..).collect(), number)
    }

    fn wins(winner: usize, loser: usize, count: u64) -> impl Iterator<Item = Ranking> {
        (0..count).map(move |number| in_order(&[winner, loser], number))
    }

    /// Returns some matches of six bots, one with a tie.
    fn played() -> Vec<Ranking> {
        let orders: [&[usize]; 6] = [
            &[0, 1, 2, 3],
            &[4, 5],
            &[3, 0],
            &[1, 4, 2],
            &[5, 0],
            &[4, 5],
        ];
        let numbered = (0..).zip(orders);
        let mut rankings: Vec<_> = numbered.map(|(n, order)| in_order(order, n)).collect();
        rankings.push(Ranking::new(vec![(2, 1), (3, 1), (5, 3)], 9));
        rankings
    }

    /// Returns the negated second derivative of the log-likelihood, made positive definite, since
    /// shifting all ratings has no effect.
    fn curvature(choices: &Choices, ratings: &[f64]) -> Matrix {
        let (_, mut curvature) = choices.derivatives(&PseudoChoices::none(choices), ratings, 0.0);
        curvature.add_everywhere(1.0);
        curvature
    }

    #[test]
    fn the_slope_is_that_of_half_the_logarithm_of_the_determinant_of_the_curvature() {
        // The trace of `C dI/dθ` is the derivative of the log-determinant (H. Jeffreys' prior).
        let choices = Choices::of(6, &played());
        let none = PseudoChoices::none(&choices);
        let mut added = PseudoChoices::none(&choices);
        let half_log = |ratings: &[f64]| {
            let curvature = curvature(&choices, ratings);
            let rows = DMatrix::from_fn(6, 6, |row, column| curvature[(row, column)]);
            rows.determinant().ln() / 2.0
        };
        for ratings in [[0.0; 6], [1.5, -0.3, 0.2, 0.8, -1.9, -0.4]] {
            let covariance = curvature(&choices, &ratings).cholesky().unwrap().inverse();
            added.set_bias_correction(&choices, &ratings, &covariance);
            let (seen, _) = choices.derivatives(&none, &ratings, 0.0);
            let (both, _) = choices.derivatives(&added, &ratings, 0.0);
            for bot in 0..6 {
                let beside = |by: f64| {
                    let mut ratings = ratings;
                    ratings[bot] += by;
                    half_log(&ratings)
                };
                let slope = (beside(1e-5) - beside(-1e-5)) / 2e-5;
                let found = both[bot] - seen[bot];
                assert!((found - slope).abs() < 1e-7, "{bot}: {found} and {slope}");
            }
            let all: f64 = added.among.iter().sum();
            assert!((all - 5.0).abs() < 1e-9, "{all}");
            assert!((all - added.chosen.iter().sum::<f64>()).abs() < 1e-9);
        }
    }

    #[test]
    fn two_bots_have_the_log_odds_of_half_a_win_more_each() {
        for (won, lost) in [(7, 3), (30, 31), (5, 0), (0, 1), (400, 0)] {
            let rankings: Vec<_> = wins(0, 1, won).chain(wins(1, 0, lost)).collect();
            let ratings = reduced(2, &rankings);
            let found = ratings.log_odds()[0] - ratings.log_odds()[1];
            let expected = ((won as f64 + 0.5) / (lost as f64 + 0.5)).ln();
            assert!((found - expected).abs() < 1e-6, "{won} to {lost}: {found}");
        }
    }

    #[test]
    fn a_bot_that_won_everything_has_a_rating_without_a_ridge() {
        let mut rankings: Vec<_> = wins(0, 1, 9).chain(wins(1, 2, 4)).collect();
        rankings.extend(wins(2, 1, 3));
        rankings.push(in_order(&[0, 2, 1], 0));
        let ratings = reduced(3, &rankings).log_odds().to_vec();
        assert!(ratings[0] > ratings[1] + 1.0, "{ratings:?}");
        assert!(ratings[0] < 4.0, "{ratings:?}");
    }

    #[test]
    fn ratings_are_less_far_apart_than_those_of_the_greatest_likelihood() {
        let rankings: Vec<_> = wins(0, 1, 8).chain(wins(1, 0, 2)).collect();
        let [kept, reduced] = [PlackettLuce::default(), PlackettLuce::for_ladder()]
            .map(|fit| fit.fit(2, &rankings).unwrap().log_odds()[0]);
        assert!(0.0 < reduced && reduced < kept, "{reduced} and {kept}");
    }

    #[test]
    fn a_ridge_determines_ratings_when_few_bots_have_met() {
        // Two groups of bots that never met, each with a bot that won or lost everything, and a bot
        // without matches.
        let mut rankings: Vec<_> = wins(0, 1, 40).chain(wins(1, 2, 1)).collect();
        rankings.extend(wins(2, 1, 1).chain(wins(4, 3, 300)));
        let ratings = PlackettLuce::for_ladder().fit(6, &rankings).unwrap();
        assert!(ratings.log_odds().iter().all(|rating| rating.is_finite()));
        assert!(ratings.log_odds()[5].abs() < 1.0);
        assert!(ratings.standard_error(5) > 5.0);
        for count in 1..40 {
            let chain: Vec<_> = (0..20).flat_map(|bot| wins(bot, bot + 1, count)).collect();
            // From 21 matches on, the maximum likelihood exceeds the limit of ratings.
            assert_eq!(PlackettLuce::default().fit(21, &chain).is_ok(), count <= 20);
            assert!(count > 20 || PlackettLuce::for_ladder().fit(21, &chain).is_ok());
        }
        PlackettLuce::for_ladder().fit(3, &[]).unwrap();
    }
}
