//! The position that a contest plays on from.

use bridgemaster_proto::v1::{ForkChance, MatchFork, match_fork::Source};
use serde::{Deserialize, Serialize};

use crate::SpecError;

/// A position of a replay. The replay itself is a file in the folder of the contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkPoint {
    /// The match whose replay it is.
    pub match_id: String,
    /// Decisions that are taken over.
    pub decisions: u32,
    /// What becomes of the chance that is hidden there.
    #[serde(default)]
    pub chance: OtherChance,
}

/// What becomes of hidden chance where a replay is played on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherChance {
    /// It stays as it was.
    #[default]
    Keep,
    /// What this seat does not know is drawn anew for each match.
    RedrawFor(u8),
}

impl ForkPoint {
    pub(super) fn check(&self, seats: usize) -> Result<(), SpecError> {
        match self.chance {
            OtherChance::RedrawFor(seat) if usize::from(seat) >= seats => {
                Err(SpecError::Format(format!(
                    "chance is to be drawn anew for seat {seat}, and the seats are 0 to {}",
                    seats.saturating_sub(1)
                )))
            }
            _ => Ok(()),
        }
    }

    /// What a server is asked for, with the bytes of the replay file.
    pub(crate) fn message(&self, replay_file: Vec<u8>) -> MatchFork {
        let (chance, knowing_seats) = match self.chance {
            OtherChance::Keep => (ForkChance::Keep, Vec::new()),
            OtherChance::RedrawFor(seat) => (ForkChance::Redraw, vec![seat.into()]),
        };
        MatchFork {
            source: Some(Source::ReplayFile(replay_file)),
            decisions: self.decisions,
            chance: chance.into(),
            knowing_seats,
        }
    }
}
