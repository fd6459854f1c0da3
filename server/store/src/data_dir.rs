//! The folder of a server, and who holds it.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use crate::{COMMITS_FILE, DATABASE_FILE, LOCK_FILE, StoreError, closed};

/// All files of a data folder that belong to this program.
const FILES: &[&str] = &[
    DATABASE_FILE,
    "bridgemaster.db-wal",
    "bridgemaster.db-shm",
    COMMITS_FILE,
    LOCK_FILE,
];

/// Longest process number read from a lock file, in bytes.
const MAX_PROCESS_ID_BYTES: u64 = 16;

/// A folder that this process may write to. On a local disk: SQLite's shared memory and the
/// lock do not work over a network.
#[derive(Clone, Debug)]
pub struct DataDir {
    path: PathBuf,
}

impl DataDir {
    /// Makes the folder if there is none, and makes sure that files can be made in it and that
    /// other users can open neither it nor the files of this program in it: what is in them is
    /// secret while matches are played. Rights of other users to files are taken away, and those
    /// to a folder that is empty or has been used as data folder. On Unix; elsewhere rights stay
    /// as they are.
    ///
    /// # Errors
    /// [`StoreError::FolderUnusable`], [`StoreError::FolderOpenToOthers`],
    /// [`StoreError::FileOpenToOthers`], or [`StoreError::DiskFull`].
    pub fn prepare(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let unusable = |source| unusable(&path, source);
        closed::make_folder(&path).map_err(unusable)?;
        let probe = path.join(format!("write-test.{}", std::process::id()));
        closed::new_file(&probe).map_err(unusable)?;
        fs::remove_file(&probe).map_err(unusable)?;
        let dir = Self { path };
        dir.close_to_others()?;
        Ok(dir)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database in it, which may not exist yet.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE_FILE)
    }

    /// Makes an empty database if there is none. SQLite gives the files beside it its rights. To
    /// be called by whoever holds the folder.
    pub(crate) fn make_database(&self) -> Result<(), StoreError> {
        match closed::new_file(&self.database()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(unusable(&self.path, error))
            }
            _ => Ok(()),
        }
    }

    fn close_to_others(&self) -> Result<(), StoreError> {
        let path = &self.path;
        if let Some(mode) = closed::rights_of_others(path).map_err(|e| unusable(path, e))? {
            let is_ours = FILES.iter().any(|name| path.join(name).exists());
            let mut entries = fs::read_dir(path).map_err(|error| unusable(path, error))?;
            if !(is_ours || entries.next().is_none()) || closed::close(path).is_err() {
                let path = path.clone();
                return Err(StoreError::FolderOpenToOthers { path, mode });
            }
        }
        for path in FILES.iter().map(|name| path.join(name)) {
            match closed::rights_of_others(&path) {
                Ok(Some(mode)) if closed::close(&path).is_err() => {
                    return Err(StoreError::FileOpenToOthers { path, mode });
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(unusable(&path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Holds the folder until the lock is dropped or the process ends, however it ends.
    pub(crate) fn lock(&self) -> Result<DirLock, StoreError> {
        let unusable = |source| unusable(&self.path, source);
        let mut file = closed::file_options()
            .read(true)
            .create(true)
            .open(self.path.join(LOCK_FILE))
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::FolderInUse {
                    path: self.path.clone(),
                    process_id: read_process_id(&file),
                });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        // Only words for a person: the lock holds without them, on a full disk too.
        let _ = write_process_id(&mut file);
        Ok(DirLock { _file: file })
    }
}

/// Held by the one process that serves from the folder.
#[derive(Debug)]
pub(crate) struct DirLock {
    /// Locked while it is open.
    _file: File,
}

fn unusable(path: &Path, source: io::Error) -> StoreError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        _ => StoreError::FolderUnusable {
            path,
            cause: source,
        },
    }
}

fn write_process_id(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

fn read_process_id(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(MAX_PROCESS_ID_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_holder_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(parent.path().join("a/b")).unwrap();
        let held = dir.lock().unwrap();
        let refused = dir.lock().unwrap_err();
        assert!(
            matches!(&refused, StoreError::FolderInUse { path, process_id }
                if path == dir.path() && *process_id == Some(std::process::id())),
            "{refused}"
        );
        drop(held);
        dir.lock().unwrap();
    }

    #[test]
    fn a_lock_file_left_behind_holds_nothing() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join(LOCK_FILE), "4294967295\n and more").unwrap();
        let dir = DataDir::prepare(parent.path()).unwrap();
        let _held = dir.lock().unwrap();
        let text = fs::read_to_string(parent.path().join(LOCK_FILE)).unwrap();
        assert_eq!(text.trim(), std::process::id().to_string());
    }

    #[test]
    fn a_file_is_no_data_folder() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("below")] {
            let refused = DataDir::prepare(&path).unwrap_err();
            assert!(
                matches!(&refused, StoreError::FolderUnusable { path: named, .. } if *named == path),
                "{refused}"
            );
        }
    }
}
