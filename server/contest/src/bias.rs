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
