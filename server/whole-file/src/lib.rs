//! Files that are there whole or not at all, whenever the program or the machine stops and however
//! full the disk is.

#![forbid(unsafe_code)]

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// What the name of a file ends with that is not whole yet.
pub const UNFINISHED: &str = ".unfinished";

/// A file that is written whole and on the disk, under another name than its own. Dropped, it is
/// taken away.
pub struct Prepared {
    path: PathBuf,
    /// `None` once the file has its name.
    unfinished: Option<PathBuf>,
}

impl Prepared {
    /// Writes the bytes beside `path`, under its name with the process number and `.unfinished`.
    ///
    /// # Errors
    /// Those of the file system. Nothing is left behind then.
    pub fn write(path: PathBuf, bytes: &[u8]) -> io::Result<Self> {
        Growing::of(path, bytes)?.whole()
    }

    /// Gives the file its name, in place of the one that has it.
    ///
    /// # Errors
    /// Those of the file system. Nothing is left behind then.
    pub fn put(mut self) -> io::Result<()> {
        if let Some(unfinished) = &self.unfinished {
            fs::rename(unfinished, &self.path)?;
        }
        self.unfinished = None;
        Ok(())
    }
}

/// A file that is written part by part, under another name than its own until it is whole. Dropped,
/// it is taken away.
pub struct Growing {
    file: File,
    prepared: Prepared,
}

impl Growing {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of the file system, and where there is something of its name that is no file.
    pub fn begin(path: &Path) -> io::Result<Self> {
        // A link stays, and what it leads to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::other("there is something that is no file"));
        }
        Self::begin_at(path)
    }

    fn of(path: PathBuf, bytes: &[u8]) -> io::Result<Self> {
        let mut growing = Self::begin_at(path)?;
        growing.write_all(bytes)?;
        Ok(growing)
    }

    fn begin_at(path: PathBuf) -> io::Result<Self> {
        let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}{UNFINISHED}", std::process::id()));
        let unfinished = path.with_file_name(name);
        // A new file is asked for, so that nobody can lay a link there that leads elsewhere.
        let file = match File::create_new(&unfinished) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A killed process of this number left it.
                fs::remove_file(&unfinished)?;
                File::create_new(&unfinished)
            }
            made => made,
        };
        Ok(Self {
            file: file?,
            prepared: Prepared {
                path,
                unfinished: Some(unfinished),
            },
        })
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Where it is until it is whole.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.prepared
            .unfinished
            .as_deref()
            .unwrap_or(&self.prepared.path)
    }

    fn whole(self) -> io::Result<Prepared> {
        self.file.sync_all()?;
        Ok(self.prepared)
    }

    /// Gives the file its name: when this returns, it is on the disk and whole.
    ///
    /// # Errors
    /// Those of the file system. Nothing is left behind then.
    pub fn put(self) -> io::Result<()> {
        let folder = self.prepared.path.parent().unwrap_or(Path::new(""));
        let folder = folder.to_owned();
        self.whole()?.put()?;
        sync_folder(&folder)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            // What cannot be removed is not worse for it: its name says what it is.
            let _ = fs::remove_file(unfinished);
        }
    }
}

/// Makes the names in a folder last: without this a file that was renamed may be gone after the
/// loss of power.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // A path without a folder is in the current one. Only Unix opens folders.
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

/// Makes sure that [`write()`] has where to write to, and leaves everything as it is. The disk may be
/// full by then all the same.
///
/// # Errors
/// Those of the file system.
pub fn probe(path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(()),
        _ => Prepared::write(path, b"").map(drop),
    }
}

/// Writes a file of these bytes: when this returns, it is on the disk and whole. What is no file,
/// such as a pipe or a terminal, is written to as it is.
///
/// # Errors
/// Those of the file system. A file that had the name is as it was then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays, and what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
        return fs::write(&path, bytes);
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Prepared::write(path, bytes)?.put()?;
    sync_folder(&folder)
}

/// Files of so many at least are brought to the disk all at once. Fewer are not: that brings what
/// other programs have written there too, which may be much.
#[cfg(target_os = "linux")]
const MANY_FILES: usize = 16;

/// Writes files of one file system: when this returns, each is on the disk and whole. Many take
/// little longer than a few on Linux, whose versions before 5.8 do not tell of a disk that fails then.
///
/// # Errors
/// Those of the file system, with the path of the file, or of its folder, that could not be written.
/// Files before it may have their names then; none is there in part.
pub fn write_together(files: &[(PathBuf, &[u8])]) -> Result<(), (PathBuf, io::Error)> {
    #[cfg(target_os = "linux")]
    let are_many = files.len() >= MANY_FILES;
    #[cfg(not(target_os = "linux"))]
    let are_many = false;
    let mut written = Vec::with_capacity(files.len());
    let mut one = None;
    for (path, bytes) in files {
        let growing = Growing::of(path.clone(), bytes);
        let synced = growing.and_then(|growing| {
            if !are_many {
                growing.file.sync_all()?;
            }
            Ok(growing)
        });
        let Growing { file, prepared } = synced.map_err(|error| (path.clone(), error))?;
        // The others are closed: there may be more than a process may have open.
        one.get_or_insert(file);
        written.push((path, prepared));
    }
    #[cfg(target_os = "linux")]
    if let Some(one) = one.filter(|_| are_many) {
        // A commit of the file system for each would be most of the time that small files take.
        let path = &files[0].0;
        rustix::fs::syncfs(one).map_err(|error| (path.clone(), error.into()))?;
    }
    let mut folders = BTreeSet::new();
    for (path, prepared) in written {
        prepared.put().map_err(|error| (path.clone(), error))?;
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
    fn a_probe_tells_what_cannot_be_written_and_changes_nothing() {
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
    fn a_file_is_replaced_whole_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn files_that_are_written_together_are_whole_and_a_failure_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: &'static [u8]| (folder.path().join(name), bytes);
        for count in [0, 1, 2, 2_000] {
            let files: Vec<_> = (0..count)
                .map(|number| of(&number.to_string(), b"a"))
                .collect();
            write_together(&files).unwrap();
            assert_eq!(names(folder.path()).len(), count);
            for (path, bytes) in &files {
                assert_eq!(&fs::read(path).unwrap(), bytes);
                fs::remove_file(path).unwrap();
            }
        }
        let files = [of("c", b"fourth"), of("none/d", b"fifth")];
        let (path, _) = write_together(&files).unwrap_err();
        assert_eq!(path, folder.path().join("none/d"));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_file_that_is_not_put_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write(&path, b"first").unwrap();
        drop(Prepared::write(path.clone(), b"second").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn a_file_that_grows_has_its_name_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        write(&path, b"first").unwrap();
        let mut growing = Growing::begin(&path).unwrap();
        growing.write_all(b"sec").unwrap();
        drop(growing);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.tar"]);
        let mut growing = Growing::begin(&path).unwrap();
        for part in [b"sec", b"ond"] {
            growing.write_all(part).unwrap();
        }
        growing.put().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["a.tar"]);
        assert!(Growing::begin(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_in_the_way_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.json"), folder.path().join("other"));
        fs::write(&other, b"somebody's").unwrap();
        let in_the_way = format!("a.json.{}{UNFINISHED}", std::process::id());
        std::os::unix::fs::symlink(&other, folder.path().join(in_the_way)).unwrap();
        write(&path, b"first").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read(&other).unwrap(), b"somebody's");
        assert_eq!(names(folder.path()), ["a.json", "other"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_what_is_no_file_stay_what_they_are() {
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
