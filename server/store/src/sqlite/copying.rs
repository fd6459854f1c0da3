//! Backup and restore of a data folder, and the folder as source or target of a copy from or to
//! PostgreSQL.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::Connection;

use super::{
    checking::{
        CheckReport, check_all, check_with_inspector, is_locked, missing_identity, require_sound,
    },
    log_file, opening,
    sql::{StatementConnection, execute, value},
    takeover::{read_identity, write_identity},
};
use crate::{
    COMMITS_FILE, CompiledFuture, DATABASE_FILE, DataDir, StoreError,
    checksum::StoreId,
    commit_count_file::{
        self, CommitCountFile, CommitsRecord, io_error, is_non_empty_file, sync_folder,
    },
    data_dir,
    db_error::DbError,
    detached::run_blocking,
    schema::SchemaUse,
    transfer::side::CopySide,
};

/// Copies the store in a data folder into another folder, which is created if it is missing. A
/// server can be using the source meanwhile. The copy contains everything that was committed before
/// this call. Checks the copy, and returns the report.
///
/// # Errors
/// [`StoreError::AlreadyExists`] if the target already has a store; an error that prevents reading
/// the source; or a storage failure. The target then has no store.
pub fn backup<'a>(
    dir: &'a DataDir,
    to: &'a Path,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    let (dir, to) = (dir.clone(), to.to_owned());
    Box::pin(run_blocking(move || backup_blocking(&dir, &to)))
}

fn backup_blocking(dir: &DataDir, to: &Path) -> Result<CheckReport, StoreError> {
    if !is_locked(dir)? {
        log_file::check(&dir.database())?;
    }
    copy_database(&dir.database(), &DataDir::prepare(to)?, ExistingStore::Refuse)
}

/// Copies a backup into a data folder, which is created if it is missing. Checks the result, and
/// returns the report.
///
/// # Errors
/// [`StoreError::FolderInUse`] while a server has locked the folder; [`StoreError::AlreadyExists`]
/// if the folder already has a store; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if the
/// backup is damaged; or a storage failure. The data folder then has no store.
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
/// As [`restore`], except [`StoreError::AlreadyExists`]. A refused backup leaves the data folder
/// unchanged.
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
    let copy = UnfinishedCopy::create(dir, existing)?;
    let connection = opening::open_read_only(database, SchemaUse::Use)?;
    let vacuumed = execute(&connection, "VACUUM INTO ?", [copy.file.to_string_lossy()]);
    vacuumed.map_err(|error| DbError::from(error).at(&copy.file))?;
    let copied = opening::open_read_only(&copy.file, SchemaUse::Use)?;
    let read = || {
        let identity = read_identity(&copied)?.ok_or_else(missing_identity)?;
        Ok((identity.store, count_commits(&copied)?))
    };
    let (store, commits) = read().map_err(|error: DbError| error.at(&copy.file))?;
    opening::close(copied).map_err(|error| error.at(&copy.file))?;
    copy.finish(dir, store, commits)?;
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
/// [`StoreError::FolderInUse`], [`StoreError::AlreadyExists`], the error of `fill`, or
/// [`StoreError::Damaged`] or [`StoreError::Corrupt`] if the result is damaged.
pub(crate) async fn create_database_with(
    dir: &DataDir,
    store: StoreId,
    fill: impl AsyncFnOnce(CopySide<StatementConnection<'_>>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let _held = dir.lock()?;
    let copy = UnfinishedCopy::create(dir, ExistingStore::Refuse)?;
    let file = copy.file.clone();
    let connection = opening::create(&file)?;
    let to_error = |error: DbError| error.at(&file);
    let begun = connection.execute_batch("BEGIN").map_err(DbError::from);
    let begun = begun.and_then(|()| write_identity(&connection, store, &[]));
    begun.map_err(to_error)?;
    fill(copied_side(&connection, store, file.clone())).await?;
    let committed = connection.execute_batch("COMMIT").map_err(DbError::from);
    let commits = committed.and_then(|()| count_commits(&connection));
    let commits = commits.map_err(to_error)?;
    drop(connection);
    check_sound(&file, &CommitsRecord::Commits(store, commits))?;
    copy.finish(dir, store, commits)
}

/// A database that has a temporary name until it is complete. Dropping this value before completion
/// removes the database.
struct UnfinishedCopy {
    file: PathBuf,
    /// Files of the existing store, to be moved aside.
    existing_files: Vec<PathBuf>,
    is_finished: bool,
}

impl UnfinishedCopy {
    /// Creates an empty file in a folder. An existing store is refused, or moved aside later.
    fn create(to: &DataDir, existing: ExistingStore) -> Result<Self, StoreError> {
        let target = to.database();
        let mut existing_files = vec![
            target.clone(),
            log_file::path_with_suffix(&target, "-wal"),
            log_file::path_with_suffix(&target, "-shm"),
            to.path().join(COMMITS_FILE),
        ];
        existing_files.retain(|path| path.exists());
        if let Some(path) = existing_files.first().filter(|_| existing == ExistingStore::Refuse) {
            let path = path.clone();
            return Err(StoreError::AlreadyExists { path });
        }
        let file = log_file::path_with_suffix(&target, ".unfinished");
        let _ = fs::remove_file(&file);
        data_dir::create_file(&file).map_err(|error| io_error(&file, &error))?;
        Ok(Self { file, existing_files, is_finished: false })
    }

    /// Moves the database into place, and creates the file that records how many commits the
    /// database has.
    fn finish(mut self, to: &DataDir, store: StoreId, commits: i64) -> Result<(), StoreError> {
        // From here on the new store is valid, although it still has its temporary name. A server
        // that started now would refuse the folder.
        self.is_finished = true;
        rename_existing(to.path(), &self.existing_files)?;
        CommitCountFile::open_or_create(to.path(), store, commits)?;
        rename_durably(&self.file, &to.database())
    }
}

impl Drop for UnfinishedCopy {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.file);
        }
    }
}

/// Moves a store's files into a new folder.
fn rename_existing(folder: &Path, files: &[PathBuf]) -> Result<(), StoreError> {
    if files.is_empty() {
        return Ok(());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_unix_ms = now.unwrap_or_default().as_millis();
    let target_folder = folder.join(format!("replaced-{now_unix_ms}"));
    let work = || {
        data_dir::create_folder(&target_folder)?;
        for file in files {
            fs::rename(file, target_folder.join(file.file_name().unwrap_or_default()))?;
        }
        sync_folder(folder)
    };
    work().map_err(|error| io_error(&target_folder, &error))
}

fn rename_durably(from: &Path, to: &Path) -> Result<(), StoreError> {
    let work = || {
        File::open(from)?.sync_all()?;
        fs::rename(from, to)?;
        to.parent().map_or(Ok(()), sync_folder)
    };
    work().map_err(|error| io_error(to, &error))
}

fn count_commits(connection: &Connection) -> Result<i64, DbError> {
    let commits = "SELECT coalesce(max(batch), 0) FROM journal";
    Ok(value(connection, commits, ())?)
}
