//! The file beside the database that says how many commits there have been, at least.
//!
//! It is written after each commit, and where commits survive a loss of power after its flush, without
//! waiting for the disk: so it is behind after a loss of power, and never ahead of a commit that was made.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh64::xxh64;

use crate::{
    COMMITS_FILE, StoreError,
    checksum::{CHECKSUM_DIFFERS, StoreId},
    closed,
};

/// Longest file that is read, in bytes: twice what is written.
const MAX_BYTES: u64 = 256;

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// There is no file.
    Nothing,
    /// It makes no sense: what is wrong with it.
    Nonsense(&'static str),
    /// So many commits of a store.
    Commits(StoreId, i64),
}

/// Reads the file of a folder.
pub(crate) fn read(folder: &Path) -> Result<Told, StoreError> {
    let path = folder.join(COMMITS_FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Told::Nothing),
        Err(error) => return Err(failed(&path, &error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(&path, &error))?;
    Ok(parse(&bytes))
}

/// The file of a store, to be written.
#[derive(Debug)]
pub(crate) struct CommitsFile {
    file: File,
    store: StoreId,
}

impl CommitsFile {
    /// Makes the file if there is none, and writes it.
    pub(crate) fn begin(folder: &Path, store: StoreId, commits: i64) -> Result<Self, StoreError> {
        let path = folder.join(COMMITS_FILE);
        let told = |error: io::Error| failed(&path, &error);
        let file = closed::file_options()
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(told)?;
        let mut this = Self { file, store };
        this.write(commits).map_err(told)?;
        this.file
            .set_len(text(store, commits).len() as u64)
            .map_err(told)?;
        this.file.sync_all().map_err(told)?;
        sync_folder(folder).map_err(told)?;
        Ok(this)
    }

    /// Takes note of a commit. The bytes stay in their place, so a full disk does not matter; and
    /// where it fails, the file is only behind.
    pub(crate) fn note(&mut self, commits: i64) {
        let _ = self.write(commits);
    }

    /// Makes what was noted survive the loss of power. Where it fails, the file is only behind.
    pub(crate) fn sync(&self) {
        let _ = self.file.sync_data();
    }

    /// The same file, to be synced elsewhere.
    pub(crate) fn another_handle(&self) -> Option<File> {
        self.file.try_clone().ok()
    }

    fn write(&mut self, commits: i64) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(text(self.store, commits).as_bytes())
    }
}

/// Makes names in a folder survive the loss of power.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Makes names in a folder survive the loss of power.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The file: one line, always of the same length.
fn text(store: StoreId, commits: i64) -> String {
    let id = hex::encode(store.0);
    let said = format!("store {id} commits {commits:019}");
    let checksum = xxh64(said.as_bytes(), 0);
    format!("{said} checksum {checksum:016x}\n")
}

fn parse(bytes: &[u8]) -> Told {
    let words: Option<Vec<&str>> = std::str::from_utf8(bytes)
        .ok()
        .map(|text| text.split_ascii_whitespace().collect());
    let Some(&["store", id, "commits", commits, "checksum", _]) = words.as_deref() else {
        return Told::Nonsense("it is not a line of this program");
    };
    let store = hex::decode(id).ok().and_then(|id| StoreId::read(&id));
    let (Some(store), Ok(commits)) = (store, commits.parse()) else {
        return Told::Nonsense("its numbers cannot be read");
    };
    if text(store, commits).as_bytes() != bytes {
        return Told::Nonsense(CHECKSUM_DIFFERS);
    }
    Told::Commits(store, commits)
}

/// What the system has failed with, told of a file.
pub(crate) fn failed(path: &Path, error: &io::Error) -> StoreError {
    let path: PathBuf = path.to_owned();
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        _ => StoreError::Io {
            path,
            detail: error.to_string(),
        },
    }
}

/// Whether a file is there and has bytes in it.
pub(crate) fn has_bytes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::checksum::STORE_ID_BYTES;
    const STORE: StoreId = StoreId([0xa7; STORE_ID_BYTES]);

    #[test]
    fn what_was_noted_last_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), Told::Nothing);
        let mut file = CommitsFile::begin(folder.path(), STORE, 0).unwrap();
        for commits in [1, 999, i64::MAX, 7] {
            file.note(commits);
            assert_eq!(read(folder.path()).unwrap(), Told::Commits(STORE, commits));
        }
        let again = CommitsFile::begin(folder.path(), STORE, 12).unwrap();
        again.sync();
        assert_eq!(read(folder.path()).unwrap(), Told::Commits(STORE, 12));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let sound = text(STORE, 1_234);
        assert_eq!(parse(sound.as_bytes()), Told::Commits(STORE, 1_234));
        for place in 0..sound.len() {
            for bit in 0..8 {
                let mut damaged = sound.clone().into_bytes();
                damaged[place] ^= 1 << bit;
                assert!(matches!(parse(&damaged), Told::Nonsense(_)), "byte {place}");
            }
            assert!(matches!(
                parse(&sound.as_bytes()[..place]),
                Told::Nonsense(_)
            ));
        }
    }
}
