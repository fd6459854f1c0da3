//! How often each score of a game, or of a pair of games, was reached; and the exact tests on it
//! that chess programmers know.

use crate::{
    Bounds, ContestError, ErrorRates, GroupScores, Interval, Verdict,
    elo::Elo,
    error::in_range,
    estimate::{Estimate, Quantiles},
    likelihood::{Distribution, llr_of_means, llr_of_t_values, moments},
    t_value::closed_form_llr,
};

/// What a score counts that was never reached, so that no likelihood is 0: that of fishtest and
/// fastchess.
const NEVER_REACHED: f64 = 1e-3;

/// Counts of scores at equal distances from 0 to 1: losses, draws and wins (trinomial), or of
/// pairs of games LL, LD, LW or DD, DW, WW (pentanomial).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequencies(Vec<u64>);

impl Frequencies {
    /// Counts from the lowest score up.
    ///
    /// # Errors
    /// [`ContestError::TooFew`] for fewer than two scores or no game at all.
    pub fn new(counts: &[u64]) -> Result<Self, ContestError> {
        let too_few = |what, found, least| Err(ContestError::TooFew { what, found, least });
        if counts.len() < 2 {
            return too_few("scores", counts.len(), 2);
        }
        if counts.iter().all(|count| *count == 0) {
            return too_few("games", 0, 1);
        }
        Ok(Self(counts.to_vec()))
    }

    /// Games that one observation is made of: 1 for win, draw and loss, 2 for pairs.
    #[must_use]
    pub fn games(&self) -> u32 {
        // There are as many scores as twice the games and one: a draw is half a point.
        u32::try_from((self.0.len() - 1) / 2)
            .unwrap_or(u32::MAX)
            .max(1)
    }

    /// The counts, from the lowest score up.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.0
    }

    fn score_of(&self, number: usize) -> f64 {
        number as f64 / (self.0.len() - 1) as f64
    }

    /// The observations and their distribution, scores that were never reached included.
    fn distribution(&self) -> (f64, Distribution) {
        let counts = self.0.iter().map(|&count| match count {
            0 => NEVER_REACHED,
            count => count as f64,
        });
        let all: f64 = counts.clone().sum();
        let shares = counts.map(|count| count / all).enumerate();
        let distribution = shares.map(|(number, share)| (self.score_of(number), share));
        (all, distribution.collect())
    }

    /// The exact log-likelihood ratio of the bounds: of means for bounds in Elo, of t-values for
    /// normalised ones.
    #[must_use]
    pub fn llr(&self, bounds: Bounds) -> f64 {
        let (all, distribution) = self.distribution();
        all * match bounds {
            Bounds::Elo { lower, upper } => {
                llr_of_means(&distribution, [lower, upper].map(Elo::expected_score))
            }
            Bounds::Normalized { lower, upper } => {
                let t_values = [lower, upper].map(|nelo| nelo.t_of_group(self.games()));
                llr_of_t_values(&distribution, t_values)
            }
        }
    }

    /// The closed form of [`Frequencies::llr`], a pair counting as one observation.
    #[must_use]
    pub fn closed_form_llr(&self, bounds: Bounds) -> f64 {
        let (all, distribution) = self.distribution();
        let (mean, variance) = moments(&distribution);
        let deviation = variance.sqrt();
        let t_values = match bounds {
            Bounds::Elo { lower, upper } => {
                [lower, upper].map(|elo| (elo.expected_score() - 0.5) / deviation)
            }
            Bounds::Normalized { lower, upper } => {
                [lower, upper].map(|nelo| nelo.t_of_group(self.games()))
            }
        };
        closed_form_llr(all, (mean - 0.5) / deviation, t_values)
    }

    /// Mean score, Elo and likelihood of superiority with an interval of this level, by quantiles
    /// of the normal distribution and the variance as observed: the figures that chess tools
    /// print.
    ///
    /// # Errors
    /// [`ContestError::OutOfRange`] for a level that is not above 0 and below 1.
    pub fn estimate(&self, level: f64) -> Result<Estimate, ContestError> {
        in_range(
            "the level",
            level,
            level > 0.0 && level < 1.0,
            "above 0 and below 1",
        )?;
        let (all, distribution) = self.distribution();
        let (mean, variance) = moments(&distribution);
        Ok(Estimate::of(
            mean,
            (variance / all).sqrt(),
            variance,
            self.games(),
            Quantiles::Normal,
            level,
        ))
    }

    /// The groups that these are, to be given to what takes groups.
    pub(crate) fn mean_and_variance(&self) -> (f64, f64, f64) {
        let (all, distribution) = self.distribution();
        let (mean, variance) = moments(&distribution);
        (all, mean, variance)
    }
}

