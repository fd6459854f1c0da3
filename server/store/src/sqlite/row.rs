//! Rows that were read, and how they are asked for.

use rusqlite::{
    Connection, Params, Result,
    types::{FromSql, FromSqlError, ValueRef},
};

use crate::rows::{StoredRow, Unreadable, Value};

/// A row that was read.
#[derive(Debug)]
pub(super) struct Row(Vec<Cell>);

/// A value as the database has it: in a damaged one, text may be of any bytes.
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
    fn of(row: &rusqlite::Row<'_>) -> Result<Self> {
        let columns = row.as_ref().column_count();
        let cells = (0..columns).map(|column| row.get_ref(column).map(Cell::from));
        Ok(Self(cells.collect::<Result<_>>()?))
    }

    fn read<T: FromSql>(&self, column: usize) -> Result<T, Unreadable> {
        let cell = self.0.get(column).map_or(ValueRef::Null, ValueRef::from);
        let read = T::column_result(cell);
        // Of bytes that are marked as text a checksum tells whether they are the right ones.
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

/// All rows that a statement gives.
pub(super) fn all(connection: &Connection, sql: &str, params: impl Params) -> Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(params, Row::of)?.collect()
}

/// The first row that a statement gives, if it gives any.
pub(super) fn first(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<Row>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement
        .query_and_then(params, Row::of)?
        .next()
        .transpose()
}

/// The values of a statement that gives one a row.
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

/// The value of a statement that gives one row of one.
pub(super) fn value<T: FromSql>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<T> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params, |row| row.get(0))
}

/// Executes a statement that gives no rows. How many rows it has changed.
pub(super) fn execute(connection: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}
