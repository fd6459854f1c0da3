//! The file beside the database that records a lower bound for the number of commits.
//!
//! The file is written after each commit, without waiting for the disk. With
//! [`Durability::Disk`](crate::Durability::Disk) it is written after the commit's flush. So after a
//! power failure the recorded number can be too small, but it is never larger than the number of
//! commits.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh64::xxh64;

use crate::{
    COMMITS_FILE, StoreError,
    checksum::{CHECKSUM_MISMATCH, StoreId},
    data_dir,
};

/// Maximum number of bytes read from the file: twice the size of a valid file.
const MAX_FILE_BYTES: u64 = 256;

/// Content of the commit count file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommitsRecord {
    Missing,
    /// The content is invalid for this reason.
    Invalid(&'static str),
    /// The id of a store, and the number of its commits.
    Commits(StoreId, i64),
}

/// Reads a data folder's commit count file.
pub(crate) fn read(folder: &Path) -> Result<CommitsRecord, StoreError> {
    let path = folder.join(COMMITS_FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(CommitsRecord::Missing),
        Err(error) => return Err(io_error(&path, &error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| io_error(&path, &error))?;
    Ok(parse(&bytes))
}

/// An open handle for writing a store's file.
#[derive(Debug)]
pub(crate) struct CommitCountFile {
    file: File,
    store: StoreId,
}

impl CommitCountFile {
    /// Opens the file; creates it if it is missing. Writes this number of commits to the file, and
    /// flushes the file to the disk.
    pub(crate) fn open_or_create(
        folder: &Path,
        store: StoreId,
        commits: i64,
    ) -> Result<Self, StoreError> {
        let path = folder.join(COMMITS_FILE);
        let to_error = |error: io::Error| io_error(&path, &error);
        let file =
            data_dir::private_file().create(true).truncate(false).open(&path).map_err(to_error)?;
        let mut this = Self { file, store };
        this.write(commits).map_err(to_error)?;
        this.file.set_len(format_line(store, commits).len() as u64).map_err(to_error)?;
        this.file.sync_all().map_err(to_error)?;
        sync_folder(folder).map_err(to_error)?;
        Ok(this)
    }

    /// Writes a new number of commits. The file keeps its size, so this works on a full disk. A
    /// failed write is harmless, since the recorded number may be too small.
    pub(crate) fn write_count(&mut self, commits: i64) {
        let _ = self.write(commits);
    }

    /// Flushes the recorded number to the disk. A failed flush is harmless, since the recorded
    /// number may be too small after a power failure.
    pub(crate) fn sync(&self) {
        let _ = self.file.sync_data();
    }

    fn write(&mut self, commits: i64) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(format_line(self.store, commits).as_bytes())
    }
}

/// Flushes a folder's entries to the disk.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing: folders cannot be synced on this system.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Formats the content of the file: one line of constant length.
fn format_line(store: StoreId, commits: i64) -> String {
    let id = hex::encode(store.0);
    let content = format!("store {id} commits {commits:019}");
    let checksum = xxh64(content.as_bytes(), 0);
    format!("{content} checksum {checksum:016x}\n")
}

fn parse(bytes: &[u8]) -> CommitsRecord {
    let words: Option<Vec<&str>> =
        std::str::from_utf8(bytes).ok().map(|text| text.split_ascii_whitespace().collect());
    let Some(&["store", id, "commits", commits, "checksum", _]) = words.as_deref() else {
        return CommitsRecord::Invalid("the format is unknown");
    };
    let store = hex::decode(id).ok().and_then(|id| StoreId::from_bytes(&id));
    let (Some(store), Ok(commits)) = (store, commits.parse()) else {
        return CommitsRecord::Invalid("the numbers are invalid");
    };
    if format_line(store, commits).as_bytes() != bytes {
        return CommitsRecord::Invalid(CHECKSUM_MISMATCH);
    }
    CommitsRecord::Commits(store, commits)
}

/// Converts a file's I/O error.
pub(crate) fn io_error(path: &Path, error: &io::Error) -> StoreError {
    let path: PathBuf = path.to_owned();
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        _ => StoreError::Io { path, detail: error.to_string() },
    }
}

/// Returns whether the file exists and is not empty.
pub(crate) fn is_non_empty_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::checksum::STORE_ID_BYTES;
    const STORE: StoreId = StoreId([0xa7; STORE_ID_BYTES]);

    #[test]
    fn the_last_recorded_value_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), CommitsRecord::Missing);
        let mut file = CommitCountFile::open_or_create(folder.path(), STORE, 0).unwrap();
        for commits in [1, 999, i64::MAX, 7] {
            file.write_count(commits);
            assert_eq!(read(folder.path()).unwrap(), CommitsRecord::Commits(STORE, commits));
        }
        let again = CommitCountFile::open_or_create(folder.path(), STORE, 12).unwrap();
        again.sync();
        assert_eq!(read(folder.path()).unwrap(), CommitsRecord::Commits(STORE, 12));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let sound = format_line(STORE, 1_234);
        assert_eq!(parse(sound.as_bytes()), CommitsRecord::Commits(STORE, 1_234));
        for place in 0..sound.len() {
            for bit in 0..8 {
                let mut damaged = sound.clone().into_bytes();
                damaged[place] ^= 1 << bit;
                assert!(matches!(parse(&damaged), CommitsRecord::Invalid(_)), "byte {place}");
            }
            assert!(matches!(parse(&sound.as_bytes()[..place]), CommitsRecord::Invalid(_)));
        }
    }
}
