//! From a file to a connection whose database is believed.

use std::{fs::File, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};

use super::{
    failure::Fault,
    identity, log_file,
    options::{Durability, IntegrityCheck, SqliteOptions},
    row::{execute, first, value, values},
    schema,
    taking::check_together,
};
use crate::{
    DataDir, StoreError,
    commits_file::{Told, has_bytes},
};

/// How long a write waits for a command that writes beside the server, which takes
/// milliseconds, or for a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Statements that a connection keeps prepared: all that a commit may need.
const PREPARED_STATEMENTS: usize = 64;

/// Bytes to which the log is cut back when it begins anew, after it had to grow: a commit that
/// extends a file costs more than one that writes over it, and under load the log grows by some
/// thousand pages while the thread is on its way.
const LOG_KEPT_BYTES: i64 = 40 * 1024 * 1024;

/// A connection that writes, to a database that is believed.
pub(super) struct Believed {
    pub(super) connection: Connection,
    /// Whether indexes have been made anew.
    pub(super) indexes_rebuilt: bool,
}

/// The connection of a server, which holds the folder: checks the database, makes it if there
/// is none, and migrates it.
pub(super) fn serving(
    dir: &DataDir,
    options: &SqliteOptions,
    told: &Told,
) -> Result<Believed, StoreError> {
    let path = &dir.database();
    let work = || {
        let check = options.integrity_check;
        let needs_indexes = believe(path, check, told)?;
        dir.make_database()?;
        let connection = writing(path, options.durability)?;
        if let Some(bytes) = options.max_database_bytes {
            limit_size(&connection, bytes)?;
        }
        if needs_indexes {
            execute(&connection, "REINDEX", ())?;
            check_integrity(&connection, check)?;
        }
        migrate(&connection)?;
        leave_checkpoints_to_others(&connection)?;
        Ok(Believed {
            connection,
            indexes_rebuilt: needs_indexes,
        })
    };
    work().map_err(|fault: Fault| fault.at(path))
}

/// The connection of a command that may run beside a server. The folder is held only while the
/// database is checked or made.
pub(super) fn beside(dir: &DataDir, told: &Told) -> Result<Connection, StoreError> {
    let path = &dir.database();
    let work = || {
        let held = match dir.lock() {
            Ok(held) => Some(held),
            Err(StoreError::FolderInUse { .. }) => None,
            Err(other) => return Err(other.into()),
        };
        if held.is_some() {
            believe(path, IntegrityCheck::Skip, told)?;
            dir.make_database()?;
        }
        let connection = writing(path, Durability::Power)?;
        let version = identify(&connection, path)?;
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
            migrate(&connection)?;
        }
        Ok(connection)
    };
    work().map_err(|fault: Fault| fault.at(path))
}

/// A connection that writes, to an empty file that becomes a database. Nothing else reads it.
pub(super) fn making(path: &Path) -> Result<Connection, StoreError> {
    let work = || {
        let connection = writing(path, Durability::Power)?;
        migrate(&connection)?;
        Ok(connection)
    };
    work().map_err(|fault: Fault| fault.at(path))
}

/// A connection that cannot write, to a database that is ours; nothing more of it is believed.
pub(super) fn looking(path: &Path) -> Result<Connection, StoreError> {
    let work = || {
        let connection = reading(path)?;
        if identify(&connection, path)? != schema::NEWEST {
            return Err(Fault::Contradiction("it is not a whole store".to_owned()));
        }
        Ok(connection)
    };
    work().map_err(|fault: Fault| fault.at(path))
}

/// Makes sure that a database and the files beside it are whole and belong together, before
/// anything is written: a connection that writes would bring a log into the database that is not
/// of it. Returns whether indexes have to be made anew.
fn believe(path: &Path, check: IntegrityCheck, told: &Told) -> Result<bool, Fault> {
    log_file::check(path)?;
    // An unfinished transaction of the making of a database, which only a connection that writes
    // can take back.
    let is_being_made = log_file::beside(path, "-journal").exists();
    if !has_bytes(path) || is_being_made {
        return Ok(false);
    }
    let connection = reading(path)?;
    let version = identify(&connection, path)?;
    let mut needs_indexes = false;
    if let Err(fault) = check_integrity(&connection, check) {
        // Indexes are made of the tables, whose rows have checksums.
        let can_mend = match check {
            IntegrityCheck::Full => check_integrity(&connection, IntegrityCheck::Quick).is_ok(),
            IntegrityCheck::AllButReplays => check_tables(&connection, "quick_check").is_ok(),
            IntegrityCheck::Quick | IntegrityCheck::Skip => false,
        };
        if !can_mend {
            return Err(fault);
        }
        needs_indexes = true;
    }
    if version == schema::NEWEST
        && let Some(identity) = identity::read(&connection)?
    {
        check_together(path, told, identity.store)?;
    }
    closed(connection)?;
    Ok(needs_indexes)
}

/// Lets go of a database.
pub(super) fn closed(connection: Connection) -> Result<(), Fault> {
    connection.close().map_err(|(_, error)| error.into())
}

