//! The exclusive lock of a data folder.

use std::{
    fs::{File, TryLockError},
    io::{self, Read as _, Write as _},
};

use crate::{
    DataDir, LOCK_FILE, StoreError,
    data_dir::{folder_unusable, private_file},
    replacement,
};

/// Maximum number of bytes that are read from a lock file, enough for a process id.
const MAX_PROCESS_ID_BYTES: u64 = 16;

/// An exclusive lock on the folder, held by the server that uses the folder.
#[derive(Debug)]
pub(crate) struct DirLock {
    /// The lock lasts as long as this file is open.
    _file: File,
}

impl DataDir {
    /// Locks the folder until the lock is dropped or the process ends. Completes the replacement of
    /// the store if it was interrupted.
    pub(crate) fn lock(&self) -> Result<DirLock, StoreError> {
        let folder_unusable = |source| folder_unusable(self.path(), source);
        let mut file = private_file()
            .read(true)
            .create(true)
            .open(self.path().join(LOCK_FILE))
            .map_err(folder_unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::FolderInUse {
                    path: self.path().to_owned(),
                    process_id: read_process_id(&file),
                });
            }
            Err(TryLockError::Error(source)) => return Err(folder_unusable(source)),
        }
        // The process id is for people only. The lock works without it, for example on a full disk.
        let _ = write_process_id(&mut file);
        replacement::install(self.path())?;
        Ok(DirLock { _file: file })
    }
}

fn write_process_id(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

fn read_process_id(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(MAX_PROCESS_ID_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    fn a_stale_lock_file_does_not_lock_the_folder() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join(LOCK_FILE), "4294967295\n and more").unwrap();
        let dir = DataDir::prepare(parent.path()).unwrap();
        let _held = dir.lock().unwrap();
        let text = fs::read_to_string(parent.path().join(LOCK_FILE)).unwrap();
        assert_eq!(text.trim(), std::process::id().to_string());
    }
}
