//! The finished matches of a contest in a file: one line each, with a checksum, on the disk before
//! it counts.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use thiserror::Error;
use xxhash_rust::xxh64::xxh64;

use crate::MatchRow;

const BEFORE_ROW: &str = "{\"row\":";
const BEFORE_SUM: &str = ",\"xxh64\":\"";
const AFTER_SUM: &str = "\"}";
/// Digits of a checksum.
const SUM_CHARS: usize = 16;

/// Why the finished matches of a contest cannot be read or kept.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process plays this contest.
    #[error("{}: another process plays this contest", .0.display())]
    InUse(PathBuf),
    /// A line is not what was written, and it is not the last one, which a crash may tear.
    #[error(
        "{}: line {line} is damaged; take it and all lines behind it away, and their matches are \
         played again", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

/// The file, open at its end.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    lines: u64,
}

impl Journal {
    /// Opens the file, makes it if need be, and gives what is in it. A last line that was torn is
    /// taken away: its match never counted.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<MatchRow>), JournalError> {
        let failed = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (rows, whole) = read(path, &bytes)?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed)?;
            file.seek(SeekFrom::End(0)).map_err(failed)?;
            file.sync_all().map_err(failed)?;
        }
        let lines = rows.len() as u64;
        let journal = Self {
            path: path.to_owned(),
            file,
            lines,
        };
        Ok((journal, rows))
    }

    /// Adds rows. When this returns, they are on the disk, which takes the same time for many as for
    /// one.
    pub(crate) fn append(&mut self, rows: &[MatchRow]) -> Result<(), JournalError> {
        let lines = (self.lines..).zip(rows);
        let lines: io::Result<String> = lines.map(|(line, row)| line_of(row, line)).collect();
        let written = lines
            .and_then(|lines| self.file.write_all(lines.as_bytes()))
            .and_then(|()| self.file.sync_data());
        written.map_err(|source| JournalError::File {
            path: self.path.clone(),
            source,
        })?;
        self.lines += rows.len() as u64;
        Ok(())
    }
}

/// What is in the file of a contest, which may be in play.
pub(crate) fn read_file(path: &Path) -> Result<Vec<MatchRow>, JournalError> {
    let bytes = std::fs::read(path).map_err(|source| JournalError::File {
        path: path.to_owned(),
        source,
    })?;
    Ok(read(path, &bytes)?.0)
}

/// The rows, and how many bytes they take.
fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<MatchRow>, usize), JournalError> {
    let mut rows = Vec::new();
    let mut whole = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let row = line
            .strip_suffix(b"\n")
            .and_then(|line| row_of(line, rows.len() as u64));
        let Some(row) = row else {
            let is_last = whole + line.len() == bytes.len();
            return match is_last {
                true => Ok((rows, whole)),
                false => Err(JournalError::Damaged {
                    path: path.to_owned(),
                    line: rows.len() + 1,
                }),
            };
        };
        rows.push(row);
        whole += line.len();
    }
    Ok((rows, whole))
}

/// A line; its checksum covers the row and the number of the line.
fn line_of(row: &MatchRow, line: u64) -> io::Result<String> {
    let row = serde_json::to_string(row)?;
    let sum = xxh64(row.as_bytes(), line);
    Ok(format!(
        "{BEFORE_ROW}{row}{BEFORE_SUM}{sum:016x}{AFTER_SUM}\n"
    ))
}

fn row_of(line: &[u8], number: u64) -> Option<MatchRow> {
    let line = std::str::from_utf8(line).ok()?;
    let inner = line.strip_prefix(BEFORE_ROW)?.strip_suffix(AFTER_SUM)?;
    let (row, sum) = inner.split_at_checked(inner.len().checked_sub(SUM_CHARS)?)?;
    let row = row.strip_suffix(BEFORE_SUM)?;
    let is_whole = u64::from_str_radix(sum, 16).ok()? == xxh64(row.as_bytes(), number);
    is_whole.then(|| serde_json::from_str(row).ok()).flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;
    use crate::sample::row;

    fn kept(rows: &[MatchRow]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_empty());
        journal.append(rows).unwrap();
        (folder, path)
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_the_next_row_takes_its_place() {
        let rows: Vec<MatchRow> = (0..3)
            .map(|group| row(group, 0, &[0, 1], &[1, 2]))
            .collect();
        let (_folder, path) = kept(&rows);
        let whole = fs::read(&path).unwrap();
        let second = whole.iter().rposition(|byte| *byte == b'{').unwrap();
        for cut in [whole.len() - 1, whole.len() - 40, second] {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, found) = Journal::open(&path).unwrap();
            assert_eq!(found, rows[..2], "cut at {cut}");
            journal.append(&rows[2..]).unwrap();
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_line_that_was_changed_or_moved_is_named() {
        let rows: Vec<MatchRow> = (0..3)
            .map(|group| row(group, 0, &[0, 1], &[1, 2]))
            .collect();
        let (_folder, path) = kept(&rows);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let changed = text.replacen("\"place\":1", "\"place\":2", 1);
        let moved = format!("{}\n{}\n{}\n", lines[1], lines[0], lines[2]);
        for damaged in [changed, moved] {
            fs::write(&path, damaged).unwrap();
            let error = Journal::open(&path).unwrap_err();
            assert!(
                matches!(error, JournalError::Damaged { line: 1, .. }),
                "{error}"
            );
        }
    }

    #[test]
    fn two_processes_cannot_play_one_contest() {
        let (_folder, path) = kept(&[]);
        let _first = Journal::open(&path).unwrap();
        assert!(matches!(Journal::open(&path), Err(JournalError::InUse(_))));
    }
}
