//! Ratings of any number of bots from matches of any number of seats, in an order that does not
//! matter: the Plackett-Luce model, fitted to all results at once.
//!
//! Sources: R. L. Plackett, "The Analysis of Permutations" (1975); R. D. Luce, "Individual Choice
//! Behavior" (1959). With two seats it is the model of Bradley and Terry. Bots that tie count as
//! if every order of them had been seen equally often.

use crate::{
    Bias, ContestError, Ranking, Ratings,
    choices::{Added, Choices, spread_of_clusters},
    matrix::{Matrix, add_scaled},
    ratings::bounded,
};

/// Rounds of Newton's method: it settles within ten, or not at all.
const ROUNDS: usize = 100;

/// The change of a rating, as a log odds, that ends the fit. Newton's method is off by less than the
/// square of its last step: by a millionth of an Elo.
const SETTLED: f64 = 1e-4;

/// The change of a rating, as a log odds, that is near enough to take the bias from there.
const NEAR: f64 = 0.05;

/// The change of a rating, as a log odds, after which its bias is not looked at again: 3 Elo. The
/// next change is a fifth of it with five matches a bot, and a thirtieth with forty.
const BIAS_SETTLED: f64 = 0.02;

/// How often the bias is looked at: twice with a hundred matches a bot, three times with forty, four
/// times with five. With one or two matches a bot it is not found even so, to a tenth of the error.
const BIAS_PASSES: usize = 6;

/// The longest step of a rating, as a log odds: Newton's method overshoots from far away.
const LONGEST_STEP: f64 = 2.0;

/// Ratings beyond this mean that they have no bound, as a log odds: 5,000 Elo.
const UNBOUNDED: f64 = 30.0;

/// How the errors of ratings are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covariance {
    /// By the model: right when every match has luck of its own, as on a ladder.
    Model,
    /// By how far clusters differ: right when matches of a cluster share luck, as in a contest.
    /// Needs many more clusters than bots.
    Clustered,
}

/// The fit.
#[derive(Clone, Copy, Debug)]
pub struct PlackettLuce {
    /// How firmly ratings are held together: half of it times the sum of the squared log odds is
    /// taken from the log-likelihood. 0.01 bounds the ratings of bots that have not met the others,
    /// or have won everything, and moves others by little; 0 is none.
    pub ridge: f64,
    /// How the errors are found.
    pub covariance: Covariance,
    /// What is done about the bias.
    pub bias: Bias,
}

impl Default for PlackettLuce {
    fn default() -> Self {
        Self {
            ridge: 0.01,
            covariance: Covariance::Model,
            bias: Bias::Kept,
        }
    }
}

impl PlackettLuce {
    /// The fit of a ladder, whose matches are paired by the ratings before: that makes the bias
    /// larger. With matches that were drawn or planned, intervals hold as often as they say without
    /// this, and with it up to 1.2 in a hundred more often.
    #[must_use]
    pub fn of_ladder() -> Self {
        Self {
            bias: Bias::Reduced,
            ..Self::default()
        }
    }

    /// The ratings of so many bots, with the mean 0. The same results in any order give the same
    /// ratings to the last digit, since equal ones are counted before they are summed up.
    ///
    /// # Errors
    /// [`ContestError::Ranking`] names the first ranking that makes no sense;
    /// [`ContestError::NotFixed`] when the results fix no ratings.
    pub fn fit(&self, bots: usize, rankings: &[Ranking]) -> Result<Ratings, ContestError> {
        let mut seen = vec![None; bots];
        for (ranking, checked) in rankings.iter().enumerate() {
            if let Some(problem) = checked.problem(ranking, &mut seen) {
                return Err(ContestError::Ranking { ranking, problem });
            }
        }
        let choices = Choices::of(bots, rankings);
        let none = Added::none(&choices);
        let ratings = self.ratings(&choices, &none)?;
        let curvature = |ratings: &[f64]| choices.derivatives(&none, ratings, self.ridge).1;
        let covariance = self.covariance(curvature(&ratings), rankings, &ratings)?;
        let bounded_covariance = inverse(curvature(&bounded(&ratings)))?.centred();
        Ok(Ratings::new(
            ratings,
            covariance,
            bounded_covariance,
            choices.results(),
        ))
    }

    /// The ratings of these choices; `none` are none beside them.
    fn ratings(&self, choices: &Choices, none: &Added) -> Result<Vec<f64>, ContestError> {
        let mut ratings = vec![0.0; choices.bots()];
        if self.bias == Bias::Kept {
            self.settle(choices, none, SETTLED, &mut ratings)?;
            return Ok(ratings);
        }
        let mut added = Added::none(choices);
        for _ in 0..BIAS_PASSES {
            let (_, curvature) = choices.derivatives(none, &ratings, self.ridge);
            added.renew(choices, &ratings, &inverse(curvature)?);
            let before = ratings.clone();
            self.settle(choices, &added, NEAR, &mut ratings)?;
            let changes = ratings.iter().zip(&before);
            if longest(changes.map(|(after, before)| after - before)) < BIAS_SETTLED {
                break;
            }
        }
        self.settle(choices, &added, SETTLED, &mut ratings)?;
        Ok(ratings)
    }

    /// Moves the ratings to where the slope is none, until none of them changes by more than this,
    /// as a log odds.
    fn settle(
        &self,
        choices: &Choices,
        added: &Added,
        settled: f64,
        ratings: &mut [f64],
    ) -> Result<(), ContestError> {
        for _ in 0..ROUNDS {
            let (slope, curvature) = choices.derivatives(added, ratings, self.ridge);
            let step = solve(curvature, &slope)?;
            let longest = longest(step.iter().copied());
            let scale = (LONGEST_STEP / longest).min(1.0);
            add_scaled(ratings, scale, &step);
            centre(ratings);
            if ratings
                .iter()
                .any(|rating| !rating.is_finite() || rating.abs() > UNBOUNDED)
            {
                return Err(ContestError::NotFixed);
            }
            if longest < settled {
                return Ok(());
            }
        }
        Err(ContestError::NotFixed)
    }

    fn covariance(
        &self,
        curvature: Matrix,
        rankings: &[Ranking],
        ratings: &[f64],
    ) -> Result<Matrix, ContestError> {
        let inverse = inverse(curvature)?.centred();
        Ok(match self.covariance {
            Covariance::Model => inverse,
            Covariance::Clustered => inverse.around(&spread_of_clusters(rankings, ratings)),
        })
    }
}

/// Makes the curvature definite: the likelihood does not see a shift of all ratings.
fn pinned(mut curvature: Matrix) -> Matrix {
    let share = 1.0 / curvature.size() as f64;
    curvature.add_everywhere(share);
    curvature
}

fn solve(curvature: Matrix, slope: &[f64]) -> Result<Vec<f64>, ContestError> {
    let factors = pinned(curvature).cholesky().ok_or(ContestError::NotFixed)?;
    Ok(factors.solve(slope))
}

fn inverse(curvature: Matrix) -> Result<Matrix, ContestError> {
    let factors = pinned(curvature).cholesky().ok_or(ContestError::NotFixed)?;
    Ok(factors.inverse())
}

fn longest(changes: impl Iterator<Item = f64>) -> f64 {
    changes.fold(0.0, |longest, change| longest.max(change.abs()))
}

fn centre(ratings: &mut [f64]) {
    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    ratings.iter_mut().for_each(|rating| *rating -= mean);
}
