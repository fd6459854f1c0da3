//! Copies a data folder as a whole: backs it up, and restores it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::Connection;

use super::{
    checking::{CheckReport, check_all, check_with, is_held, no_identity, sound},
    failure::Fault,
    identity, log_file, opening,
    row::{execute, value},
};
use crate::{
    COMMITS_FILE, CompiledFuture, DATABASE_FILE, DataDir, StoreError,
    checksum::StoreId,
    closed,
    commits_file::{self, CommitsFile, Told, has_bytes, sync_folder},
    detached::on_a_thread,
};

/// Copies the store of a data folder into another folder, which is made if it is missing. A server
/// may run in the first one: the copy has what was committed when it began. Returns a check of the
/// copy.
///
/// # Errors
/// [`StoreError::AlreadyThere`] if there is a store in the other folder; what keeps a database from
/// being read; or a failure of the storage. The other folder then has no store.
pub fn backup<'a>(
    dir: &'a DataDir,
    to: &'a Path,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    let (dir, to) = (dir.clone(), to.to_owned());
    Box::pin(on_a_thread(move || back_up(&dir, &to)))
}

fn back_up(dir: &DataDir, to: &Path) -> Result<CheckReport, StoreError> {
    if !is_held(dir)? {
        log_file::check(&dir.database())?;
    }
    let to = DataDir::prepare(to)?;
    let _held = to.lock()?;
    let copy = Unfinished::begin(&to, Existing::Refused)?;
    let (store, commits) = copy_to(&dir.database(), &copy.file)?;
    copy.finish(&to, store, commits)?;
    check_with(&to, &mut ())
}

/// Copies a backup into a data folder, which is made if it is missing. Returns a check of it.
///
/// # Errors
/// [`StoreError::FolderInUse`] while a server holds the folder; [`StoreError::AlreadyThere`] if
/// there is a store in it; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if the backup is
/// damaged; or a failure of the storage. The data folder then has no store.
pub fn restore<'a>(
    from: &'a Path,
    dir: &'a DataDir,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    restoring(from, dir, Existing::Refused)
}

/// The same, in place of a store that may be there. That is kept, in a folder in the data folder
/// whose name begins with `replaced-`.
///
/// # Errors
/// As [`restore`], but for [`StoreError::AlreadyThere`]. A backup that is refused leaves the data
/// folder as it was.
pub fn replace<'a>(
    from: &'a Path,
    dir: &'a DataDir,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    restoring(from, dir, Existing::SetAside)
}

/// What becomes of a store that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existing {
    Refused,
    SetAside,
}

fn restoring<'a>(
    from: &Path,
    dir: &DataDir,
    existing: Existing,
) -> CompiledFuture<'a, Result<CheckReport, StoreError>> {
    let (from, dir) = (from.to_owned(), dir.clone());
    Box::pin(on_a_thread(move || restore_into(&from, &dir, existing)))
}

fn restore_into(from: &Path, dir: &DataDir, existing: Existing) -> Result<CheckReport, StoreError> {
    let database = from.join(DATABASE_FILE);
    if !has_bytes(&database) {
        return Err(StoreError::NoBackup {
            path: from.to_owned(),
        });
    }
    log_file::check(&database)?;
    let told = commits_file::read(from)?;
    check_sound(&database, &told)?;
    let _held = dir.lock()?;
    let copy = Unfinished::begin(dir, existing)?;
    let (store, commits) = copy_to(&database, &copy.file)?;
    copy.finish(dir, store, commits)?;
    check_with(dir, &mut ())
}

/// Refuses a database of which anything is damaged or missing.
fn check_sound(database: &Path, told: &Told) -> Result<(), StoreError> {
    let connection = opening::looking(database)?;
    let report = check_all(&connection, database, told, &mut ());
    let report = report.map_err(|fault| fault.at(database))?;
    opening::closed(connection).map_err(|fault| fault.at(database))?;
    sound(report, database)
}

