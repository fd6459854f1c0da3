//! A bot's working folder. Small files and folders are copied from the command's folder, and large
//! ones are linked. The copy's parent folders contain links to the original's siblings.

use std::{
    ffi::OsStr,
    fs::{self, File, FileTimes},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

use crate::untrusted_files::open_regular;

/// Maximum numbers of files and bytes in one copied entry. Source code usually fits; installed
/// packages, builds and models do not.
const MAX_ENTRY_FILES: usize = 200;
const MAX_ENTRY_BYTES: u64 = 4 * 1024 * 1024;
/// Maximum number of files in a copy. Copying this many files takes about 0.1 s.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum number of entries in the folder. Linking this many entries takes about 0.1 s.
const MAX_ENTRIES: usize = 10_000;

/// Maximum number of siblings that are linked at each folder level.
const MAX_LINKED_SIBLINGS: usize = 1_000;

/// Name prefix for root folders that contain bots' private folders.
pub(crate) const ROOT_PREFIX: &str = "bridgemaster-bots-";
/// The name of a file that marks a contest's folder.
const CONTEST_FILE: &str = "contest.json";

/// The remaining numbers of files and bytes that can be copied.
#[derive(Clone, Copy)]
struct CopyBudget {
    files: usize,
    bytes: u64,
}

/// A file, folder or link within a copied entry, with its path. A folder is listed before its
/// contents.
enum Part {
    Folder(PathBuf),
    File(PathBuf),
    Link(PathBuf),
}

/// Copies the folder `of` into the empty folder `below`, at the same path, and returns the copy's
/// path. Relative paths with `..` still lead to the same files, because links replace the siblings
/// of the copy and of its parent folders. The folder `except` is excluded at any depth.
pub(crate) fn copy_below(below: &Path, of: &Path, except: Option<&Path>) -> io::Result<PathBuf> {
    let exclusions = Exclusions { except };
    let (mut from, mut to) = (PathBuf::new(), below.to_owned());
    for part in of.components() {
        if let Component::Normal(name) = part {
            link_siblings(&to, &from, name, exclusions)?;
            to.push(name);
            fs::create_dir(&to)?;
        }
        from.push(part);
    }
    fill(&to, of, exclusions)?;
    Ok(to)
}

/// Creates links in `to` to all entries of `from` except for `except`. Does nothing if `from` has
/// too many entries or cannot be listed.
fn link_siblings(
    to: &Path,
    from: &Path,
    except: &OsStr,
    exclusions: Exclusions<'_>,
) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else {
        return Ok(());
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let names: Vec<_> = names.take(MAX_LINKED_SIBLINGS + 1).collect();
    if names.len() > MAX_LINKED_SIBLINGS {
        return Ok(());
    }
    for name in names {
        if name != except {
            exclusions.link(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

/// Paths that are hidden from bots: contests' folders, which contain seeds, and bots' private
/// folders.
#[derive(Clone, Copy)]
struct Exclusions<'a> {
    /// The canonical path of the current contest's folder. The folder can be deep inside a linked
    /// folder.
    except: Option<&'a Path>,
}

impl Exclusions<'_> {
    fn contains(self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(ROOT_PREFIX)
            || path.join(CONTEST_FILE).is_file()
            || self
                .except
                .is_some_and(|except| fs::canonicalize(path).is_ok_and(|path| path == except))
    }

    /// Links a path unless it is excluded. If a folder has an excluded descendant, the folder
    /// itself is created, and its other contents are linked.
    fn link(self, source: &Path, to: &Path) -> io::Result<()> {
        if self.contains(source) {
            return Ok(());
        }
        let is_around =
            |except: &Path| fs::canonicalize(source).is_ok_and(|source| except.starts_with(source));
        if !self.except.is_some_and(is_around) {
            return link(source, to);
        }
        // A link to a parent of the contest's folder could create a cycle.
        if fs::symlink_metadata(source)?.is_symlink() {
            return Ok(());
        }
        fs::create_dir(to)?;
        for entry in fs::read_dir(source)?.flatten().take(MAX_ENTRIES) {
            self.link(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    }
}

/// Fills the empty folder `to` from the folder `from`. A bot can read the same contents in `to`,
/// and its changes stay in `to`. Large, hidden and special files are linked instead of copied. So
/// are executables, because a copy could not be executed while another thread forks.
fn fill(to: &Path, from: &Path, exclusions: Exclusions<'_>) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if names.len() == MAX_ENTRIES {
            return Err(io::Error::other(format!(
                "{} has more than {MAX_ENTRIES} entries; start the command in the folder of its bots",
                from.display()
            )));
        }
        names.push((!entry.file_type()?.is_file(), entry.file_name()));
    }
    // Files are copied before folders, so that folders cannot exhaust the budget for files.
    names.sort();
    let mut budget = CopyBudget { files: MAX_FILES, bytes: MAX_BYTES };
    for (_, name) in names {
        if exclusions.contains(&from.join(&name)) {
            continue;
        }
        let parts = if name.to_string_lossy().starts_with('.') {
            None
        } else {
            parts(from, Path::new(&name), &mut budget, exclusions)
        };
        for part in parts.unwrap_or_else(|| vec![Part::Link(name.into())]) {
            create_part(&part, from, to, exclusions)?;
        }
    }
    Ok(())
}

/// Returns an entry's parts. Returns `None` if the entry must be linked, because it exceeds the
/// budget or cannot be read.
fn parts(
    from: &Path,
    name: &Path,
    budget: &mut CopyBudget,
    exclusions: Exclusions<'_>,
) -> Option<Vec<Part>> {
    let mut remaining = CopyBudget {
        files: budget.files.min(MAX_ENTRY_FILES),
        bytes: budget.bytes.min(MAX_ENTRY_BYTES),
    };
    let (files, bytes) = (remaining.files, remaining.bytes);
    let mut parts = Vec::new();
    let mut open = vec![name.to_owned()];
    while let Some(path) = open.pop() {
        let source = from.join(&path);
        let metadata = fs::symlink_metadata(&source).ok()?;
        remaining.files = remaining.files.checked_sub(1)?;
        if metadata.is_dir() {
            for entry in fs::read_dir(&source).ok()? {
                let entry = entry.ok()?;
                if exclusions.contains(&entry.path()) {
                    continue;
                }
                open.push(path.join(entry.file_name()));
                if open.len() > remaining.files {
                    return None;
                }
            }
            parts.push(Part::Folder(path));
        } else if metadata.is_file() && !is_program(&metadata) {
            remaining.bytes = remaining.bytes.checked_sub(metadata.len())?;
            // Unreadable files are linked. The bot cannot read the link's target either.
            open_regular(File::options().read(true), &source).ok()?;
            parts.push(Part::File(path));
        } else {
            parts.push(Part::Link(path));
        }
    }
    budget.files -= files - remaining.files;
    budget.bytes -= bytes - remaining.bytes;
    Some(parts)
}

fn create_part(part: &Part, from: &Path, to: &Path, exclusions: Exclusions<'_>) -> io::Result<()> {
    let result = match part {
        Part::Folder(path) => fs::create_dir(to.join(path)),
        Part::File(path) => copy(&from.join(path), &to.join(path)),
        Part::Link(path) => exclusions.link(&from.join(path), &to.join(path)),
    };
    match result {
        // The file was removed or replaced after it was listed.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Copies a file with its modification time, because compiled Python files record their source's
/// modification time.
fn copy(source: &Path, copy: &Path) -> io::Result<()> {
    let source = open_regular(File::options().read(true), source)?;
    let metadata = source.metadata()?;
    let mut copy = File::create_new(copy)?;
    // If a file grows during the copy, only its initial length is copied.
    io::copy(&mut source.take(metadata.len()), &mut copy)?;
    copy.set_permissions(metadata.permissions())?;
    copy.set_times(FileTimes::new().set_modified(metadata.modified()?))
}

#[cfg(unix)]
fn is_program(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn link(source: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(source, link)
}

/// Ignores errors, because on this system links require a privilege that few users have. An entry
/// that cannot be copied might then be missing.
#[cfg(windows)]
fn link(source: &Path, link: &Path) -> io::Result<()> {
    let linked = if source.is_dir() {
        std::os::windows::fs::symlink_dir(source, link)
    } else {
        std::os::windows::fs::symlink_file(source, link)
    };
    linked.or(Ok(()))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::{
        os::unix::fs::{PermissionsExt as _, symlink},
        time::{Duration, SystemTime},
    };

    use tempfile::{TempDir, tempdir};

    use super::*;

    #[test]
    fn parent_paths_of_the_copy_lead_to_the_original_files() {
        let place = tempdir().unwrap();
        let of = place.path().join("bots/mine");
        fs::create_dir_all(&of).unwrap();
        fs::create_dir(place.path().join("contest-1")).unwrap();
        fs::write(place.path().join("contest-1/contest.json"), "seeds").unwrap();
        for (file, text) in [("data", "near"), ("bots/data", "nearer")] {
            fs::write(place.path().join(file), text).unwrap();
        }
        let below = tempdir().unwrap();
        let copy = copy_below(below.path(), &of, None).unwrap();
        assert!(copy.starts_with(below.path()) && copy.ends_with("bots/mine"));
        let read = |path: &str| fs::read_to_string(copy.join(path)).unwrap();
        assert_eq!(read("../../data"), "near");
        assert_eq!(read("../data"), "nearer");
        assert!(!copy.join("../../contest-1").exists());
    }

    fn filled(from: &TempDir) -> TempDir {
        let to = tempdir().unwrap();
        fill(to.path(), from.path(), Exclusions { except: None }).unwrap();
        to
    }

    #[test]
    fn the_contest_folder_is_excluded_at_any_depth_and_its_siblings_are_not() {
        let place = tempdir().unwrap();
        let place = fs::canonicalize(place.path()).unwrap();
        // Three cases: small and copied, hidden and linked, and outside the folder.
        for contest in ["bots/out/deep/c", "bots/.out/deep/c", "out/deep/c"] {
            let contest = place.join(contest);
            fs::create_dir_all(contest.join("replays")).unwrap();
            fs::write(contest.join("results.jsonl"), "seeds").unwrap();
            fs::write(contest.with_file_name("notes"), "near").unwrap();
            symlink(&contest, place.join("bots/direct")).unwrap();
            symlink(&place, place.join("bots/around")).unwrap();
            let below = tempdir().unwrap();
            let copy = copy_below(below.path(), &place.join("bots"), Some(&contest)).unwrap();
            let in_copy = copy.join("..").join(contest.strip_prefix(&place).unwrap());
            let notes = fs::read_to_string(in_copy.with_file_name("notes"));
            assert_eq!(notes.unwrap(), "near", "{}", contest.display());
            assert!(!in_copy.exists(), "{}", contest.display());
            for link in ["direct", "around"] {
                assert!(fs::symlink_metadata(copy.join(link)).is_err(), "{link}");
                fs::remove_file(place.join("bots").join(link)).unwrap();
            }
        }
    }

    #[test]
    fn writes_to_the_copy_do_not_change_the_original() {
        let from = tempdir().unwrap();
        let notes = Path::new("data/deep/notes");
        fs::create_dir_all(from.path().join("data/deep")).unwrap();
        fs::write(from.path().join(notes), "old").unwrap();
        fs::write(from.path().join("weights"), "old").unwrap();
        let to = filled(&from);
        for file in [Path::new("weights"), notes, Path::new("new")] {
            fs::write(to.path().join(file), "new").unwrap();
        }
        assert_eq!(fs::read(from.path().join("weights")).unwrap(), b"old");
        assert_eq!(fs::read(from.path().join(notes)).unwrap(), b"old");
        assert!(!from.path().join("new").exists());
    }

    #[test]
    fn large_hidden_and_executable_entries_are_linked_and_contests_are_excluded() {
        let from = tempdir().unwrap();
        let path = |name: &str| from.path().join(name);
        for folder in ["packages", "contest-1", ".venv"] {
            fs::create_dir(path(folder)).unwrap();
        }
        for number in 0..MAX_ENTRY_FILES {
            fs::write(path("packages").join(number.to_string()), "").unwrap();
        }
        fs::write(path("contest-1/contest.json"), "seeds").unwrap();
        let model = File::create(path("model")).unwrap();
        model.set_len(MAX_ENTRY_BYTES + 1).unwrap();
        fs::write(path("bot"), "#!/bin/sh").unwrap();
        fs::set_permissions(path("bot"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(path("bot.py"), "").unwrap();
        symlink("bot.py", path("other.py")).unwrap();

        let to = filled(&from);
        for linked in ["packages", ".venv", "model", "bot", "other.py"] {
            let target = fs::read_link(to.path().join(linked)).unwrap();
            assert_eq!(target, path(linked));
        }
        let copied = fs::symlink_metadata(to.path().join("bot.py"));
        assert!(copied.unwrap().is_file());
        assert!(!to.path().join("contest-1").exists());
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 6);
    }

    #[test]
    fn a_copy_has_the_modification_time_of_its_source() {
        let from = tempdir().unwrap();
        let source = from.path().join("bot.py");
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let times = FileTimes::new().set_modified(long_ago);
        File::create(&source).unwrap().set_times(times).unwrap();
        let copied = fs::metadata(filled(&from).path().join("bot.py")).unwrap();
        assert_eq!(copied.modified().unwrap(), long_ago);
    }
}
