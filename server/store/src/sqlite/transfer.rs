//! A data folder as one side of a copy.

use std::path::{Path, PathBuf};

use sqlx::{Connection as _, Sqlite, SqliteConnection};

use super::{checking, failure::Fault, identity, opening};
use crate::{
    DataDir, StoreError,
    checksum::StoreId,
    transfer::{
        side::Side,
        tables::{Dialect, Kind},
    },
};

impl Dialect for Sqlite {
    const GIVEN_NUMBERS: &str = "SELECT name, seq FROM sqlite_sequence ORDER BY name";
    const KEEP_GIVEN_NUMBER: &str = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";

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

/// Checks a folder, and begins a view of it.
pub(crate) async fn sound(dir: &DataDir) -> Result<Side<Sqlite>, StoreError> {
    let path = dir.database();
    checking::sound(checking::check(dir).await?, &path)?;
    let mut connection = opening::looking(&path).await?;
    let work = async {
        sqlx::query("BEGIN").execute(&mut connection).await?;
        let identity = identity::read(&mut connection).await?;
        Ok(identity.ok_or_else(checking::no_identity)?.store)
    };
    let store = work.await.map_err(|fault: Fault| fault.at(&path))?;
    Ok(side(connection, store, path))
}

/// Makes a database in an empty file, with the identifier of a store.
pub(crate) async fn new(path: &Path, store: StoreId) -> Result<Side<Sqlite>, StoreError> {
    let mut connection = opening::making(path).await?;
    let work = async {
        sqlx::query("BEGIN").execute(&mut connection).await?;
        identity::keep(&mut connection, store).await
    };
    work.await.map_err(|fault: Fault| fault.at(path))?;
    Ok(side(connection, store, path.to_owned()))
}

fn side(connection: SqliteConnection, store: StoreId, path: PathBuf) -> Side<Sqlite> {
    Side {
        connection,
        store,
        told: Box::new(move |error| Fault::from(error).at(&path)),
    }
}

/// Commits what was written to a new database. Which store it is, and how many commits it has.
pub(crate) async fn finish(mut side: Side<Sqlite>) -> Result<(StoreId, i64), StoreError> {
    let work = async {
        sqlx::query("COMMIT").execute(&mut side.connection).await?;
        let commits = sqlx::query_scalar("SELECT coalesce(max(batch), 0) FROM journal")
            .fetch_one(&mut side.connection)
            .await?;
        side.connection.close().await?;
        Ok((side.store, commits))
    };
    work.await.map_err(side.told)
}
