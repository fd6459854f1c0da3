//! Atomic file writes. A file is complete or absent, even after a crash or a power loss, or when
//! the disk is full.

#![forbid(unsafe_code)]

mod mode;

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

pub use self::mode::{FileMode, InvalidFileMode};

/// Name suffix of incomplete files.
pub const UNFINISHED_SUFFIX: &str = ".unfinished";

/// A complete and synced file under a temporary name. Dropping it removes the file.
pub struct PreparedFile {
    path: PathBuf,
    /// The temporary name; `None` once the file is renamed.
    unfinished: Option<PathBuf>,
}

impl PreparedFile {
    /// Writes the bytes to a temporary file in the folder of `path`. The temporary name is the file
    /// name of `path`, followed by the process id and `.unfinished`. Without a mode, the umask
    /// applies.
    ///
    /// # Errors
    /// File system errors. No file is left behind.
    pub fn write(path: PathBuf, bytes: &[u8], mode: Option<FileMode>) -> io::Result<Self> {
        PartialFile::of(path, bytes, mode)?.sync()
    }

    /// Renames the file to its final name, replacing an existing file.
    ///
    /// # Errors
    /// File system errors. No file is left behind.
    pub fn persist(mut self) -> io::Result<()> {
        if let Some(unfinished) = &self.unfinished {
            fs::rename(unfinished, &self.path)?;
        }
        self.unfinished = None;
        Ok(())
    }
}

/// A file that is written incrementally under a temporary name. Dropping it removes the file.
pub struct PartialFile {
    file: File,
    prepared: PreparedFile,
}

impl PartialFile {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// File system errors; also if the path exists and is not a regular file.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A symbolic link is kept, and its target is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other(
                "the path exists and is not a regular file",
            ));
        }
        Self::create_at(path, None)
    }

    fn of(path: PathBuf, bytes: &[u8], mode: Option<FileMode>) -> io::Result<Self> {
        let mut partial = Self::create_at(path, mode)?;
        partial.write_all(bytes)?;
        Ok(partial)
    }

    fn create_at(path: PathBuf, mode: Option<FileMode>) -> io::Result<Self> {
        let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}{UNFINISHED_SUFFIX}", std::process::id()));
        let unfinished = path.with_file_name(name);
        // Never opens an existing file, so that a link placed there cannot redirect the write.
        let file = match create_new(&unfinished, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A killed process with the same id has left this file.
                fs::remove_file(&unfinished)?;
                create_new(&unfinished, mode)
            }
            result => result,
        };
        Ok(Self {
            file: file?,
            prepared: PreparedFile {
                path,
                unfinished: Some(unfinished),
            },
        })
    }

    /// Appends bytes to the file.
    ///
    /// # Errors
    /// File system errors.
    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// The temporary path until the file is complete.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.prepared
            .unfinished
            .as_deref()
            .unwrap_or(&self.prepared.path)
    }

    fn sync(self) -> io::Result<PreparedFile> {
        self.file.sync_all()?;
        Ok(self.prepared)
    }

    /// Syncs the file and renames it to its final name, durably.
    ///
    /// # Errors
    /// File system errors. No file is left behind.
    pub fn persist(self) -> io::Result<()> {
        let folder = self.prepared.path.parent().unwrap_or(Path::new(""));
        let folder = folder.to_owned();
        self.sync()?.persist()?;
        sync_folder(&folder)
    }
}

impl Drop for PreparedFile {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            // Ignore a failure: the suffix marks the file as incomplete.
            let _ = fs::remove_file(unfinished);
        }
    }
}

/// Creates a new file for writing.
fn create_new(path: &Path, mode: Option<FileMode>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(mode) = mode {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        let file = options.mode(FileMode::PRIVATE.bits()).open(path)?;
        // Set the mode explicitly, because the umask must not apply.
        file.set_permissions(fs::Permissions::from_mode(mode.bits()))?;
        return Ok(file);
    }
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

/// Syncs a folder's entries. Without this sync, a power loss can undo the renaming of a file.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // An empty path is the current folder. Only Unix can open folders.
    let folder = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Checks that [`write()`] could write a file, without changing anything. The write can still fail
/// if the disk becomes full.
///
/// # Errors
/// File system errors.
pub fn probe(path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok(()),
        _ => PreparedFile::write(path, b"", None).map(drop),
    }
}

/// Writes a file atomically and durably. A target that is not a regular file, such as a pipe or a
/// terminal, is written to directly. The umask applies.
///
/// # Errors
/// File system errors. An existing file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A symbolic link is kept, and its target is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(&path, bytes);
    }
    replace(path, bytes, None)
}

/// Writes a file with these permissions, in one of the program's private folders. Replaces anything
/// with the same name, even a link or a pipe.
///
/// # Errors
/// File system errors. An existing file is then unchanged.
pub fn write_with(path: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    replace(path.to_owned(), bytes, Some(mode))
}

fn replace(path: PathBuf, bytes: &[u8], mode: Option<FileMode>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    PreparedFile::write(path, bytes, mode)?.persist()?;
    sync_folder(&folder)
}

/// Minimum number of files for a sync of the whole file system. For fewer files, such a sync is not
/// worthwhile, because it also flushes other programs' writes.
#[cfg(target_os = "linux")]
const MIN_BATCH_SYNC: usize = 16;

