//! Backup and restore of a data folder, and the folder as source or target of a copy from or to
//! PostgreSQL.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{
    checking::{
        CheckReport, check_all, check_with_inspector, missing_identity, require_readable_store,
        require_sound,
    },
    checkpoints::copy_whole_log,
    log_file, opening,
    sql::{StatementConnection, execute, value},
    takeover::{read_identity, write_identity},
};
use crate::{
    COMMITS_FILE, CompiledFuture, DATABASE_FILE, DataDir, StoreError,
    checksum::StoreId,
    commit_count_file::{self, CommitCountFile, CommitsRecord, is_non_empty_file},
    db_error::DbError,
    detached::run_blocking,
    replacement::NewStore,
    schema::SchemaUse,
    transfer::side::CopySide,
};

/// Copies the store in a data folder into another folder, which is created if it is missing. A
/// server can be using the source meanwhile. The copy contains everything that was committed before
/// this call. Checks the copy, and returns the report.
///
/// # Errors
/// Returns [`StoreError::AlreadyExists`] if the target already has a store; an error that prevents
/// reading the source; or a storage failure. The target then has no store.
pub fn backup<'a>(
    dir: &'a DataDir,
    to: &'a Path,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    let (dir, to) = (dir.clone(), to.to_owned());
    Box::pin(run_blocking(move || backup_blocking(&dir, &to)))
}

fn backup_blocking(dir: &DataDir, to: &Path) -> Result<CheckReport, StoreError> {
    require_readable_store(dir)?;
    copy_database(&dir.database(), &DataDir::prepare(to)?, ExistingStore::Refuse)
}

/// Copies a backup into a data folder, which is created if it is missing. Checks the result, and
/// returns the report.
///
/// # Errors
/// Returns [`StoreError::FolderInUse`] while a server has locked the folder;
/// [`StoreError::AlreadyExists`] if the folder already has a store; [`StoreError::Damaged`] or
/// [`StoreError::Corrupt`] if the backup is damaged; or a storage failure. The data folder then has
/// no store.
pub fn restore<'a>(
    from: &'a Path,
    dir: &'a DataDir,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    restore_with(from, dir, ExistingStore::Refuse)
}

/// Like [`restore`], but replaces an existing store. The files of the existing store are moved to a
/// folder `replaced-…` in the data folder.
///
/// # Errors
/// Returns the errors of [`restore`], except [`StoreError::AlreadyExists`]. A refused backup leaves
/// the data folder unchanged.
pub fn replace<'a>(
    from: &'a Path,
    dir: &'a DataDir,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    restore_with(from, dir, ExistingStore::MoveAside)
}

/// The behaviour if the folder already has a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExistingStore {
    Refuse,
    MoveAside,
}

fn restore_with<'a>(
    from: &Path,
    dir: &DataDir,
    existing: ExistingStore,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    let (from, dir) = (from.to_owned(), dir.clone());
    Box::pin(run_blocking(move || restore_into(&from, &dir, existing)))
}

fn restore_into(
    from: &Path,
    dir: &DataDir,
    existing: ExistingStore,
) -> Result<CheckReport, StoreError> {
    let database = from.join(DATABASE_FILE);
    if !is_non_empty_file(&database) {
        return Err(StoreError::NoBackup(from.to_owned()));
    }
    log_file::check(&database)?;
    let recorded = commit_count_file::read(from)?;
    check_sound(&database, &recorded)?;
    copy_database(&database, dir, existing)
}

/// Copies a database into a folder, and checks the copy.
fn copy_database(
    database: &Path,
    dir: &DataDir,
    existing: ExistingStore,
) -> Result<CheckReport, StoreError> {
    let _held = dir.lock()?;
    if existing == ExistingStore::Refuse {
        require_no_store(dir)?;
    }
    let new = NewStore::create(dir)?;
    let file = new.database();
    let connection = opening::open_read_only(database, SchemaUse::Use)?;
    let vacuumed = execute(&connection, "VACUUM INTO ?", [file.to_string_lossy()]);
    vacuumed.map_err(|error| DbError::from(error).at(&file))?;
    let copied = opening::open_read_only(&file, SchemaUse::Use)?;
    let read = || {
        let identity = read_identity(&copied)?.ok_or_else(missing_identity)?;
        Ok((identity.store, count_commits(&copied)?))
    };
    let (store, commits) = read().map_err(|error: DbError| error.at(&file))?;
    opening::close(copied).map_err(|error| error.at(&file))?;
    CommitCountFile::open_or_create(new.folder(), store, commits)?;
    new.install()?;
    check_with_inspector(dir, &mut ())
}

