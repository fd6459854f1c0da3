//! SQLite's side of the statements that are shared with PostgreSQL (`rows`).

use std::{
    future::ready,
    path::Path,
    pin::pin,
    task::{Context, Poll, Waker},
};

use rusqlite::{
    Connection, ToSql, params_from_iter,
    types::{ToSqlOutput, Value, ValueRef},
};

use super::{
    db_error::{DbError, is_corrupt},
    row::{self, Row},
};
use crate::{
    StoreError,
    rows::{Param, SqlConnection, SqlDialect},
};

/// A connection for shared statements.
pub(crate) struct Sql<'a>(pub(super) &'a Connection);

impl SqlConnection for Sql<'_> {
    type Row = Row;
    type Error = DbError;

    const DIALECT: SqlDialect = SqlDialect {
        // SQLite assigns the number.
        next_finish_number: "(SELECT NULL AS number)",
        // Commits are serialized, so no match appears later.
        finish_horizon: "9223372036854775807",
        // The numbers have gaps only where matches were dropped.
        last_unskipped_number: "(SELECT max(finish_number) FROM finished_match) - $3",
        last_finish_number: "SELECT coalesce(
             (SELECT seq FROM sqlite_sequence WHERE name = 'finished_match'), 0)",
        set_last_finish_number: "INSERT INTO sqlite_sequence (name, seq)
             VALUES ('finished_match', $1)",
        ordered_join: "CROSS JOIN",
        in_numbers: "IN (SELECT value FROM json_each($1))",
        name_bytes: "coalesce(CAST(name AS BLOB), x'')",
        has_versions: false,
    };

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<Vec<Row>, DbError>> + Send {
        let rows = row::all(self.0, &numbered(sql), params_from_iter(params));
        ready(rows.map_err(DbError::from))
    }

    fn execute(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<u64, DbError>> + Send {
        let changed = row::execute(self.0, &numbered(sql), params_from_iter(params));
        ready(changed.map(|rows| rows as u64).map_err(DbError::from))
    }

    fn rebuild_index(
        &mut self,
        table: &'static str,
    ) -> impl Future<Output = Result<(), DbError>> + Send {
        // SQLite cannot delete a row that is missing in an index.
        let rebuilt = row::execute(self.0, &format!("REINDEX {table}"), ());
        ready(rebuilt.map(|_| ()).map_err(DbError::from))
    }

    fn is_damaged_page(error: &DbError) -> bool {
        matches!(error, DbError::Sqlite(error) if is_corrupt(error))
    }

    fn store_error(error: DbError, location: &Path) -> StoreError {
        error.at(location)
    }
}

/// Returns the statement with numbered parameters, as `?1`. SQLite would take `$1` for a name.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = |text: &'_ str| ToSqlOutput::Owned(Value::Text(text.to_owned()));
        Ok(match self {
            Self::Number(Some(number)) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Text(text) | Self::AnyText(text) => {
                ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
            }
            Self::Bytes(Some(bytes)) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Self::Number(None) | Self::Bytes(None) => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                text(&format!("[{}]", numbers.join(",")))
            }
        })
    }
}

/// Runs a future of shared statements on this thread. Every statement has completed when its future
/// is returned, so the future never waits.
pub(super) fn run<T>(statements: impl Future<Output = Result<T, DbError>>) -> Result<T, DbError> {
    match pin!(statements).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => {
            let problem = "a statement did not complete at once";
            Err(DbError::Inconsistent(problem.to_owned()))
        }
    }
}
