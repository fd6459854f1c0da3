//! The folder that the replays of ended matches are written to.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bridgemaster_store::{MAX_ID_BYTES, MatchId};
use thiserror::Error;
use tracing::warn;

use bridgemaster_whole_file::{self as whole_file, Prepared, UNFINISHED, sync_folder};

/// What the name of a replay file has after the identifier of its match.
const SUFFIX: &str = ".replay.binpb";
/// What the name of a replay file has after it when another one took its place, before a number.
const SUPERSEDED: &str = ".superseded-";
/// The file that names the matches up to which all that had ended are in the folder.
const MARK_FILE: &str = "complete-up-to";
/// Matches that a mark names. Any of them may be dropped from the store, but so many of the last
/// ones are not.
pub(super) const MARKED_MATCHES: usize = 16;
/// Longest mark that is read, in bytes: for each match an identifier and a line break.
const MAX_MARK_BYTES: usize = MARKED_MATCHES * (MAX_ID_BYTES + 1);

/// A folder of replay files. A file with the name of one is whole.
#[derive(Clone, Debug)]
pub(super) struct ReplayFolder {
    folder: PathBuf,
}

/// The matches that had ended last when the folder had the replays of all, the last one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark(Vec<MatchId>);

impl Mark {
    /// A mark of these matches; `None` if there are none.
    pub(super) fn new(newest: Vec<MatchId>) -> Option<Self> {
        (!newest.is_empty()).then_some(Self(newest))
    }

    /// Whether it names this match: all that ended earlier had their replays in the folder.
    pub(super) fn has(&self, match_id: &MatchId) -> bool {
        self.0.contains(match_id)
    }
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

    /// Writes replays as `MATCH_ID.replay.binpb`: when this returns, each is on the disk and whole,
    /// but for those that it gives, with the reasons. One that cannot be written is not there, or
    /// as it was before, and holds no other up. Another replay of the same match is kept under
    /// another name.
    pub(super) fn write(&self, replays: Vec<Unwritten>) -> Vec<(Unwritten, NotWritten)> {
        let mut left = Vec::new();
        let mut prepared = Vec::new();
        for replay in replays {
            let path = self.path(&replay.match_id);
            match Prepared::write(path.clone(), &replay.bytes) {
                Ok(file) => prepared.push((file, path, replay)),
                Err(source) => left.push((replay, NotWritten { path, source })),
            }
        }
        let mut put = Vec::new();
        for (file, path, replay) in prepared {
            let kept = keep_other(&path, &replay);
            match kept.and_then(|()| file.put()) {
                Ok(()) => put.push(replay),
                Err(source) => left.push((replay, NotWritten { path, source })),
            }
        }
        if !put.is_empty()
            && let Err(error) = sync_folder(&self.folder)
        {
            // They have their names, which may be gone after the loss of power.
            left.extend(put.into_iter().map(|replay| {
                let not_written = NotWritten {
                    path: self.folder.clone(),
                    source: error.kind().into(),
                };
                (replay, not_written)
            }));
        }
        left
    }

    /// Up to where all that had ended are in the folder, if that is known.
    pub(super) fn mark(&self) -> Option<Mark> {
        // A mark that cannot be read is no mark: more is looked through then.
        let bytes = fs::read(self.folder.join(MARK_FILE)).ok()?;
        if bytes.len() > MAX_MARK_BYTES {
            return None;
        }
        let lines = std::str::from_utf8(&bytes).ok()?.lines();
        let ids: Result<_, _> = lines.map(MatchId::new).collect();
        Mark::new(ids.ok()?)
    }

    /// Keeps in mind up to where all matches that had ended are in the folder.
    pub(super) fn set_mark(&self, mark: &Mark) -> Result<(), NotWritten> {
        let path = self.folder.join(MARK_FILE);
        let lines: Vec<String> = mark.0.iter().map(|id| format!("{id}\n")).collect();
        whole_file::write(&path, lines.concat().as_bytes())
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

/// Keeps a file that has the name of a replay and is another one: after a restore a match is played
/// to its end once more, and somebody may have been told of the earlier end.
fn keep_other(path: &Path, replay: &Unwritten) -> io::Result<()> {
    match fs::read(path) {
        Ok(bytes) if bytes != *replay.bytes => {}
        // What is in the way and is no file is told of by the attempt to write.
        _ => return Ok(()),
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut names =
        (1_u32..).map(|number| path.with_file_name(format!("{name}{SUPERSEDED}{number}")));
    let Some(kept) = names.find(|kept| !kept.exists()) else {
        return Ok(());
    };
    // Not every file system has links; with one, the file has its name all the time.
    fs::hard_link(path, &kept).or_else(|_| fs::rename(path, &kept))?;
    warn!(
        match_id = %replay.match_id,
        kept = %kept.display(),
        "there is another replay of the match, of an end before a restore perhaps: it is kept \
         under another name"
    );
    Ok(())
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
    fn another_replay_of_a_match_is_kept_under_another_name() {
        let kept = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(kept.path().to_owned());
        for bytes in [&b"first"[..], b"first", b"second", b"third"] {
            assert!(folder.write(vec![replay("a1", bytes)]).is_empty());
        }
        let names = fs::read_dir(kept.path()).unwrap();
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
        assert_eq!(
            files,
            expected.map(|(name, text)| (name.into(), text.into()))
        );
    }

    #[test]
    fn only_files_that_a_server_began_are_removed() {
        let kept = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(kept.path().to_owned());
        assert!(folder.write(vec![replay("a1", b"whole")]).is_empty());
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
    fn of_replays_that_cannot_all_be_written_the_others_are_there_and_none_is_half_there() {
        // A folder is in the way of the second, before its name is given to it and then.
        let unfinished = format!("b2.replay.binpb.{}.unfinished", std::process::id());
        for in_the_way in [unfinished.as_str(), "b2.replay.binpb"] {
            let kept = tempfile::tempdir().unwrap();
            let folder = ReplayFolder::new(kept.path().to_owned());
            fs::create_dir(kept.path().join(in_the_way)).unwrap();
            let replays = [
                replay("a1", b"one"),
                replay("b2", b"two"),
                replay("c3", b""),
            ];
            let left = folder.write(replays.into());
            let [(stuck, why)] = &left[..] else {
                panic!("{left:?}");
            };
            assert_eq!(stuck.match_id, MatchId::new("b2").unwrap());
            assert!(why.to_string().contains("b2.replay.binpb"), "{why}");
            let names = fs::read_dir(kept.path()).unwrap();
            let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["a1.replay.binpb", in_the_way, "c3.replay.binpb"]);
            let first = fs::read(kept.path().join("a1.replay.binpb")).unwrap();
            assert_eq!(first, b"one");
        }
    }

    #[test]
    fn a_mark_reads_back_and_junk_is_none() {
        let kept = tempfile::tempdir().unwrap();
        let folder = ReplayFolder::new(kept.path().to_owned());
        assert_eq!(folder.mark(), None);
        let ids = (0..MARKED_MATCHES).map(|n| MatchId::new(format!("{n:0>64}")).unwrap());
        let mark = Mark::new(ids.collect()).unwrap();
        folder.set_mark(&mark).unwrap();
        assert_eq!(folder.mark(), Some(mark));
        for junk in [
            b"".as_slice(),
            b"\xff\xfe",
            b"a b",
            b"a\n\nb",
            &[b'a'; 1000],
        ] {
            fs::write(kept.path().join(MARK_FILE), junk).unwrap();
            assert_eq!(folder.mark(), None, "{junk:?}");
        }
    }
}
