//! Ratings of any number of bots from matches of any number of seats, in an order that does not
//! matter: the Plackett-Luce model, fitted to all results at once.
//!
//! Sources: R. L. Plackett, "The Analysis of Permutations" (1975); R. D. Luce, "Individual Choice
//! Behavior" (1959). With two seats it is the model of Bradley and Terry. Bots that tie count as
//! if every order of them had been seen equally often.

use std::collections::BTreeMap;

use crate::{
    ContestError, Ratings,
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

/// Most bots that may tie in one place: the orders of them are summed up by subsets.
const MOST_TIED: usize = 12;

/// The result of one match: who ended where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    places: Vec<(usize, u32)>,
    cluster: u64,
}

impl Ranking {
    /// Each bot by its number with its place, 1 being the best; equal places are ties. Matches of
    /// one `cluster` share their luck: those of one group of a contest. A match of its own luck
    /// has a cluster of its own.
    #[must_use]
    pub fn new(places: Vec<(usize, u32)>, cluster: u64) -> Self {
        Self { places, cluster }
    }

    /// The bots that share a place, the best place first.
    fn by_place(&self) -> Vec<Vec<usize>> {
        let mut by_place: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &(bot, place) in &self.places {
            by_place.entry(place).or_default().push(bot);
        }
        by_place.into_values().collect()
    }

    fn check(&self, number: usize, bots: usize) -> Result<(), ContestError> {
        let problem = |problem| {
            Err(ContestError::Ranking {
                ranking: number,
                problem,
            })
        };
        let mut seen: Vec<usize> = self.places.iter().map(|(bot, _)| *bot).collect();
        seen.sort_unstable();
        if seen.len() < 2 {
            return problem("has fewer than two bots");
        }
        if seen.windows(2).any(|pair| pair[0] == pair[1]) {
            return problem("names a bot twice");
        }
        if seen.last().is_some_and(|bot| *bot >= bots) {
            return problem("names a bot that is not rated");
        }
        if self.by_place().iter().any(|tied| tied.len() > MOST_TIED) {
            return problem("has more than 12 bots in one place");
        }
        Ok(())
    }
}

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
        for (number, ranking) in rankings.iter().enumerate() {
            ranking.check(number, bots)?;
        }
        let results = Results::of(rankings);
        let mut ratings = vec![0.0; bots];
        for _ in 0..ROUNDS {
            let (slope, curvature) = results.derivatives(&ratings, self.ridge);
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
                let covariance = self.covariance(&results, &ratings)?;
                let (_, curvature) = results.derivatives(&bounded(&ratings), self.ridge);
                let bounded_covariance = inverse(curvature)?.centred();
                let matches = results.matches(bots);
                return Ok(Ratings::new(
                    ratings,
                    covariance,
                    bounded_covariance,
                    matches,
                ));
            }
        }
        Err(ContestError::NotFixed)
    }

    fn covariance(&self, results: &Results, ratings: &[f64]) -> Result<Matrix, ContestError> {
        let (_, curvature) = results.derivatives(ratings, self.ridge);
        let inverse = inverse(curvature)?.centred();
        Ok(match self.covariance {
            Covariance::Model => inverse,
            Covariance::Clustered => {
                let spread = results.spread_of_clusters(ratings);
                inverse.around(&spread)
            }
        })
    }
}

/// Equal results counted, in an order of their own.
struct Results {
    /// By the bots of each place, the best first: how often in each cluster.
    counts: BTreeMap<Vec<Vec<usize>>, BTreeMap<u64, u32>>,
}

impl Results {
    fn of(rankings: &[Ranking]) -> Self {
        let mut counts: BTreeMap<Vec<Vec<usize>>, BTreeMap<u64, u32>> = BTreeMap::new();
        for ranking in rankings {
            let mut by_place = ranking.by_place();
            by_place.iter_mut().for_each(|tied| tied.sort_unstable());
            *counts
                .entry(by_place)
                .or_default()
                .entry(ranking.cluster)
                .or_default() += 1;
        }
        Self { counts }
    }

    /// Matches of each bot.
    fn matches(&self, bots: usize) -> Vec<u64> {
        let mut matches = vec![0; bots];
        for (by_place, clusters) in &self.counts {
            let times: u64 = clusters.values().map(|count| u64::from(*count)).sum();
            for bot in by_place.iter().flatten() {
                matches[*bot] += times;
            }
        }
        matches
    }

