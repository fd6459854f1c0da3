//! How long a contest takes.

use bridgemaster_contest::{expected_groups, typical_deviation};

use crate::{ContestSpec, Format, SpecError, TestSpec};

/// Expected numbers of groups until a verdict, for bots that hardly tie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// For a candidate at the lower bound.
    pub groups_at_lower: f64,
    /// For a candidate at the upper bound.
    pub groups_at_upper: f64,
    /// For a candidate half-way between, which takes longest.
    pub groups_half_way: f64,
}

impl ContestSpec {
    /// How many groups the test of this contest needs; none where there is no test.
    ///
    /// # Errors
    /// Bounds and rates that make no sense.
    pub fn forecast(&self) -> Result<Option<Forecast>, SpecError> {
        let matches = self.matches_per_group();
        let asked = match self.test() {
            Some(test) => test.hypotheses(matches)?,
            None => None,
        };
        // A group against several benchmarks has so many more matches, and so much less spread.
        let seats = f64::from(self.rules.seats);
        let deviation = typical_deviation(u32::from(self.rules.seats))
            * (seats / f64::from(matches.max(1))).sqrt();
        Ok(asked.map(|asked| {
            let expected = expected_groups(&asked, deviation);
            Forecast {
                groups_at_lower: expected.at_lower,
                groups_at_upper: expected.at_upper,
                groups_half_way: expected.half_way,
            }
        }))
    }

    /// The same bots in a contest that is as short as one can be, to measure its time: one group,
    /// or one round.
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
