//! From a file to a connection whose database is believed.

use std::{path::Path, time::Duration};

use sqlx::{
    ConnectOptions as _, Connection as _, SqliteConnection,
    migrate::MigrateError,
    sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions},
};

use super::{
    failure::Fault,
    identity, log_file,
    options::{Durability, IntegrityCheck, SqliteOptions},
    schema,
    writer::check_together,
};
use crate::{
    DataDir, StoreError,
    commits_file::{Told, has_bytes},
};

/// How long a write waits for a command that writes beside the server, which takes
/// milliseconds, or for a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Size to which the write-ahead log is cut back after it had to grow: ten times what it has
/// between two checkpoints of small commits.
const WAL_KEPT_BYTES: u64 = 40 * 1024 * 1024;

/// Connections that read while the writer writes. Reads are short.
pub(super) const READERS: u32 = 4;

/// A connection that writes, to a database that is believed.
pub(super) struct Believed {
    pub(super) connection: SqliteConnection,
    /// Whether indexes have been made anew.
    pub(super) indexes_rebuilt: bool,
}

/// The connection of a server, which holds the folder: checks the database, makes it if there
/// is none, and migrates it.
pub(super) async fn serving(
    dir: &DataDir,
    options: &SqliteOptions,
    told: &Told,
) -> Result<Believed, StoreError> {
    let path = &dir.database();
    let work = async {
        let check = options.integrity_check;
        let needs_indexes = believe(path, check, told).await?;
        dir.make_database()?;
        let mut connection = writing(path, options.durability).connect().await?;
        if let Some(bytes) = options.max_database_bytes {
            limit_size(&mut connection, bytes).await?;
        }
        if needs_indexes {
            sqlx::query("REINDEX").execute(&mut connection).await?;
            check_integrity(&mut connection, check).await?;
        }
        migrate(&mut connection, path).await?;
        Ok(Believed {
            connection,
            indexes_rebuilt: needs_indexes,
        })
    };
    work.await.map_err(|fault: Fault| fault.at(path))
}

/// The connection of a command that may run beside a server. The folder is held only while the
/// database is checked or made.
pub(super) async fn beside(dir: &DataDir, told: &Told) -> Result<SqliteConnection, StoreError> {
    let path = &dir.database();
    let work = async {
        let held = match dir.lock() {
            Ok(held) => Some(held),
            Err(StoreError::FolderInUse { .. }) => None,
            Err(other) => return Err(other.into()),
        };
        if held.is_some() {
            believe(path, IntegrityCheck::Skip, told).await?;
            dir.make_database()?;
        }
        let options = writing(path, Durability::Power).create_if_missing(false);
        let mut connection = options.connect().await?;
        let version = identify(&mut connection, path).await?;
        if held.is_none() && version != schema::NEWEST {
            let path = path.to_owned();
            return Err(StoreError::OlderSchema {
                path,
                version,
                known: schema::NEWEST,
            }
            .into());
        }
        if held.is_some() {
            migrate(&mut connection, path).await?;
        }
        Ok(connection)
    };
    work.await.map_err(|fault: Fault| fault.at(path))
}

/// A connection that writes, to an empty file that becomes a database. Nothing else reads it.
pub(super) async fn making(path: &Path) -> Result<SqliteConnection, StoreError> {
    let work = async {
        let options = writing(path, Durability::Power).create_if_missing(false);
        let mut connection = options.connect().await?;
        migrate(&mut connection, path).await?;
        Ok(connection)
    };
    work.await.map_err(|fault: Fault| fault.at(path))
}

/// A connection that cannot write, to a database that is ours; nothing more of it is believed.
pub(super) async fn looking(path: &Path) -> Result<SqliteConnection, StoreError> {
    let work = async {
        let options = any(path).read_only(true).create_if_missing(false);
        let mut connection = options.connect().await?;
        if identify(&mut connection, path).await? != schema::NEWEST {
            return Err(Fault::Contradiction("it is not a whole store".to_owned()));
        }
        Ok(connection)
    };
    work.await.map_err(|fault: Fault| fault.at(path))
}

/// Makes sure that a database and the files beside it are whole and belong together, before
/// anything is written: a connection that writes would bring a log into the database that is not
/// of it. Returns whether indexes have to be made anew.
async fn believe(path: &Path, check: IntegrityCheck, told: &Told) -> Result<bool, Fault> {
    log_file::check(path)?;
    // An unfinished transaction of the making of a database, which only a connection that writes
    // can take back.
    let is_being_made = log_file::beside(path, "-journal").exists();
    if !has_bytes(path) || is_being_made {
        return Ok(false);
    }
    let mut connection = any(path).read_only(true).connect().await?;
    let version = identify(&mut connection, path).await?;
    let mut needs_indexes = false;
    if let Err(fault) = check_integrity(&mut connection, check).await {
        // Indexes are made of the tables, whose rows have checksums.
        let can_mend = match check {
            IntegrityCheck::Full => check_integrity(&mut connection, IntegrityCheck::Quick)
                .await
                .is_ok(),
            IntegrityCheck::AllButReplays => {
                check_tables(&mut connection, "quick_check").await.is_ok()
            }
            IntegrityCheck::Quick | IntegrityCheck::Skip => false,
        };
        if !can_mend {
            return Err(fault);
        }
        needs_indexes = true;
    }
    if version == schema::NEWEST
        && let Some(identity) = identity::read(&mut connection).await?
    {
        check_together(path, told, identity.store)?;
    }
    connection.close().await?;
    Ok(needs_indexes)
}

