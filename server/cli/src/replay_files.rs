//! Checks that `data check` makes besides checksums. Every match must be readable and able to
//! continue, and every replay file must equal the replay in the data folder.

use std::{collections::BTreeSet, fs, io, path::Path};

use bridgemaster_server::{
    WithheldReplays, inspect_finished_match, inspect_match_in_play, withheld_replays,
};
use bridgemaster_store::{DamageReport, FinishedMatch, Inspector, MatchId, OpenMatch, Records};

/// Inspects every match, and compares replay files if `--replays` names a folder.
pub(super) struct Inspection<'a> {
    replays: Option<&'a Path>,
    /// Matches whose replay files the last server withheld, according to the list in the replay
    /// folder. Some of these replays might now be public.
    withheld: BTreeSet<MatchId>,
    /// Matches whose replays are currently withheld, according to the data folder.
    withheld_now: Option<WithheldReplays>,
    /// Problems in replay files, one per line.
    pub(super) problems: Vec<String>,
}

impl<'a> Inspection<'a> {
    pub(super) fn new(replays: Option<&'a Path>) -> Self {
        Self {
            replays,
            withheld: replays.map(withheld_replays).unwrap_or_default(),
            withheld_now: None,
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
        // A cancelled match has an empty replay and no replay file.
        let is_cancelled = replay.is_empty();
        let is_withheld = || {
            let now = self.withheld_now.as_ref();
            self.withheld.contains(&finished.match_id)
                || now.is_some_and(|now| now.is_withheld(finished))
        };
        match fs::read(&path) {
            Ok(_) if is_cancelled => {
                Some(format!("{} exists, although the match was cancelled", path.display()))
            }
            Ok(bytes) if bytes == replay => None,
            Ok(_) => Some(format!("{} differs from the replay in the data folder", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_missing = !is_cancelled && !is_withheld();
                is_missing.then(|| format!("{} is missing", path.display()))
            }
            Err(error) => Some(format!("cannot read {}: {error}", path.display())),
        }
    }
}

impl Inspector for Inspection<'_> {
    fn inspect_records(&mut self, records: &Records) {
        if self.replays.is_some() {
            self.withheld_now = Some(WithheldReplays::new(records.clone()));
        }
    }

    fn inspect_match_in_play(&mut self, open: &OpenMatch) -> Result<(), DamageReport> {
        inspect_match_in_play(open)
    }

    fn inspect_finished_match(
        &mut self,
        finished: &FinishedMatch,
        replay: &[u8],
    ) -> Result<(), DamageReport> {
        let problem = self.replays.and_then(|folder| self.compare_file(folder, finished, replay));
        self.problems.extend(problem);
        inspect_finished_match(finished, replay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_withheld_is_not_missing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("complete-up-to"), "a1\nbut for:\nb2\n").unwrap();
        let mut inspection = Inspection::new(Some(folder.path()));
        let compared = |inspection: &Inspection<'_>, id: &str| {
            let finished = FinishedMatch {
                match_id: MatchId::new(id).unwrap(),
                opened_at_unix_ms: 0,
                ended_at_unix_ms: 0,
                summary: Vec::new(),
            };
            inspection.compare_file(folder.path(), &finished, b"replay")
        };
        let missing = compared(&inspection, "a1");
        assert!(missing.unwrap().contains("is missing"));
        assert_eq!(compared(&inspection, "b2"), None);
        // A server withholds a replay whose summary it cannot read, whether it is in the list of
        // the folder or not.
        inspection.inspect_records(&Records::default());
        assert_eq!(compared(&inspection, "a1"), None);
    }
}
