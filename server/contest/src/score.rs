//! Scores of matches and groups.

use crate::{ContestError, error::in_range};

/// Returns the beat fraction of a seat: the share of its opponents that finished behind it, 0 to 1;
/// a tie counts half. Returns `None` if the seat does not exist or has no opponent.
pub fn beat_fraction(places: &[u32], seat: usize) -> Option<f64> {
    let own = *places.get(seat)?;
    let opponents = places.len() - 1;
    let halves: usize = places
        .iter()
        .map(|&place| match place.cmp(&own) {
            std::cmp::Ordering::Greater => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 0,
        })
        .sum();
    // The sum includes a tie of the seat with itself.
    (opponents > 0).then(|| (halves - 1) as f64 / (2 * opponents) as f64)
}

/// The score of a group: its mean beat fraction, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct GroupScore(f64);

impl GroupScore {
    /// Creates a score.
    ///
    /// # Errors
    /// Returns [`ContestError::OutOfRange`] outside 0 to 1.
    pub fn new(score: f64) -> Result<Self, ContestError> {
        let holds = (0.0..=1.0).contains(&score);
        in_range("score of a group", score, holds, "0..=1")?;
        Ok(Self(score))
    }

    /// Returns the mean beat fraction over a group's matches.
    ///
    /// # Errors
    /// Returns [`ContestError::TooFew`] without a match, [`ContestError::OutOfRange`] outside 0 to
    /// 1.
    pub fn from_matches(fractions: &[f64]) -> Result<Self, ContestError> {
        if fractions.is_empty() {
            return Err(ContestError::too_few("matches of a group", 0, 1));
        }
        Self::new(fractions.iter().sum::<f64>() / fractions.len() as f64)
    }

    /// Returns the score as a number, 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A summary of all groups' scores so far, from which the tests can be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupScores {
    groups: u64,
    sum: f64,
    /// The mean without the rounding errors of the sum, so equal scores have no variance.
    centre: f64,
    /// The sum of the squared deviations from the centre.
    squared_deviations: f64,
}

impl GroupScores {
    /// Records the next group.
    pub fn record(&mut self, score: GroupScore) {
        self.groups += 1;
        self.sum += score.0;
        // Welford's method.
        let deviation = score.0 - self.centre;
        self.centre += deviation / self.groups as f64;
        self.squared_deviations += deviation * (score.0 - self.centre);
    }

    /// Returns the number of groups.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// Returns the mean score; 0.5 if there is no group.
    pub fn mean(&self) -> f64 {
        match self.groups {
            0 => 0.5,
            groups => self.sum / groups as f64,
        }
    }

    /// Returns the variance of the score: the mean squared deviation from [`GroupScores::mean`]. It
    /// is exactly 0 if all scores are equal.
    pub fn variance(&self) -> f64 {
        self.squared_deviations / self.groups.max(1) as f64
    }

    /// Returns the mean and the variance after adding half a group with the score 0 and half a
    /// group with the score 1. So the variance is never 0, and a candidate that wins everything
    /// gets a verdict.
    pub fn regularized(&self) -> (f64, f64) {
        let groups = self.groups as f64 + 1.0;
        let mean = (self.sum + 0.5) / groups;
        let of_scores = self.squared_deviations + self.groups as f64 * (self.centre - mean).powi(2);
        let added = (mean.powi(2) + (1.0 - mean).powi(2)) / 2.0;
        (mean, (of_scores + added) / groups)
    }
}

impl FromIterator<GroupScore> for GroupScores {
    fn from_iter<I: IntoIterator<Item = GroupScore>>(scores: I) -> Self {
        let mut all = Self::default();
        scores.into_iter().for_each(|score| all.record(score));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimate;

    #[test]
    fn the_beat_fraction_counts_ties_half() {
        assert_eq!(beat_fraction(&[1, 2], 0), Some(1.0));
        assert_eq!(beat_fraction(&[1, 1], 0), Some(0.5));
        assert_eq!(beat_fraction(&[2, 1, 2, 4], 0), Some(0.5));
        assert_eq!(beat_fraction(&[1, 2, 3, 4, 5, 6], 3), Some(0.4));
        assert_eq!(beat_fraction(&[1], 0), None);
        assert_eq!(beat_fraction(&[1, 2], 2), None);
    }

    #[test]
    fn a_score_outside_its_range_is_refused() {
        assert!(GroupScore::new(1.5).is_err());
        assert!(GroupScore::new(f64::NAN).is_err());
        assert!(GroupScore::from_matches(&[]).is_err());
        assert_eq!(GroupScore::from_matches(&[0.0, 1.0]).unwrap().get(), 0.5);
    }

    #[test]
    fn equal_scores_have_no_variance_in_spite_of_rounding() {
        for (score, groups) in [(2.0 / 3.0, 7), (0.6, 3), (1.0 / 3.0, 1000)] {
            let scores: GroupScores = vec![GroupScore(score); groups].into_iter().collect();
            assert_eq!(scores.variance(), 0.0);
            let interval = Estimate::from_groups(&scores, 2, 0.95).unwrap().score_interval;
            assert!(interval.high - interval.low > 0.001, "{interval:?}");
        }
    }

    #[test]
    fn the_regularized_variance_never_vanishes() {
        let mut scores = GroupScores::default();
        for _ in 0..50 {
            scores.record(GroupScore::new(1.0).unwrap());
            assert!(scores.variance() < 1e-12);
            assert!(scores.regularized().1 > 0.0);
        }
    }
}
