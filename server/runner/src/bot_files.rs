//! The files of bots: programs, files that are named in their commands, and files that patterns
//! match. A bot whose files change during a contest counts as a different bot.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use bridgemaster_bot_process::{open_regular, program_path};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{ContestSpec, MatchNumber, Player, SpecError};

/// The maximum total number of all bots' files. All files are checked whenever a bot is started.
const MAX_FILES: usize = 1_000;
/// The maximum total size of all bots' files, in bytes. The files are read once, at the start of
/// the contest.
const MAX_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// Size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// The name that identifies a bot file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BotFileName {
    /// The bot whose command names the file; `None` for a file found by `bot_files`.
    #[serde(default)]
    pub bot: Option<String>,
    /// The path in the command, or the path that a pattern matched.
    pub file: String,
}

impl std::fmt::Display for BotFileName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.bot {
            Some(bot) => write!(f, "{bot}: {}", self.file),
            None => write!(f, "{} (--bot-files)", self.file),
        }
    }
}

/// A bot file and its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotFile {
    /// The bot, if any, and the file's name.
    #[serde(flatten)]
    pub name: BotFileName,
    /// The path where the file was found.
    pub path: String,
    /// SHA-256 of the content: 64 lowercase hex digits.
    pub sha256: String,
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

impl BotChange {
    /// Returns whether the file was rewritten with the same content.
    pub(crate) fn is_touch(&self) -> bool {
        self.before == self.after
    }
}

/// Metadata that changes when a file is written or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device, inode and change time; zero on systems without these values.
    identity: (u64, u64, i64, i64),
}

impl FileStamp {
    fn read(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            let (device, number) = (metadata.dev(), metadata.ino());
            (device, number, metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = Default::default();
        Ok(Self { bytes: metadata.len(), modified: metadata.modified().ok(), identity })
    }
}

/// A file's state at the last read.
#[derive(Clone, Debug)]
struct FileState {
    path: PathBuf,
    stamp: FileStamp,
    sha256: String,
}

/// A contest's bot files, as of the last read.
#[derive(Clone, Debug, Default)]
pub(crate) struct BotFiles(BTreeMap<BotFileName, FileState>);

impl BotFiles {
    /// Finds and reads the files of all bots.
    ///
    /// # Errors
    /// Returns an error if there are too many files, the files are too large in total, a file
    /// cannot be read, or a pattern matches no file.
    pub(crate) fn read(spec: &ContestSpec) -> Result<Self, SpecError> {
        let mut files = Self::default();
        let mut left_bytes = MAX_BYTES;
        for (name, path) in find_files(spec)? {
            let failed = |error: &dyn std::fmt::Display| {
                SpecError::invalid("bot_files", format!("cannot read {}: {error}", path.display()))
            };
            let stamp = FileStamp::read(&path).map_err(|error| failed(&error))?;
            let left = left_bytes.checked_sub(stamp.bytes);
            left_bytes = left.ok_or_else(|| {
                SpecError::invalid(
                    "bot_files",
                    format!(
                        "the bot files exceed {} GiB in total, at {}; remove large files from \
                     commands and patterns",
                        MAX_BYTES >> 30,
                        path.display()
                    ),
                )
            })?;
            let sha256 = sha256(&path, stamp.bytes).map_err(|error| failed(&error))?;
            let state = FileState { path, stamp, sha256 };
            files.0.insert(name, state);
        }
        Ok(files)
    }

    /// Returns the files in the order of their names.
    pub(crate) fn list(&self) -> Vec<BotFile> {
        let files = self.0.iter();
        let files = files.map(|(name, state)| BotFile {
            name: name.clone(),
            path: state.path.display().to_string(),
            sha256: state.sha256.clone(),
        });
        files.collect()
    }

    /// Returns the files that differ from an earlier list of files.
    pub(crate) fn differences(&self, before: &[BotFile]) -> Vec<BotChange> {
        let earlier = before.iter().map(|file| (&file.name, &file.sha256));
        let earlier: BTreeMap<_, _> = earlier.collect();
        let mut names: Vec<_> = earlier.keys().copied().chain(self.0.keys()).collect();
        names.sort();
        names.dedup();
        let differences = names.into_iter().filter_map(|name| {
            let before = earlier.get(name).map(|sha256| (*sha256).clone());
            let after = self.0.get(name).map(|state| state.sha256.clone());
            (before != after).then(|| BotChange {
                name: name.clone(),
                before,
                after,
                before_match: None,
            })
        });
        differences.collect()
    }

