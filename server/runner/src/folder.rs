//! A contest's folder: its spec, results and replays, and its bots' output.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use bridgemaster_bot_process::read_regular;
use bridgemaster_replay::whole_file::{self, FileMode};
use serde::{Deserialize, Serialize};

use crate::{
    ContestSpec, ContestState, FolderError, Identity, MatchNumber, MatchRow,
    journal::{self, Journal},
};

const SPEC_FILE: &str = "contest.json";
const RESULTS_FILE: &str = "results.jsonl";
const IDENTITY_FILE: &str = "identity.json";
const FORK_FILE: &str = "fork.replay.binpb";
const REPLAYS: &str = "replays";
/// The suffix of all replay files' names.
const REPLAY_SUFFIX: &str = ".replay.binpb";
/// Name of the subfolder with the bots' standard error.
pub const STDERR_FOLDER: &str = "stderr";

/// Mode of all files except replays. Only the files' owner can access them.
const PRIVATE: FileMode = FileMode::PRIVATE;

/// Version of the contest folder's format.
const FORMAT_VERSION: u32 = 1;

/// The spec file's content.
#[derive(Serialize, Deserialize)]
struct StoredContest {
    form: u32,
    /// The contest's id on servers.
    id: String,
    contest: ContestSpec,
}

/// A replay that is to be stored.
pub(crate) struct ReplayFile {
    /// File name relative to the contest's folder.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A running contest's folder.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    id: String,
    replay_mode: FileMode,
    /// The folder as it was created; `None` if the contest was resumed.
    new: Option<NewFolder>,
}

/// The folder of a new contest.
#[derive(Clone, Debug)]
pub struct NewFolder {
    root: PathBuf,
    /// True if the folder existed before the contest, so it can have files of the user.
    existed: bool,
}

impl NewFolder {
    /// Removes the contest's files, unless a match is stored, and the folder unless it existed
    /// before the contest. A file that cannot be removed stays.
    pub fn remove_unplayed(&self) {
        if !read_contest(&self.root).is_ok_and(|(_, rows)| rows.is_empty()) {
            return;
        }
        if !self.existed {
            let _ = fs::remove_dir_all(&self.root);
            return;
        }
        for file in [SPEC_FILE, RESULTS_FILE, IDENTITY_FILE, FORK_FILE] {
            let _ = fs::remove_file(self.root.join(file));
        }
        // Only empty folders can be removed in this way.
        for folder in [REPLAYS, STDERR_FOLDER] {
            let _ = fs::remove_dir(self.root.join(folder));
        }
    }
}

impl Folder {
    /// Creates the folder of a new contest with this id.
    pub(crate) fn create(
        root: &Path,
        id: String,
        spec: &ContestSpec,
    ) -> Result<(Self, Journal), FolderError> {
        let file = root.join(SPEC_FILE);
        if file.exists() {
            return Err(FolderError::Unsuitable {
                path: root.to_owned(),
                problem:
                    " already contains a contest; continue it with --resume, or choose another \
                          folder"
                        .to_owned(),
            });
        }
        let new = NewFolder { root: root.to_owned(), existed: root.symlink_metadata().is_ok() };
        let replay_mode = spec.replay_mode;
        let is_open = replay_mode != FileMode::PRIVATE;
        for (folder, mode) in [
            (root.to_owned(), replay_mode),
            (root.join(REPLAYS), replay_mode),
            (root.join(STDERR_FOLDER), FileMode::PRIVATE),
        ] {
            let created = mode.create_folder(&folder, is_open);
            created.map_err(failed(&folder))?;
        }
        let stored = StoredContest { form: FORMAT_VERSION, id: id.clone(), contest: spec.clone() };
        let mut text = serde_json::to_string_pretty(&stored)
            .map_err(io::Error::from)
            .map_err(failed(&file))?;
        text.push('\n');
        let (journal, _) = Journal::open(&root.join(RESULTS_FILE))?;
        whole_file::write_with(&file, text.as_bytes(), PRIVATE).map_err(failed(&file))?;
        let folder = Self { root: root.to_owned(), id, replay_mode, new: Some(new) };
        Ok((folder, journal))
    }

    /// Opens the folder of a contest to resume, and reads its finished matches.
    pub(crate) fn resume(
        root: &Path,
    ) -> Result<(Self, Journal, ContestState, Vec<MatchRow>), FolderError> {
        let stored = read_stored(root)?;
        let (journal, rows) = Journal::open(&root.join(RESULTS_FILE))?;
        // The journal is locked, so no other process writes to this folder.
        remove_unfinished(root);
        remove_unfinished(&root.join(REPLAYS));
        let replay_mode = stored.contest.replay_mode;
        let folder = Self { root: root.to_owned(), id: stored.id, replay_mode, new: None };
        let state = rebuild_state(root, stored.contest, &rows)?;
        Ok((folder, journal, state, rows))
    }

    /// Stores the replay file from which the contest is forked.
    pub(crate) fn store_fork(&self, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.root.join(FORK_FILE);
        whole_file::write_with(&path, bytes, PRIVATE).map_err(failed(&path))
    }

