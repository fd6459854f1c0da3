//! Puts a new store into a data folder as a whole, even if the process is killed meanwhile.
//!
//! The new store is written to a separate folder. Renaming that folder commits the replacement.
//! Then its files are moved into place. If this is interrupted, the next process that locks the
//! data folder continues it.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    COMMITS_FILE, DATABASE_FILE, DataDir, StoreError,
    commit_count_file::{io_error, sync_folder},
    data_dir,
};

/// The folder of a new store that is not complete.
pub(crate) const UNFINISHED_FOLDER: &str = "bridgemaster.unfinished";
/// The folder of a complete new store, whose files are moved into place.
const COMPLETE_FOLDER: &str = "bridgemaster.complete";
/// The folder below it for the files of the store that is replaced.
const REPLACED: &str = "replaced";

/// The log (WAL) beside the database.
const LOG_FILE: &str = "bridgemaster.db-wal";
/// The index of the log.
const INDEX_FILE: &str = "bridgemaster.db-shm";

/// The files of a store besides the commit count file.
const DATABASE_FILES: [&str; 3] = [DATABASE_FILE, LOG_FILE, INDEX_FILE];

/// A new store. Dropping this value before it is installed removes the store.
pub(crate) struct NewStore {
    data: PathBuf,
    folder: PathBuf,
    is_complete: bool,
}

impl NewStore {
    /// Creates an empty database in a separate folder.
    pub(crate) fn create(dir: &DataDir) -> Result<Self, StoreError> {
        let data = dir.path().to_owned();
        let folder = data.join(UNFINISHED_FOLDER);
        let _ = fs::remove_dir_all(&folder);
        let created = data_dir::create_folder(&folder);
        let this = Self { data, folder, is_complete: false };
        let database = this.database();
        let created = created.and_then(|()| data_dir::create_file(&database));
        created.map_err(|error| io_error(&database, &error))?;
        Ok(this)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join(DATABASE_FILE)
    }

    /// Replaces the store in the data folder, if there is one. Its files are moved to a folder
    /// `replaced-...` in the data folder.
    pub(crate) fn install(mut self) -> Result<(), StoreError> {
        let commit = || -> io::Result<()> {
            // SQLite can leave an empty log.
            if file_bytes(&self.folder.join(LOG_FILE))?.is_some_and(|bytes| bytes > 0) {
                return Err(io::Error::other("the log was not copied into the new database"));
            }
            File::open(self.database())?.sync_all()?;
            sync_folder(&self.folder)?;
            fs::rename(&self.folder, self.data.join(COMPLETE_FOLDER))?;
            sync_folder(&self.data)
        };
        commit().map_err(|error| io_error(&self.folder, &error))?;
        self.is_complete = true;
        install(&self.data)
    }
}

