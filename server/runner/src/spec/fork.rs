//! The spec of a forked contest: a position in a replay.

use bridgemaster_proto::v1::{ForkChance, MatchFork, match_fork::Source};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// A position in a replay. The replay file itself is stored in the contest's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkPoint {
    /// Id of the match in the replay.
    pub match_id: String,
    /// The number of decisions to keep.
    pub decisions: u32,
    /// The treatment of chance results that are still hidden at the position.
    #[serde(default)]
    pub chance: HiddenChance,
}

/// The treatment of chance results that are still hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HiddenChance {
    /// Keeps the replay's hidden chance results.
    #[default]
    Keep,
    /// For each match, redraws everything that this seat cannot know.
    RedrawFor(u8),
}

impl ForkPoint {
    pub(super) fn validate(&self, seats: usize) -> Result<(), SpecError> {
        match self.chance {
            HiddenChance::RedrawFor(seat) if usize::from(seat) >= seats => Err(SpecError::invalid(
                "format",
                format!(
                    "chance.redraw_for: seat {seat} is out of range (0..={})",
                    seats.saturating_sub(1)
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Converts the position to a message for a CreateMatch request, with the replay file's bytes.
    pub(crate) fn message(&self, replay_file: Vec<u8>) -> MatchFork {
        let (chance, knowing_seats) = match self.chance {
            HiddenChance::Keep => (ForkChance::Keep, Vec::new()),
            HiddenChance::RedrawFor(seat) => (ForkChance::Redraw, vec![seat.into()]),
        };
        MatchFork {
            source: Some(Source::ReplayFile(replay_file)),
            decisions: self.decisions,
            chance: chance.into(),
            knowing_seats,
        }
    }
}
