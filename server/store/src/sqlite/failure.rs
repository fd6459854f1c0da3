//! From what SQLite reports to what the store tells.

use std::{io, path::Path};

use rusqlite::ErrorCode;

use crate::{Damage, StoreError, commits_file::failed, rows::Unreadable};

/// A failure inside of one operation, before it is known of which file.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite failed.
    Sqlite(rusqlite::Error),
    /// The system failed.
    System(io::Error),
    /// What was read contradicts itself.
    Contradiction(String),
    /// One value that was read is damaged.
    Damage(Damage),
    /// Another server has taken the store.
    Superseded,
    /// A failure that is complete.
    Told(StoreError),
}

impl Fault {
    /// The failure, told of a file.
    pub(super) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => told(path, &error),
            Self::System(error) => failed(path, &error),
            Self::Contradiction(detail) => StoreError::Corrupt {
                path: path.to_owned(),
                detail,
            },
            Self::Damage(damage) => StoreError::Damaged {
                path: path.to_owned(),
                damage: Box::new(damage),
            },
            Self::Superseded => StoreError::Superseded {
                path: path.to_owned(),
            },
            Self::Told(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Unreadable> for Fault {
    fn from(problem: Unreadable) -> Self {
        Self::Contradiction(problem.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Told(error)
    }
}

/// Whether SQLite found the database damaged where it looked.
pub(super) fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(told(Path::new(""), error), StoreError::Corrupt { .. })
}

fn told(path: &Path, error: &rusqlite::Error) -> StoreError {
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
