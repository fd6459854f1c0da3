//! The files beside a database, above all its log.
//!
//! They are checked before SQLite sees them: it deletes a log without a database, and takes one that it
//! cannot read for an empty one. Either would lose commits without a word.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use crate::{COMMITS_FILE, StoreError, commits_file::has_bytes};

/// Bytes of the header of a log (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
const HEADER_BYTES: usize = 32;

/// Bytes of the log that are in memory at once.
const CHUNK_BYTES: usize = 1024 * 1024;

/// The first 4 bytes, but for the last bit, which tells the order of bytes in checksums.
const MAGIC: u32 = 0x377f_0682;

/// The only version of the format there is.
const VERSION: u32 = 3_007_000;

/// A file whose name goes on after that of the database.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Refuses what SQLite would not tell. To be asked only while no server holds the folder.
pub(super) fn check(database: &Path) -> Result<(), StoreError> {
    if database.is_dir() {
        return Err(StoreError::Io {
            path: database.to_owned(),
            detail: "it is a folder".to_owned(),
        });
    }
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    if !has_bytes(database) {
        let copied = beside(database, ".unfinished");
        let left = [log, index, database.with_file_name(COMMITS_FILE), copied];
        return match left.into_iter().find(|path| has_bytes(path)) {
            Some(beside) => Err(StoreError::DatabaseMissing {
                path: database.to_owned(),
                beside,
            }),
            None => Ok(()),
        };
    }
    let mut header = Vec::new();
    if let Ok(file) = File::open(&log) {
        let read = file.take(HEADER_BYTES as u64).read_to_end(&mut header);
        read.map_err(|error| StoreError::Io {
            path: log.clone(),
            detail: error.to_string(),
        })?;
    }
    // SQLite makes nothing of less, and of zeros: what a loss of power leaves of a log that has
    // just been made.
    if header.len() < HEADER_BYTES || header.iter().all(|byte| *byte == 0) || is_log(&header) {
        return Ok(());
    }
    Err(StoreError::NotTogether {
        path: database.to_owned(),
        beside: log,
        detail: "it does not begin as the log of a database".to_owned(),
    })
}

/// The log that SQLite writes: beside the file itself, where the database is a link to it. SQLite locks
/// nothing of the log, so that it may be opened and closed beside it.
pub(super) fn open(database: &Path) -> io::Result<File> {
    let log = beside(&database.canonicalize()?, "-wal");
    File::options().read(true).write(true).open(log)
}

/// Writes what is in the log once more, and waits for the disk. Where the disk has failed to take a part
/// of it, the system still has that in memory, takes it for written, and SQLite would go on behind it.
/// Nobody may write to the log meanwhile.
pub(super) fn write_again(database: &Path) -> io::Result<()> {
    let mut log = match open(database) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut some = vec![0; CHUNK_BYTES];
    let mut at = 0;
    loop {
        let bytes = log.read(&mut some)?;
        if bytes == 0 {
            return log.sync_all();
        }
        log.seek(io::SeekFrom::Start(at))?;
        log.write_all(&some[..bytes])?;
        at += bytes as u64;
    }
}

/// Whether it is a whole header.
fn is_log(header: &[u8]) -> bool {
    let (words, _) = header.as_chunks::<4>();
    let Some(&[magic, version, _, _, _, _, first, second]) = words.first_chunk() else {
        return false;
    };
    let magic = u32::from_be_bytes(magic);
    let word = |bytes| match magic & 1 {
        0 => u32::from_le_bytes(bytes),
        _ => u32::from_be_bytes(bytes),
    };
    let mut sums = (0_u32, 0_u32);
    for pair in words[..6].chunks(2) {
        sums.0 = sums.0.wrapping_add(word(pair[0])).wrapping_add(sums.1);
        sums.1 = sums.1.wrapping_add(word(pair[1])).wrapping_add(sums.0);
    }
    magic & !1 == MAGIC
        && u32::from_be_bytes(version) == VERSION
        && sums == (u32::from_be_bytes(first), u32::from_be_bytes(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_written_again_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("matches.db");
        File::create(&database).unwrap();
        write_again(&database).unwrap();
        let log = beside(&database, "-wal");
        assert!(!log.exists());
        let bytes: Vec<u8> = (0..2 * CHUNK_BYTES + 7)
            .map(|place| (place % 251) as u8)
            .collect();
        std::fs::write(&log, &bytes).unwrap();
        write_again(&database).unwrap();
        assert!(std::fs::read(&log).unwrap() == bytes);
    }
}