    /// Reads the replay file from which the contest is forked.
    pub(crate) fn fork(&self) -> Result<Vec<u8>, FolderError> {
        let path = self.root.join(FORK_FILE);
        read_regular(&path).map_err(failed(&path))
    }

    /// Returns the error for a replay file that cannot be parsed.
    pub(crate) fn invalid_fork(&self, problem: String) -> FolderError {
        FolderError::unreadable(self.root.join(FORK_FILE), problem)
    }

    /// Stores the contest's provenance.
    pub(crate) fn store_identity(&self, identity: &Identity) -> Result<(), FolderError> {
        let path = self.root.join(IDENTITY_FILE);
        let text = serde_json::to_string_pretty(identity).map_err(io::Error::from);
        let text = text.map_err(failed(&path))?;
        whole_file::write_with(&path, text.as_bytes(), PRIVATE).map_err(failed(&path))
    }

    /// Reads the contest's provenance; empty if the contest was not played yet.
    pub(crate) fn identity(&self) -> Result<Identity, FolderError> {
        read_identity(&self.root)
    }

    /// Returns the folder as it was created; `None` if the contest was resumed.
    pub(crate) fn new_folder(&self) -> Option<&NewFolder> {
        self.new.as_ref()
    }

    /// Returns the contest's id on servers.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns a replay's file name, relative to the folder.
    pub(crate) fn replay_name(of: MatchNumber, attempt: u32, outcome: &str) -> String {
        format!("{REPLAYS}/{outcome}{}{REPLAY_SUFFIX}", stem(of, attempt))
    }

    /// Writes replay files. When this function returns, all files are complete and synced.
    pub(crate) fn store_replays(&self, replays: &[ReplayFile]) -> Result<(), FolderError> {
        let files = replays.iter();
        let files: Vec<_> = files.map(|replay| (self.path(&replay.name), &*replay.bytes)).collect();
        whole_file::write_together(&files, self.replay_mode)
            .map_err(|(path, source)| FolderError::File { path, source })
    }

    /// Returns the name of the file with a bot's standard error, relative to the folder.
    pub(crate) fn stderr_name(of: MatchNumber, attempt: u32, seat: usize, bot: &str) -> String {
        format!("{STDERR_FOLDER}/{}-seat{seat}-{bot}.txt", stem(of, attempt))
    }

    /// Returns the name of the file with a reused process's standard error, relative to the folder.
    pub(crate) fn reused_stderr_name(process: u64, bot: &str) -> String {
        format!("{STDERR_FOLDER}/process{process:03}-{bot}.txt")
    }

    /// Returns the full path of a file that is named relative to the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

/// Reads the contest in a folder and its finished matches, in the order in which they finished. The
/// contest may still be running. `MatchRow::replay` is `None` if the replay file does not exist
/// yet.
///
/// # Errors
/// Returns [`FolderError`] if a file is missing or invalid.
pub fn read_contest(root: &Path) -> Result<(ContestState, Vec<MatchRow>), FolderError> {
    let spec = read_stored(root)?.contest;
    let file = root.join(RESULTS_FILE);
    let mut rows = if file.exists() { journal::read_file(&file)? } else { Vec::new() };
    for row in &mut rows {
        row.replay = row.replay.take().filter(|name| root.join(name).exists());
    }
    let mut state = rebuild_state(root, spec, &rows)?;
    state.set_identity(read_identity(root)?);
    Ok((state, rows))
}

fn read_identity(root: &Path) -> Result<Identity, FolderError> {
    let path = root.join(IDENTITY_FILE);
    let text = match read_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Identity::default()),
        read => read.map_err(failed(&path))?,
    };
    serde_json::from_slice(&text).map_err(|error| FolderError::unreadable(path, error.to_string()))
}

fn rebuild_state(
    root: &Path,
    spec: ContestSpec,
    rows: &[MatchRow],
) -> Result<ContestState, FolderError> {
    let mut state = ContestState::new(spec, root.to_owned())?;
    for row in rows {
        state.add(row.clone())?;
    }
    Ok(state)
}

fn read_stored(root: &Path) -> Result<StoredContest, FolderError> {
    let path = root.join(SPEC_FILE);
    let text = match read_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let problem = format!(" contains no contest: it has no file {SPEC_FILE}");
            return Err(FolderError::Unsuitable { path: root.to_owned(), problem });
        }
        read => read.map_err(failed(&path))?,
    };
    let stored: StoredContest = serde_json::from_slice(&text)
        .map_err(|error| FolderError::unreadable(path.clone(), error.to_string()))?;
    if stored.form != FORMAT_VERSION {
        let problem = format!(
            "format version {} is not supported; this program supports {FORMAT_VERSION}",
            stored.form
        );
        return Err(FolderError::unreadable(path, problem));
    }
    Ok(stored)
}

