//! A contest's provenance: program version, machine, git commit and bot files.

use std::{
    env::consts,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    thread::available_parallelism,
};

use bridgemaster_bot_process::open_regular;
use serde::{Deserialize, Serialize};

use crate::bot_files::{BotChange, BotFile};

/// A contest's provenance: program, machine and bot files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The origin of each run of the contest. A resumed run adds an entry only if its origin
    /// differs from the previous one.
    pub runs: Vec<Origin>,
    /// The latest state of the files of all bots that the contest starts.
    pub files: Vec<BotFile>,
    /// Detected changes, in order: files that changed while changes were allowed, and files that
    /// were rewritten with the same content.
    #[serde(default)]
    pub changes: Vec<BotChange>,
}

/// The maximum number of bytes to read from a git or system file. It is enough for the packed
/// references of a large repository.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The maximum length of a text that the system provides, in characters.
const MAX_CHARS: usize = 128;

/// The program version, machine and git commit with which a contest was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Version of the program. The version determines the built-in bots, the referee on the
    /// contest's own server, and the statistics.
    pub bridgemaster_version: String,
    /// The machine that ran the contest.
    pub machine: Machine,
    /// The working directory's git commit, as 40 or 64 lowercase hex digits; `None` outside a
    /// repository. Uncommitted changes are not detected.
    #[serde(default)]
    pub git_commit: Option<String>,
}

/// The hardware and operating system on which a contest was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system, such as `linux 6.1.0`.
    pub os: String,
    /// CPU architecture, such as `x86_64`.
    pub arch: String,
    /// CPU model; `None` if the system does not report it.
    #[serde(default)]
    pub cpu: Option<String>,
    /// The number of cores available to the program.
    pub cores: usize,
    /// Total memory in bytes; `None` if the system does not report it.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
}

impl Origin {
    /// Returns the origin of the running program.
    pub(crate) fn current() -> Self {
        Self {
            bridgemaster_version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: Machine::current(),
            git_commit: git_commit(Path::new(".")),
        }
    }
}

impl Machine {
    fn current() -> Self {
        let release = read(Path::new("/proc/sys/kernel/osrelease")).map(|text| clean(&text));
        let cpu = read(Path::new("/proc/cpuinfo"));
        let memory = read(Path::new("/proc/meminfo"));
        let memory_kib = memory.and_then(|text| {
            let total = value_of(&text, "MemTotal")?;
            total.split_whitespace().next()?.parse::<u64>().ok()
        });
        Self {
            os: match release {
                Some(release) => format!("{} {release}", consts::OS),
                None => consts::OS.to_owned(),
            },
            arch: consts::ARCH.to_owned(),
            cpu: cpu.and_then(|text| value_of(&text, "model name").map(clean)),
            cores: available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_kib.map(|kib| kib.saturating_mul(1024)),
        }
    }
}

/// Returns the value in the first line `name: value` with this name.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = pairs.find(|(found, _)| found.trim() == name)?;
    Some(value.trim())
}

/// Removes control characters and truncates the text to [`MAX_CHARS`].
fn clean(text: &str) -> String {
    let text = text.trim().chars().filter(|char| !char.is_control());
    text.take(MAX_CHARS).collect()
}

/// Returns the git commit of a folder. Reads the files of the repository directly, because running
/// git could execute commands that the repository configures. The result consists of hex digits
/// only.
fn git_commit(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let mut roots = folder.ancestors().map(|root| root.join(".git"));
    let found = roots.find(|git| git.exists())?;
    let git = if found.is_dir() {
        found
    } else {
        // In a worktree or submodule, `.git` is a file that contains the path of the git folder.
        read_path(&found, "gitdir:")?
    };
    let common = read_path(&git.join("commondir"), "").unwrap_or_else(|| git.clone());
    let head = read(&git.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return commit(&head);
    };
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    if !name.starts_with("refs/") || !name.split('/').all(is_plain) {
        return None;
    }
    let of_folder = |folder: &Path| commit(&read(&folder.join(name))?);
    let packed = || {
        let packed = read(&common.join("packed-refs"))?;
        let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
        commit(lines.find(|(_, found)| *found == name)?.0)
    };
    of_folder(&git).or_else(|| of_folder(&common)).or_else(packed)
}

/// Reads a path from a file, and resolves it relative to the file's folder.
fn read_path(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = read(file)?;
    let path = text.trim().strip_prefix(prefix)?.trim();
    Some(file.parent()?.join(path))
}

/// Validates a commit hash.
fn commit(text: &str) -> Option<String> {
    let text = text.trim();
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_commit = matches!(text.len(), 40 | 64) && text.bytes().all(is_digit);
    is_commit.then(|| text.to_owned())
}

/// Reads a regular file; `None` if it cannot be read or is not UTF-8.
fn read(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    let mut text = String::new();
    let file = open_regular(File::options().read(true), &path).ok()?;
    let mut file = file.take(MAX_BYTES);
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_commit_is_read_from_every_repository_layout() {
        let line = format!("{COMMIT}\n");
        let packed = format!("# pack-refs with: peeled\n{COMMIT} refs/heads/main\n^{COMMIT}\n");
        for files in [
            &[(".git/HEAD", &*line)][..],
            &[(".git/HEAD", "ref: refs/heads/main\n"), (".git/refs/heads/main", &line)],
            &[(".git/HEAD", "ref: refs/heads/main\n"), (".git/packed-refs", &packed)],
            // The repository is a worktree.
            &[
                (".git", "gitdir: elsewhere/worktrees/one\n"),
                ("elsewhere/worktrees/one/HEAD", "ref: refs/heads/main\n"),
                ("elsewhere/worktrees/one/commondir", "../..\n"),
                ("elsewhere/refs/heads/main", &line),
            ],
        ] {
            let root = repository(files);
            let inner = root.path().join("bots/mine");
            fs::create_dir_all(&inner).unwrap();
            assert_eq!(git_commit(&inner).as_deref(), Some(COMMIT), "{files:?}");
        }
    }

    #[test]
    fn a_hostile_repository_cannot_inject_text() {
        let secret = tempfile::tempdir().unwrap();
        let secret = secret.path().join("secret");
        fs::write(&secret, "password\n").unwrap();
        let secret = secret.display().to_string();
        for head in [
            "ref: ../../secret".to_owned(),
            "ref: refs/../../secret".to_owned(),
            format!("ref: {secret}"),
            format!("ref: refs//{secret}"),
            secret.clone(),
            "\u{1b}[2J".to_owned(),
            String::new(),
        ] {
            let root = repository(&[(".git/HEAD", &head)]);
            assert_eq!(git_commit(root.path()), None, "{head:?}");
        }
        let root = repository(&[(".git", &format!("gitdir: {secret}"))]);
        assert_eq!(git_commit(root.path()), None);
    }

    #[test]
    fn machine_details_are_reported() {
        let machine = Machine::current();
        assert!(!machine.arch.is_empty() && machine.cores > 0, "{machine:?}");
        #[cfg(target_os = "linux")]
        assert!(machine.memory_bytes.unwrap() > 1024 * 1024, "{machine:?}");
    }
}
