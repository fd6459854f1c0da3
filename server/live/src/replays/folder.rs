//! The folder to which replays of finished matches are written.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bridgemaster_edge::{limits::MAX_WITHHELD_REPLAYS, metrics::Metrics};
use bridgemaster_replay::whole_file::{self, FileMode, PreparedFile, sync_folder};
use bridgemaster_store::{MAX_ID_BYTES, MatchId};
use thiserror::Error;
use tokio::task::spawn_blocking;
use tracing::warn;

/// The suffix of a replay file, after the match identifier.
const REPLAY_SUFFIX: &str = ".replay.binpb";
/// The suffix of a replay file that a newer replay replaced. A number follows the suffix.
const SUPERSEDED_SUFFIX: &str = ".superseded-";
/// The file that names the matches up to which the folder is complete.
const CHECKPOINT_FILE: &str = "complete-up-to";
/// The line of the checkpoint file that precedes the matches whose replays are withheld. No
/// identifier has this form.
const WITHHELD_HEADING: &str = "but for:";
/// The maximum number of matches that a checkpoint names, counted back from the match that ended
/// last. The checkpoint stays usable as long as the store has one of these matches.
pub(super) const CHECKPOINT_MATCHES: usize = 16;
/// The maximum length of a checkpoint file, in bytes: an identifier and a line break per match.
const MAX_CHECKPOINT_BYTES: usize =
    (CHECKPOINT_MATCHES + MAX_WITHHELD_REPLAYS) * (MAX_ID_BYTES + 1) + WITHHELD_HEADING.len() + 1;

/// A folder that contains replay files. Files under their final names are complete.
#[derive(Clone, Debug)]
pub struct ReplayFolder {
    folder: PathBuf,
    mode: FileMode,
}

/// The last matches that had ended when the folder was complete, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checkpoint(Vec<MatchId>);

/// The checkpoint of a complete folder, and the earlier matches whose replays were withheld.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FolderProgress {
    pub(super) checkpoint: Checkpoint,
    pub(super) exceptions: BTreeSet<MatchId>,
}

impl Checkpoint {
    /// Creates a checkpoint; `None` without matches.
    pub(super) fn new(newest: Vec<MatchId>) -> Option<Self> {
        (!newest.is_empty()).then_some(Self(newest))
    }

    /// Returns whether the checkpoint names this match, so that the folder has the replays of all
    /// earlier matches.
    pub(super) fn contains(&self, match_id: &MatchId) -> bool {
        self.0.contains(match_id)
    }
}

/// Returns the matches whose replays a folder lacks because they are not public yet, according to
/// the server that last wrote to it.
pub fn withheld_replays(folder: &Path) -> BTreeSet<MatchId> {
    let folder = ReplayFolder::new(folder.to_owned(), FileMode::PRIVATE);
    let complete = folder.read_progress();
    complete.map_or_else(BTreeSet::new, |complete| complete.exceptions)
}

/// A replay that is to be written.
#[derive(Clone, Debug)]
pub(super) struct PendingReplay {
    pub(super) match_id: MatchId,
    pub(super) bytes: Arc<[u8]>,
}

/// A file that could not be written.
#[derive(Debug, Error)]
#[error("cannot write {}", path.display())]
pub(super) struct ReplayWriteError {
    path: PathBuf,
    source: io::Error,
}

impl ReplayFolder {
    /// Creates a handle to the folder. New files get this mode.
    pub fn new(folder: PathBuf, mode: FileMode) -> Self {
        Self { folder, mode }
    }

    fn path(&self, match_id: &MatchId) -> PathBuf {
        self.folder.join(format!("{match_id}{REPLAY_SUFFIX}"))
    }

    /// Returns whether the replay of a match exists.
    pub(super) fn contains(&self, match_id: &MatchId) -> bool {
        self.path(match_id).is_file()
    }

    /// Writes replays as `MATCH_ID.replay.binpb`, durably and completely. Returns the replays that
    /// failed, with the errors. A failed write does not affect other writes, and leaves an existing
    /// file unchanged. A different replay of the same match is preserved under another name.
    pub(super) fn write(
        &self,
        replays: Vec<PendingReplay>,
    ) -> Vec<(PendingReplay, ReplayWriteError)> {
        let mut failed = Vec::new();
        let mut prepared = Vec::new();
        for replay in replays {
            let path = self.path(&replay.match_id);
            match PreparedFile::write(path.clone(), &replay.bytes, Some(self.mode)) {
                Ok(file) => prepared.push((file, path, replay)),
                Err(source) => failed.push((replay, ReplayWriteError { path, source })),
            }
        }
        let mut renamed = Vec::new();
        for (file, path, replay) in prepared {
            let preserved = preserve_other(&path, &replay);
            match preserved.and_then(|()| file.persist()) {
                Ok(()) => renamed.push(replay),
                Err(source) => failed.push((replay, ReplayWriteError { path, source })),
            }
        }
        if !renamed.is_empty()
            && let Err(error) = sync_folder(&self.folder)
        {
            // The files have their final names, but the renames are not durable, so they count as
            // failed.
            failed.extend(renamed.into_iter().map(|replay| {
                let write_error =
                    ReplayWriteError { path: self.folder.clone(), source: error.kind().into() };
                (replay, write_error)
            }));
        }
        failed
    }

