//! The folder that the replays of ended matches are written to.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bridgemaster_store::MatchId;
use thiserror::Error;

use bridgemaster_whole_file::{self as whole_file, Prepared, UNFINISHED, sync_folder};

/// What the name of a replay file has after the identifier of its match.
const SUFFIX: &str = ".replay.binpb";
/// The file that names the match up to which all that had ended are in the folder.
const MARK_FILE: &str = "complete-up-to";
/// Longest mark that is read, in bytes: an identifier and a line break.
const MAX_MARK_BYTES: usize = 128;

/// A folder of replay files. A file with the name of one is whole.
#[derive(Clone, Debug)]
pub(super) struct ReplayFolder {
    folder: PathBuf,
}

/// A replay to be written.
#[derive(Clone, Debug)]
pub(super) struct Unwritten {
    pub(super) match_id: MatchId,
    pub(super) bytes: Arc<[u8]>,
}

/// A file that could not be written, and what the system says.
#[derive(Debug, Error)]
#[error("{} cannot be written", path.display())]
pub(super) struct NotWritten {
    path: PathBuf,
    source: io::Error,
}

impl ReplayFolder {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn path(&self, match_id: &MatchId) -> PathBuf {
        self.folder.join(format!("{match_id}{SUFFIX}"))
    }

    /// Whether the replay of a match is there.
    pub(super) fn has(&self, match_id: &MatchId) -> bool {
        self.path(match_id).is_file()
    }

    /// Writes replays as `MATCH_ID.replay.binpb`, all of them or none: when this returns, they are
    /// on the disk.
    pub(super) fn write(&self, replays: &[Unwritten]) -> Result<(), NotWritten> {
        let mut prepared = Vec::new();
        for replay in replays {
            let path = self.path(&replay.match_id);
            let written = Prepared::write(path.clone(), &replay.bytes);
            prepared.push((
                written.map_err(|source| NotWritten {
                    path: path.clone(),
                    source,
                })?,
                path,
            ));
        }
        for (file, path) in prepared {
            file.put().map_err(|source| NotWritten { path, source })?;
        }
        sync_folder(&self.folder).map_err(|source| NotWritten {
            path: self.folder.clone(),
            source,
        })
    }

    /// The match up to which all that had ended are in the folder, if that is known.
    pub(super) fn mark(&self) -> Option<MatchId> {
        // A mark that cannot be read is no mark: more is looked through then.
        let bytes = fs::read(self.folder.join(MARK_FILE)).ok()?;
        let text = bytes.get(..bytes.len().min(MAX_MARK_BYTES))?;
        MatchId::new(std::str::from_utf8(text).ok()?.trim()).ok()
    }

    /// Keeps in mind that all matches that had ended up to this one are in the folder.
    pub(super) fn set_mark(&self, match_id: &MatchId) -> Result<(), NotWritten> {
        let path = self.folder.join(MARK_FILE);
        whole_file::write(&path, format!("{match_id}\n").as_bytes())
            .map_err(|source| NotWritten { path, source })
    }

    /// Removes the files that a server began and did not finish, and tells how many they were.
    pub(super) fn remove_unfinished(&self) -> io::Result<usize> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if is_unfinished_replay(&path) {
                // One that cannot be removed is no reason to leave the others.
                removed += usize::from(fs::remove_file(&path).is_ok());
            }
        }
        Ok(removed)
    }
}

/// Whether a file has the name of a replay that is being written.
fn is_unfinished_replay(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(UNFINISHED));
    let Some((whole, process)) = stem.and_then(|stem| stem.rsplit_once('.')) else {
        return false;
    };
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (whole.ends_with(SUFFIX) || whole == MARK_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(match_id: &str, bytes: &[u8]) -> Unwritten {
        Unwritten {
            match_id: MatchId::new(match_id).unwrap(),
            bytes: bytes.into(),
        }
    }

    #[test]
    fn only_files_that_a_server_began_are_removed() {
        let kept = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(kept.path().to_owned());
        folder.write(&[replay("a1", b"whole")]).unwrap();
        for name in [
            "b2.replay.binpb.41.unfinished",
            "complete-up-to.41.unfinished",
            "thesis.unfinished",
            "b2.replay.binpb.x.unfinished",
        ] {
            fs::write(kept.path().join(name), "half").unwrap();
        }
        assert_eq!(folder.remove_unfinished().unwrap(), 2);
        assert!(kept.path().join("thesis.unfinished").is_file());
        assert_eq!(
            fs::read(kept.path().join("a1.replay.binpb")).unwrap(),
            b"whole"
        );
    }

    #[test]
    fn of_replays_that_cannot_all_be_written_none_is_half_there() {
        let kept = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(kept.path().to_owned());
        // A folder is in the way of the second.
        let in_the_way = format!("b2.replay.binpb.{}.unfinished", std::process::id());
        fs::create_dir(kept.path().join(&in_the_way)).unwrap();
        let refused = folder.write(&[replay("a1", b"one"), replay("b2", b"two")]);
        assert!(refused.unwrap_err().to_string().contains("b2.replay.binpb"));
        let left: Vec<_> = fs::read_dir(kept.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn a_mark_reads_back_and_junk_is_none() {
        let kept = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(kept.path().to_owned());
        assert_eq!(folder.mark(), None);
        let id = MatchId::new("a1").unwrap();
        folder.set_mark(&id).unwrap();
        assert_eq!(folder.mark(), Some(id));
        for junk in [b"".as_slice(), b"\xff\xfe", b"a b", &[b'a'; 1000]] {
            fs::write(kept.path().join(MARK_FILE), junk).unwrap();
            assert_eq!(folder.mark(), None, "{junk:?}");
        }
    }
}
