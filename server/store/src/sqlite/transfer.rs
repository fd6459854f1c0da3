//! A data folder as the source or target of a copy.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{
    checking::{check_with_inspector, missing_identity, require_sound},
    db_error::DbError,
    opening,
    sql::{Sql, value},
    takeover::{read_identity, set_store_id},
};
use crate::{DataDir, StoreError, checksum::StoreId, transfer::side::Side};

/// A database with an open transaction.
pub(crate) struct CopiedDatabase {
    connection: Connection,
    store: StoreId,
    path: PathBuf,
}

impl CopiedDatabase {
    pub(crate) fn side(&self) -> Side<Sql<'_>> {
        Side {
            connection: Sql(&self.connection),
            store: self.store,
            location: self.path.clone(),
            keys: vec![1..=i64::MAX],
        }
    }
}

/// Checks a folder, and begins a read transaction.
pub(crate) fn begin_source(dir: &DataDir) -> Result<CopiedDatabase, StoreError> {
    let path = dir.database();
    require_sound(check_with_inspector(dir, &mut ())?, &path)?;
    let connection = opening::open_read_only(&path)?;
    let begin = || -> Result<StoreId, DbError> {
        connection.execute_batch("BEGIN")?;
        let identity = read_identity(&connection)?.ok_or_else(missing_identity)?;
        Ok(identity.store)
    };
    let store = begin().map_err(|error| error.at(&path))?;
    Ok(CopiedDatabase {
        connection,
        store,
        path,
    })
}

/// Creates a database in an empty file, with this store id, and begins a transaction.
pub(crate) fn create_target(path: &Path, store: StoreId) -> Result<CopiedDatabase, StoreError> {
    let connection = opening::create(path)?;
    let begin = || -> Result<(), DbError> {
        connection.execute_batch("BEGIN")?;
        set_store_id(&connection, store)
    };
    begin().map_err(|error| error.at(path))?;
    Ok(CopiedDatabase {
        connection,
        store,
        path: path.to_owned(),
    })
}

/// Commits a new database. Returns the store id and the number of commits.
pub(crate) fn commit_target(database: CopiedDatabase) -> Result<(StoreId, i64), StoreError> {
    let commit = || -> Result<i64, DbError> {
        database.connection.execute_batch("COMMIT")?;
        let commits = "SELECT coalesce(max(batch), 0) FROM journal";
        Ok(value(&database.connection, commits, ())?)
    };
    let commits = commit().map_err(|error| error.at(&database.path))?;
    Ok((database.store, commits))
}
