//! Rows, statements and transactions of SQLite, and its SQL dialect for the statements that are
//! shared with PostgreSQL (`rows`).
//!
//! Each transaction is a numbered commit and adds a row to the journal. This module sends `BEGIN`
//! and `COMMIT` itself, because SQLite rolls a transaction back on its own when the disk is full,
//! and only SQLite can report whether a transaction is still open.

use std::{
    future::ready,
    pin::pin,
    task::{Context, Poll, Waker},
};

use rusqlite::{
    Connection, Params, ToSql, params, params_from_iter,
    types::{FromSql, FromSqlError, ToSqlOutput, Value as SqlValue, ValueRef},
};

use crate::{
    db_error::DbError,
    row_sums::RowSums,
    rows::{INSERT_JOURNAL_ROW, Param, SqlConnection, SqlDialect, StoredRow, Unreadable, Value},
};

/// A connection for shared statements.
pub(crate) struct StatementConnection<'a>(pub(super) &'a Connection);

impl SqlConnection for StatementConnection<'_> {
    type Row = Row;

    const DIALECT: SqlDialect = SqlDialect {
        // With NULL, SQLite assigns the number.
        next_finish_number: "(SELECT NULL AS number)",
        // The maximum: commits are serialized, so the list is always final.
        finish_horizon: "9223372036854775807",
        // Counting back from the highest number suffices, since numbers are missing only where
        // matches were dropped.
        last_unskipped_number: "(SELECT max(finish_number) FROM finished_match) - $3",
        last_finish_number: "SELECT coalesce(
             (SELECT seq FROM sqlite_sequence WHERE name = 'finished_match'), 0)",
        set_last_finish_number: "INSERT INTO sqlite_sequence (name, seq)
             VALUES ('finished_match', $1)",
        ordered_join: "CROSS JOIN",
        in_numbers: "IN (SELECT value FROM json_each($1))",
        newest_sums: "SELECT sums FROM journal ORDER BY batch DESC LIMIT 1",
        name_bytes: "coalesce(CAST(name AS BLOB), x'')",
        has_versions: false,
    };

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<Vec<Row>, DbError>> + Send {
        let rows = all(self.0, &numbered(sql), params_from_iter(params));
        ready(rows.map_err(DbError::from))
    }

    fn execute(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<u64, DbError>> + Send {
        let changed = execute(self.0, &numbered(sql), params_from_iter(params));
        ready(changed.map(|rows| rows as u64).map_err(DbError::from))
    }

    fn rebuild_index(
        &mut self,
        table: &'static str,
    ) -> impl Future<Output = Result<(), DbError>> + Send {
        // SQLite cannot delete a row that is missing in an index.
        let rebuilt = execute(self.0, &format!("REINDEX {table}"), ());
        ready(rebuilt.map(|_| ()).map_err(DbError::from))
    }
}

