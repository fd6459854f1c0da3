//! The replay position that a forked contest starts from.

use bridgemaster_proto::v1::{MatchConfig, MatchFork};
use bridgemaster_replay::decode;

use crate::{ContestSpec, FolderError, Format, HiddenChance, folder::Folder};

/// A position to fork from: the replay file and its match's config.
pub(crate) struct ForkSource {
    config: MatchConfig,
    message: MatchFork,
    keeps_chance: bool,
}

impl ForkSource {
    /// Loads the position from a contest's folder. Returns `None` if the contest is not a fork.
    pub(crate) fn load(spec: &ContestSpec, folder: &Folder) -> Result<Option<Self>, FolderError> {
        let Format::Fork { from, .. } = &spec.format else {
            return Ok(None);
        };
        let bytes = folder.fork()?;
        let replay = decode(&bytes).map_err(|error| folder.invalid_fork(error.to_string()))?;
        Ok(Some(Self {
            config: replay.replay.config.unwrap_or_default(),
            message: from.message(bytes),
            keeps_chance: from.chance == HiddenChance::Keep,
        }))
    }

    /// Returns a match's config. If the fork keeps the replay's chance results, the seed is
    /// ignored.
    pub(crate) fn config(&self, seed: &str) -> MatchConfig {
        MatchConfig { seed: (!self.keeps_chance).then(|| seed.to_owned()), ..self.config.clone() }
    }

    /// Returns the message that describes the fork in a CreateMatch request.
    pub(crate) fn message(&self) -> MatchFork {
        self.message.clone()
    }
}