impl Drop for NewStore {
    fn drop(&mut self) {
        if !self.is_complete {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Returns the size of a file in bytes; `None` if it is missing.
fn file_bytes(path: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some(file.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl DataDir {
    /// Returns whether the folder has a store. The store can be a complete new one whose files are
    /// not in place yet, because the process was killed; opening it moves them.
    #[must_use]
    pub fn has_store(&self) -> bool {
        self.database().is_file() || self.path().join(COMPLETE_FOLDER).exists()
    }
}

/// Checks that no replacement was interrupted, for a folder that cannot be locked.
///
/// # Errors
/// Returns an error if the old store might still be in place, or no database.
pub(crate) fn require_completed(dir: &DataDir) -> Result<(), StoreError> {
    if !dir.path().join(COMPLETE_FOLDER).exists() {
        return Ok(());
    }
    let cause = "a restore was interrupted, and its completion needs a writable medium";
    Err(data_dir::folder_unusable(dir.path(), io::Error::other(cause)))
}

/// Moves a complete new store into place. Does nothing if there is none. The caller must hold the
/// lock on the folder.
pub(crate) fn install(data: &Path) -> Result<(), StoreError> {
    let new = data.join(COMPLETE_FOLDER);
    let replaced = new.join(REPLACED);
    let work = || -> io::Result<()> {
        if !new.try_exists()? {
            return Ok(());
        }
        data_dir::create_folder(&replaced)?;
        for (from, to) in moves(data)? {
            fs::rename(from, to)?;
        }
        sync_folder(&replaced)?;
        sync_folder(data)?;
        if fs::read_dir(&replaced)?.next().transpose()?.is_some() {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            fs::rename(&replaced, data.join(format!("replaced-{}", now.as_millis())))?;
        } else {
            fs::remove_dir(&replaced)?;
        }
        // Only these files may remain. With any other file, the folder cannot be removed, so that
        // nothing unexpected is deleted.
        if file_bytes(&new.join(INDEX_FILE))?.is_some() {
            fs::remove_file(new.join(INDEX_FILE))?;
        }
        if file_bytes(&new.join(LOG_FILE))? == Some(0) {
            fs::remove_file(new.join(LOG_FILE))?;
        }
        fs::remove_dir(&new)?;
        sync_folder(data)
    };
    work().map_err(|error| io_error(&new, &error))
}

/// Returns the remaining moves of files, in order: the files of the existing store aside, and then
/// the new files into place. While the new folder still has a file, the file of that name in the
/// data folder is the old one. The database moves last: until then, any `-wal` or `-shm` in the
/// data folder is old.
fn moves(data: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let new = data.join(COMPLETE_FOLDER);
    let is_new = |name: &str| new.join(name).try_exists();
    let mut aside = Vec::new();
    if is_new(DATABASE_FILE)? {
        aside.extend(DATABASE_FILES);
    }
    if is_new(COMMITS_FILE)? {
        aside.push(COMMITS_FILE);
    }
    let aside = aside.into_iter().map(|name| (data.join(name), new.join(REPLACED).join(name)));
    let into_place = [COMMITS_FILE, DATABASE_FILE].map(|name| (new.join(name), data.join(name)));
    let mut remaining = Vec::new();
    for (from, to) in aside.chain(into_place) {
        if from.try_exists()? {
            remaining.push((from, to));
        }
    }
    Ok(remaining)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files with this text as their content.
    fn write(folder: &Path, names: &[&str], text: &str) {
        fs::create_dir_all(folder).unwrap();
        names.iter().for_each(|name| fs::write(folder.join(name), text).unwrap());
    }

    #[test]
    fn an_interrupted_replacement_is_completed_wherever_it_was_interrupted() {
        let old = [&DATABASE_FILES[..], &[COMMITS_FILE]].concat();
        for is_replacing in [false, true] {
            let mut interrupted_after = 0;
            loop {
                let folder = tempfile::tempdir().unwrap();
                let data = folder.path();
                let new = data.join(COMPLETE_FOLDER);
                write(&new, &[DATABASE_FILE, INDEX_FILE, COMMITS_FILE], "new");
                write(&new, &[LOG_FILE], "");
                fs::create_dir(new.join(REPLACED)).unwrap();
                if is_replacing {
                    write(data, &old, "old");
                }
                let all = moves(data).unwrap();
                for (from, to) in all.iter().take(interrupted_after) {
                    fs::rename(from, to).unwrap();
                }
                install(data).unwrap();

                let text = |path: PathBuf| fs::read_to_string(path).unwrap();
                assert_eq!(text(data.join(DATABASE_FILE)), "new");
                assert_eq!(text(data.join(COMMITS_FILE)), "new");
                let mut names: Vec<_> =
                    fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
                names.retain(|path| path.is_dir());
                assert_eq!(names.len(), usize::from(is_replacing), "{names:?}");
                for folder in names {
                    for name in &old {
                        assert_eq!(text(folder.join(name)), "old", "{interrupted_after}");
                    }
                }
                if interrupted_after == all.len() {
                    break;
                }
                interrupted_after += 1;
            }
        }
    }

    #[test]
    fn an_unexpected_file_of_a_new_store_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join(COMPLETE_FOLDER);
        let dir = DataDir::read_only(folder.path());
        for unexpected in [LOG_FILE, "other"] {
            assert!(!dir.has_store());
            require_completed(&dir).unwrap();
            write(&new, &[DATABASE_FILE, unexpected], "new");
            assert!(dir.has_store());
            require_completed(&dir).unwrap_err();
            for _ in 0..2 {
                install(folder.path()).unwrap_err();
            }
            fs::remove_file(new.join(unexpected)).unwrap();
            install(folder.path()).unwrap();
            assert!(!new.exists());
            fs::remove_file(folder.path().join(DATABASE_FILE)).unwrap();
        }
    }

    #[test]
    fn a_new_store_with_a_log_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        for (log, is_installed) in [("commits", false), ("", true)] {
            let new = NewStore::create(&dir).unwrap();
            write(new.folder(), &[LOG_FILE], log);
            assert_eq!(new.install().is_ok(), is_installed);
            assert_eq!(dir.database().exists(), is_installed);
            let files = fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(files, usize::from(is_installed), "no other file");
        }
    }

    #[test]
    fn a_new_store_that_is_not_installed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        drop(NewStore::create(&dir).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
