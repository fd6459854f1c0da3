//! Checks and opens a data folder's database: the files that are accepted, their schema, and the
//! settings of connections.

use std::{
    fs::File,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{
    log_file,
    options::{Durability, IntegrityCheck, SqliteOptions},
    sql::{execute, first, value, values},
    takeover::{check_same_store, read_identity},
};
use crate::{
    DataDir, StoreError,
    commit_count_file::{self, CommitsRecord, is_non_empty_file},
    db_error::DbError,
    dir_lock::DirLock,
    schema::{self, Migration, MigrationReport, Schema, SchemaUse},
};

/// Timeout of a write that waits for another process, such as a command or a backup. A command
/// takes milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Delay between two attempts to lock a folder.
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(10);

/// Capacity of a connection's statement cache: enough for a commit.
const STATEMENT_CACHE_CAPACITY: usize = 64;

/// Size to which a restarted log is truncated. The size is not smaller, since extending a file
/// costs more than overwriting it.
const JOURNAL_SIZE_LIMIT_BYTES: i64 = 40 * 1024 * 1024;

/// Opens the database for a server. The server must have locked the folder. Creates a missing
/// database, and verifies an existing one. Also returns whether damaged indexes were rebuilt.
pub(super) fn open_for_server(
    dir: &DataDir,
    options: &SqliteOptions,
    recorded: &CommitsRecord,
    schema: &Schema,
) -> Result<(Connection, bool), StoreError> {
    let path = &dir.database();
    let work = || {
        let check = options.integrity_check;
        let schema_use = if options.migrates { SchemaUse::Migrate } else { SchemaUse::Use };
        let needs_indexes = verify(path, Some(check), (schema, schema_use), recorded)?;
        dir.create_database()?;
        let connection = connect_read_write(path, options.durability)?;
        // An interrupted transaction keeps `verify` from identifying the database.
        identify(&connection, path, (schema, schema_use))?;
        if let Some(bytes) = options.max_database_bytes {
            limit_size(&connection, bytes)?;
        }
        if needs_indexes {
            execute(&connection, "REINDEX", ())?;
            check_integrity(&connection, check, "integrity_check")?;
        }
        create_schema(&connection, schema)?;
        migrate_schema(&connection, path, (schema, schema_use))?;
        Ok((connection, needs_indexes))
    };
    work().map_err(|error: DbError| error.at(path))
}

/// Locks the folder for a command that can run alongside a server. If a server or another command
/// has locked it, waits until that process has created the store, and returns `None`.
pub(super) fn lock_for_command(dir: &DataDir) -> Result<Option<DirLock>, StoreError> {
    let start = Instant::now();
    loop {
        match dir.lock() {
            Err(StoreError::FolderInUse { .. }) => {}
            locked => return locked.map(Some),
        }
        if has_store(&dir.database()) || start.elapsed() >= BUSY_TIMEOUT {
            return Ok(None);
        }
        thread::sleep(LOCK_RETRY_DELAY);
    }
}

/// Returns whether a database is complete, so that commands can use it.
fn has_store(path: &Path) -> bool {
    let work = || -> Result<bool, DbError> {
        let connection = connect_read_only(path)?;
        Ok(!is_empty(&connection)? && read_identity(&connection)?.is_some())
    };
    is_non_empty_file(path) && work().unwrap_or(false)
}

/// Opens the database for a command that can run alongside a server. If the command has locked the
/// folder, verifies or creates the database.
pub(super) fn open_for_command(
    dir: &DataDir,
    held: Option<&DirLock>,
    recorded: &CommitsRecord,
    schema: &Schema,
) -> Result<Connection, StoreError> {
    let path = &dir.database();
    let used = (schema, SchemaUse::Use);
    let work = || {
        if held.is_some() {
            verify(path, None, used, recorded)?;
            dir.create_database()?;
        }
        let connection = connect_read_write(path, Durability::Disk)?;
        if held.is_some() {
            identify(&connection, path, used)?;
            create_schema(&connection, schema)?;
        } else if !identify(&connection, path, used)? {
            // The server that has locked the folder is creating the database.
            schema.check(0, SchemaUse::Use, path)?;
        }
        Ok(connection)
    };
    work().map_err(|error: DbError| error.at(path))
}

/// Creates a database in an empty file. No other connection may use the file meanwhile.
pub(super) fn create(path: &Path) -> Result<Connection, StoreError> {
    let work = || {
        let connection = connect_read_write(path, Durability::Disk)?;
        create_schema(&connection, &schema::CURRENT)?;
        Ok(connection)
    };
    work().map_err(|error: DbError| error.at(path))
}

/// Opens one of this program's databases read-only. The database's content is not verified.
pub(super) fn open_read_only(path: &Path, schema_use: SchemaUse) -> Result<Connection, StoreError> {
    let work = || {
        let mut connection = connect_read_only(path)?;
        let used = (&schema::CURRENT, schema_use);
        let identified = match identify(&connection, path, used) {
            Err(DbError::Sqlite(error))
                if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) && !has_log(path) =>
            {
                connection = connect_immutable(path)?;
                identify(&connection, path, used)
            }
            identified => identified,
        };
        if !identified? {
            return Err(DbError::Inconsistent("the store is incomplete".to_owned()));
        }
        Ok(connection)
    };
    work().map_err(|error: DbError| error.at(path))
}