/// Writes files of one file system with these permissions, atomically and durably. On Linux, many
/// files take little longer than a few. With many files, Linux versions before 5.8 do not report a
/// failing disk.
///
/// # Errors
/// File system errors, with the path of the file or folder. Earlier files might have been written,
/// but no file is incomplete.
pub fn write_together(
    files: &[(PathBuf, &[u8])],
    mode: FileMode,
) -> Result<(), (PathBuf, io::Error)> {
    #[cfg(target_os = "linux")]
    let is_large_batch = files.len() >= MIN_BATCH_SYNC;
    #[cfg(not(target_os = "linux"))]
    let is_large_batch = false;
    let mut written = Vec::with_capacity(files.len());
    let mut one = None;
    for (path, bytes) in files {
        let partial = PartialFile::of(path.clone(), bytes, Some(mode));
        let synced = partial.and_then(|partial| {
            if !is_large_batch {
                partial.file.sync_all()?;
            }
            Ok(partial)
        });
        let PartialFile { file, prepared } = synced.map_err(|error| (path.clone(), error))?;
        // One file stays open for the sync. All other files are closed, because their number can
        // exceed the open-file limit.
        one.get_or_insert(file);
        written.push((path, prepared));
    }
    #[cfg(target_os = "linux")]
    if let Some(one) = one.filter(|_| is_large_batch) {
        // Syncing small files one by one would take most of the time.
        let path = &files[0].0;
        rustix::fs::syncfs(one).map_err(|error| (path.clone(), error.into()))?;
    }
    let mut folders = BTreeSet::new();
    for (path, prepared) in written {
        prepared.persist().map_err(|error| (path.clone(), error))?;
        folders.extend(path.parent());
    }
    for folder in folders {
        sync_folder(folder).map_err(|error| (folder.to_owned(), error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_probe_reports_unwritable_paths_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        probe(&path).unwrap();
        assert!(!path.exists());
        write(&path, b"first").unwrap();
        probe(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.json"]);
        assert!(probe(folder.path()).is_err());
        assert!(probe(&folder.path().join("no/such/folder")).is_err());
        #[cfg(unix)]
        probe(Path::new("/dev/null")).unwrap();
    }

    #[test]
    fn a_file_is_replaced_atomically_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn files_written_together_are_complete_and_errors_name_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: &'static [u8]| (folder.path().join(name), bytes);
        for count in [0, 1, 2, 2_000] {
            let files: Vec<_> = (0..count)
                .map(|number| of(&number.to_string(), b"a"))
                .collect();
            write_together(&files, FileMode::PRIVATE).unwrap();
            assert_eq!(names(folder.path()).len(), count);
            for (path, bytes) in &files {
                assert_eq!(&fs::read(path).unwrap(), bytes);
                fs::remove_file(path).unwrap();
            }
        }
        let files = [of("c", b"fourth"), of("none/d", b"fifth")];
        let (path, _) = write_together(&files, FileMode::PRIVATE).unwrap_err();
        assert_eq!(path, folder.path().join("none/d"));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_file_that_is_not_persisted_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write(&path, b"first").unwrap();
        drop(PreparedFile::write(path.clone(), b"second", None).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn a_partial_file_has_its_name_once_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        write(&path, b"first").unwrap();
        let mut partial = PartialFile::create(&path).unwrap();
        partial.write_all(b"sec").unwrap();
        drop(partial);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.tar"]);
        let mut partial = PartialFile::create(&path).unwrap();
        for part in [b"sec", b"ond"] {
            partial.write_all(part).unwrap();
        }
        partial.persist().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["a.tar"]);
        assert!(PartialFile::create(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_have_the_requested_mode_regardless_of_the_umask() {
        use std::os::unix::fs::PermissionsExt as _;
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        for (text, file_bits, folder_bits) in [
            ("0600", 0o600, 0o700),
            ("640", 0o640, 0o750),
            ("0644", 0o644, 0o755),
        ] {
            let mode: FileMode = text.parse().unwrap();
            let parent = tempfile::tempdir().unwrap();
            let folder = parent.path().join("of/files");
            mode.create_folder(&folder, false).unwrap();
            assert_eq!(mode_of(&folder), folder_bits);
            write_with(&folder.join("one"), b"1", mode).unwrap();
            write_together(&[(folder.join("two"), b"2".as_slice())], mode).unwrap();
            assert_eq!(mode_of(&folder.join("one")), file_bits);
            assert_eq!(mode_of(&folder.join("two")), file_bits);
            // The mode of an existing folder changes only on request.
            FileMode::PRIVATE.create_folder(&folder, false).unwrap();
            assert_eq!(mode_of(&folder), folder_bits);
            FileMode::PRIVATE.create_folder(&folder, true).unwrap();
            assert_eq!(mode_of(&folder), 0o700);
        }
        for bad in ["", "rw", "0400", "0666", "0755", "4644", "+644", "888"] {
            let refused = bad.parse::<FileMode>().unwrap_err();
            assert!(refused.to_string().contains("0640"), "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn obstacles_at_the_temporary_path_are_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.json"), folder.path().join("other"));
        fs::write(&other, b"somebody's").unwrap();
        let in_the_way = format!("a.json.{}{UNFINISHED_SUFFIX}", std::process::id());
        std::os::unix::fs::symlink(&other, folder.path().join(in_the_way)).unwrap();
        write(&path, b"first").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read(&other).unwrap(), b"somebody's");
        assert_eq!(names(folder.path()), ["a.json", "other"]);
    }

    #[cfg(unix)]
    #[test]
    fn private_files_replace_links_and_pipes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.json"), folder.path().join("other"));
        fs::write(&other, b"somebody's").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        write_with(&path, b"first", FileMode::PRIVATE).unwrap();
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        write_with(&path, b"second", FileMode::PRIVATE).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read(&other).unwrap(), b"somebody's");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_special_files_are_preserved() {
        use std::os::unix::fs::{FileTypeExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, b"old").unwrap();
        symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");

        write(Path::new("/dev/null"), b"gone").unwrap();
        let null = fs::metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());
    }
}
