//! The folder of a contest: what it is, what was played, replays, and what the bots said.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    ContestSpec, JournalError, MatchNumber, MatchRow, SpecError, Standing,
    journal::{self, Journal},
};

const SPEC_FILE: &str = "contest.json";
const RESULTS_FILE: &str = "results.jsonl";
const FORK_FILE: &str = "fork.replay.binpb";
const REPLAYS: &str = "replays";
const STDERR: &str = "stderr";

/// Version of the form of a folder.
const FORM: u32 = 1;

/// Why the folder of a contest cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It has a contest already.
    #[error("{} has a contest already; go on with it by --resume, or name another folder",
        .0.display())]
    Taken(PathBuf),
    /// It has no contest.
    #[error("{} has no contest: there is no file {SPEC_FILE}", .0.display())]
    Empty(PathBuf),
    /// A file or a folder cannot be made, read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file that says what the contest is cannot be understood.
    #[error("{}: {problem}", path.display())]
    Spec {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The contest cannot be played.
    #[error(transparent)]
    Check(#[from] SpecError),
    /// The finished matches cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The finished matches make no sense together.
    #[error("the finished matches do not fit the contest: {0}")]
    Results(#[from] bridgemaster_contest::ContestError),
}

/// The file that says what the contest is.
#[derive(Serialize, Deserialize)]
struct Kept {
    form: u32,
    /// Names it among all contests of a server.
    id: String,
    contest: ContestSpec,
}

/// A replay that is to be kept.
pub(crate) struct ReplayFile {
    /// Relative to the folder of the contest.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The folder of a contest that is played.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    id: String,
}

impl Folder {
    /// Makes a folder for a new contest with this name among those of a server.
    pub(crate) fn create(
        root: &Path,
        id: String,
        spec: &ContestSpec,
    ) -> Result<(Self, Journal), FolderError> {
        let file = root.join(SPEC_FILE);
        if file.exists() {
            return Err(FolderError::Taken(root.to_owned()));
        }
        for folder in [REPLAYS, STDERR] {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).map_err(failed(&folder))?;
        }
        let kept = Kept {
            form: FORM,
            id: id.clone(),
            contest: spec.clone(),
        };
        let mut text = serde_json::to_string_pretty(&kept)
            .map_err(io::Error::from)
            .map_err(failed(&file))?;
        text.push('\n');
        let (journal, _) = Journal::open(&root.join(RESULTS_FILE))?;
        bridgemaster_whole_file::write(&file, text.as_bytes()).map_err(failed(&file))?;
        let folder = Self {
            root: root.to_owned(),
            id,
        };
        Ok((folder, journal))
    }

    /// Opens the folder of a contest that goes on, with its finished matches.
    pub(crate) fn resume(
        root: &Path,
    ) -> Result<(Self, Journal, Standing, Vec<MatchRow>), FolderError> {
        let kept = read_kept(root)?;
        let (journal, rows) = Journal::open(&root.join(RESULTS_FILE))?;
        let standing = standing(root, kept.contest, &rows)?;
        let folder = Self {
            root: root.to_owned(),
            id: kept.id,
        };
        Ok((folder, journal, standing, rows))
    }

    /// Keeps the replay file that the contest plays on from.
    pub(crate) fn keep_fork(&self, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.root.join(FORK_FILE);
        bridgemaster_whole_file::write(&path, bytes).map_err(failed(&path))
    }

    /// The replay file that the contest plays on from.
    pub(crate) fn fork(&self) -> Result<Vec<u8>, FolderError> {
        let path = self.root.join(FORK_FILE);
        fs::read(&path).map_err(failed(&path))
    }

    /// That replay file cannot be read.
    pub(crate) fn bad_fork(&self, problem: String) -> FolderError {
        FolderError::Spec {
            path: self.root.join(FORK_FILE),
            problem,
        }
    }

    /// The name of the contest among those of a server.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The name of a replay, relative to the folder.
    pub(crate) fn replay_name(of: MatchNumber, attempt: u32, outcome: &str) -> String {
        format!("{REPLAYS}/{outcome}{}.replay.binpb", stem(of, attempt))
    }

    /// Keeps replays under their names: when this returns, each is on the disk and whole.
    pub(crate) fn keep_replays(&self, replays: &[ReplayFile]) -> Result<(), FolderError> {
        let files = replays.iter();
        let files: Vec<_> = files
            .map(|replay| (self.path(&replay.name), &*replay.bytes))
            .collect();
        bridgemaster_whole_file::write_together(&files)
            .map_err(|(path, source)| FolderError::File { path, source })
    }

    /// The file for the standard error of a bot, relative to the folder.
    pub(crate) fn stderr_name(of: MatchNumber, attempt: u32, seat: usize, bot: &str) -> String {
        format!("{STDERR}/{}-seat{seat}-{bot}.txt", stem(of, attempt))
    }

    /// The path of what has a name relative to the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

/// The contest of a folder, which may be in play, and all its finished matches in the order in
/// which they ended. A match whose replay is not there, or not yet, has none.
///
/// # Errors
/// [`FolderError`].
pub fn read_contest(root: &Path) -> Result<(Standing, Vec<MatchRow>), FolderError> {
    let spec = read_kept(root)?.contest;
    let file = root.join(RESULTS_FILE);
    let mut rows = match file.exists() {
        true => journal::read_file(&file)?,
        false => Vec::new(),
    };
    for row in &mut rows {
        row.replay = row.replay.take().filter(|name| root.join(name).exists());
    }
    Ok((standing(root, spec, &rows)?, rows))
}

fn standing(root: &Path, spec: ContestSpec, rows: &[MatchRow]) -> Result<Standing, FolderError> {
    let mut standing = Standing::new(spec, root.to_owned())?;
    for row in rows {
        standing.add(row.clone())?;
    }
    Ok(standing)
}

fn read_kept(root: &Path) -> Result<Kept, FolderError> {
    let path = root.join(SPEC_FILE);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(FolderError::Empty(root.to_owned()));
        }
        read => read.map_err(failed(&path))?,
    };
    let kept: Kept = serde_json::from_str(&text).map_err(|error| FolderError::Spec {
        path: path.clone(),
        problem: error.to_string(),
    })?;
    if kept.form != FORM {
        return Err(FolderError::Spec {
            path,
            problem: format!("form {} is of another version of this program", kept.form),
        });
    }
    Ok(kept)
}