/// Connections that read matches, made when they are needed.
pub(super) fn readers(path: &Path) -> SqlitePool {
    reading(path, READERS)
}

/// The connection that reads keys, made when it is needed.
pub(super) fn key_reader(path: &Path) -> SqlitePool {
    reading(path, 1)
}

fn reading(path: &Path, connections: u32) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(BUSY_TIMEOUT)
        .test_before_acquire(false)
        .connect_lazy_with(any(path).read_only(true))
}

fn writing(path: &Path, durability: Durability) -> SqliteConnectOptions {
    any(path)
        .create_if_missing(true)
        .synchronous(durability.synchronous())
        .pragma("journal_size_limit", WAL_KEPT_BYTES.to_string())
}

fn any(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        // A damaged page is told as such, and no part of the schema is run as a program.
        .pragma("cell_size_check", "ON")
        .pragma("trusted_schema", "OFF")
        .disable_statement_logging()
}

async fn limit_size(connection: &mut SqliteConnection, bytes: u64) -> Result<(), Fault> {
    let page_bytes: i64 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut *connection)
        .await?;
    let pages = bytes / page_bytes.unsigned_abs().max(1);
    let pragma = format!(
        "PRAGMA max_page_count = {}",
        pages.clamp(1, u64::from(u32::MAX - 1))
    );
    sqlx::query(sqlx::AssertSqlSafe(pragma))
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes sure that the database is ours and not from the future; nothing is written before. The
/// version of its schema, 0 if it is empty.
async fn identify(connection: &mut SqliteConnection, path: &Path) -> Result<i64, Fault> {
    let application_id: i32 = sqlx::query_scalar("PRAGMA application_id")
        .fetch_one(&mut *connection)
        .await?;
    let application_id = application_id.cast_unsigned();
    let is_empty: bool = sqlx::query_scalar("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)")
        .fetch_one(&mut *connection)
        .await?;
    let is_new = application_id == 0 && is_empty;
    if application_id != schema::APPLICATION_ID && !is_new {
        let path = path.to_owned();
        return Err(StoreError::ForeignDatabase {
            path,
            application_id,
        }
        .into());
    }
    let version = schema::version(connection).await?;
    if let Some(version) = schema::first_that_differs(connection, version).await? {
        let path = path.to_owned();
        return Err(StoreError::DifferentSchema { path, version }.into());
    }
    if version > schema::NEWEST {
        let path = path.to_owned();
        return Err(StoreError::NewerSchema {
            path,
            version,
            known: schema::NEWEST,
        }
        .into());
    }
    Ok(version)
}

async fn check_integrity(
    connection: &mut SqliteConnection,
    check: IntegrityCheck,
) -> Result<(), Fault> {
    // The first contradiction is enough to refuse the database.
    let pragma = match check {
        IntegrityCheck::Quick => "PRAGMA quick_check(1)",
        IntegrityCheck::Full => "PRAGMA integrity_check(1)",
        IntegrityCheck::AllButReplays => return check_tables(connection, "integrity_check").await,
        IntegrityCheck::Skip => return Ok(()),
    };
    let verdict: String = sqlx::query_scalar(pragma).fetch_one(connection).await?;
    if verdict == "ok" {
        return Ok(());
    }
    Err(Fault::Contradiction(verdict))
}

/// The same for each table but that of replays, by this pragma. Of the replays the end is looked
/// at, to which the next is added.
async fn check_tables(connection: &mut SqliteConnection, pragma: &str) -> Result<(), Fault> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'replay' ORDER BY name",
    )
    .fetch_all(&mut *connection)
    .await?;
    for table in tables {
        // The names are those of our own schema, which was identified before.
        let pragma = format!("PRAGMA {pragma}('{table}')");
        let verdict: String = sqlx::query_scalar(sqlx::AssertSqlSafe(pragma))
            .fetch_one(&mut *connection)
            .await?;
        if verdict != "ok" {
            return Err(Fault::Contradiction(verdict));
        }
    }
    if schema::version(connection).await? > 0 {
        sqlx::query("SELECT replay FROM replay ORDER BY finish_number DESC LIMIT 1")
            .fetch_optional(connection)
            .await?;
    }
    Ok(())
}

/// Marks an empty database as ours, and brings the schema up to date.
async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), Fault> {
    if schema::version(connection).await? == 0 {
        let mark = format!("PRAGMA application_id = {}", schema::APPLICATION_ID);
        sqlx::query(sqlx::AssertSqlSafe(mark))
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query("PRAGMA journal_mode = WAL")
        .execute(&mut *connection)
        .await?;
    let path = || path.to_owned();
    schema::migrator()
        .run_direct(None, connection, false)
        .await
        .map_err(|error| match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
            MigrateError::VersionMismatch(version) | MigrateError::VersionMissing(version) => {
                StoreError::DifferentSchema {
                    path: path(),
                    version,
                }
                .into()
            }
            other => Fault::Contradiction(other.to_string()),
        })
}