    /// Reads the folder's checkpoint file, if the file is valid.
    pub(super) fn read_progress(&self) -> Option<FolderProgress> {
        // Without a readable checkpoint, all matches are checked.
        let bytes = fs::read(self.folder.join(CHECKPOINT_FILE)).ok()?;
        if bytes.len() > MAX_CHECKPOINT_BYTES {
            return None;
        }
        let mut lines = std::str::from_utf8(&bytes).ok()?.lines();
        let checkpoint_ids = lines.by_ref().take_while(|line| *line != WITHHELD_HEADING);
        let checkpoint_ids: Result<_, _> = checkpoint_ids.map(MatchId::new).collect();
        let exceptions: Result<_, _> = lines.map(MatchId::new).collect();
        Some(FolderProgress {
            checkpoint: Checkpoint::new(checkpoint_ids.ok()?)?,
            exceptions: exceptions.ok()?,
        })
    }

    /// Writes the folder's checkpoint file.
    pub(super) fn write_progress(&self, complete: &FolderProgress) -> Result<(), ReplayWriteError> {
        let path = self.folder.join(CHECKPOINT_FILE);
        let mut text = String::new();
        let mut add = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        complete.checkpoint.0.iter().for_each(|id| add(id.as_str()));
        if !complete.exceptions.is_empty() {
            add(WITHHELD_HEADING);
            complete.exceptions.iter().for_each(|id| add(id.as_str()));
        }
        whole_file::write_with(&path, text.as_bytes(), self.mode)
            .map_err(|source| ReplayWriteError { path, source })
    }

    /// Removes files that a server started to write and did not finish. Returns their number.
    pub(super) fn remove_unfinished(&self) -> io::Result<usize> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if is_unfinished_replay(&path) {
                // A file that cannot be removed does not affect other files.
                removed += usize::from(fs::remove_file(&path).is_ok());
            }
        }
        Ok(removed)
    }
}

