//! Rows as every database has them: how they are read and believed, and their checksums. The
//! statements are in the rooms of the databases.

pub(crate) mod finished_rows;
pub(crate) mod key_rows;
pub(crate) mod ladder_rows;
pub(crate) mod match_ids;
pub(crate) mod named_rows;
pub(crate) mod open_rows;
pub(crate) mod replay_rows;

use bridgemaster_names::InvalidText;
use rusqlite::types::{FromSql, FromSqlError};
use sqlx::{Decode, Postgres, Row as _, Type, postgres::PgRow};
use thiserror::Error;

/// Why a value of a row cannot be read.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Unreadable(String);

impl Unreadable {
    /// For this reason.
    pub(crate) fn because(problem: impl Into<String>) -> Self {
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

/// A type of which every database has values.
pub(crate) trait Value: FromSql + Type<Postgres> + for<'r> Decode<'r, Postgres> {}

impl<T> Value for T where T: FromSql + Type<Postgres> + for<'r> Decode<'r, Postgres> {}

/// A row of any database.
pub(crate) trait StoredRow {
    /// The value in a column.
    fn value<T: Value>(&self, column: usize) -> Result<T, Unreadable>;

    /// The text in a column for text of any characters. PostgreSQL has no text with the character
    /// 0: there it is kept as bytes.
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
