//! What `data check` looks into beyond checksums: whether matches can go on and be read, and
//! whether replay files are what the data folder has.

use std::{fs, io, path::Path};

use bridgemaster_server::{inspect_finished_match, inspect_match_in_play};
use bridgemaster_store::{Damage, FinishedMatch, Inspector, OpenMatch};

/// A look at every match, and at its replay file if there is a folder of them.
pub(super) struct Inspection<'a> {
    replays: Option<&'a Path>,
    /// What is wrong with replay files.
    pub(super) problems: Vec<String>,
}

impl<'a> Inspection<'a> {
    pub(super) fn new(replays: Option<&'a Path>) -> Self {
        Self {
            replays,
            problems: Vec::new(),
        }
    }

    fn compare_file(
        &self,
        folder: &Path,
        finished: &FinishedMatch,
        replay: &[u8],
    ) -> Option<String> {
        let path = folder.join(format!("{}.replay.binpb", finished.match_id));
        // A match that was cancelled has no replay.
        let is_cancelled = replay.is_empty();
        match fs::read(&path) {
            Ok(_) if is_cancelled => Some(format!(
                "{} is there, though the match was cancelled",
                path.display()
            )),
            Ok(bytes) if bytes == replay => None,
            Ok(_) => Some(format!(
                "{} is not the replay that the data folder has",
                path.display()
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_cancelled => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some(format!("{} is missing", path.display()))
            }
            Err(error) => Some(format!("{} cannot be read: {error}", path.display())),
        }
    }
}

impl Inspector for Inspection<'_> {
    fn match_in_play(&mut self, open: &OpenMatch) -> Result<(), Damage> {
        inspect_match_in_play(open)
    }

    fn finished_match(&mut self, finished: &FinishedMatch, replay: &[u8]) -> Result<(), Damage> {
        let problem = self
            .replays
            .and_then(|folder| self.compare_file(folder, finished, replay));
        self.problems.extend(problem);
        inspect_finished_match(finished, replay)
    }
}
