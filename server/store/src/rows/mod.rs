//! Reads rows and verifies their checksums. SQLite and PostgreSQL share this code; the SQL
//! statements are in each database's own modules.

pub(crate) mod finished_rows;
pub(crate) mod match_ids;
pub(crate) mod open_rows;
pub(crate) mod replay_rows;

use bridgemaster_lease::names::InvalidText;
use rusqlite::types::{FromSql, FromSqlError};
use sqlx::{Decode, Postgres, Row as _, Type, postgres::PgRow};
use thiserror::Error;

/// The reason why a value of a row cannot be read.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Unreadable(String);

impl Unreadable {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self(problem.into())
    }
}

impl From<sqlx::Error> for Unreadable {
    fn from(error: sqlx::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<FromSqlError> for Unreadable {
    fn from(error: FromSqlError) -> Self {
        Self(error.to_string())
    }
}

impl From<InvalidText> for Unreadable {
    fn from(error: InvalidText) -> Self {
        Self(error.to_string())
    }
}

/// A type that SQLite and PostgreSQL can read.
pub(crate) trait Value: FromSql + Type<Postgres> + for<'r> Decode<'r, Postgres> {}

impl<T> Value for T where T: FromSql + Type<Postgres> + for<'r> Decode<'r, Postgres> {}

/// A row from an SQLite or PostgreSQL database.
pub(crate) trait StoredRow {
    /// Reads the value of a column.
    fn value<T: Value>(&self, column: usize) -> Result<T, Unreadable>;

    /// Reads a column that can contain any text. PostgreSQL stores it as bytes, since its text type
    /// cannot contain NUL.
    fn any_text(&self, column: usize) -> Result<String, Unreadable>;
}

impl StoredRow for PgRow {
    fn value<T: Value>(&self, column: usize) -> Result<T, Unreadable> {
        Ok(self.try_get(column)?)
    }

    fn any_text(&self, column: usize) -> Result<String, Unreadable> {
        let bytes: Vec<u8> = self.try_get(column)?;
        String::from_utf8(bytes).map_err(|error| Unreadable(error.to_string()))
    }
}
