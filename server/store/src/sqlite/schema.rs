//! Versions of the database schema. A released version is never edited; changes get a new version.
//!
//! A database's versions are recorded in the format of sqlx, which migrates PostgreSQL databases.

use std::borrow::Cow;

use rusqlite::{Connection, params};
use sqlx::{
    SqlSafeStr as _,
    migrate::{Migration, MigrationType},
};

use super::{
    db_error::DbError,
    row::{all, execute, value},
};
use crate::rows::StoredRow as _;

/// Identifies the file as a store of this program: `BMst` in its header (`PRAGMA application_id`).
pub(super) const APPLICATION_ID: u32 = 0x424d_7374;

/// The name and SQL text of each version, from 1, without gaps.
const VERSIONS: &[(&str, &str)] = &[(
    "matches and keys",
    include_str!("../../migrations/sqlite/0001_matches_and_keys.sql"),
)];

/// The version that this program requires.
pub(super) const NEWEST: i64 = VERSIONS.len() as i64;

/// Creates the table that lists the applied versions.
const CREATE_VERSIONS_TABLE: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
)";

/// Returns the versions as sqlx migrations, which have checksums.
fn versions() -> impl Iterator<Item = Migration> {
    (1..).zip(VERSIONS).map(|(version, (name, text))| {
        let within_transaction = false;
        Migration::new(
            version,
            Cow::Borrowed(*name),
            MigrationType::Simple,
            text.into_sql_str(),
            within_transaction,
        )
    })
}

/// Migrates a database to [`NEWEST`], with one transaction per version.
pub(super) fn migrate(connection: &Connection) -> Result<(), DbError> {
    execute(connection, CREATE_VERSIONS_TABLE, ())?;
    let current = version(connection)?;
    for next in versions().filter(|next| next.version > current) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let result = apply(connection, &next);
        let result = result.and_then(|()| connection.execute_batch("COMMIT"));
        if let Err(error) = result {
            // The rollback fails if SQLite has already rolled back.
            let _ = connection.execute_batch("ROLLBACK");
            return Err(error.into());
        }
    }
    Ok(())
}

fn apply(connection: &Connection, next: &Migration) -> Result<(), rusqlite::Error> {
    connection.execute_batch(next.sql.as_str())?;
    execute(
        connection,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (?, ?, TRUE, ?, 0)",
        params![next.version, next.description, next.checksum],
    )?;
    Ok(())
}

/// Returns the first schema version in a database whose SQL text differs from this program's.
pub(super) fn first_mismatch(
    connection: &Connection,
    version: i64,
) -> Result<Option<i64>, DbError> {
    if version == 0 {
        return Ok(None);
    }
    let result = all(
        connection,
        "SELECT version, checksum FROM _sqlx_migrations ORDER BY version",
        (),
    )?;
    for row in result {
        let (version, checksum): (i64, Vec<u8>) = (row.value(0)?, row.value(1)?);
        let ours = versions().find(|ours| ours.version == version);
        if ours.is_some_and(|ours| *ours.checksum != checksum[..]) {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

/// Returns the schema version of a database; 0 if the database is empty.
pub(super) fn version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    let has_versions: bool = value(
        connection,
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')",
        (),
    )?;
    if !has_versions {
        return Ok(0);
    }
    value(
        connection,
        "SELECT coalesce(max(version), 0) FROM _sqlx_migrations",
        (),
    )
}