/// Verifies that a database and the files beside it are intact and belong together. Called before
/// the database is opened for writing, since opening it could merge the log of another database.
/// Returns whether indexes must be rebuilt. Without a check, damaged pages are detected when they
/// are read.
fn verify(
    path: &Path,
    check: Option<IntegrityCheck>,
    used: (&Schema, SchemaUse),
    recorded: &CommitsRecord,
) -> Result<bool, DbError> {
    log_file::check(path)?;
    // The creation was interrupted during a transaction. Only a write connection can roll it back.
    let is_being_created = log_file::path_with_suffix(path, "-journal").exists();
    if !is_non_empty_file(path) || is_being_created {
        return Ok(false);
    }
    let connection = connect_read_only(path)?;
    let has_schema = identify(&connection, path, used)?;
    let mut needs_indexes = false;
    if let Some(check) = check
        && let Err(error) = check_integrity(&connection, check, "integrity_check")
    {
        // Damaged indexes can be rebuilt, since the table rows have checksums.
        if check_integrity(&connection, check, "quick_check").is_err() {
            return Err(error);
        }
        needs_indexes = true;
    }
    if has_schema && let Some(identity) = read_identity(&connection)? {
        check_same_store(path, recorded, identity.store)?;
    }
    close(connection)?;
    Ok(needs_indexes)
}

pub(super) fn close(connection: Connection) -> Result<(), DbError> {
    connection.close().map_err(|(_, error)| error.into())
}

pub(super) fn connect_read_only(path: &Path) -> Result<Connection, DbError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn has_log(path: &Path) -> bool {
    log_file::path_with_suffix(path, "-wal").exists()
}

/// Opens a database without a log on a read-only medium. Otherwise SQLite would have to create the
/// log.
fn connect_immutable(path: &Path) -> Result<Connection, DbError> {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(Path::new(&format!("file:{path}?immutable=1")), flags)
}

/// Opens a connection that writes to an existing file.
pub(super) fn connect_read_write(
    path: &Path,
    durability: Durability,
) -> Result<Connection, DbError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "synchronous", durability.synchronous())?;
    connection.pragma_update(None, "journal_size_limit", JOURNAL_SIZE_LIMIT_BYTES)?;
    // A server copies its log with `checkpoints`. A command copies it only when it closes the
    // connection and no server is running.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

