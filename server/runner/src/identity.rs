//! A contest's provenance: program, machine and bot files.

use serde::{Deserialize, Serialize};

use crate::{
    MatchNumber,
    bot_files::{BotFile, BotFileName},
    origin::Origin,
};

/// A contest's provenance: program, machine and bot files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The origin of each run of the contest. A resumed run adds an entry only if its origin
    /// differs from the previous entry.
    pub runs: Vec<Origin>,
    /// The latest state of the files of all bots that the contest starts.
    pub files: Vec<BotFile>,
    /// Detected changes, in order: files that changed while changes were allowed, and files that
    /// were rewritten with the same content.
    #[serde(default)]
    pub changes: Vec<BotChange>,
}

/// A detected change in a bot file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotChange {
    /// The file; `bridgemaster` for a built-in bot.
    #[serde(flatten)]
    pub name: BotFileName,
    /// SHA-256 before the change, or the `bridgemaster` version; `None` for a new file.
    pub before: Option<String>,
    /// SHA-256 or version after the change; `None` for a removed file. Equal to `before` if the
    /// file was rewritten with the same content.
    pub after: Option<String>,
    /// The match that was about to start when the change was detected; `None` if it was detected
    /// when the contest was resumed.
    pub before_match: Option<MatchNumber>,
}
