//! SQLite errors, and their conversion to [`StoreError`].

use std::{io, path::Path};

use rusqlite::ErrorCode;

use crate::{DamageReport, StoreError, commits_file::io_error, rows::Unreadable};

/// An operation's error, without the database path.
#[derive(Debug)]
pub(crate) enum DbError {
    Sqlite(rusqlite::Error),
    Io(io::Error),
    /// The stored values contradict each other.
    Inconsistent(String),
    /// A single stored value is damaged.
    Damaged(DamageReport),
    /// Another server has opened the store since this server opened it.
    Superseded,
    /// An error that already has all context.
    Store(StoreError),
}

impl DbError {
    /// Adds the path of the database.
    pub(super) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => store_error(path, &error),
            Self::Io(error) => io_error(path, &error),
            Self::Inconsistent(detail) => StoreError::Corrupt {
                path: path.to_owned(),
                detail,
            },
            Self::Damaged(damage) => StoreError::Damaged {
                path: path.to_owned(),
                damage: Box::new(damage),
            },
            Self::Superseded => StoreError::Superseded {
                path: path.to_owned(),
            },
            Self::Store(error) => error,
        }
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Unreadable> for DbError {
    fn from(problem: Unreadable) -> Self {
        Self::Inconsistent(problem.to_string())
    }
}

impl From<DamageReport> for DbError {
    fn from(damage: DamageReport) -> Self {
        Self::Damaged(damage)
    }
}

impl From<StoreError> for DbError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Returns whether SQLite has read a damaged page.
pub(super) fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(
        store_error(Path::new(""), error),
        StoreError::Corrupt { .. }
    )
}

fn store_error(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    let detail = error.to_string();
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => StoreError::Corrupt { path, detail },
        error => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Corrupt { path, detail },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
            _ => StoreError::Io { path, detail },
        },
    }
}