/// Makes the database of a folder that has none, by what fills an empty file, and checks it.
///
/// # Errors
/// [`StoreError::FolderInUse`], [`StoreError::AlreadyThere`], what the filling fails with, or
/// [`StoreError::Damaged`] or [`StoreError::Corrupt`] if what was filled in is damaged.
pub(crate) async fn fill(
    dir: &DataDir,
    filling: impl AsyncFnOnce(&Path) -> Result<(StoreId, i64), StoreError>,
) -> Result<(), StoreError> {
    let _held = dir.lock()?;
    let copy = Unfinished::begin(dir, Existing::Refused)?;
    let (store, commits) = filling(&copy.file).await?;
    let (file, told) = (copy.file.clone(), Told::Commits(store, commits));
    on_a_thread(move || check_sound(&file, &told)).await?;
    copy.finish(dir, store, commits)
}

/// A database under another name, until it is whole. Dropped before, it is removed.
struct Unfinished {
    file: PathBuf,
    /// Files of the store that is there.
    theirs: Vec<PathBuf>,
    is_finished: bool,
}

impl Unfinished {
    /// Makes an empty file in a folder. If there is a store in the folder, it is to be moved into
    /// one of its own, or refused.
    fn begin(to: &DataDir, existing: Existing) -> Result<Self, StoreError> {
        let target = to.database();
        let mut theirs = vec![
            target.clone(),
            log_file::beside(&target, "-wal"),
            log_file::beside(&target, "-shm"),
            to.path().join(COMMITS_FILE),
        ];
        theirs.retain(|path| path.exists());
        if let Some(path) = theirs.first().filter(|_| existing == Existing::Refused) {
            let path = path.clone();
            return Err(StoreError::AlreadyThere { path });
        }
        let file = log_file::beside(&target, ".unfinished");
        let _ = fs::remove_file(&file);
        closed::new_file(&file).map_err(|error| io_failure(&file, &error))?;
        Ok(Self {
            file,
            theirs,
            is_finished: false,
        })
    }

    /// Puts it in its place, with its file of commits.
    fn finish(mut self, to: &DataDir, store: StoreId, commits: i64) -> Result<(), StoreError> {
        // From here on the store is the new one, though under another name for a moment: a server
        // that came now would refuse the folder.
        self.is_finished = true;
        set_aside(to.path(), &self.theirs)?;
        CommitsFile::begin(to.path(), store, commits)?;
        renamed(&self.file, &to.database())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.file);
        }
    }
}

/// Moves the files of a store into a folder of their own.
fn set_aside(folder: &Path, files: &[PathBuf]) -> Result<(), StoreError> {
    if files.is_empty() {
        return Ok(());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_unix_ms = now.unwrap_or_default().as_millis();
    let aside = folder.join(format!("replaced-{now_unix_ms}"));
    let work = || {
        closed::make_folder(&aside)?;
        for file in files {
            fs::rename(file, aside.join(file.file_name().unwrap_or_default()))?;
        }
        sync_folder(folder)
    };
    work().map_err(|error| io_failure(&aside, &error))
}

fn renamed(from: &Path, to: &Path) -> Result<(), StoreError> {
    let work = || {
        File::open(from)?.sync_all()?;
        fs::rename(from, to)?;
        to.parent().map_or(Ok(()), sync_folder)
    };
    work().map_err(|error| io_failure(to, &error))
}

/// Copies a database to an empty file. Which store it is, and its commits.
fn copy_to(database: &Path, file: &Path) -> Result<(StoreId, i64), StoreError> {
    let connection = opening::looking(database)?;
    let copied = execute(&connection, "VACUUM INTO ?", [file.to_string_lossy()]);
    copied.map_err(|error| Fault::from(error).at(file))?;
    let copy = opening::looking(file)?;
    let told = identity_and_commits(&copy).and_then(|told| {
        opening::closed(copy)?;
        Ok(told)
    });
    told.map_err(|fault| fault.at(file))
}

fn identity_and_commits(connection: &Connection) -> Result<(StoreId, i64), Fault> {
    let identity = identity::read(connection)?.ok_or_else(no_identity)?;
    let commits: Option<i64> = value(connection, "SELECT max(batch) FROM journal", ())?;
    Ok((identity.store, commits.unwrap_or_default()))
}

fn io_failure(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Io {
        path: path.to_owned(),
        detail: error.to_string(),
    }
}
