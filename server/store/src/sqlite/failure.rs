//! From what SQLite reports to what the store tells.

use std::path::Path;

use crate::{Damage, StoreError};

/// A failure inside of one operation, before it is known of which file.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite or sqlx failed.
    Sqlx(sqlx::Error),
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
            Self::Sqlx(error) => told(path, &error),
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

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sqlx(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Told(error)
    }
}

/// Primary result codes of SQLite (<https://sqlite.org/rescode.html>).
mod code {
    pub(super) const BUSY: i32 = 5;
    pub(super) const LOCKED: i32 = 6;
    pub(super) const READONLY: i32 = 8;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const NOTADB: i32 = 26;
    /// The low byte of an extended code is its primary code.
    pub(super) const PRIMARY: i32 = 0xff;
}

/// Whether SQLite found the database damaged where it looked.
pub(super) fn is_corrupt(error: &sqlx::Error) -> bool {
    matches!(told(Path::new(""), error), StoreError::Corrupt { .. })
}

fn told(path: &Path, error: &sqlx::Error) -> StoreError {
    let path = path.to_owned();
    match error {
        sqlx::Error::PoolClosed => StoreError::Closed,
        sqlx::Error::PoolTimedOut => StoreError::Busy { path },
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => StoreError::Corrupt {
            path,
            detail: error.to_string(),
        },
        sqlx::Error::Database(database) => {
            let extended = database.code().and_then(|code| code.parse::<i32>().ok());
            let detail = error.to_string();
            match extended.map(|extended| extended & code::PRIMARY) {
                Some(code::BUSY | code::LOCKED) => StoreError::Busy { path },
                Some(code::READONLY) => StoreError::ReadOnly { path },
                Some(code::CORRUPT) => StoreError::Corrupt { path, detail },
                Some(code::FULL) => StoreError::DiskFull { path },
                Some(code::NOTADB) => StoreError::NotADatabase { path },
                _ => StoreError::Io { path, detail },
            }
        }
        _ => StoreError::Io {
            path,
            detail: error.to_string(),
        },
    }
}