/// A connection that cannot write.
pub(super) fn reading(path: &Path) -> Result<Connection, Fault> {
    any(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// A connection that writes, to a file that is there.
pub(super) fn writing(path: &Path, durability: Durability) -> Result<Connection, Fault> {
    let connection = any(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "synchronous", durability.synchronous())?;
    connection.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES)?;
    Ok(connection)
}

/// Takes the checkpoints from a connection: `checkpoints` does them.
fn leave_checkpoints_to_others(connection: &Connection) -> Result<(), Fault> {
    let _: i64 = value(connection, "PRAGMA wal_autocheckpoint = 0", ())?;
    Ok(())
}

/// Takes from a connection that a commit waits for the disk: `log_flusher` does. The log, which is there
/// since the first commit.
pub(super) fn log_to_be_flushed(connection: &Connection, path: &Path) -> Result<File, Fault> {
    connection.pragma_update(None, "synchronous", Durability::Process.synchronous())?;
    let log = log_file::open(path);
    log.map_err(Fault::System)
}

fn any(path: &Path, flags: OpenFlags) -> Result<Connection, Fault> {
    // Each connection is used by one thread at a time.
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    // A damaged page is told as such, and no part of the schema is run as a program.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn limit_size(connection: &Connection, bytes: u64) -> Result<(), Fault> {
    let page_bytes: i64 = value(connection, "PRAGMA page_size", ())?;
    let pages = bytes / page_bytes.unsigned_abs().max(1);
    let pages = pages.clamp(1, u64::from(u32::MAX - 1));
    let _: i64 = value(connection, &format!("PRAGMA max_page_count = {pages}"), ())?;
    Ok(())
}

/// Makes sure that the database is ours and not from the future; nothing is written before. The
/// version of its schema, 0 if it is empty.
fn identify(connection: &Connection, path: &Path) -> Result<i64, Fault> {
    let application_id: i32 = value(connection, "PRAGMA application_id", ())?;
    let application_id = application_id.cast_unsigned();
    let is_empty: bool = value(
        connection,
        "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        (),
    )?;
    let is_new = application_id == 0 && is_empty;
    if application_id != schema::APPLICATION_ID && !is_new {
        let path = path.to_owned();
        return Err(StoreError::ForeignDatabase {
            path,
            application_id,
        }
        .into());
    }
    let version = schema::version(connection)?;
    if let Some(version) = schema::first_that_differs(connection, version)? {
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

fn check_integrity(connection: &Connection, check: IntegrityCheck) -> Result<(), Fault> {
    // The first contradiction is enough to refuse the database.
    let pragma = match check {
        IntegrityCheck::Quick => "PRAGMA quick_check(1)",
        IntegrityCheck::Full => "PRAGMA integrity_check(1)",
        IntegrityCheck::AllButReplays => return check_tables(connection, "integrity_check"),
        IntegrityCheck::Skip => return Ok(()),
    };
    is_ok(value(connection, pragma, ())?)
}

/// What a check of SQLite has found.
fn is_ok(verdict: String) -> Result<(), Fault> {
    match verdict.as_str() {
        "ok" => Ok(()),
        _ => Err(Fault::Contradiction(verdict)),
    }
}

/// The same for each table but that of replays, by this pragma. Of the replays the end is looked
/// at, to which the next is added.
fn check_tables(connection: &Connection, pragma: &str) -> Result<(), Fault> {
    let tables: Vec<String> = values(
        connection,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'replay' ORDER BY name",
        (),
    )?;
    for table in tables {
        // The names are those of our own schema, which was identified before.
        let pragma = format!("PRAGMA {pragma}('{table}')");
        is_ok(value(connection, &pragma, ())?)?;
    }
    if schema::version(connection)? > 0 {
        let last = "SELECT replay FROM replay ORDER BY finish_number DESC LIMIT 1";
        first(connection, last, ())?;
    }
    Ok(())
}

/// Marks an empty database as ours, and brings the schema up to date.
fn migrate(connection: &Connection) -> Result<(), Fault> {
    if schema::version(connection)? == 0 {
        connection.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
    }
    let _: String = value(connection, "PRAGMA journal_mode = WAL", ())?;
    schema::migrate(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_flushed_is_the_log_of_sqlite_also_where_the_database_is_a_link() {
        use std::os::unix::fs::{MetadataExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (there, here) = (folder.path().join("there"), folder.path().join("here"));
        [&there, &here]
            .into_iter()
            .for_each(|folder| std::fs::create_dir(folder).unwrap());
        let (database, link) = (there.join("matches.db"), here.join("matches.db"));
        File::create(&database).unwrap();
        symlink(&database, &link).unwrap();
        let connection = making(&link).unwrap();
        let synchronous = || value::<i64>(&connection, "PRAGMA synchronous", ()).unwrap();
        assert_eq!(synchronous(), 2, "FULL");
        let log = log_to_be_flushed(&connection, &link).unwrap();
        assert_eq!(synchronous(), 1, "NORMAL");
        let of_sqlite = std::fs::metadata(there.join("matches.db-wal")).unwrap();
        assert_eq!(log.metadata().unwrap().ino(), of_sqlite.ino());
    }
}
