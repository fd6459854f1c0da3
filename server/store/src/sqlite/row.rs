//! Rows that were read from SQLite, and helpers for queries.

use rusqlite::{
    Connection, Params, Result,
    types::{FromSql, FromSqlError, ValueRef},
};

use crate::rows::{StoredRow, Unreadable, Value};

#[derive(Debug)]
pub(crate) struct Row(Vec<Cell>);

/// A value as it is stored in the database. Text can consist of any bytes, since it might be
/// damaged.
#[derive(Debug)]
enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl From<ValueRef<'_>> for Cell {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::Real(value) => Self::Real(value),
            ValueRef::Text(bytes) => Self::Text(bytes.to_vec()),
            ValueRef::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

impl<'a> From<&'a Cell> for ValueRef<'a> {
    fn from(cell: &'a Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Integer(value) => Self::Integer(*value),
            Cell::Real(value) => Self::Real(*value),
            Cell::Text(bytes) => Self::Text(bytes),
            Cell::Blob(bytes) => Self::Blob(bytes),
        }
    }
}

impl Row {
    fn from_sqlite(row: &rusqlite::Row<'_>) -> Result<Self> {
        let columns = row.as_ref().column_count();
        let cells = (0..columns).map(|column| row.get_ref(column).map(Cell::from));
        Ok(Self(cells.collect::<Result<_>>()?))
    }

    fn read<T: FromSql>(&self, column: usize) -> Result<T, Unreadable> {
        let cell = self.0.get(column).map_or(ValueRef::Null, ValueRef::from);
        let read = T::column_result(cell);
        // The checksum decides whether the text is valid.
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

    fn any_text(&self, column: usize) -> Result<String, Unreadable> {
        self.read(column)
    }
}

pub(super) fn all(connection: &Connection, sql: &str, params: impl Params) -> Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement
        .query_and_then(params, Row::from_sqlite)?
        .collect()
}

/// Passes the rows of a query to `work`, one at a time.
pub(super) fn for_each(
    connection: &Connection,
    sql: &str,
    mut work: impl FnMut(Row),
) -> Result<()> {
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
) -> Result<Option<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement
        .query_and_then(params, Row::from_sqlite)?
        .next()
        .transpose()
}

/// Returns the values of a query with one column.
pub(super) fn values<T: FromSql>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement
        .query_and_then(params, |row| row.get(0))?
        .collect()
}

/// Returns the value of a query with one row and one column.
pub(super) fn value<T: FromSql>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<T> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params, |row| row.get(0))
}

/// Executes a statement that returns no rows. Returns the number of changed rows.
pub(super) fn execute(connection: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}
