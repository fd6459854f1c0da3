//! Rows as every database has them: how they are read and believed, and their checksums. The
//! statements are in the rooms of the databases.

pub(crate) mod finished_rows;
pub(crate) mod key_rows;
pub(crate) mod ladder_rows;
pub(crate) mod match_ids;
pub(crate) mod named_rows;
pub(crate) mod open_rows;
pub(crate) mod replay_rows;

use sqlx::{Decode, Postgres, Row as _, Sqlite, Type, postgres::PgRow, sqlite::SqliteRow};

/// A type of which every database has values.
pub(crate) trait Value:
    Type<Sqlite> + Type<Postgres> + for<'r> Decode<'r, Sqlite> + for<'r> Decode<'r, Postgres>
{
}

impl<T> Value for T where
    T: Type<Sqlite> + Type<Postgres> + for<'r> Decode<'r, Sqlite> + for<'r> Decode<'r, Postgres>
{
}

/// A row of any database.
pub(crate) trait StoredRow {
    /// The value in a column.
    fn value<T: Value>(&self, column: usize) -> Result<T, sqlx::Error>;

    /// The text in a column for text of any characters. PostgreSQL has no text with the character
    /// 0: there it is kept as bytes.
    fn any_text(&self, column: usize) -> Result<String, sqlx::Error>;
}

impl StoredRow for SqliteRow {
    fn value<T: Value>(&self, column: usize) -> Result<T, sqlx::Error> {
        self.try_get(column)
    }

    fn any_text(&self, column: usize) -> Result<String, sqlx::Error> {
        self.try_get(column)
    }
}

impl StoredRow for PgRow {
    fn value<T: Value>(&self, column: usize) -> Result<T, sqlx::Error> {
        self.try_get(column)
    }

    fn any_text(&self, column: usize) -> Result<String, sqlx::Error> {
        let bytes: Vec<u8> = self.try_get(column)?;
        String::from_utf8(bytes).map_err(|error| sqlx::Error::Decode(error.into()))
    }
}
