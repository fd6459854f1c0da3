//! Frequencies of scores in games or game pairs, and the exact test used for chess engines.

use crate::{
    Bounds, ContestError, ErrorRates, Verdict,
    error::in_range,
    likelihood::{Distribution, llr_of_means, llr_of_t_values, moments},
};

/// The count used for a score that never occurred. It ensures that no likelihood is 0. Fishtest and
/// fastchess use the same value.
const ZERO_COUNT: f64 = 1e-3;

/// The number of times that each of several equidistant scores from 0 to 1 occurred. For a game,
/// the scores are loss, draw and win (trinomial). For a game pair, they are LL, LD, LW/DD, DW and
/// WW (pentanomial).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequencies(Vec<u64>);

impl Frequencies {
    /// Creates frequencies from counts, the lowest score first.
    ///
    /// # Errors
    /// Returns [`ContestError::TooFew`] for fewer than two scores or no observation.
    pub fn new(counts: &[u64]) -> Result<Self, ContestError> {
        if counts.len() < 2 {
            return Err(ContestError::too_few("scores", counts.len(), 2));
        }
        if counts.iter().all(|count| *count == 0) {
            return Err(ContestError::too_few("games", 0, 1));
        }
        Ok(Self(counts.to_vec()))
    }

    /// Returns the number of games per observation: 1 for single games, 2 for game pairs.
    pub fn games(&self) -> u32 {
        // Scores are multiples of half a point, so there are twice as many scores as games, plus
        // one.
        u32::try_from((self.0.len() - 1) / 2).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the number of observations, and the distribution of their scores, which includes
    /// scores that never occurred.
    fn distribution(&self) -> (f64, Distribution) {
        let counts = self.0.iter().map(|&count| match count {
            0 => ZERO_COUNT,
            count => count as f64,
        });
        let all: f64 = counts.clone().sum();
        let highest = (self.0.len() - 1) as f64;
        let shares = counts.map(|count| count / all).enumerate();
        let distribution = shares.map(|(number, share)| (number as f64 / highest, share));
        (all, distribution.collect())
    }

    /// Returns the exact log-likelihood ratio of the two bounds. Bounds in Elo are compared as mean
    /// scores, and normalized bounds as t-values.
    pub fn llr(&self, bounds: Bounds) -> f64 {
        let (all, distribution) = self.distribution();
        // Each kind of bounds is converted without the deviation.
        all * match bounds {
            Bounds::Elo(_) => llr_of_means(&distribution, bounds.means(0.0, 1)),
            Bounds::NormalizedElo(_) => {
                llr_of_t_values(&distribution, bounds.t_values(1.0, self.games()))
            }
        }
    }

    /// Returns the mean of the scores, 0 to 1, without a correction for scores that never occurred.
    pub(crate) fn mean(&self) -> f64 {
        let (all, sum) = (0..)
            .zip(&self.0)
            .fold((0, 0), |(all, sum), (score, count)| (all + count, sum + score * count));
        sum as f64 / (all * (self.0.len() as u64 - 1)).max(1) as f64
    }

    /// Returns the number of observations, and their mean and variance.
    pub(crate) fn mean_and_variance(&self) -> (f64, f64, f64) {
        let (all, distribution) = self.distribution();
        let (mean, variance) = moments(&distribution);
        (all, mean, variance)
    }
}

/// The exact sequential test for paired two-seat games, corrected for the amount by which the ratio
/// overshoots a bound (D. Siegmund, "Sequential Analysis", corollary 8.33).
#[derive(Clone, Debug)]
pub struct FrequencyTest {
    bounds: Bounds,
    rates: ErrorRates,
    frequencies: Frequencies,
    llr: f64,
    below: Overshoot,
    above: Overshoot,
    verdict: Verdict,
}

/// Statistics of overshoots, that is, of the amounts by which a log-likelihood ratio exceeded its
/// previous extreme.
#[derive(Clone, Copy, Debug, Default)]
struct Overshoot {
    record: f64,
    steps: f64,
    squares: f64,
}

impl Overshoot {
    fn record(&mut self, llr: f64) {
        let step = llr - self.record;
        self.record = llr;
        self.steps += step;
        self.squares += step * step;
    }

    /// Returns the expected overshoot beyond a bound.
    fn mean(&self) -> f64 {
        if self.steps == 0.0 { 0.0 } else { self.squares / self.steps / 2.0 }
    }
}

impl FrequencyTest {
    /// Creates a test with this number of possible scores: 3 for single games, 5 for game pairs.
    ///
    /// # Errors
    /// Returns [`ContestError::TooFew`] for fewer than two scores.
    pub fn new(bounds: Bounds, rates: ErrorRates, scores: usize) -> Result<Self, ContestError> {
        if scores < 2 {
            return Err(ContestError::too_few("scores", scores, 2));
        }
        Ok(Self {
            bounds,
            rates,
            frequencies: Frequencies(vec![0; scores]),
            llr: 0.0,
            below: Overshoot::default(),
            above: Overshoot::default(),
            verdict: Verdict::Undecided,
        })
    }

    /// Records the next observation, given as the index of its score, and returns the verdict. The
    /// first decision is final.
    ///
    /// # Errors
    /// Returns [`ContestError::OutOfRange`] if the index is too large.
    pub fn record(&mut self, score: usize) -> Result<Verdict, ContestError> {
        let (field, valid) = ("the number of a score", "below the number of scores");
        let holds = score < self.frequencies.0.len();
        in_range(field, score as f64, holds, valid)?;
        if self.verdict != Verdict::Undecided {
            return Ok(self.verdict);
        }
        self.frequencies.0[score] += 1;
        self.llr = self.frequencies.llr(self.bounds);
        if self.llr < self.below.record {
            self.below.record(self.llr);
        }
        if self.llr > self.above.record {
            self.above.record(self.llr);
        }
        let (lower, upper) = self.llr_bounds();
        if self.llr < lower {
            self.verdict = Verdict::Rejected;
        } else if self.llr > upper {
            self.verdict = Verdict::Accepted;
        }
        Ok(self.verdict)
    }

    /// Returns the verdict after the observations so far.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the log-likelihood ratio of the two bounds.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// Returns the log-likelihood ratios beyond which the test rejects and accepts, corrected for
    /// the overshoots so far.
    pub fn llr_bounds(&self) -> (f64, f64) {
        // The mean overshoot below the lower bound is negative.
        (self.rates.lower_llr() - self.below.mean(), self.rates.upper_llr() - self.above.mean())
    }
}