/// Preserves a different replay file of the same match. Such a file exists if the store was
/// restored from a backup and the match then ended differently. Clients might have seen the earlier
/// end.
fn preserve_other(path: &Path, replay: &PendingReplay) -> io::Result<()> {
    match fs::read(path) {
        Ok(bytes) if bytes != *replay.bytes => {}
        // If the path is not a readable file, the write reports the error.
        _ => return Ok(()),
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut names =
        (1_u32..).map(|number| path.with_file_name(format!("{name}{SUPERSEDED_SUFFIX}{number}")));
    let Some(preserved) = names.find(|preserved| !preserved.exists()) else {
        return Ok(());
    };
    // A hard link is preferred, since the path then always exists. Not every file system supports
    // hard links.
    fs::hard_link(path, &preserved).or_else(|_| fs::rename(path, &preserved))?;
    warn!(
        match_id = %replay.match_id,
        preserved = %preserved.display(),
        "renamed the file of a different replay of the match, perhaps from before a restore of \
         the store"
    );
    Ok(())
}

/// Returns whether a file is an incomplete replay or checkpoint.
fn is_unfinished_replay(path: &Path) -> bool {
    whole_file::final_name(path)
        .is_some_and(|name| name.ends_with(REPLAY_SUFFIX) || name == CHECKPOINT_FILE)
}

/// The maximum number of replays in a batch. Each batch needs one sync of the folder.
pub(super) const MAX_BATCH: usize = 32;

/// Writes to the replay folder. Writes that a panic lost are detected and retried.
#[derive(Clone)]
pub(super) struct ReplayWriter {
    folder: ReplayFolder,
    metrics: Arc<Metrics>,
}

impl ReplayWriter {
    pub(super) fn new(folder: ReplayFolder, metrics: Arc<Metrics>) -> Self {
        Self { folder, metrics }
    }

    /// Writes replays. Returns the replays that failed, with the errors.
    pub(super) async fn write(
        &self,
        replays: Vec<PendingReplay>,
    ) -> Vec<(PendingReplay, ReplayWriteError)> {
        let count = replays.len();
        let failed = self.run(move |folder| folder.write(replays)).await.unwrap_or_default();
        self.metrics.count_written_replays(count - failed.len());
        failed
    }

    /// Returns a writer to the same folder, for files that only their owner can read.
    pub(super) fn with_private_files(&self) -> Self {
        let folder = ReplayFolder { mode: FileMode::PRIVATE, ..self.folder.clone() };
        Self::new(folder, Arc::clone(&self.metrics))
    }

    /// Counts a replay that cannot be written.
    pub(super) fn count_failure(&self) {
        self.metrics.count_failed_replay();
    }

    /// Returns the matches, out of this list, whose replays are missing.
    pub(super) async fn missing(&self, ids: Vec<MatchId>) -> Vec<MatchId> {
        let missing = self.run(move |folder| {
            let is_missing = |id: &MatchId| !folder.contains(id);
            ids.into_iter().filter(is_missing).collect()
        });
        missing.await.unwrap_or_default()
    }

    pub(super) async fn read_progress(&self) -> Option<FolderProgress> {
        self.run(ReplayFolder::read_progress).await.flatten()
    }

    pub(super) async fn write_progress(
        &self,
        complete: FolderProgress,
    ) -> Result<(), ReplayWriteError> {
        let written = self.run(move |folder| folder.write_progress(&complete)).await;
        written.unwrap_or(Ok(()))
    }

    /// Removes files that an earlier server did not finish writing.
    pub(super) async fn remove_unfinished(&self) {
        match self.run(ReplayFolder::remove_unfinished).await {
            Some(Ok(0)) | None => {}
            Some(Ok(removed)) => warn!(removed, "removed incomplete replay files"),
            Some(Err(error)) => warn!(%error, "cannot list the folder of replays"),
        }
    }

    /// Runs a function of the folder on a thread that may block. Returns `None` after a panic.
    async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&ReplayFolder) -> T + Send + 'static,
    ) -> Option<T> {
        let folder = self.folder.clone();
        spawn_blocking(move || task(&folder)).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(match_id: &str, bytes: &[u8]) -> PendingReplay {
        PendingReplay { match_id: MatchId::new(match_id).unwrap(), bytes: bytes.into() }
    }

    #[test]
    fn a_different_replay_of_a_match_is_preserved_under_another_name() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(dir.path().to_owned(), FileMode::PRIVATE);
        for bytes in [&b"first"[..], b"first", b"second", b"third"] {
            assert!(folder.write(vec![replay("a1", bytes)]).is_empty());
        }
        let names = fs::read_dir(dir.path()).unwrap();
        let mut files: Vec<_> = names
            .map(|entry| {
                let path = entry.unwrap().path();
                let bytes = fs::read(&path).unwrap();
                (path.file_name().unwrap().to_owned(), bytes)
            })
            .collect();
        files.sort();
        let expected = [
            ("a1.replay.binpb", "third"),
            ("a1.replay.binpb.superseded-1", "first"),
            ("a1.replay.binpb.superseded-2", "second"),
        ];
        assert_eq!(files, expected.map(|(name, text)| (name.into(), text.into())));
    }

    #[test]
    fn only_unfinished_files_of_a_server_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(dir.path().to_owned(), FileMode::PRIVATE);
        assert!(folder.write(vec![replay("a1", b"whole")]).is_empty());
        for name in [
            "b2.replay.binpb.41.unfinished",
            "complete-up-to.aB3x9Z.unfinished",
            "thesis.unfinished",
            "b2.replay.binpb.my-notes.unfinished",
        ] {
            fs::write(dir.path().join(name), "half").unwrap();
        }
        assert_eq!(folder.remove_unfinished().unwrap(), 2);
        assert!(dir.path().join("thesis.unfinished").is_file());
        assert_eq!(fs::read(dir.path().join("a1.replay.binpb")).unwrap(), b"whole");
    }

    #[test]
    fn a_replay_that_cannot_be_written_does_not_affect_the_others() {
        // A directory at the second path makes that write fail.
        let obstacle = "b2.replay.binpb";
        let dir = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(dir.path().to_owned(), FileMode::PRIVATE);
        fs::create_dir(dir.path().join(obstacle)).unwrap();
        let replays = [replay("a1", b"one"), replay("b2", b"two"), replay("c3", b"")];
        let failed = folder.write(replays.into());
        let [(replay, why)] = &failed[..] else {
            panic!("{failed:?}");
        };
        assert_eq!(replay.match_id, MatchId::new("b2").unwrap());
        assert!(why.to_string().contains("b2.replay.binpb"), "{why}");
        let names = fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a1.replay.binpb", obstacle, "c3.replay.binpb"]);
        let first = fs::read(dir.path().join("a1.replay.binpb")).unwrap();
        assert_eq!(first, b"one");
    }

    #[test]
    fn a_checkpoint_round_trips_and_invalid_files_are_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(dir.path().to_owned(), FileMode::PRIVATE);
        assert_eq!(folder.read_progress(), None);
        let id = |n: usize| MatchId::new(format!("{n:0>64}")).unwrap();
        for withheld in [0, 3] {
            let complete = FolderProgress {
                checkpoint: Checkpoint::new((0..CHECKPOINT_MATCHES).map(id).collect()).unwrap(),
                exceptions: (100..100 + withheld).map(id).collect(),
            };
            folder.write_progress(&complete).unwrap();
            assert_eq!(folder.read_progress(), Some(complete));
        }
        for junk in [
            b"".as_slice(),
            b"\xff\xfe",
            b"a b",
            b"a\n\nb",
            b"but for:\na",
            b"a\nbut for:\nb\n\nc",
            b"a\nbut for:\nbut for:\n",
            &[b'a'; 1000],
        ] {
            fs::write(dir.path().join(CHECKPOINT_FILE), junk).unwrap();
            assert_eq!(folder.read_progress(), None, "{junk:?}");
        }
    }
}