    /// Returns these bots' files, and the files found by patterns, if their metadata has changed
    /// since the last read.
    pub(crate) fn with_changed_metadata(&self, is_of: impl Fn(&str) -> bool) -> Self {
        let is_concerned = |name: &BotFileName| name.bot.as_deref().is_none_or(&is_of);
        let files = self.0.iter().filter(|(name, state)| {
            is_concerned(name) && FileStamp::read(&state.path).ok().as_ref() != Some(&state.stamp)
        });
        Self(files.map(|(name, state)| (name.clone(), state.clone())).collect())
    }

    /// Rereads these files. Files that can no longer be read are omitted.
    pub(crate) fn reread(&self) -> Self {
        let files = self.0.iter().filter_map(|(name, FileState { path, .. })| {
            let stamp = FileStamp::read(path).ok()?;
            let sha256 = sha256(path, stamp.bytes).ok()?;
            Some((name.clone(), FileState { path: path.clone(), stamp, sha256 }))
        });
        Self(files.collect())
    }

    /// Returns the changes of the files in `to_reread`: first those whose content has changed, and
    /// then those that were written or replaced but have the same content.
    pub(crate) fn changes(&self, to_reread: &Self, read: &Self) -> Vec<BotChange> {
        let changes = to_reread.0.keys().filter_map(|name| {
            let (before, after) = (self.0.get(name), read.0.get(name));
            let is_same = match (before, after) {
                (Some(before), Some(after)) => before.stamp == after.stamp,
                (before, after) => before.is_none() && after.is_none(),
            };
            let sha256 = |state: Option<&FileState>| state.map(|state| state.sha256.clone());
            (!is_same).then(|| BotChange {
                name: name.clone(),
                before: sha256(before),
                after: sha256(after),
                before_match: None,
            })
        });
        let mut changes: Vec<_> = changes.collect();
        changes.sort_by_key(BotChange::is_touch);
        changes
    }