impl From<&Frequencies> for GroupScores {
    fn from(frequencies: &Frequencies) -> Self {
        let counts = frequencies.0.iter().enumerate();
        Self::of_counts(counts.map(|(number, count)| (frequencies.score_of(number), *count)))
    }
}

/// The exact sequential test of paired games at two seats, with the correction for what a step
/// overshoots its bound by (D. Siegmund, "Sequential Analysis", corollary 8.33).
#[derive(Clone, Debug)]
pub struct FrequencyTest {
    bounds: Bounds,
    rates: ErrorRates,
    counts: Vec<u64>,
    llr: f64,
    below: Overshoot,
    above: Overshoot,
    verdict: Verdict,
}

/// The steps by which a log-likelihood ratio went beyond all that it had been.
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

    /// How far a bound is overshot in the mean.
    fn mean(&self) -> f64 {
        match self.steps == 0.0 {
            true => 0.0,
            false => self.squares / self.steps / 2.0,
        }
    }
}

impl FrequencyTest {
    /// A test on so many scores: 3 for single games, 5 for pairs.
    ///
    /// # Errors
    /// [`ContestError::TooFew`] for fewer than two scores.
    pub fn new(bounds: Bounds, rates: ErrorRates, scores: usize) -> Result<Self, ContestError> {
        if scores < 2 {
            return Err(ContestError::TooFew {
                what: "scores",
                found: scores,
                least: 2,
            });
        }
        Ok(Self {
            bounds,
            rates,
            counts: vec![0; scores],
            llr: 0.0,
            below: Overshoot::default(),
            above: Overshoot::default(),
            verdict: Verdict::Undecided,
        })
    }

    /// Counts one more observation, by the number of its score from 0, and gives the verdict. The
    /// first verdict stays.
    ///
    /// # Errors
    /// [`ContestError::OutOfRange`] when there is no such score.
    pub fn record(&mut self, score: usize) -> Result<Verdict, ContestError> {
        let holds = score < self.counts.len();
        in_range(
            "the number of a score",
            score as f64,
            holds,
            "below the number of scores",
        )?;
        if self.verdict != Verdict::Undecided {
            return Ok(self.verdict);
        }
        self.counts[score] += 1;
        self.llr = Frequencies(self.counts.clone()).llr(self.bounds);
        if self.llr < self.below.record {
            self.below.record(self.llr);
        }
        if self.llr > self.above.record {
            self.above.record(self.llr);
        }
        if self.llr < self.rates.lower_llr() - self.below.mean() {
            self.verdict = Verdict::Rejected;
        } else if self.llr > self.rates.upper_llr() - self.above.mean() {
            self.verdict = Verdict::Accepted;
        }
        Ok(self.verdict)
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The log-likelihood ratio.
    #[must_use]
    pub fn llr(&self) -> f64 {
        self.llr
    }
}

impl Estimate {
    /// The error of the Elo as chess tools print it: half of its interval.
    #[must_use]
    pub fn elo_error(&self) -> f64 {
        let Interval { low, high } = self.elo_interval;
        (high - low) / 2.0
    }
}