/// The beginning of the names of files of a match. Groups and matches sort by their numbers.
fn stem(of: MatchNumber, attempt: u32) -> String {
    let (group, number) = (of.group.0, of.number);
    match attempt {
        0 => format!("{group:06}.{number}"),
        attempt => format!("{group:06}.{number}-again{attempt}"),
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> FolderError + use<> {
    let path = path.to_owned();
    move |source| FolderError::File { path, source }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{
        Format,
        sample::{row, spec_of},
    };

    #[test]
    fn a_match_has_no_replay_until_the_file_is_there() {
        let root = tempfile::tempdir().unwrap();
        let spec = spec_of(2, 2, Format::Series);
        let (folder, mut journal) = Folder::create(root.path(), "id".to_owned(), &spec).unwrap();
        let mut played = row(0, 0, &[0, 1], &[1, 2]);
        let name = Folder::replay_name(played.of, 0, "won-");
        played.replay = Some(name.clone());
        journal.append(std::slice::from_ref(&played)).unwrap();
        let read = || read_contest(root.path()).unwrap().1[0].replay.clone();
        assert_eq!(read(), None);
        let replay = ReplayFile {
            name: name.clone(),
            bytes: b"replay".to_vec(),
        };
        folder.keep_replays(&[replay]).unwrap();
        assert_eq!(read(), Some(name));
        drop(journal);
        let (folder, _, _, rows) = Folder::resume(root.path()).unwrap();
        assert_eq!((folder.id(), rows), ("id", vec![played]));
    }
}
