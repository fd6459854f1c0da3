//! The versions of the schema. A version, once released, is never edited: a new one follows it.
//!
//! Which of them a database has is noted in it as sqlx notes it, since that is what keeps those of
//! PostgreSQL.

use std::borrow::Cow;

use rusqlite::{Connection, params};
use sqlx::{
    SqlSafeStr as _,
    migrate::{Migration, MigrationType},
};

use super::{
    failure::Fault,
    row::{all, execute, value},
};
use crate::rows::StoredRow as _;

/// Marks the file as ours: `BMst` in its header (`PRAGMA application_id`).
pub(super) const APPLICATION_ID: u32 = 0x424d_7374;

/// Each version with its name and its text, from 1, without a gap.
const VERSIONS: &[(&str, &str)] = &[(
    "matches and keys",
    include_str!("../../migrations/sqlite/0001_matches_and_keys.sql"),
)];

/// The version that this program works with.
pub(super) const NEWEST: i64 = VERSIONS.len() as i64;

/// The table with the versions that a database has.
const MAKE_TABLE: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
)";

/// The versions, with their checksums.
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

/// Brings a database up to [`NEWEST`], a transaction a version.
pub(super) fn migrate(connection: &Connection) -> Result<(), Fault> {
    execute(connection, MAKE_TABLE, ())?;
    let has = version(connection)?;
    for next in versions().filter(|next| next.version > has) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let made = make(connection, &next);
        let made = made.and_then(|()| connection.execute_batch("COMMIT"));
        if let Err(error) = made {
            // Fails where SQLite has rolled back on its own.
            let _ = connection.execute_batch("ROLLBACK");
            return Err(error.into());
        }
    }
    Ok(())
}

fn make(connection: &Connection, next: &Migration) -> Result<(), rusqlite::Error> {
    connection.execute_batch(next.sql.as_str())?;
    execute(
        connection,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (?, ?, TRUE, ?, 0)",
        params![next.version, next.description, next.checksum],
    )?;
    Ok(())
}

/// The first version of a database that was made from another text than this program has.
pub(super) fn first_that_differs(
    connection: &Connection,
    version: i64,
) -> Result<Option<i64>, Fault> {
    if version == 0 {
        return Ok(None);
    }
    let made = all(
        connection,
        "SELECT version, checksum FROM _sqlx_migrations ORDER BY version",
        (),
    )?;
    for row in made {
        let (version, checksum): (i64, Vec<u8>) = (row.value(0)?, row.value(1)?);
        let known = versions().find(|known| known.version == version);
        if known.is_some_and(|known| *known.checksum != checksum[..]) {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

/// The version of a database, 0 if it is empty.
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
