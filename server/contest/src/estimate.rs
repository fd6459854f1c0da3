//! Estimates from a fixed number of groups.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{ContestError, Elo, GroupScores, NormalizedElo, error::check_level};

/// A confidence interval from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
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
    /// The Elo difference that corresponds to the mean score; infinite for a score of 0 or 1.
    pub elo: Elo,
    /// The interval for the Elo difference. An end that corresponds to no score is infinite.
    pub elo_interval: Interval,
    /// The normalized Elo difference, computed from the t-value of one match.
    pub normalized_elo: NormalizedElo,
    /// Likelihood of superiority: the probability that the candidate is better, 0 to 1.
    pub superiority: f64,
}

impl Estimate {
    /// Creates an estimate from independent groups. The matches within a group can be correlated.
    /// `level` is the interval's confidence level, such as 0.95.
    ///
    /// # Errors
    /// Returns [`ContestError::TooFew`] for fewer than two groups, [`ContestError::OutOfRange`] for
    /// a level that is not above 0 and below 1.
    pub fn from_groups(
        scores: &GroupScores,
        matches_per_group: u32,
        level: f64,
    ) -> Result<Self, ContestError> {
        check_level(level)?;
        let groups = scores.groups();
        if groups < 2 {
            return Err(ContestError::too_few("groups", groups as usize, 2));
        }
        let degrees_of_freedom = groups - 1;
        let sample = scores.variance() * groups as f64 / degrees_of_freedom as f64;
        // A few scores can be nearly equal by chance, so the variance is at least the regularized
        // one. Otherwise a candidate that won everything could have a lower bound below that of a
        // candidate that almost did.
        let variance = if groups < FEW_GROUPS || sample == 0.0 {
            sample.max(scores.regularized().1)
        } else {
            sample
        };
        let (score, error) = (scores.mean(), (variance / groups as f64).sqrt());
        let score_interval = interval_around(score, error, degrees_of_freedom, level);
        let noise = if sample > 0.0 { sample } else { variance };
        let t = (score - 0.5) / noise.sqrt();
        Ok(Self {
            score,
            score_interval,
            elo: Elo::from_score(score),
            elo_interval: Interval {
                low: Elo::from_score(score_interval.low).0,
                high: Elo::from_score(score_interval.high).0,
            },
            normalized_elo: NormalizedElo::from_group_t(t, matches_per_group),
            superiority: student(degrees_of_freedom)
                .map_or(0.5, |student| student.cdf((score - 0.5) / error)),
        })
    }
}

/// Returns the mean of these values, with an interval at this confidence level from Student's t
/// distribution. Intended for values other than scores, such as a group's margins. If all values
/// are equal, the interval is a single point.
///
/// # Errors
/// Returns [`ContestError::TooFew`] for fewer than two values, [`ContestError::OutOfRange`] for a
/// level that is not above 0 and below 1.
pub fn mean_with_interval(values: &[f64], level: f64) -> Result<(f64, Interval), ContestError> {
    check_level(level)?;
    if values.len() < 2 {
        return Err(ContestError::too_few("groups", values.len(), 2));
    }
    let count = values.len() as f64;
    // Deviations from the first value, so equal values have no rounding errors.
    let first = values[0];
    let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let degrees_of_freedom = values.len() as u64 - 1;
    let error = (squares / degrees_of_freedom as f64 / count).sqrt();
    Ok((mean, interval_around(mean, error, degrees_of_freedom, level)))
}

/// Returns the interval around a mean with this standard error, from Student's t distribution. This
/// distribution is wider than the normal distribution, but with 30 groups or more the two hardly
/// differ.
fn interval_around(mean: f64, error: f64, degrees_of_freedom: u64, level: f64) -> Interval {
    let reach = student_quantile(degrees_of_freedom, level) * error;
    Interval { low: mean - reach, high: mean + reach }
}

/// Returns the number of standard errors that an interval at this level extends to each side.
pub(crate) fn student_quantile(degrees_of_freedom: u64, level: f64) -> f64 {
    let share = (1.0 + level) / 2.0;
    student(degrees_of_freedom).map_or(f64::INFINITY, |of| of.inverse_cdf(share))
}

/// Returns Student's t distribution; `None` without degrees of freedom.
fn student(degrees_of_freedom: u64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GroupScore;

    #[test]
    fn a_better_result_of_few_groups_has_a_higher_lower_bound() {
        let low = |scores: [f64; 4]| {
            let scores = scores.map(|score| GroupScore::new(score).unwrap()).into_iter().collect();
            Estimate::from_groups(&scores, 2, 0.95).unwrap().score_interval.low
        };
        assert!(low([1.0, 1.0, 1.0, 1.0]) > low([1.0, 1.0, 1.0, 0.75]));
        assert!(low([0.75, 0.75, 0.75, 0.75]) > low([0.75, 0.75, 0.75, 0.5]));
    }

    #[test]
    fn the_interval_of_a_mean_matches_the_t_table() {
        // The values 1 to 5 have the mean 3 and the deviation 1.581. Student's 0.975 quantile for 4
        // degrees of freedom is 2.776445.
        let (mean, interval) = mean_with_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95).unwrap();
        assert_eq!(mean, 3.0);
        let reach = 2.776_445 * (2.5f64 / 5.0).sqrt();
        assert!((interval.high - 3.0 - reach).abs() < 1e-5, "{interval:?}");
        assert!(mean_with_interval(&[1.0], 0.95).is_err());
        let (mean, interval) = mean_with_interval(&[0.1; 3], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (mean, mean));
    }
}
