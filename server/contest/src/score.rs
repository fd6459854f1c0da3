//! Scores of matches and of groups.

use crate::{ContestError, error::in_range};

/// Beat fraction: the share of a seat's opponents that finished behind it, 0 to 1; a tie counts
/// half. `None` if there is no such seat or no opponent.
#[must_use]
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
    // The seat itself counted as a tie.
    (opponents > 0).then(|| (halves - 1) as f64 / (2 * opponents) as f64)
}

/// The mean beat fraction of a group: 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct GroupScore(f64);

impl GroupScore {
    /// A score.
    ///
    /// # Errors
    /// [`ContestError::OutOfRange`] outside 0 to 1.
    pub fn new(score: f64) -> Result<Self, ContestError> {
        in_range(
            "the score of a group",
            score,
            (0.0..=1.0).contains(&score),
            "0 to 1",
        )?;
        Ok(Self(score))
    }

    /// The mean of the beat fractions of the matches of a group.
    ///
    /// # Errors
    /// [`ContestError::TooFew`] without a match, [`ContestError::OutOfRange`] outside 0 to 1.
    pub fn of_matches(fractions: &[f64]) -> Result<Self, ContestError> {
        if fractions.is_empty() {
            return Err(ContestError::TooFew {
                what: "matches of a group",
                found: 0,
                least: 1,
            });
        }
        Self::new(fractions.iter().sum::<f64>() / fractions.len() as f64)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Summary of the scores of all groups so far: all that a test needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupScores {
    groups: u64,
    sum: f64,
    sum_of_squares: f64,
}

impl GroupScores {
    /// Counts one more group.
    pub fn record(&mut self, score: GroupScore) {
        self.groups += 1;
        self.sum += score.0;
        self.sum_of_squares += score.0 * score.0;
    }

    /// Scores from 0 to 1, each as often as its count says.
    pub(crate) fn of_counts(counts: impl Iterator<Item = (f64, u64)>) -> Self {
        let mut all = Self::default();
        for (score, count) in counts {
            let weight = count as f64;
            all.groups += count;
            all.sum += weight * score;
            all.sum_of_squares += weight * score * score;
        }
        all
    }

    /// How many groups there are.
    #[must_use]
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// Mean score; 0.5 without a group.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self.groups {
            0 => 0.5,
            groups => self.sum / groups as f64,
        }
    }

    /// Variance of the score, the mean square deviation from [`GroupScores::mean`].
    #[must_use]
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        match self.groups {
            0 => 0.0,
            groups => (self.sum_of_squares / groups as f64 - mean * mean).max(0.0),
        }
    }

    /// Mean and variance with half a group added at each end of the score, so that the variance is
    /// never 0 and a candidate that wins everything gets a verdict.
    #[must_use]
    pub fn regularized(&self) -> (f64, f64) {
        let groups = self.groups as f64 + 1.0;
        let mean = (self.sum + 0.5) / groups;
        (mean, (self.sum_of_squares + 0.5) / groups - mean * mean)
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
        assert!(GroupScore::of_matches(&[]).is_err());
        assert_eq!(GroupScore::of_matches(&[0.0, 1.0]).unwrap().get(), 0.5);
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