/// Removes unfinished files that a killed contest has left in this folder. Links are not followed.
/// A file that cannot be removed does not affect the contest.
fn remove_unfinished(folder: &Path) {
    if !fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_ours = whole_file::final_name(&path).is_some_and(|name| {
            name.ends_with(REPLAY_SUFFIX) || [SPEC_FILE, IDENTITY_FILE].contains(&name)
        });
        if is_ours && entry.file_type().is_ok_and(|of| of.is_file()) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Returns the prefix of a match's file names. It sorts files by group and match.
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
mod tests {
    use super::*;
    use crate::{
        Format,
        samples_for_tests::{row, spec_of},
    };

    #[cfg(unix)]
    #[test]
    fn only_replays_are_accessible_to_other_users() {
        use std::os::unix::fs::PermissionsExt as _;

        for (mode, folder_bits, replay_bits) in [("0600", 0o700, 0o600), ("0640", 0o750, 0o640)] {
            let parent = tempfile::tempdir().unwrap();
            let root = parent.path().join("contest");
            let spec =
                ContestSpec { replay_mode: mode.parse().unwrap(), ..spec_of(2, 2, Format::Series) };
            drop(Folder::create(&root, "id".to_owned(), &spec).unwrap());
            let (folder, ..) = Folder::resume(&root).unwrap();
            let replay = ReplayFile { name: format!("{REPLAYS}/one"), bytes: b"replay".to_vec() };
            folder.store_replays(&[replay]).unwrap();
            folder.store_fork(b"replay").unwrap();
            let mode_of = |name: &str| {
                let metadata = fs::metadata(root.join(name)).unwrap();
                metadata.permissions().mode() & 0o777
            };
            for (name, bits) in [
                ("", folder_bits),
                (REPLAYS, folder_bits),
                (STDERR_FOLDER, 0o700),
                ("replays/one", replay_bits),
                (SPEC_FILE, 0o600),
                (RESULTS_FILE, 0o600),
                (FORK_FILE, 0o600),
            ] {
                assert_eq!(mode_of(name), bits, "{name}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_resumed_contest_removes_only_its_own_unfinished_files() {
        let parent = tempfile::tempdir().unwrap();
        let (root, elsewhere) = (parent.path().join("contest"), parent.path().join("other"));
        let spec = spec_of(2, 2, Format::Series);
        drop(Folder::create(&root, "id".to_owned(), &spec).unwrap());
        let unfinished = [
            "identity.json.aB3x9Z.unfinished",
            "fork.replay.binpb.aB3x9Z.unfinished",
            "replays/000000.0.replay.binpb.aB3x9Z.unfinished",
        ];
        let kept = [
            "thesis.aB3x9Z.unfinished",
            "replays/000000.0.replay.binpb",
            "stderr/000000.0.replay.binpb.aB3x9Z.unfinished",
        ];
        for name in unfinished.iter().chain(&kept) {
            fs::write(root.join(name), "half").unwrap();
        }
        let is_there = |name: &&str| root.join(name).exists();
        drop(Folder::resume(&root).unwrap());
        assert!(!unfinished.iter().any(is_there));
        assert!(kept.iter().all(is_there));

        // A link that replaces the folder of replays is not followed.
        fs::rename(root.join(REPLAYS), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join(REPLAYS)).unwrap();
        fs::write(root.join(unfinished[2]), "half").unwrap();
        drop(Folder::resume(&root).unwrap());
        assert!(is_there(&unfinished[2]));
    }

    #[test]
    fn removing_an_unplayed_contest_keeps_the_users_files() {
        let parent = tempfile::tempdir().unwrap();
        let spec = spec_of(2, 2, Format::Series);
        for existed in [false, true] {
            let root = parent.path().join("mybot");
            if existed {
                fs::create_dir_all(root.join(STDERR_FOLDER)).unwrap();
                fs::write(root.join("bot.py"), "bot").unwrap();
                fs::write(root.join(STDERR_FOLDER).join("own.txt"), "own").unwrap();
            }
            let (folder, journal) = Folder::create(&root, "id".to_owned(), &spec).unwrap();
            folder.store_fork(b"replay").unwrap();
            drop(journal);
            folder.new_folder().unwrap().remove_unplayed();
            assert_eq!(root.exists(), existed);
        }
        let names = |folder: &str| {
            let entries = fs::read_dir(parent.path().join(folder)).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names("mybot"), ["bot.py", STDERR_FOLDER]);
        assert_eq!(names("mybot/stderr"), ["own.txt"]);
    }

    #[test]
    fn a_match_has_no_replay_until_the_file_exists() {
        let root = tempfile::tempdir().unwrap();
        let spec = spec_of(2, 2, Format::Series);
        let (folder, mut journal) = Folder::create(root.path(), "id".to_owned(), &spec).unwrap();
        let mut played = row(0, 0, &[0, 1], &[1, 2]);
        let name = Folder::replay_name(played.of, 0, "won-");
        played.replay = Some(name.clone());
        journal.append(std::slice::from_ref(&played)).unwrap();
        let read = || read_contest(root.path()).unwrap().1[0].replay.clone();
        assert_eq!(read(), None);
        let replay = ReplayFile { name: name.clone(), bytes: b"replay".to_vec() };
        folder.store_replays(&[replay]).unwrap();
        assert_eq!(read(), Some(name));
        drop(journal);
        let (folder, _, _, rows) = Folder::resume(root.path()).unwrap();
        assert_eq!((folder.id(), rows), ("id", vec![played]));
    }
}