    /// Stores the reread files' state, and removes files that no longer exist.
    pub(crate) fn update(&mut self, to_reread: &Self, read: Self) {
        self.0.retain(|name, _| !to_reread.0.contains_key(name));
        self.0.extend(read.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Finds all bots' files: programs, files named in commands, and files matched by patterns.
fn find_files(spec: &ContestSpec) -> Result<BTreeMap<BotFileName, PathBuf>, SpecError> {
    let mut found = BTreeMap::new();
    let mut add = |bot: Option<&str>, file: String, path: PathBuf| {
        let bot = bot.map(str::to_owned);
        found.insert(BotFileName { bot, file }, path);
        if found.len() > MAX_FILES {
            return Err(SpecError::invalid(
                "bot_files",
                format!("the bots have more than {MAX_FILES} files; use patterns that match fewer"),
            ));
        }
        Ok(())
    };
    for bot in &spec.bots {
        let Player::Command(words) = bot.player()? else {
            continue;
        };
        if let Some(program) = words.first()
            && let Some(path) = program_path(program)
        {
            add(Some(&bot.name), program.clone(), path)?;
        }
        for word in words.iter().skip(1) {
            // Also checks FILE in arguments such as `--model=FILE`.
            let after = word.split_once('=').map(|(_, after)| after);
            for file in [Some(word.as_str()), after].into_iter().flatten() {
                if Path::new(file).is_file() {
                    add(Some(&bot.name), file.to_owned(), PathBuf::from(file))?;
                }
            }
        }
    }
    for pattern in &spec.bot_files {
        let invalid =
            |problem: String| SpecError::invalid("bot_files", format!("{pattern:?}: {problem}"));
        let paths = glob::glob(pattern).map_err(|error| invalid(error.to_string()))?;
        let mut has_any = false;
        // Paths that cannot be listed are ignored.
        for path in paths.flatten().filter(|path| path.is_file()) {
            has_any = true;
            add(None, path.to_string_lossy().into_owned(), path)?;
        }
        if !has_any {
            return Err(invalid(
                "matches no file; patterns are relative to the working directory, such as my_bot/**/*.py"
                    .to_owned(),
            ));
        }
    }
    Ok(found)
}

/// Computes the SHA-256 of a file's first `bytes` bytes. `bytes` is the file's size when it was
/// checked.
fn sha256(path: &Path, bytes: u64) -> io::Result<String> {
    // Programs can be symbolic links.
    let path = fs::canonicalize(path)?;
    let mut file = open_regular(File::options().read(true), &path)?.take(bytes);
    let mut digest = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex::encode(digest.finalize())),
            count => digest.update(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BotSpec, Format, samples_for_tests::spec_of};

    fn spec(folder: &Path, bot_files: &[&str]) -> ContestSpec {
        let path = |name: &str| folder.join(name).display().to_string();
        let mut spec = spec_of(2, 2, Format::Series);
        let command = format!("sh {} --model={} missing", path("bot.sh"), path("weights"));
        spec.bots[0] = BotSpec::from_command("mine", command);
        spec.bot_files = bot_files.iter().map(|pattern| path(pattern)).collect();
        spec
    }

    fn in_a_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bot.sh", "weights", "one.py", "two.py"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        folder
    }

    #[test]
    fn programs_and_files_of_commands_and_patterns_are_read() {
        let folder = in_a_folder();
        let files = BotFiles::read(&spec(folder.path(), &["*.py"])).unwrap().list();
        let names = files.iter().map(|file| {
            let path = Path::new(&file.name.file).file_name().unwrap();
            (file.name.bot.as_deref(), path.to_str().unwrap())
        });
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        let mine = ["bot.sh", "sh", "weights"].map(|name| (Some("mine"), name));
        let all = [(None, "one.py"), (None, "two.py")].into_iter().chain(mine);
        assert_eq!(names, all.collect::<Vec<_>>());
        // The checksum was computed by sha256sum.
        let of_one = "f5130dc092bdbdd721dbd06ada1805efaced58b931314531f014feaf5459c54b";
        assert_eq!(files[0].sha256, of_one);
    }

    #[test]
    fn patterns_with_no_or_too_many_matches_are_refused() {
        let folder = in_a_folder();
        for pattern in ["*.rs", "***"] {
            let refused = BotFiles::read(&spec(folder.path(), &[pattern])).unwrap_err();
            assert!(refused.to_string().contains(pattern), "{refused}");
        }
        for number in 0..=MAX_FILES {
            fs::write(folder.path().join(format!("{number}.txt")), "").unwrap();
        }
        let refused = BotFiles::read(&spec(folder.path(), &["*.txt"])).unwrap_err();
        assert!(refused.to_string().contains("1000"), "{refused}");
    }

    #[test]
    fn a_touched_file_is_reread_and_a_change_is_reported_once() {
        let folder = in_a_folder();
        let mut files = BotFiles::read(&spec(folder.path(), &["*.py"])).unwrap();
        let first = files.list();
        assert!(files.with_changed_metadata(|_| true).is_empty());
        let again = |files: &mut BotFiles, is_of: &dyn Fn(&str) -> bool| {
            let to_reread = files.with_changed_metadata(is_of);
            let read = to_reread.reread();
            let mut differences = files.changes(&to_reread, &read);
            files.update(&to_reread, read);
            let changed = differences.len();
            differences.retain(|one| !one.is_touch());
            let touched = changed - differences.len();
            (differences, touched)
        };
        // A new file with the same content.
        fs::write(folder.path().join("new"), "bot.sh").unwrap();
        fs::rename(folder.path().join("new"), folder.path().join("bot.sh")).unwrap();
        assert_eq!(files.with_changed_metadata(|_| true).list().len(), 1);
        assert_eq!(again(&mut files, &|_| true), (vec![], 1));
        assert!(files.with_changed_metadata(|_| true).is_empty());

        fs::write(folder.path().join("bot.sh"), "other").unwrap();
        fs::remove_file(folder.path().join("one.py")).unwrap();
        let (of_another, _) = again(&mut files, &|bot| bot == "other");
        assert_eq!(of_another.len(), 1, "the file found by a pattern: {of_another:?}");
        let (of_mine, touched) = again(&mut files, &|bot| bot == "mine");
        assert_eq!(touched, 0);
        assert_eq!(of_mine.len(), 1, "{of_mine:?}");
        assert!(of_mine[0].name.file.ends_with("bot.sh") && of_mine[0].after.is_some());
        assert!(files.with_changed_metadata(|_| true).is_empty());
        let mut since = files.differences(&first);
        since.retain(|one| one.after.is_some());
        assert_eq!(since, of_mine);
    }
}
