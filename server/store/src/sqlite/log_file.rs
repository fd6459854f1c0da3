//! The files beside a database, in particular its log (WAL).
//!
//! They are checked before SQLite opens them, because SQLite could silently lose commits: it
//! deletes a log that has no database, and treats an unreadable log as empty.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    COMMITS_FILE, StoreError, commit_count_file::is_non_empty_file, replacement::UNFINISHED_FOLDER,
};

/// Length of a log's header, in bytes (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
const HEADER_BYTES: usize = 32;

/// Size of the chunks in which the log is rewritten, in bytes.
const CHUNK_BYTES: usize = 1024 * 1024;

/// The first 4 bytes of the header, without the last bit, which specifies the byte order of
/// checksums.
const MAGIC: u32 = 0x377f_0682;

/// The only existing version of the format.
const VERSION: u32 = 3_007_000;

/// Returns the path of a database with a suffix appended.
pub(super) fn path_with_suffix(database: &Path, suffix: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Fails if SQLite would silently lose commits. Must only be called while no server has locked the
/// folder.
pub(super) fn check(database: &Path) -> Result<(), StoreError> {
    if database.is_dir() {
        return Err(StoreError::Io {
            path: database.to_owned(),
            detail: "the path is a folder".to_owned(),
        });
    }
    let (log, index) = (path_with_suffix(database, "-wal"), path_with_suffix(database, "-shm"));
    if !is_non_empty_file(database) {
        let copied = database.with_file_name(UNFINISHED_FOLDER);
        let left = [log, index, database.with_file_name(COMMITS_FILE)];
        let left = left.into_iter().filter(|path| is_non_empty_file(path));
        return match left.chain([copied].into_iter().filter(|path| path.exists())).next() {
            Some(beside) => Err(StoreError::DatabaseMissing { path: database.to_owned(), beside }),
            None => Ok(()),
        };
    }
    let mut header = Vec::new();
    if let Ok(file) = File::open(&log) {
        let read = file.take(HEADER_BYTES as u64).read_to_end(&mut header);
        read.map_err(|error| StoreError::Io { path: log.clone(), detail: error.to_string() })?;
    }
    // SQLite ignores a header that is too short or all zeros. Such a header can be all that remains
    // of a new log after a power failure.
    if header.len() < HEADER_BYTES || header.iter().all(|byte| *byte == 0) || is_log_header(&header)
    {
        return Ok(());
    }
    Err(StoreError::FileMismatch {
        path: database.to_owned(),
        beside: log,
        detail: "the header is not that of a database log".to_owned(),
    })
}

/// Opens the log that SQLite writes. If the database is a symbolic link, the log is beside its
/// target. SQLite places no locks on the log, so a second handle is safe.
pub(super) fn open(database: &Path) -> io::Result<File> {
    let log = path_with_suffix(&database.canonicalize()?, "-wal");
    File::options().read(true).write(true).open(log)
}

/// Writes the content of the log again, and flushes it. This is necessary after a failed flush,
/// since the page cache then marks data as written that is not on the disk. No other process may
/// write to the log at this time.
pub(super) fn rewrite(database: &Path) -> io::Result<()> {
    let mut log = match open(database) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut at = 0;
    loop {
        let bytes = log.read(&mut chunk)?;
        if bytes == 0 {
            return log.sync_all();
        }
        log.seek(io::SeekFrom::Start(at))?;
        log.write_all(&chunk[..bytes])?;
        at += bytes as u64;
    }
}

/// Returns whether the header is valid.
fn is_log_header(header: &[u8]) -> bool {
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
    fn rewriting_a_log_does_not_change_it() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("matches.db");
        File::create(&database).unwrap();
        rewrite(&database).unwrap();
        let log = path_with_suffix(&database, "-wal");
        assert!(!log.exists());
        let bytes: Vec<u8> = (0..2 * CHUNK_BYTES + 7).map(|place| (place % 251) as u8).collect();
        std::fs::write(&log, &bytes).unwrap();
        rewrite(&database).unwrap();
        assert!(std::fs::read(&log).unwrap() == bytes);
    }
}
