//! A data folder as the source or target of a copy.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ToSql, params, params_from_iter, types::ToSqlOutput};

use super::{
    checking,
    db_error::DbError,
    identity, opening,
    row::{self, all, execute, value},
    worker_thread::{Maintenance, WorkerThread},
};
use crate::{
    DataDir, StoreError,
    checksum::StoreId,
    detached::run_blocking,
    rows::{StoredRow as _, Unreadable},
    transfer::{
        rows::{Row, Value},
        side::TransferSide,
        tables::{ColumnKind, SqlDialect, Table},
    },
};

/// SQLite's SQL dialect.
struct SqliteDialect;

impl SqlDialect for SqliteDialect {
    fn read(kind: ColumnKind, column: &str) -> String {
        match kind {
            ColumnKind::Number | ColumnKind::Bytes | ColumnKind::Bool => column.to_owned(),
            ColumnKind::Text | ColumnKind::Name => format!("CAST({column} AS BLOB)"),
        }
    }

    fn placeholder(kind: ColumnKind, number: usize) -> String {
        match kind {
            ColumnKind::Number | ColumnKind::Bytes | ColumnKind::Bool => format!("?{number}"),
            ColumnKind::Text | ColumnKind::Name => format!("CAST(?{number} AS TEXT)"),
        }
    }
}

/// A connection with an open transaction, on a separate thread.
pub(crate) struct SqliteSide {
    thread: WorkerThread<Connection>,
    /// The store id.
    pub(crate) store: StoreId,
    path: PathBuf,
}

/// Checks a folder, and begins a read transaction.
pub(crate) async fn open_source(dir: &DataDir) -> Result<SqliteSide, StoreError> {
    let path = dir.database();
    checking::require_sound(checking::check(dir).await?, &path)?;
    open_side(path, |path| {
        let connection = opening::open_read_only(path)?;
        connection.execute_batch("BEGIN")?;
        let identity = identity::read(&connection)?;
        Ok((
            identity.ok_or_else(checking::missing_identity)?.store,
            connection,
        ))
    })
    .await
}

/// Creates a database in an empty file, with this store id.
pub(crate) async fn create_target(path: &Path, store: StoreId) -> Result<SqliteSide, StoreError> {
    open_side(path.to_owned(), move |path| {
        let connection = opening::create(path)?;
        connection.execute_batch("BEGIN")?;
        identity::set_store_id(&connection, store)?;
        Ok((store, connection))
    })
    .await
}

async fn open_side(
    path: PathBuf,
    begin: impl FnOnce(&Path) -> Result<(StoreId, Connection), DbError> + Send + 'static,
) -> Result<SqliteSide, StoreError> {
    run_blocking(move || {
        let (store, connection) = begin(&path).map_err(|error| error.at(&path))?;
        let thread = WorkerThread::start("copying", connection, Maintenance::NONE);
        let thread = thread.map_err(|error| DbError::Io(error).at(&path))?;
        Ok(SqliteSide {
            thread,
            store,
            path,
        })
    })
    .await
}

/// Commits a new database's rows. Returns the store id and the number of commits.
pub(crate) async fn finish(side: SqliteSide) -> Result<(StoreId, i64), StoreError> {
    let commits = side.run(|connection| {
        connection.execute_batch("COMMIT")?;
        let commits = "SELECT coalesce(max(batch), 0) FROM journal";
        Ok(value(connection, commits, ())?)
    });
    Ok((side.store, commits.await?))
}

impl SqliteSide {
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.thread.call(|connection| work(connection)).await?;
        done.map_err(|error| error.at(&self.path))
    }
}

impl TransferSide for SqliteSide {
    async fn sequences(&mut self) -> Result<Vec<(String, i64)>, StoreError> {
        self.run(|connection| {
            let select = "SELECT name, seq FROM sqlite_sequence ORDER BY name";
            let rows = all(connection, select, ())?;
            let read = |row: &row::Row| Ok((row.value(0)?, row.value(1)?));
            rows.iter().map(read).collect()
        })
        .await
    }

    async fn set_sequence(&mut self, table: &str, last: i64) -> Result<(), StoreError> {
        let table = table.to_owned();
        self.run(move |connection| {
            let keep = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            execute(connection, keep, params![table, last])?;
            Ok(())
        })
        .await
    }

    async fn next_rows(
        &mut self,
        table: &'static Table,
        after: Option<&Row>,
    ) -> Result<Vec<Row>, StoreError> {
        let select = table.select::<SqliteDialect>(after.is_some());
        let key = after.map_or(&[][..], |row| &row[..table.key]).to_vec();
        self.run(move |connection| {
            let rows = all(connection, &select, params_from_iter(key))?;
            let read: Result<_, Unreadable> = rows.iter().map(|row| read(table, row)).collect();
            Ok(read?)
        })
        .await
    }

    async fn add(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<(), StoreError> {
        self.run(move |connection| {
            let insert = table.insert::<SqliteDialect>(rows.len());
            let values = params_from_iter(rows.into_iter().flatten());
            execute(connection, &insert, values)?;
            Ok(())
        })
        .await
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Number(number) => number.to_sql(),
            Self::Bytes(bytes) => bytes.to_sql(),
        }
    }
}

fn read(table: &Table, row: &row::Row) -> Result<Row, Unreadable> {
    let columns = table.columns.iter().enumerate();
    let value = |(place, (_, kind)): (usize, &(&str, ColumnKind))| match kind {
        ColumnKind::Number | ColumnKind::Bool => row.value(place).map(Value::Number),
        ColumnKind::Bytes | ColumnKind::Text | ColumnKind::Name => {
            row.value(place).map(Value::Bytes)
        }
    };
    columns.map(value).collect()
}