/// Returns the statement with numbered parameters, as `?1`. SQLite would treat `$1` as a named
/// parameter.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = |text: &'_ str| ToSqlOutput::Owned(SqlValue::Text(text.to_owned()));
        Ok(match self {
            Self::Number(Some(number)) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
            Self::Text(text) | Self::AnyText(text) => {
                ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
            }
            Self::Sums(sums) => {
                let numbers = sums.journal_numbers().map(i64::to_le_bytes);
                ToSqlOutput::Owned(SqlValue::Blob(numbers.concat()))
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

/// A row that was read. Text that is not valid UTF-8, because of damage, is kept as bytes.
#[derive(Debug)]
pub(crate) struct Row(Vec<SqlValue>);

impl Row {
    fn from_sqlite(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let columns = row.as_ref().column_count();
        let values = (0..columns).map(|column| {
            Ok(match row.get_ref(column)? {
                ValueRef::Null => SqlValue::Null,
                ValueRef::Integer(value) => SqlValue::Integer(value),
                ValueRef::Real(value) => SqlValue::Real(value),
                ValueRef::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
                ValueRef::Text(bytes) => match String::from_utf8(bytes.to_vec()) {
                    Ok(text) => SqlValue::Text(text),
                    Err(error) => SqlValue::Blob(error.into_bytes()),
                },
            })
        });
        Ok(Self(values.collect::<rusqlite::Result<_>>()?))
    }

    pub(super) fn read<T: FromSql>(&self, column: usize) -> Result<T, Unreadable> {
        let cell = self.0.get(column).map_or(ValueRef::Null, ValueRef::from);
        let read = T::column_result(cell);
        // The checksum determines whether the text is intact.
        match (read, cell) {
            (Err(FromSqlError::InvalidType), ValueRef::Text(bytes)) => {
                Ok(T::column_result(ValueRef::Blob(bytes))?)
            }
            (read, _) => Ok(read?),
        }
    }
}

impl StoredRow for Row {
    fn value<T: Value>(&self, column: usize) -> Result<T, Unreadable> {
        self.read(column)
    }

    fn text_with_nul(&self, column: usize) -> Result<String, Unreadable> {
        self.read(column)
    }

    fn sums(&self, column: usize) -> RowSums {
        let bytes: Vec<u8> = self.read(column).unwrap_or_default();
        let numbers = bytes.as_chunks::<8>().0.iter().copied();
        let numbers: Vec<i64> = numbers.map(i64::from_le_bytes).collect();
        RowSums::from_journal(&numbers)
    }
}

pub(super) fn all(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(params, Row::from_sqlite)?.collect()
}

/// Passes the rows of a query to `work`, one at a time.
pub(super) fn for_each(
    connection: &Connection,
    sql: &str,
    mut work: impl FnMut(Row),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    for row in statement.query_and_then((), Row::from_sqlite)? {
        work(row?);
    }
    Ok(())
}

/// Returns the first row of a query, if any.
pub(super) fn first(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Option<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(params, Row::from_sqlite)?.next().transpose()
}

/// Returns the values of a query with one column.
pub(super) fn values<T: FromSql>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(params, |row| row.get(0))?.collect()
}

/// Returns the value of a query with one row and one column.
pub(super) fn value<T: FromSql>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<T> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params, |row| row.get(0))
}

/// Executes a statement that returns no rows. Returns the number of changed rows.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}

/// State of the store at the start of a transaction.
#[derive(Debug)]
pub(super) struct TransactionStart {
    /// The number of commits before this transaction.
    pub(super) commits: i64,
    /// The id of the server that last opened the store; `None` if the id is missing or unreadable.
    pub(super) server_id: Option<Vec<u8>>,
    /// The sums of the rows.
    pub(super) sums: RowSums,
}

/// The journal row of a commit.
#[derive(Debug)]
pub(super) struct JournalRow {
    pub(super) number: i64,
    /// The sums of the rows after the commit.
    pub(super) sums: RowSums,
    pub(super) body: Vec<u8>,
}

/// Begins a write transaction (`IMMEDIATE`). A transaction that begins with a read could not wait
/// for another writer later.
pub(super) fn begin(connection: &Connection) -> Result<TransactionStart, DbError> {
    let start = execute(connection, "BEGIN IMMEDIATE", ())
        .map_err(DbError::from)
        .and_then(|_| read_start(connection));
    if start.is_err() {
        roll_back(connection);
    }
    start
}

fn read_start(connection: &Connection) -> Result<TransactionStart, DbError> {
    let row = first(
        connection,
        "SELECT (SELECT max(batch) FROM journal), (SELECT server_id FROM store),
             (SELECT sums FROM journal ORDER BY batch DESC LIMIT 1)",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(TransactionStart {
        commits: row.value::<Option<i64>>(0)?.unwrap_or_default(),
        // An unreadable id counts as that of another server.
        server_id: row.value(1).ok(),
        sums: row.sums(2),
    })
}

/// Commits successful work together with its journal row. Rolls failed work back.
pub(super) fn commit_or_roll_back<T>(
    connection: &Connection,
    work: Result<(T, JournalRow), DbError>,
) -> Result<T, DbError> {
    let result = work.and_then(|(value, row)| {
        execute(
            connection,
            INSERT_JOURNAL_ROW,
            params![row.number, Param::Sums(&row.sums), row.body],
        )?;
        execute(connection, "COMMIT", ())?;
        Ok(value)
    });
    if result.is_err() {
        roll_back(connection);
    }
    result
}

pub(super) fn roll_back(connection: &Connection) {
    // Errors are ignored, since SQLite might have rolled back already. If the transaction were
    // still open, the next one could not begin.
    let _ = execute(connection, "ROLLBACK", ());
}
