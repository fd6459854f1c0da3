//! How much better a candidate is, after a number of groups that was fixed beforehand.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::{ContestError, Elo, GroupScores, NormalizedElo, error::in_range};

/// From `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The distribution that an interval is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantiles {
    /// The normal distribution.
    Normal,
    /// Student's distribution, which is wider: right for few groups. From 30 groups on the two
    /// hardly differ.
    Student {
        /// Degrees of freedom: one less than the number of groups.
        degrees_of_freedom: u64,
    },
}

/// Fewest groups for an interval that is not flagged as based on few.
pub const FEW_GROUPS: u64 = 30;

/// How much better a candidate is than its opponents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean score, 0 to 1.
    pub score: f64,
    /// Interval of the mean score. Its ends may lie beyond 0 and 1 when there are few groups.
    pub score_interval: Interval,
    /// The mean score in Elo.
    pub elo: Elo,
    /// The interval in Elo.
    pub elo_interval: Interval,
    /// The t-value of one match in Elo.
    pub normalized_elo: NormalizedElo,
    /// Likelihood of superiority: the probability that the candidate is better at all, 0 to 1.
    pub superiority: f64,
    /// The distribution that the interval is based on.
    pub quantiles: Quantiles,
}

impl Estimate {
    /// The estimate from groups, which are independent of each other whatever the matches within
    /// one share. The interval has the given level, such as 0.95.
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
                what: "groups",
                found: usize::try_from(groups).unwrap_or(usize::MAX),
                least: 2,
            });
        }
        let degrees_of_freedom = groups - 1;
        // Without spread there would be no interval: half a group at each end is the least that
        // can be known.
        let variance = match scores.variance() > 0.0 {
            true => scores.variance() * groups as f64 / degrees_of_freedom as f64,
            false => scores.regularized().1,
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

    /// Whether it is based on fewer than [`FEW_GROUPS`].
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

/// The mean of these values with an interval of this level, by Student's quantiles: for figures of
/// groups that are no scores, such as margins. Values that are all equal have an interval without
/// width.
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
            what: "groups",
            found: values.len(),
            least: 2,
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
    /// The value below which this share lies.
    fn inverse(self, share: f64) -> f64 {
        match self.student() {
            Some(student) => student.inverse_cdf(share),
            None => Normal::standard().inverse_cdf(share),
        }
    }

    /// The share below this value.
    fn share_below(self, value: f64) -> f64 {
        match self.student() {
            Some(student) => student.cdf(value),
            None => Normal::standard().cdf(value),
        }
    }

    /// The distribution, if it is Student's.
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
        // 1 to 5: mean 3, deviation 1.581; Student's 0.975 quantile for 4 degrees is 2.776445.
        let (mean, interval) = mean_with_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).unwrap();
        assert_eq!(mean, 3.0);
        let reach = 2.776_445 * (2.5f64 / 5.0).sqrt();
        assert!((interval.high - 3.0 - reach).abs() < 1e-5, "{interval:?}");
        assert!(mean_with_interval(&[1.0], 0.95).is_err());
    }
}
