//! The journal of finished matches. It has one line per match, with a checksum. A line is synced
//! before its match counts.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use bridgemaster_bot_process::{open_regular, read_regular};
use xxhash_rust::xxh64::xxh64;

use crate::{FolderError, MatchRow};

const BEFORE_ROW: &str = "{\"row\":";
const BEFORE_SUM: &str = ",\"xxh64\":\"";
const AFTER_SUM: &str = "\"}";
/// The number of hex digits in a checksum.
const SUM_CHARS: usize = 16;

/// A locked journal, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    lines: u64,
}

impl Journal {
    /// Opens or creates the file, locks it, and reads its rows. An incomplete last line is removed;
    /// its match has not been counted, since a match counts only after its line was synced.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<MatchRow>), FolderError> {
        let failed = |source| FolderError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = open_regular(&mut options, path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (rows, valid_bytes) = read(path, &bytes)?;
        if valid_bytes < bytes.len() {
            file.set_len(valid_bytes as u64).map_err(failed)?;
            file.seek(SeekFrom::End(0)).map_err(failed)?;
            file.sync_all().map_err(failed)?;
        }
        let lines = rows.len() as u64;
        let journal = Self { path: path.to_owned(), file, lines };
        Ok((journal, rows))
    }

    /// Appends rows and syncs the file. Appending many rows takes about as long as appending one.
    pub(crate) fn append(&mut self, rows: &[MatchRow]) -> Result<(), FolderError> {
        let lines = (self.lines..).zip(rows);
        let lines: io::Result<String> = lines.map(|(line, row)| format_line(row, line)).collect();
        let written = lines
            .and_then(|lines| self.file.write_all(lines.as_bytes()))
            .and_then(|()| self.file.sync_data());
        written.map_err(|source| FolderError::File { path: self.path.clone(), source })?;
        self.lines += rows.len() as u64;
        Ok(())
    }
}

/// Reads the journal of a contest that might be running.
pub(crate) fn read_file(path: &Path) -> Result<Vec<MatchRow>, FolderError> {
    let bytes =
        read_regular(path).map_err(|source| FolderError::File { path: path.to_owned(), source })?;
    Ok(read(path, &bytes)?.0)
}

/// Parses the rows. Returns them with the length of the file's valid part, in bytes.
fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<MatchRow>, usize), FolderError> {
    let mut rows = Vec::new();
    let mut valid_bytes = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let row = line.strip_suffix(b"\n").and_then(|line| parse_line(line, rows.len() as u64));
        let Some(row) = row else {
            let is_last = valid_bytes + line.len() == bytes.len();
            if is_last {
                return Ok((rows, valid_bytes));
            }
            return Err(FolderError::CorruptLine { path: path.to_owned(), line: rows.len() + 1 });
        };
        rows.push(row);
        valid_bytes += line.len();
    }
    Ok((rows, valid_bytes))
}

/// Formats a line. The line's checksum covers the row and the line number.
fn format_line(row: &MatchRow, line: u64) -> io::Result<String> {
    let row = serde_json::to_string(row)?;
    let sum = xxh64(row.as_bytes(), line);
    Ok(format!("{BEFORE_ROW}{row}{BEFORE_SUM}{sum:016x}{AFTER_SUM}\n"))
}

fn parse_line(line: &[u8], number: u64) -> Option<MatchRow> {
    let line = std::str::from_utf8(line).ok()?;
    let inner = line.strip_prefix(BEFORE_ROW)?.strip_suffix(AFTER_SUM)?;
    let (row, sum) = inner.split_at_checked(inner.len().checked_sub(SUM_CHARS)?)?;
    let row = row.strip_suffix(BEFORE_SUM)?;
    let is_whole = u64::from_str_radix(sum, 16).ok()? == xxh64(row.as_bytes(), number);
    is_whole.then(|| serde_json::from_str(row).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::samples_for_tests::row;

    fn journal_of(rows: &[MatchRow]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_empty());
        journal.append(rows).unwrap();
        (folder, path)
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_the_next_row_takes_its_place() {
        let rows: Vec<MatchRow> = (0..3).map(|group| row(group, 0, &[0, 1], &[1, 2])).collect();
        let (_folder, path) = journal_of(&rows);
        let valid_bytes = fs::read(&path).unwrap();
        let second = valid_bytes.iter().rposition(|byte| *byte == b'{').unwrap();
        for cut in [valid_bytes.len() - 1, valid_bytes.len() - 40, second] {
            fs::write(&path, &valid_bytes[..cut]).unwrap();
            let (mut journal, found) = Journal::open(&path).unwrap();
            assert_eq!(found, rows[..2], "cut at {cut}");
            journal.append(&rows[2..]).unwrap();
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), valid_bytes);
        }
    }

    #[test]
    fn a_changed_or_moved_line_is_reported() {
        let rows: Vec<MatchRow> = (0..3).map(|group| row(group, 0, &[0, 1], &[1, 2])).collect();
        let (_folder, path) = journal_of(&rows);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let changed = text.replacen("\"place\":1", "\"place\":2", 1);
        let moved = format!("{}\n{}\n{}\n", lines[1], lines[0], lines[2]);
        for damaged in [changed, moved] {
            fs::write(&path, damaged).unwrap();
            let error = Journal::open(&path).unwrap_err();
            assert!(matches!(error, FolderError::CorruptLine { line: 1, .. }), "{error}");
        }
    }

    #[test]
    fn a_journal_is_locked_by_one_process() {
        let (_folder, path) = journal_of(&[]);
        let _first = Journal::open(&path).unwrap();
        assert!(matches!(Journal::open(&path), Err(FolderError::InUse(_))));
    }
}