/// Stops the connection from flushing each commit, because `log_flusher` flushes them. Returns the
/// log, which the first commit has created.
pub(super) fn take_over_flushing(connection: &Connection, path: &Path) -> Result<File, DbError> {
    connection.pragma_update(None, "synchronous", Durability::Process.synchronous())?;
    let log = log_file::open(path);
    log.map_err(DbError::Io)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, DbError> {
    // SQLite needs no mutexes, since each connection is used by one thread at a time.
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    // With these settings, SQLite reports damaged pages as errors and does not execute code in the
    // schema.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn limit_size(connection: &Connection, bytes: u64) -> Result<(), DbError> {
    let page_bytes: i64 = value(connection, "PRAGMA page_size", ())?;
    let pages = bytes / page_bytes.unsigned_abs().max(1);
    let pages = pages.clamp(1, u64::from(u32::MAX - 1));
    let _: i64 = value(connection, &format!("PRAGMA max_page_count = {pages}"), ())?;
    Ok(())
}

/// Identifies the file as a store of this program: `BMst` in its header (`PRAGMA application_id`).
const APPLICATION_ID: u32 = 0x424d_7374;

/// Checks that the database belongs to this program, and that its schema is accepted. Writes
/// nothing. Returns whether it has a schema; a new database has none.
fn identify(
    connection: &Connection,
    path: &Path,
    (schema, schema_use): (&Schema, SchemaUse),
) -> Result<bool, DbError> {
    let application_id: i32 = value(connection, "PRAGMA application_id", ())?;
    let application_id = application_id.cast_unsigned();
    let is_empty = is_empty(connection)?;
    let is_new = application_id == 0 && is_empty;
    if application_id != APPLICATION_ID && !is_new {
        let path = path.to_owned();
        return Err(StoreError::ForeignDatabase { path, application_id }.into());
    }
    if is_empty {
        return Ok(false);
    }
    schema.check(schema_version(connection)?, schema_use, path)?;
    Ok(true)
}

fn schema_version(connection: &Connection) -> Result<i64, DbError> {
    Ok(value(connection, "PRAGMA user_version", ())?)
}

fn is_empty(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    value(connection, is_empty, ())
}

/// Runs SQLite's check with this pragma, on the whole file or on each table except `replay`, of
/// which only the end is read, where the next replay is added. The check stops at the first
/// inconsistency, which is enough to refuse the database.
fn check_integrity(
    connection: &Connection,
    check: IntegrityCheck,
    pragma: &str,
) -> Result<(), DbError> {
    let parts: Vec<String> = match check {
        IntegrityCheck::Full => vec!["1".to_owned()],
        // The names need no escaping, since they come from this program's schema.
        IntegrityCheck::AllButReplays => values(
            connection,
            "SELECT quote(name) FROM sqlite_schema
             WHERE type = 'table' AND name <> 'replay' ORDER BY name",
            (),
        )?,
    };
    for part in parts {
        let verdict: String = value(connection, &format!("PRAGMA {pragma}({part})"), ())?;
        if verdict != "ok" {
            return Err(DbError::Inconsistent(verdict));
        }
    }
    if check == IntegrityCheck::AllButReplays && !is_empty(connection)? {
        let last = "SELECT replay FROM replay ORDER BY finish_number DESC LIMIT 1";
        first(connection, last, ())?;
    }
    Ok(())
}

/// Marks an empty database as this program's, and creates its tables in one transaction.
fn create_schema(connection: &Connection, schema: &Schema) -> Result<(), DbError> {
    let is_new = is_empty(connection)?;
    if is_new {
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    let _: String = value(connection, "PRAGMA journal_mode = WAL", ())?;
    if is_new {
        change_schema(connection, schema.sqlite, schema.version)?;
    }
    Ok(())
}

/// Changes the schema to a version, in one transaction.
fn change_schema(connection: &Connection, change: &str, version: i64) -> Result<(), DbError> {
    let change = format!("BEGIN IMMEDIATE; {change} PRAGMA user_version = {version}; COMMIT");
    if let Err(error) = connection.execute_batch(&change) {
        // The rollback fails if SQLite has already rolled back.
        let _ = connection.execute_batch("ROLLBACK");
        return Err(error.into());
    }
    Ok(())
}

/// Makes the migrations that the database needs, if the caller migrates.
fn migrate_schema(
    connection: &Connection,
    path: &Path,
    (schema, schema_use): (&Schema, SchemaUse),
) -> Result<MigrationReport, DbError> {
    let from = schema_version(connection)?;
    let migrations = schema.check(from, schema_use, path)?;
    for Migration { to, sqlite, .. } in migrations {
        change_schema(connection, sqlite, *to)?;
    }
    let to = migrations.last().map_or(from, |last| last.to);
    Ok(MigrationReport { from, to })
}

/// Migrates the store in a data folder that no server uses to the schema version of this program,
/// as a server does when it starts.
///
/// # Errors
/// Returns [`StoreError::NoStore`], or as [`SqliteStore::open`](super::SqliteStore::open).
pub fn migrate_folder(dir: &DataDir) -> Result<MigrationReport, StoreError> {
    migrate(dir, &schema::CURRENT)
}

fn migrate(dir: &DataDir, schema: &Schema) -> Result<MigrationReport, StoreError> {
    let path = &dir.database();
    let used = (schema, SchemaUse::Migrate);
    let _held = dir.lock()?;
    let recorded = commit_count_file::read(dir.path())?;
    let work = || {
        verify(path, None, used, &recorded)?;
        if !is_non_empty_file(path) {
            let database = dir.path().display().to_string();
            return Err(StoreError::NoStore(database).into());
        }
        let connection = connect_read_write(path, Durability::Disk)?;
        identify(&connection, path, used)?;
        let report = migrate_schema(&connection, path, used)?;
        close(connection)?;
        Ok(report)
    };
    work().map_err(|error: DbError| error.at(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema of a program that needs one more column.
    const NEXT: Schema = Schema {
        version: schema::CURRENT.version + 1,
        migrations: &[Migration {
            to: schema::CURRENT.version + 1,
            sqlite: "ALTER TABLE finished_match ADD COLUMN note TEXT;",
            postgres: "",
        }],
        ..schema::CURRENT
    };

    #[test]
    fn only_servers_and_data_migrate_change_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let recorded = &commit_count_file::read(dir.path()).unwrap();
        let open_as = |migrates, schema| {
            let options = SqliteOptions { migrates, ..SqliteOptions::default() };
            let (connection, _) = open_for_server(&dir, &options, recorded, schema)?;
            close(connection).map_err(|error| error.at(dir.database()))
        };
        let columns = || -> i64 {
            let connection = connect_read_only(&dir.database()).unwrap();
            let count = "SELECT count(*) FROM pragma_table_info('finished_match')";
            value(&connection, count, ()).unwrap()
        };
        let (from, to) = (schema::CURRENT.version, NEXT.version);
        let create = || {
            let _ = std::fs::remove_file(dir.database());
            open_as(false, &schema::CURRENT).unwrap();
            columns()
        };

        let before = create();
        let held = lock_for_command(&dir).unwrap();
        let by_command = open_for_command(&dir, held.as_ref(), recorded, &NEXT).map(|_| ());
        drop(held);
        for refused in [open_as(false, &NEXT), by_command] {
            let refused = refused.unwrap_err();
            let is_it =
                matches!(refused, StoreError::NotMigrated { version, .. } if version == from);
            assert!(is_it, "{refused}");
        }
        assert_eq!(columns(), before);
        open_as(true, &NEXT).unwrap();
        assert_eq!(columns(), before + 1);
        let report = migrate(&dir, &NEXT).unwrap();
        assert_eq!(report, MigrationReport { from: to, to });
        // The program of the version before still uses it.
        open_as(true, &schema::CURRENT).unwrap();

        assert_eq!(create(), before);
        let report = migrate(&dir, &NEXT).unwrap();
        assert_eq!(report, MigrationReport { from, to });
        assert_eq!(columns(), before + 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_log_of_sqlite_is_flushed_even_if_the_database_is_a_link() {
        use std::os::unix::fs::{MetadataExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (there, here) = (folder.path().join("there"), folder.path().join("here"));
        [&there, &here].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        let (database, link) = (there.join("matches.db"), here.join("matches.db"));
        File::create(&database).unwrap();
        symlink(&database, &link).unwrap();
        let connection = create(&link).unwrap();
        let synchronous = || value::<i64>(&connection, "PRAGMA synchronous", ()).unwrap();
        assert_eq!(synchronous(), 2, "FULL");
        let log = take_over_flushing(&connection, &link).unwrap();
        assert_eq!(synchronous(), 1, "NORMAL");
        let of_sqlite = std::fs::metadata(there.join("matches.db-wal")).unwrap();
        assert_eq!(log.metadata().unwrap().ino(), of_sqlite.ino());
    }
}
