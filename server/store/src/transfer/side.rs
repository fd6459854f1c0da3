//! One of the two databases of a copy.

use sqlx::{
    AssertSqlSafe, ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Row as _, Type,
    query::Query,
};

use super::{
    rows::{Row, Value},
    tables::{Dialect, Kind, Table},
};
use crate::{StoreError, checksum::StoreId};

/// A database as rows are read from it and added to it, in one transaction.
pub(crate) trait Rows {
    /// The highest numbers that were given, by table.
    async fn given_numbers(&mut self) -> Result<Vec<(String, i64)>, StoreError>;

    /// Keeps a highest number. Before any row is added.
    async fn keep_given_number(&mut self, table: &str, last: i64) -> Result<(), StoreError>;

    /// The next rows of a table, in the order of its key; none after the last.
    async fn rows(&mut self, table: &Table, after: Option<&Row>) -> Result<Vec<Row>, StoreError>;

    /// Adds rows, at least one.
    async fn add(&mut self, table: &Table, rows: Vec<Row>) -> Result<(), StoreError>;
}

/// A connection within a transaction.
pub(crate) struct Side<DB: Database> {
    pub(crate) connection: DB::Connection,
    /// Which store it is.
    pub(crate) store: StoreId,
    /// Tells a failure of this database.
    pub(crate) told: Box<dyn Fn(sqlx::Error) -> StoreError + Send>,
}

impl<DB> Rows for Side<DB>
where
    DB: Database + Dialect,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'v> i64: Encode<'v, DB> + Decode<'v, DB> + Type<DB>,
    for<'v> Option<i64>: Encode<'v, DB>,
    for<'v> Vec<u8>: Encode<'v, DB> + Decode<'v, DB> + Type<DB>,
    for<'v> Option<Vec<u8>>: Encode<'v, DB>,
    for<'v> String: Encode<'v, DB> + Decode<'v, DB> + Type<DB>,
    usize: ColumnIndex<DB::Row>,
{
    async fn given_numbers(&mut self) -> Result<Vec<(String, i64)>, StoreError> {
        let rows = sqlx::query(DB::GIVEN_NUMBERS).fetch_all(&mut self.connection);
        let rows = rows.await.map_err(&self.told)?;
        let read = |row: &DB::Row| Ok((row.try_get(0)?, row.try_get(1)?));
        let given: Result<_, sqlx::Error> = rows.iter().map(read).collect();
        given.map_err(&self.told)
    }

    async fn keep_given_number(&mut self, table: &str, last: i64) -> Result<(), StoreError> {
        let keep = sqlx::query(DB::KEEP_GIVEN_NUMBER)
            .bind(table.to_owned())
            .bind(last);
        let kept = keep.execute(&mut self.connection).await;
        kept.map_err(&self.told)?;
        Ok(())
    }

    async fn rows(&mut self, table: &Table, after: Option<&Row>) -> Result<Vec<Row>, StoreError> {
        let select = table.select::<DB>(after.is_some());
        let key = after.map_or(&[][..], |row| &row[..table.key]);
        let select = sqlx::query(AssertSqlSafe(select));
        let select = key.iter().cloned().fold(select, bind);
        let rows = select.fetch_all(&mut self.connection).await;
        let rows = rows.map_err(&self.told)?;
        let read: Result<_, _> = rows.iter().map(|row| read::<DB>(table, row)).collect();
        read.map_err(&self.told)
    }

    async fn add(&mut self, table: &Table, rows: Vec<Row>) -> Result<(), StoreError> {
        let insert = table.insert::<DB>(rows.len());
        let insert = sqlx::query(AssertSqlSafe(insert));
        let insert = rows.into_iter().flatten().fold(insert, bind);
        let added = insert.execute(&mut self.connection).await;
        added.map_err(&self.told)?;
        Ok(())
    }
}

fn bind<DB>(query: Query<'_, DB, DB::Arguments>, value: Value) -> Query<'_, DB, DB::Arguments>
where
    DB: Database,
    for<'v> i64: Type<DB>,
    for<'v> Option<i64>: Encode<'v, DB>,
    for<'v> Vec<u8>: Type<DB>,
    for<'v> Option<Vec<u8>>: Encode<'v, DB>,
{
    match value {
        Value::Number(number) => query.bind(number),
        Value::Bytes(bytes) => query.bind(bytes),
    }
}

fn read<DB>(table: &Table, row: &DB::Row) -> Result<Row, sqlx::Error>
where
    DB: Database,
    for<'v> i64: Decode<'v, DB> + Type<DB>,
    for<'v> Vec<u8>: Decode<'v, DB> + Type<DB>,
    usize: ColumnIndex<DB::Row>,
{
    let columns = table.columns.iter().enumerate();
    let value = |(place, (_, kind)): (usize, &(&str, Kind))| match kind {
        Kind::Number | Kind::Truth => row.try_get(place).map(Value::Number),
        Kind::Bytes | Kind::Text | Kind::Name => row.try_get(place).map(Value::Bytes),
    };
    columns.map(value).collect()
}
