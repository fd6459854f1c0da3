//! A data folder as one side of a copy.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ToSql, params, params_from_iter, types::ToSqlOutput};

use super::{
    checking,
    failure::Fault,
    identity, opening,
    own_thread::{Between, OwnThread},
    row::{self, all, execute, value},
};
use crate::{
    DataDir, StoreError,
    checksum::StoreId,
    detached::on_a_thread,
    rows::{StoredRow as _, Unreadable},
    transfer::{
        rows::{Row, Value},
        side::Side,
        tables::{Dialect, Kind, Table},
    },
};

/// How SQLite says it.
struct Sqlite;

impl Dialect for Sqlite {
    fn read(kind: Kind, column: &str) -> String {
        match kind {
            Kind::Number | Kind::Bytes | Kind::Truth => column.to_owned(),
            Kind::Text | Kind::Name => format!("CAST({column} AS BLOB)"),
        }
    }

    fn place(kind: Kind, number: usize) -> String {
        match kind {
            Kind::Number | Kind::Bytes | Kind::Truth => format!("?{number}"),
            Kind::Text | Kind::Name => format!("CAST(?{number} AS TEXT)"),
        }
    }
}

/// A connection within a transaction, on a thread of its own.
pub(crate) struct SqliteSide {
    thread: OwnThread<Connection>,
    /// Which store it is.
    pub(crate) store: StoreId,
    path: PathBuf,
}

/// Checks a folder, and begins a view of it.
pub(crate) async fn sound(dir: &DataDir) -> Result<SqliteSide, StoreError> {
    let path = dir.database();
    checking::sound(checking::check(dir).await?, &path)?;
    begun(path, |path| {
        let connection = opening::looking(path)?;
        connection.execute_batch("BEGIN")?;
        let identity = identity::read(&connection)?;
        Ok((
            identity.ok_or_else(checking::no_identity)?.store,
            connection,
        ))
    })
    .await
}

/// Makes a database in an empty file, with the identifier of a store.
pub(crate) async fn new(path: &Path, store: StoreId) -> Result<SqliteSide, StoreError> {
    begun(path.to_owned(), move |path| {
        let connection = opening::making(path)?;
        connection.execute_batch("BEGIN")?;
        identity::keep(&connection, store)?;
        Ok((store, connection))
    })
    .await
}

async fn begun(
    path: PathBuf,
    begin: impl FnOnce(&Path) -> Result<(StoreId, Connection), Fault> + Send + 'static,
) -> Result<SqliteSide, StoreError> {
    on_a_thread(move || {
        let (store, connection) = begin(&path).map_err(|fault| fault.at(&path))?;
        let thread = OwnThread::start("copying", connection, Between::NOTHING);
        let thread = thread.map_err(|error| Fault::System(error).at(&path))?;
        Ok(SqliteSide {
            thread,
            store,
            path,
        })
    })
    .await
}

/// Commits what was written to a new database. Which store it is, and how many commits it has.
pub(crate) async fn finish(side: SqliteSide) -> Result<(StoreId, i64), StoreError> {
    let commits = side.with(|connection| {
        connection.execute_batch("COMMIT")?;
        let commits = "SELECT coalesce(max(batch), 0) FROM journal";
        Ok(value(connection, commits, ())?)
    });
    Ok((side.store, commits.await?))
}

impl SqliteSide {
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.thread.call(|connection| work(connection)).await?;
        done.map_err(|fault| fault.at(&self.path))
    }
}

impl Side for SqliteSide {
    async fn given_numbers(&mut self) -> Result<Vec<(String, i64)>, StoreError> {
        self.with(|connection| {
            let given = "SELECT name, seq FROM sqlite_sequence ORDER BY name";
            let rows = all(connection, given, ())?;
            let read = |row: &row::Row| Ok((row.value(0)?, row.value(1)?));
            rows.iter().map(read).collect()
        })
        .await
    }

    async fn keep_given_number(&mut self, table: &str, last: i64) -> Result<(), StoreError> {
        let table = table.to_owned();
        self.with(move |connection| {
            let keep = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            execute(connection, keep, params![table, last])?;
            Ok(())
        })
        .await
    }

    async fn rows(
        &mut self,
        table: &'static Table,
        after: Option<&Row>,
    ) -> Result<Vec<Row>, StoreError> {
        let select = table.select::<Sqlite>(after.is_some());
        let key = after.map_or(&[][..], |row| &row[..table.key]).to_vec();
        self.with(move |connection| {
            let rows = all(connection, &select, params_from_iter(key))?;
            let read: Result<_, Unreadable> = rows.iter().map(|row| read(table, row)).collect();
            Ok(read?)
        })
        .await
    }

    async fn add(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<(), StoreError> {
        self.with(move |connection| {
            let insert = table.insert::<Sqlite>(rows.len());
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
    let value = |(place, (_, kind)): (usize, &(&str, Kind))| match kind {
        Kind::Number | Kind::Truth => row.value(place).map(Value::Number),
        Kind::Bytes | Kind::Text | Kind::Name => row.value(place).map(Value::Bytes),
    };
    columns.map(value).collect()
}
