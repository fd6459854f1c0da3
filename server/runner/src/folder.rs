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
    contest: ContestSpec,
}

/// The folder of a contest that is played.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Makes a folder for a new contest.
    pub(crate) fn create(root: &Path, spec: &ContestSpec) -> Result<(Self, Journal), FolderError> {
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
        };
        Ok((folder, journal))
    }

    /// Opens the folder of a contest that goes on.
    pub(crate) fn resume(root: &Path) -> Result<(Self, Journal, Standing), FolderError> {
        let spec = read_spec(root)?;
        let (journal, rows) = Journal::open(&root.join(RESULTS_FILE))?;
        let standing = standing(root, spec, &rows)?;
        let folder = Self {
            root: root.to_owned(),
        };
        Ok((folder, journal, standing))
    }

    /// Keeps a replay; gives its name relative to the folder.
    pub(crate) fn keep_replay(
        &self,
        of: MatchNumber,
        attempt: u32,
        outcome: &str,
        bytes: &[u8],
    ) -> Result<String, FolderError> {
        let name = format!("{REPLAYS}/{outcome}{}.replay.binpb", stem(of, attempt));
        let path = self.root.join(&name);
        bridgemaster_whole_file::write(&path, bytes).map_err(failed(&path))?;
        Ok(name)
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
/// which they ended.
///
/// # Errors
/// [`FolderError`].
pub fn read_contest(root: &Path) -> Result<(Standing, Vec<MatchRow>), FolderError> {
    let spec = read_spec(root)?;
    let file = root.join(RESULTS_FILE);
    let rows = match file.exists() {
        true => journal::read_file(&file)?,
        false => Vec::new(),
    };
    Ok((standing(root, spec, &rows)?, rows))
}

fn standing(root: &Path, spec: ContestSpec, rows: &[MatchRow]) -> Result<Standing, FolderError> {
    let mut standing = Standing::new(spec, root.to_owned())?;
    for row in rows {
        standing.add(row.clone())?;
    }
    Ok(standing)
}

fn read_spec(root: &Path) -> Result<ContestSpec, FolderError> {
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
    Ok(kept.contest)
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
