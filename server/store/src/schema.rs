//! The schema of the databases. There is one version at a time: a database of another version is
//! refused, and never changed.

use std::path::PathBuf;

use crate::StoreError;

/// The version of both schemas. Each change to a schema increments it.
pub(crate) const VERSION: i64 = 7;

/// The statements that create the tables in SQLite.
pub(crate) const SQLITE: &str = include_str!("../schema/sqlite.sql");

/// The statements that create the tables in PostgreSQL.
pub(crate) const POSTGRES: &str = include_str!("../schema/postgres.sql");

/// Checks the version of a database, given its path or address. Databases of earlier programs,
/// which recorded their versions elsewhere, have version 0.
///
/// # Errors
/// [`StoreError::NewerSchema`] and [`StoreError::OlderSchema`].
pub(crate) fn check_version(version: i64, path: impl Into<PathBuf>) -> Result<(), StoreError> {
    let (path, supported) = (path.into(), VERSION);
    if version > supported {
        return Err(StoreError::NewerSchema {
            path,
            version,
            supported,
        });
    }
    if version < supported {
        return Err(StoreError::OlderSchema {
            path,
            version,
            supported,
        });
    }
    Ok(())
}
