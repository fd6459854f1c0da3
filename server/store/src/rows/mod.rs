//! The tables of matches and of named rows: their statements, which are shared by SQLite and
//! PostgreSQL, and the checks of row checksums.
//!
//! The functions are asynchronous. With SQLite their futures are always ready; see `sqlite::sql`.

pub(crate) mod finished;
pub(crate) mod journal;
pub(crate) mod named;
pub(crate) mod open_matches;
pub(crate) mod replays;
pub(crate) mod row_sums;
pub(crate) mod steps;
pub(crate) mod whole_matches;

use bridgemaster_lease::names::InvalidText;
use rusqlite::types::{FromSql, FromSqlError};
use sqlx::{Decode, Postgres, Row as _, Type, postgres::PgRow};
use thiserror::Error;

use crate::{MatchId, db_error::DbError, row_sums::RowSums};

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

impl From<Unreadable> for DbError {
    fn from(problem: Unreadable) -> Self {
        Self::Inconsistent(problem.to_string())
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
    fn text_with_nul(&self, column: usize) -> Result<String, Unreadable>;

    /// Reads the sums of a journal row. Sums that cannot be read differ from the tables.
    fn sums(&self, column: usize) -> RowSums;
}

impl StoredRow for PgRow {
    fn value<T: Value>(&self, column: usize) -> Result<T, Unreadable> {
        Ok(self.try_get(column)?)
    }

    fn text_with_nul(&self, column: usize) -> Result<String, Unreadable> {
        let bytes: Vec<u8> = self.try_get(column)?;
        String::from_utf8(bytes).map_err(|error| Unreadable(error.to_string()))
    }

    fn sums(&self, column: usize) -> RowSums {
        let numbers: Vec<i64> = self.try_get(column).unwrap_or_default();
        RowSums::from_journal(&numbers)
    }
}

/// Returns the id in a column, if it is valid.
pub(crate) fn id_from_row(row: &impl StoredRow, column: usize) -> Option<MatchId> {
    MatchId::new(row.value::<String>(column).ok()?).ok()
}

/// Returns a substitute for an id that cannot be read: a prefix, and the key or number of the row.
fn substitute_id(prefix: &str, number: i64) -> MatchId {
    MatchId::new(format!("{prefix}{number}")).expect("letters, '-' and a number form an id")
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param<'a> {
    Number(Option<i64>),
    Text(&'a str),
    Bytes(Option<&'a [u8]>),
    /// Text of any characters, see [`StoredRow::text_with_nul`].
    AnyText(&'a str),
    /// A list of numbers, for [`SqlDialect::in_numbers`].
    Numbers(&'a [i64]),
    /// The sums of a journal row.
    Sums(&'a RowSums),
}

impl From<i64> for Param<'_> {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Param<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Some(bytes))
    }
}

/// The parts of statements that differ between the databases.
#[derive(Debug)]
pub(crate) struct SqlDialect {
    /// Item of `FROM` with the next number of a finished match, as column `number`.
    pub(crate) next_finish_number: &'static str,
    /// Expression for the number below which the list of finished matches is final.
    pub(crate) finish_horizon: &'static str,
    /// Expression for the highest number of a finished match when the newest matches are skipped.
    /// The number of skipped matches is parameter 3.
    pub(crate) last_unskipped_number: &'static str,
    /// Query for the highest assigned number of a finished match.
    pub(crate) last_finish_number: &'static str,
    /// Statement that sets this number to parameter 1, in a store without finished matches.
    pub(crate) set_last_finish_number: &'static str,
    /// A join that reads the left table first.
    pub(crate) ordered_join: &'static str,
    /// Condition that a number is in the list that is parameter 1.
    pub(crate) in_numbers: &'static str,
    /// Query for the [sums](crate::row_sums) in the newest journal row of each node.
    pub(crate) newest_sums: &'static str,
    /// Expression for the stored bytes of a row's name, whatever their type.
    pub(crate) name_bytes: &'static str,
    /// True if a named row can have several versions, of which the highest is valid.
    pub(crate) has_versions: bool,
}

/// Inserts a journal row: its number, the sums after it, and its body.
pub(crate) const INSERT_JOURNAL_ROW: &str =
    "INSERT INTO journal (batch, sums, body) VALUES ($1, $2, $3)";

/// A connection that runs statements. Parameters are written as `$1`.
pub(crate) trait SqlConnection {
    type Row: StoredRow + Send;

    const DIALECT: SqlDialect;

    /// Returns all rows of a query.
    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<Vec<Self::Row>, DbError>> + Send;

    /// Runs a statement without a result. Returns the number of changed rows.
    fn execute(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<u64, DbError>> + Send;

    /// Prepares a table for the deletion of rows that might be missing in an index.
    fn rebuild_index(
        &mut self,
        table: &'static str,
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

/// Runs a query with at most one row.
pub(crate) async fn first<C: SqlConnection>(
    connection: &mut C,
    sql: &str,
    params: &[Param<'_>],
) -> Result<Option<C::Row>, DbError> {
    Ok(connection.query(sql, params).await?.into_iter().next())
}

/// Runs a query with at most one value.
pub(crate) async fn scalar<C: SqlConnection, T: Value>(
    connection: &mut C,
    sql: &str,
    params: &[Param<'_>],
) -> Result<Option<T>, DbError> {
    let row = first(connection, sql, params).await?;
    Ok(row.map(|row| row.value(0)).transpose()?)
}
