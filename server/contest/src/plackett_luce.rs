//! Rates any number of bots from matches with any number of seats, by the Plackett-Luce model. All
//! results are fitted together, so the ratings do not depend on the order of the results.
//!
//! Sources: R. L. Plackett, "The Analysis of Permutations" (1975); R. D. Luce, "Individual Choice
//! Behavior" (1959). With two seats, the model is the Bradley-Terry model. Tied bots count as if
//! they had been observed in every order equally often.

use crate::{
    Bias, ContestError, Ranking, RatingMethod, Ratings,
    choices::{Choices, PseudoChoices},
    matrix::{Cholesky, Matrix, add_scaled},
    ratings::bounded,
};

/// The maximum number of Newton iterations. A fit converges within ten iterations or not at all.
const ROUNDS: usize = 100;

/// The fit ends when no rating changes by more than this, in log odds. The error of Newton's method
/// is below the square of its last step, which is a millionth of an Elo point here.
const TOLERANCE: f64 = 1e-4;

/// The bias correction is recomputed once no rating changes by more than this, in log odds.
const ROUGH_TOLERANCE: f64 = 0.05;

/// The bias correction has converged when no rating changes by more than this, in log odds: 3 Elo.
/// A further correction would change ratings by a fifth of this value with five matches per bot,
/// and by a thirtieth with forty matches per bot.
const BIAS_TOLERANCE: f64 = 0.02;

/// The maximum number of bias corrections. Two are enough with a hundred matches per bot, three
/// with forty matches, and four with five. With one or two matches per bot, the remaining bias is a
/// tenth of the standard error.
const BIAS_PASSES: usize = 6;

/// The maximum change of a rating in one iteration, in log odds. Without this limit, Newton's
/// method overshoots if it starts far from the solution.
const MAX_STEP: f64 = 2.0;

/// Ratings further than this from 0, in log odds, count as unbounded. The limit is about 5,000 Elo.
const UNBOUNDED: f64 = 30.0;

/// Settings for a fit of the Plackett-Luce model. The errors of the ratings are valid if all
/// matches are independent, as on a ladder.
#[derive(Clone, Copy, Debug)]
pub struct PlackettLuce {
    /// The ridge penalty. The penalty subtracts half of this factor, times the sum of the squared
    /// log odds, from the log-likelihood. A value of 0.01 gives finite ratings to bots that have
    /// won everything or have not met the other bots. It hardly affects other ratings. A value of 0
    /// disables the penalty.
    pub ridge: f64,
    /// The choice whether the bias of ratings is corrected.
    pub bias: Bias,
}

impl Default for PlackettLuce {
    fn default() -> Self {
        Self { ridge: 0.01, bias: Bias::Uncorrected }
    }
}

/// Equal choices are first counted and then summed in a fixed order, so that the order of the
/// results has no effect.
impl RatingMethod for PlackettLuce {
    fn fit(&self, bots: usize, rankings: &[Ranking]) -> Result<Ratings, ContestError> {
        Ranking::check_all(bots, rankings)?;
        let choices = Choices::from_rankings(bots, rankings);
        let none = PseudoChoices::none(&choices);
        let ratings = self.ratings(&choices, &none)?;
        let curvature = |ratings: &[f64]| choices.derivatives(&none, ratings, self.ridge).1;
        let covariance = factors(curvature(&ratings))?.inverse().centred();
        let bounded_covariance = factors(curvature(&bounded(&ratings)))?;
        let bounded_covariance = bounded_covariance.inverse().centred();
        Ok(Ratings::new(ratings, covariance, bounded_covariance, choices.results()))
    }

    fn initial_variance(&self) -> f64 {
        1.0 / self.ridge
    }
}

impl PlackettLuce {
    /// Returns the fit settings for a ladder. They include bias reduction, since pairing by earlier
    /// ratings increases the bias. For random or scheduled matches, intervals have their nominal
    /// coverage without bias reduction. With it, the coverage is up to 1.2 percentage points
    /// higher.
    pub fn for_ladder() -> Self {
        Self { bias: Bias::Reduced, ..Self::default() }
    }

    /// Fits the ratings of these choices. `none` must be an empty set of pseudo-choices.
    fn ratings(&self, choices: &Choices, none: &PseudoChoices) -> Result<Vec<f64>, ContestError> {
        let mut ratings = vec![0.0; choices.bots()];
        if self.bias == Bias::Uncorrected {
            self.iterate(choices, none, TOLERANCE, &mut ratings)?;
            return Ok(ratings);
        }
        let mut added = PseudoChoices::none(choices);
        for _ in 0..BIAS_PASSES {
            let (_, curvature) = choices.derivatives(none, &ratings, self.ridge);
            added.set_bias_correction(choices, &ratings, &factors(curvature)?.inverse());
            let before = ratings.clone();
            self.iterate(choices, &added, ROUGH_TOLERANCE, &mut ratings)?;
            let changes = ratings.iter().zip(&before);
            if max_change(changes.map(|(after, before)| after - before)) < BIAS_TOLERANCE {
                break;
            }
        }
        self.iterate(choices, &added, TOLERANCE, &mut ratings)?;
        Ok(ratings)
    }

    /// Iterates Newton's method until no rating changes by more than `tolerance`, in log odds.
    fn iterate(
        &self,
        choices: &Choices,
        added: &PseudoChoices,
        tolerance: f64,
        ratings: &mut [f64],
    ) -> Result<(), ContestError> {
        for _ in 0..ROUNDS {
            let (slope, curvature) = choices.derivatives(added, ratings, self.ridge);
            let step = factors(curvature)?.solve(&slope);
            let longest = max_change(step.iter().copied());
            let scale = (MAX_STEP / longest).min(1.0);
            add_scaled(ratings, scale, &step);
            centre(ratings);
            if ratings.iter().any(|rating| !rating.is_finite() || rating.abs() > UNBOUNDED) {
                return Err(ContestError::Undetermined);
            }
            if longest < tolerance {
                return Ok(());
            }
        }
        Err(ContestError::Undetermined)
    }
}

/// Factorizes the negated second derivative. It is first made positive definite, since shifting all
/// ratings does not change the likelihood.
fn factors(mut curvature: Matrix) -> Result<Cholesky, ContestError> {
    let share = 1.0 / curvature.size() as f64;
    curvature.add_everywhere(share);
    curvature.cholesky().ok_or(ContestError::Undetermined)
}

fn max_change(changes: impl Iterator<Item = f64>) -> f64 {
    changes.fold(0.0, |longest, change| longest.max(change.abs()))
}

fn centre(ratings: &mut [f64]) {
    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    ratings.iter_mut().for_each(|rating| *rating -= mean);
}
