//! Estimates the length of a contest.

use bridgemaster_contest::{expected_groups, typical_deviation};

use crate::{ContestSpec, Format, SpecError, TestSpec};

/// The expected number of groups until a verdict, for games that rarely tie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The number of groups if the candidate is at the lower bound.
    pub groups_at_lower: f64,
    /// The number of groups if the candidate is at the upper bound.
    pub groups_at_upper: f64,
    /// The number of groups if the candidate is half-way between the bounds. Such a candidate needs
    /// the most groups.
    pub groups_half_way: f64,
}

impl ContestSpec {
    /// Returns the expected number of groups that the test needs; `None` without a test.
    ///
    /// # Errors
    /// Bounds or error rates are not valid.
    pub fn forecast(&self) -> Result<Option<Forecast>, SpecError> {
        let matches = self.matches_per_group();
        let hypotheses = match self.test() {
            Some(test) => test.hypotheses(matches)?,
            None => None,
        };
        // With several benchmarks, a group has more matches, so its score has a smaller deviation.
        let seats = f64::from(self.rules.seats);
        let deviation = typical_deviation(u32::from(self.rules.seats))
            * (seats / f64::from(matches.max(1))).sqrt();
        Ok(hypotheses.map(|hypotheses| {
            let expected = expected_groups(&hypotheses, deviation);
            Forecast {
                groups_at_lower: expected.at_lower,
                groups_at_upper: expected.at_upper,
                groups_half_way: expected.half_way,
            }
        }))
    }

    /// Returns a contest with the same bots but only one group or round, to measure how long it
    /// takes.
    #[must_use]
    pub fn shortest(&self) -> Self {
        let mut short = self.clone();
        short.require.clear();
        match &mut short.format {
            Format::Series | Format::Candidate { .. } => {
                short.test = Some(TestSpec::Fixed { groups: 1 });
            }
            Format::RoundRobin { rounds }
            | Format::Gauntlet { rounds, .. }
            | Format::Swiss { rounds } => *rounds = 1,
            Format::Fork { times, .. } => *times = 1,
        }
        short
    }
}
