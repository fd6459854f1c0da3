//! The match that a contest plays on, if it does.

use bridgemaster_proto::v1::{MatchConfig, MatchFork, Replay};
use bridgemaster_replay::decode;

use crate::{ContestSpec, FolderError, ForkPoint, Format, OtherChance, folder::Folder};

/// A position that is played on: its replay file, and the rules of its match.
pub(crate) struct Forked {
    config: MatchConfig,
    message: MatchFork,
    keeps_chance: bool,
}

impl Forked {
    /// The position of a contest, if it has one, from its folder.
    pub(crate) fn of(spec: &ContestSpec, folder: &Folder) -> Result<Option<Self>, FolderError> {
        let Format::Fork { from, .. } = &spec.format else {
            return Ok(None);
        };
        let bytes = folder.fork()?;
        let replay = decode(&bytes).map_err(|error| folder.bad_fork(error.to_string()))?;
        Ok(Some(Self::new(from, replay.replay, bytes)))
    }

    fn new(from: &ForkPoint, replay: Replay, bytes: Vec<u8>) -> Self {
        Self {
            config: replay.config.unwrap_or_default(),
            message: from.message(bytes),
            keeps_chance: from.chance == OtherChance::Keep,
        }
    }

    /// The config of a match of a group with this seed. Where chance is kept, the seed is that of
    /// the replay.
    pub(crate) fn config(&self, seed: &str) -> MatchConfig {
        MatchConfig {
            seed: (!self.keeps_chance).then(|| seed.to_owned()),
            ..self.config.clone()
        }
    }

    /// Where a match goes on.
    pub(crate) fn message(&self) -> MatchFork {
        self.message.clone()
    }
}
