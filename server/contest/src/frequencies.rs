//! Frequencies of scores in games or game pairs, and the exact tests used for chess engines.

use crate::{
    Bounds, ContestError, Elo, ErrorRates, GroupScores, Interval, Verdict,
    error::in_range,
    estimate::{Estimate, Quantiles},
    likelihood::{Distribution, closed_form_llr, llr_of_means, llr_of_t_values, moments},
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
    /// [`ContestError::TooFew`] for fewer than two scores or no observation.
    pub fn new(counts: &[u64]) -> Result<Self, ContestError> {
        let too_few = |quantity, found, min| {
            Err(ContestError::TooFew {
                quantity,
                found,
                min,
            })
        };
        if counts.len() < 2 {
            return too_few("scores", counts.len(), 2);
        }
        if counts.iter().all(|count| *count == 0) {
            return too_few("games", 0, 1);
        }
        Ok(Self(counts.to_vec()))
    }

    /// Returns the number of games per observation: 1 for single games, 2 for game pairs.
    #[must_use]
    pub fn games(&self) -> u32 {
        // Scores are multiples of half a point, so there are twice as many scores as games, plus
        // one.
        u32::try_from((self.0.len() - 1) / 2)
            .unwrap_or(u32::MAX)
            .max(1)
    }

    /// Returns the counts, the lowest score first.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.0
    }

    fn score_of(&self, number: usize) -> f64 {
        number as f64 / (self.0.len() - 1) as f64
    }

    /// Returns the number of observations, and the distribution of their scores, which includes
    /// scores that never occurred.
    fn distribution(&self) -> (f64, Distribution) {
        let counts = self.0.iter().map(|&count| match count {
            0 => ZERO_COUNT,
            count => count as f64,
        });
        let all: f64 = counts.clone().sum();
        let shares = counts.map(|count| count / all).enumerate();
        let distribution = shares.map(|(number, share)| (self.score_of(number), share));
        (all, distribution.collect())
    }

    /// Returns the exact log-likelihood ratio of the two bounds. Bounds in Elo are compared as mean
    /// scores, and normalized bounds as t-values.
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

    /// Returns the closed-form approximation of [`Frequencies::llr`], in which a game pair is a
    /// single observation.
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

    /// Estimates the mean score, the Elo difference and the likelihood of superiority, with
    /// intervals at this confidence level. Uses normal quantiles and the observed variance, as
    /// chess tools do.
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

    /// Returns the number of observations, and their mean and variance.
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

/// The exact sequential test for paired two-seat games, corrected for the amount by which the ratio
/// overshoots a bound (D. Siegmund, "Sequential Analysis", corollary 8.33).
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
        if self.steps == 0.0 {
            0.0
        } else {
            self.squares / self.steps / 2.0
        }
    }
}

impl FrequencyTest {
    /// Creates a test with this number of possible scores: 3 for single games, 5 for game pairs.
    ///
    /// # Errors
    /// [`ContestError::TooFew`] for fewer than two scores.
    pub fn new(bounds: Bounds, rates: ErrorRates, scores: usize) -> Result<Self, ContestError> {
        if scores < 2 {
            return Err(ContestError::TooFew {
                quantity: "scores",
                found: scores,
                min: 2,
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

    /// Records the next observation, given as the index of its score, and returns the verdict. The
    /// first decision is final.
    ///
    /// # Errors
    /// [`ContestError::OutOfRange`], if the index is too large.
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

    /// Returns the verdict after the observations so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the log-likelihood ratio of the two bounds.
    #[must_use]
    pub fn llr(&self) -> f64 {
        self.llr
    }
}

impl Estimate {
    /// Returns the error of the Elo difference as chess tools print it: half the interval's width.
    #[must_use]
    pub fn elo_error(&self) -> f64 {
        let Interval { low, high } = self.elo_interval;
        (high - low) / 2.0
    }
}

/// The number of scores that the model requires: losses, draws and wins of single games.
const SCORES: usize = 3;

/// A strength difference on the BayesElo scale. The equivalent [`Elo`] difference depends on the
/// draw rate.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct BayesElo(pub f64);

/// The draw parameter on the BayesElo scale; 0 if there are no draws.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct DrawElo(pub f64);

impl DrawElo {
    /// Estimates the draw parameter from the losses, draws and wins of single games. Returns `None`
    /// for game pairs, and unless there is at least one loss, one draw and one win.
    #[must_use]
    pub fn of(frequencies: &Frequencies) -> Option<Self> {
        let counts = frequencies.counts();
        if counts.len() != SCORES || counts.contains(&0) {
            return None;
        }
        let all: f64 = counts.iter().map(|&count| count as f64).sum();
        let odds_against = |count: u64| all / count as f64 - 1.0;
        let product = odds_against(counts[0]) * odds_against(counts[2]);
        Some(Self(200.0 * product.log10()))
    }
}

impl BayesElo {
    /// Converts to the Elo difference that has the same mean score at this draw rate.
    #[must_use]
    pub fn to_elo(self, draws: DrawElo) -> Elo {
        let expected = |elo: f64| Elo(elo).expected_score();
        let win = expected(self.0 - draws.0);
        let loss = expected(-self.0 - draws.0);
        Elo::of_score((1.0 + win - loss) / 2.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn without_draws_bayes_elo_is_elo() {
        for elo in [-100.0, 0.0, 2.5, 300.0] {
            let same = BayesElo(elo).to_elo(DrawElo(0.0));
            assert!((same.0 - elo).abs() < 1e-9, "{elo} became {same:?}");
        }
    }

    #[test]
    fn pairs_and_missing_outcomes_give_no_draw_parameter() {
        let of = |counts: &[u64]| DrawElo::of(&Frequencies::new(counts).unwrap());
        assert_eq!(of(&[1, 2, 3, 4, 5]), None);
        assert_eq!(of(&[1, 0, 3]), None);
        assert!(of(&[30, 40, 30]).unwrap().0 > 0.0);
    }
}