    /// The slope of the log-likelihood less the ridge, and its curvature with the sign that makes
    /// it positive.
    fn derivatives(&self, ratings: &[f64], ridge: f64) -> (Vec<f64>, Matrix) {
        let bots = ratings.len();
        let weights: Vec<f64> = ratings.iter().map(|rating| rating.exp()).collect();
        let mut slope: Vec<f64> = ratings.iter().map(|rating| rating * -ridge).collect();
        let mut curvature = Matrix::diagonal(bots, ridge);
        for (by_place, clusters) in &self.counts {
            let times: f64 = clusters.values().map(|count| f64::from(*count)).sum();
            each_choice(by_place, &mut |share, chosen, among| {
                let share = share * times;
                if let Some(chosen) = chosen {
                    slope[chosen] += share;
                    return;
                }
                let all: f64 = among.iter().map(|bot| weights[*bot]).sum();
                for &row in among {
                    let chance = weights[row] / all;
                    slope[row] -= share * chance;
                    curvature[(row, row)] += share * chance;
                    for &column in among {
                        curvature[(row, column)] -= share * chance * weights[column] / all;
                    }
                }
            });
        }
        (slope, curvature)
    }

    /// The sum over clusters of the outer product of their slopes, with the usual correction for
    /// few clusters.
    fn spread_of_clusters(&self, ratings: &[f64]) -> Matrix {
        let bots = ratings.len();
        let weights: Vec<f64> = ratings.iter().map(|rating| rating.exp()).collect();
        let mut slopes: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (by_place, clusters) in &self.counts {
            let mut of_one = vec![0.0; bots];
            each_choice(by_place, &mut |share, chosen, among| {
                if let Some(chosen) = chosen {
                    of_one[chosen] += share;
                    return;
                }
                let all: f64 = among.iter().map(|bot| weights[*bot]).sum();
                for &bot in among {
                    of_one[bot] -= share * weights[bot] / all;
                }
            });
            for (cluster, count) in clusters {
                let slope = slopes.entry(*cluster).or_insert_with(|| vec![0.0; bots]);
                add_scaled(slope, f64::from(*count), &of_one);
            }
        }
        let clusters = slopes.len() as f64;
        let correction = if clusters > 1.0 {
            clusters / (clusters - 1.0)
        } else {
            1.0
        };
        let mut spread = Matrix::zero(bots);
        for slope in slopes.values() {
            spread.add_outer_product(correction, slope);
        }
        spread
    }
}

/// Goes through the choices that a ranking is made of: once with each bot that was chosen, as
/// `(share, Some(bot), [])`, and once with each set that it was chosen among, as
/// `(share, None, set)`. The log-likelihood is the sum of the ratings of the first less the sum
/// of the logarithms of the weights of the second, each times its share.
///
/// Where bots tie, all their orders have an equal share: then any subset of a size is as likely
/// as another to be what is left.
fn each_choice(by_place: &[Vec<usize>], each: &mut impl FnMut(f64, Option<usize>, &[usize])) {
    let mut behind: Vec<usize> = Vec::new();
    for tied in by_place.iter().rev() {
        if behind.is_empty() && tied.len() == 1 {
            // Whoever is last alone was not chosen among anybody.
            behind.extend(tied);
            continue;
        }
        for &bot in tied {
            each(1.0, Some(bot), &[]);
        }
        let orders = binomials(tied.len());
        let mut among = Vec::with_capacity(tied.len() + behind.len());
        for subset in 1u32..1 << tied.len() {
            among.clear();
            let members = tied.iter().enumerate();
            among.extend(
                members
                    .filter(|(i, _)| subset >> i & 1 == 1)
                    .map(|(_, bot)| *bot),
            );
            let share = 1.0 / orders[among.len()];
            among.extend(&behind);
            each(share, None, &among);
        }
        behind.extend(tied);
    }
}

/// How many subsets of each size a set of `size` has.
fn binomials(size: usize) -> Vec<f64> {
    let mut row = vec![1.0; size + 1];
    for k in 1..=size {
        row[k] = row[k - 1] * (size - k + 1) as f64 / k as f64;
    }
    row
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
