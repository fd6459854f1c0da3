//! Ratings of any number of bots from matches of any number of seats, in an order that does not
//! matter: the Plackett-Luce model, fitted to all results at once.
//!
//! Sources: R. L. Plackett, "The Analysis of Permutations" (1975); R. D. Luce, "Individual Choice
//! Behavior" (1959). With two seats it is the model of Bradley and Terry. Bots that tie count as
//! if every order of them had been seen equally often.

use crate::{
    ContestError, Ranking, Ratings,
    choices::{Choices, spread_of_clusters},
    matrix::{Matrix, add_scaled},
    ratings::bounded,
};

/// Rounds of Newton's method: it settles within ten, or not at all.
const ROUNDS: usize = 100;

/// The change of a rating, as a log odds, that ends the fit.
const SETTLED: f64 = 1e-10;

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
    /// taken from the log-likelihood. 0.01 bounds the rating of a bot that has won everything and
    /// moves others by little; 0 is the plain likelihood.
    pub ridge: f64,
    /// How the errors are found.
    pub covariance: Covariance,
}

impl Default for PlackettLuce {
    fn default() -> Self {
        Self {
            ridge: 0.01,
            covariance: Covariance::Model,
        }
    }
}

impl PlackettLuce {
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
        let mut ratings = vec![0.0; bots];
        for _ in 0..ROUNDS {
            let (slope, curvature) = choices.derivatives(&ratings, self.ridge);
            let step = solve(curvature, &slope)?;
            let longest = step
                .iter()
                .fold(0.0, |longest: f64, x| longest.max(x.abs()));
            let scale = (LONGEST_STEP / longest).min(1.0);
            add_scaled(&mut ratings, scale, &step);
            centre(&mut ratings);
            if ratings
                .iter()
                .any(|rating| !rating.is_finite() || rating.abs() > UNBOUNDED)
            {
                return Err(ContestError::NotFixed);
            }
            if longest < SETTLED {
                let (_, curvature) = choices.derivatives(&ratings, self.ridge);
                let covariance = self.covariance(curvature, rankings, &ratings)?;
                let (_, curvature) = choices.derivatives(&bounded(&ratings), self.ridge);
                let bounded_covariance = inverse(curvature)?.centred();
                return Ok(Ratings::new(
                    ratings,
                    covariance,
                    bounded_covariance,
                    choices.results(),
                ));
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

fn centre(ratings: &mut [f64]) {
    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    ratings.iter_mut().for_each(|rating| *rating -= mean);
}
