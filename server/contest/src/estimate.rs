//! Estimates from a fixed number of groups.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::{ContestError, Elo, GroupScores, NormalizedElo, error::in_range};

/// A confidence interval from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The distribution that an interval is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantiles {
    /// The standard normal distribution.
    Normal,
    /// Student's t distribution, for few groups. It is wider than the normal distribution, but
    /// hardly differs from it from 30 groups on.
    Student {
        /// The degrees of freedom: the number of groups minus one.
        degrees_of_freedom: u64,
    },
}

/// The number of groups below which an estimate is flagged as based on few groups.
pub const FEW_GROUPS: u64 = 30;

/// An estimate of a candidate's strength relative to its opponents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean score, 0 to 1.
    pub score: f64,
    /// Interval for the mean score. With few groups, its ends can be outside 0..=1.
    pub score_interval: Interval,
    /// The Elo difference that corresponds to the mean score.
    pub elo: Elo,
    /// The interval for the Elo difference.
    pub elo_interval: Interval,
    /// The normalized Elo difference, computed from the t-value of one match.
    pub normalized_elo: NormalizedElo,
    /// Likelihood of superiority: the probability that the candidate is better, 0 to 1.
    pub superiority: f64,
    /// The distribution that the interval is based on.
    pub quantiles: Quantiles,
}

impl Estimate {
    /// Creates an estimate from independent groups. The matches within a group can be correlated.
    /// `level` is the interval's confidence level, such as 0.95.
    ///
    /// # Errors
    /// [`ContestError::TooFew`] for fewer than two groups, [`ContestError::OutOfRange`] for a
    /// level that is not above 0 and below 1.
    pub fn of_groups(
        scores: &GroupScores,
        matches_per_group: u32,
        level: f64,
    ) -> Result<Self, ContestError> {
        in_range(
            "the level",
            level,
            level > 0.0 && level < 1.0,
            "above 0 and below 1",
        )?;
        let groups = scores.groups();
        if groups < 2 {
            return Err(ContestError::TooFew {
                quantity: "groups",
                found: usize::try_from(groups).unwrap_or(usize::MAX),
                min: 2,
            });
        }
        let degrees_of_freedom = groups - 1;
        // If all scores are equal, the interval would be empty, so the regularized variance is used
        // instead.
        let variance = if scores.variance() > 0.0 {
            scores.variance() * groups as f64 / degrees_of_freedom as f64
        } else {
            scores.regularized().1
        };
        Ok(Self::of(
            scores.mean(),
            (variance / groups as f64).sqrt(),
            variance,
            matches_per_group,
            Quantiles::Student { degrees_of_freedom },
            level,
        ))
    }

    /// Returns whether the estimate is based on fewer than [`FEW_GROUPS`] groups.
    #[must_use]
    pub fn rests_on_few_groups(&self) -> bool {
        match self.quantiles {
            Quantiles::Normal => false,
            Quantiles::Student { degrees_of_freedom } => degrees_of_freedom + 1 < FEW_GROUPS,
        }
    }

    pub(crate) fn of(
        score: f64,
        error: f64,
        variance: f64,
        matches_per_group: u32,
        quantiles: Quantiles,
        level: f64,
    ) -> Self {
        let reach = quantiles.inverse((1.0 + level) / 2.0) * error;
        let score_interval = Interval {
            low: score - reach,
            high: score + reach,
        };
        Self {
            score,
            score_interval,
            elo: Elo::of_score(score),
            elo_interval: Interval {
                low: Elo::of_score(score_interval.low).0,
                high: Elo::of_score(score_interval.high).0,
            },
            normalized_elo: NormalizedElo::of_group_t(
                (score - 0.5) / variance.sqrt(),
                matches_per_group,
            ),
            superiority: quantiles.share_below((score - 0.5) / error),
            quantiles,
        }
    }
}

/// Returns the mean of these values, with an interval at this confidence level from Student's t
/// distribution. Intended for figures other than scores, such as a group's margins. If all values
/// are equal, the interval is a single point.
///
/// # Errors
/// [`ContestError::TooFew`] for fewer than two values, [`ContestError::OutOfRange`] for a level
/// that is not above 0 and below 1.
pub fn mean_with_interval(values: &[f64], level: f64) -> Result<(f64, Interval), ContestError> {
    in_range(
        "the level",
        level,
        level > 0.0 && level < 1.0,
        "above 0 and below 1",
    )?;
    if values.len() < 2 {
        return Err(ContestError::TooFew {
            quantity: "groups",
            found: values.len(),
            min: 2,
        });
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let degrees_of_freedom = values.len() as u64 - 1;
    let error = (squares / degrees_of_freedom as f64 / count).sqrt();
    let reach = Quantiles::Student { degrees_of_freedom }.inverse((1.0 + level) / 2.0) * error;
    let interval = Interval {
        low: mean - reach,
        high: mean + reach,
    };
    Ok((mean, interval))
}

impl Quantiles {
    /// Returns the distribution's quantile for this share, 0 to 1.
    fn inverse(self, share: f64) -> f64 {
        match self.student() {
            Some(student) => student.inverse_cdf(share),
            None => Normal::standard().inverse_cdf(share),
        }
    }

    /// Returns the share of the distribution that is below this value.
    fn share_below(self, value: f64) -> f64 {
        match self.student() {
            Some(student) => student.cdf(value),
            None => Normal::standard().cdf(value),
        }
    }

    /// Returns Student's t distribution; `None` for the normal distribution.
    fn student(self) -> Option<StudentsT> {
        match self {
            Self::Normal => None,
            Self::Student { degrees_of_freedom } => {
                StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_that_of_a_table_of_students_distribution() {
        // The values 1 to 5 have the mean 3 and the deviation 1.581. Student's 0.975 quantile for 4
        // degrees of freedom is 2.776445.
        let (mean, interval) = mean_with_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).unwrap();
        assert_eq!(mean, 3.0);
        let reach = 2.776_445 * (2.5f64 / 5.0).sqrt();
        assert!((interval.high - 3.0 - reach).abs() < 1e-5, "{interval:?}");
        assert!(mean_with_interval(&[1.0], 0.95).is_err());
    }
}
