//! Atomic file writes. A file is complete or absent, even after a crash or a power loss, or when
//! the disk is full.

mod mode;

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::{NamedTempFile, TempPath};

pub use self::mode::{FileMode, InvalidFileMode};

/// Name suffix of incomplete files: the final name, a dot, random letters and digits, and then this
/// suffix.
const UNFINISHED_SUFFIX: &str = ".unfinished";

/// A complete and synced file under a temporary name. Dropping it removes the file.
pub struct PreparedFile {
    file: TempPath,
    path: PathBuf,
}

impl PreparedFile {
    /// Writes the bytes to a temporary file in the folder of `path`. Without a mode, the umask
    /// applies.
    ///
    /// # Errors
    /// Returns file system errors. No file is left behind.
    pub fn write(path: PathBuf, bytes: &[u8], mode: Option<FileMode>) -> io::Result<Self> {
        PartialFile::with_content(path, bytes, mode)?.sync()
    }

    /// Renames the file to its final name, replacing an existing file.
    ///
    /// # Errors
    /// Returns file system errors. No file is left behind.
    pub fn persist(self) -> io::Result<()> {
        self.file.persist(self.path).map_err(|error| error.error)
    }
}

/// A file that is written incrementally under a temporary name. Dropping it removes the file.
pub struct PartialFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl PartialFile {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// Returns file system errors; also if the path exists and is not a regular file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = link_target(path);
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other("the path exists and is not a regular file"));
        }
        Self::with_content(path, b"", None)
    }

    fn with_content(path: PathBuf, bytes: &[u8], mode: Option<FileMode>) -> io::Result<Self> {
        let mut prefix: OsString = path.file_name().unwrap_or_default().to_owned();
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(UNFINISHED_SUFFIX);
        // `tempfile`'s own functions add the temporary path to errors, and omit the error code of
        // the operating system.
        let create = |path: &Path| create_new(path, mode);
        let mut file = builder.make_in(folder_of(&path), create)?;
        if let Some(mode) = mode {
            // Set explicitly, since the umask affects the mode at creation.
            mode.apply_to(file.as_file())?;
        }
        file.as_file_mut().write_all(bytes)?;
        Ok(Self { file, path })
    }

    /// Appends bytes to the file.
    ///
    /// # Errors
    /// Returns file system errors.
    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.as_file_mut().write_all(bytes)
    }

    /// The temporary path until the file is complete.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn sync(self) -> io::Result<PreparedFile> {
        self.file.as_file().sync_all()?;
        let (file, path) = (self.file.into_temp_path(), self.path);
        Ok(PreparedFile { file, path })
    }

    /// Syncs the file and renames it to its final name, durably.
    ///
    /// # Errors
    /// Returns file system errors. No file is left behind.
    pub fn persist(self) -> io::Result<()> {
        let folder = folder_of(&self.path).to_owned();
        self.sync()?.persist()?;
        sync_folder(&folder)
    }
}

/// Creates a file for writing. Never opens an existing file, so a link that was placed there cannot
/// redirect the write. Without a mode, the umask applies.
fn create_new(path: &Path, mode: Option<FileMode>) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        // With a mode, the file starts private, and the caller then adds the other permissions.
        let bits = mode.map_or(0o666, |_| FileMode::PRIVATE.bits());
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, bits);
    }
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

/// Returns the final name of an incomplete file; `None` if this is not the path of an incomplete
/// file.
#[must_use]
pub fn final_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let (whole, random) = name.strip_suffix(UNFINISHED_SUFFIX)?.rsplit_once('.')?;
    let is_random = !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_random.then_some(whole)
}

/// Returns the target of a symbolic link, so that the link is kept and its target is replaced.
fn link_target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the folder of a file. An empty path is the current folder.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Syncs the entries of a folder. Without this, a power failure can undo the renaming of a file.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix can open folders.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Checks that [`write()`] could write a file, without changing anything. The write can still fail
/// if the disk becomes full.
///
/// # Errors
/// Returns file system errors.
pub fn probe(path: &Path) -> io::Result<()> {
    let path = link_target(path);
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok(()),
        _ => PartialFile::with_content(path, b"", None).map(drop),
    }
}

/// Writes a file atomically and durably. A target that is not a regular file, such as a pipe or a
/// terminal, is written to directly. The umask applies.
///
/// # Errors
/// Returns file system errors. An existing file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = link_target(path);
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(&path, bytes);
    }
    PartialFile::with_content(path, bytes, None)?.persist()
}

/// Writes a file with these permissions, in one of the program's private folders. Replaces anything
/// with the same name, even a link or a pipe.
///
/// # Errors
/// Returns file system errors. An existing file is then unchanged.
pub fn write_with(path: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    PartialFile::with_content(path.to_owned(), bytes, Some(mode))?.persist()
}

/// Minimum number of files for syncing the whole file system. For fewer files it is not worthwhile,
/// because it also flushes the writes of other programs.
#[cfg(target_os = "linux")]
const MIN_BATCH_SYNC: usize = 16;

/// Writes files of one file system with these permissions, atomically and durably. On Linux, many
/// files take little longer than a few. Linux before 5.8 does not report a failing disk if there
/// are many files.
///
/// # Errors
/// Returns file system errors, with the path of the file or folder. Earlier files might have been
/// written, but no file is incomplete.
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
        let partial = PartialFile::with_content(path.clone(), bytes, Some(mode));
        let synced = partial.and_then(|partial| {
            if !is_large_batch {
                partial.file.as_file().sync_all()?;
            }
            Ok(partial)
        });
        let synced = synced.map_err(|error| (path.clone(), error))?;
        // One file stays open for the sync. All others are closed, because their number might
        // exceed the open-file limit.
        let (open, file) = synced.file.into_parts();
        one.get_or_insert(open);
        let path = synced.path;
        written.push(PreparedFile { file, path });
    }
    #[cfg(target_os = "linux")]
    if let Some(one) = one.filter(|_| is_large_batch) {
        // Syncing small files one by one would take most of the time.
        let path = &files[0].0;
        rustix::fs::syncfs(one).map_err(|error| (path.clone(), error.into()))?;
    }
    for ((path, _), prepared) in files.iter().zip(written) {
        prepared.persist().map_err(|error| (path.clone(), error))?;
    }
    let folders: BTreeSet<&Path> = files.iter().map(|(path, _)| folder_of(path)).collect();
    for folder in folders {
        sync_folder(folder).map_err(|error| (folder.to_owned(), error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
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
    fn a_creation_error_is_a_system_error_without_the_temporary_path() {
        let folder = tempfile::tempdir().unwrap();
        let error = write(&folder.path().join("none/a.json"), b"first").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.raw_os_error().is_some());
        assert!(!error.to_string().contains("a.json"), "{error}");
    }

    #[test]
    fn the_name_of_a_partial_file_contains_the_final_name() {
        let folder = tempfile::tempdir().unwrap();
        let partial = PartialFile::create(&folder.path().join("a.json")).unwrap();
        assert_eq!(final_name(partial.path()), Some("a.json"));
        for other in ["a.json", "a.unfinished", "a.json..unfinished", "a.my-notes.unfinished"] {
            assert_eq!(final_name(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn files_written_together_are_complete_and_errors_name_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: &'static [u8]| (folder.path().join(name), bytes);
        for count in [0, 1, 2, 2_000] {
            let files: Vec<_> = (0..count).map(|number| of(&number.to_string(), b"a")).collect();
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
        for (text, file_bits, folder_bits) in
            [("0600", 0o600, 0o700), ("640", 0o640, 0o750), ("0644", 0o644, 0o755)]
        {
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