/// Fails if anything in a database is damaged or missing.
fn check_sound(database: &Path, recorded: &CommitsRecord) -> Result<(), StoreError> {
    let connection = opening::open_read_only(database, SchemaUse::Use)?;
    let report = check_all(&connection, database, recorded, &mut ());
    let report = report.map_err(|error| error.at(database))?;
    opening::close(connection).map_err(|error| error.at(database))?;
    require_sound(report, database)
}

/// Checks a folder, and begins a read transaction.
pub(crate) fn begin_source(dir: &DataDir) -> Result<(Connection, StoreId), StoreError> {
    let path = dir.database();
    require_sound(check_with_inspector(dir, &mut ())?, &path)?;
    let connection = opening::open_read_only(&path, SchemaUse::Copy)?;
    let begin = || -> Result<StoreId, DbError> {
        connection.execute_batch("BEGIN")?;
        let identity = read_identity(&connection)?.ok_or_else(missing_identity)?;
        Ok(identity.store)
    };
    let store = begin().map_err(|error| error.at(&path))?;
    Ok((connection, store))
}

/// Returns a database with an open transaction as a side of a copy.
pub(crate) fn copied_side(
    connection: &Connection,
    store: StoreId,
    path: PathBuf,
) -> CopySide<StatementConnection<'_>> {
    CopySide::new(StatementConnection(connection), store, path, vec![1..=i64::MAX])
}

/// Creates a store with this id in a folder that has none. `fill` adds its content, which is then
/// checked and moved into place.
///
/// # Errors
/// Returns [`StoreError::FolderInUse`], [`StoreError::AlreadyExists`], the error of `fill`, or
/// [`StoreError::Damaged`] or [`StoreError::Corrupt`] if the result is damaged.
pub(crate) async fn create_database_with(
    dir: &DataDir,
    store: StoreId,
    fill: impl AsyncFnOnce(CopySide<StatementConnection<'_>>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let _held = dir.lock()?;
    require_no_store(dir)?;
    let new = NewStore::create(dir)?;
    let file = new.database();
    let connection = opening::create(&file)?;
    let to_error = |error: DbError| error.at(&file);
    let begun = connection.execute_batch("BEGIN").map_err(DbError::from);
    let begun = begun.and_then(|()| write_identity(&connection, store, &[]));
    begun.map_err(to_error)?;
    fill(copied_side(&connection, store, file.clone())).await?;
    let committed = connection.execute_batch("COMMIT").map_err(DbError::from);
    let commits = committed.and_then(|()| count_commits(&connection));
    let commits = commits.map_err(to_error)?;
    // The log is not moved into place. SQLite also copies it when it closes the connection, but
    // does not report a failure, for example on a full disk.
    copy_whole_log(&connection).map_err(to_error)?;
    opening::close(connection).map_err(to_error)?;
    check_sound(&file, &CommitsRecord::Commits(store, commits))?;
    CommitCountFile::open_or_create(new.folder(), store, commits)?;
    new.install()
}

/// Fails if a folder already has a store.
fn require_no_store(dir: &DataDir) -> Result<(), StoreError> {
    let database = dir.database();
    let files = [
        database.clone(),
        log_file::path_with_suffix(&database, "-wal"),
        log_file::path_with_suffix(&database, "-shm"),
        dir.path().join(COMMITS_FILE),
    ];
    match files.into_iter().find(|path| path.exists()) {
        Some(path) => Err(StoreError::AlreadyExists { path }),
        None => Ok(()),
    }
}

fn count_commits(connection: &Connection) -> Result<i64, DbError> {
    let commits = "SELECT coalesce(max(batch), 0) FROM journal";
    Ok(value(connection, commits, ())?)
}
