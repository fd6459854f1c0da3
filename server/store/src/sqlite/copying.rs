//! Copies a data folder as a whole: backs it up, and restores it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sqlx::Connection as _;

use super::{
    checking::{CheckReport, check, check_all, is_held, no_identity, sound},
    failure::Fault,
    identity, log_file, opening,
};
use crate::{
    COMMITS_FILE, CompiledFuture, DATABASE_FILE, DataDir, StoreError,
    checksum::StoreId,
    closed,
    commits_file::{self, CommitsFile, Told, has_bytes, sync_folder},
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
    Box::pin(async move {
        if !is_held(dir)? {
            log_file::check(&dir.database())?;
        }
        let to = DataDir::prepare(to)?;
        let _held = to.lock()?;
        let from = dir.database();
        put(&to, Existing::Refused, async |file| {
            copy_to(&from, file).await
        })
        .await?;
        check(&to).await
    })
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
    Box::pin(restore_into(from, dir, Existing::Refused))
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
    Box::pin(restore_into(from, dir, Existing::SetAside))
}

/// What becomes of a store that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existing {
    Refused,
    SetAside,
}

async fn restore_into(
    from: &Path,
    dir: &DataDir,
    existing: Existing,
) -> Result<CheckReport, StoreError> {
    let database = from.join(DATABASE_FILE);
    if !has_bytes(&database) {
        return Err(StoreError::NoBackup {
            path: from.to_owned(),
        });
    }
    log_file::check(&database)?;
    let told = commits_file::read(from)?;
    let mut connection = opening::looking(&database).await?;
    let report = check_all(&mut connection, &database, &told, &mut ()).await;
    let report = report.map_err(|fault| fault.at(&database))?;
    connection
        .close()
        .await
        .map_err(|error| Fault::from(error).at(&database))?;
    sound(report, &database)?;
    let _held = dir.lock()?;
    put(dir, existing, async |file| copy_to(&database, file).await).await?;
    check(dir).await
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
    put(dir, Existing::Refused, async |file| {
        let (store, commits) = filling(file).await?;
        let mut connection = opening::looking(file).await?;
        let told = Told::Commits(store, commits);
        let report = check_all(&mut connection, file, &told, &mut ()).await;
        sound(report.map_err(|fault| fault.at(file))?, file)?;
        Ok((store, commits))
    })
    .await
}

/// Puts a database that fills an empty file into a folder, with its file of commits. If there is a
/// store in the folder, it is moved into one of its own, or refused.
async fn put(
    to: &DataDir,
    existing: Existing,
    filling: impl AsyncFnOnce(&Path) -> Result<(StoreId, i64), StoreError>,
) -> Result<(), StoreError> {
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
    // Under another name until it is whole.
    let unfinished = log_file::beside(&target, ".unfinished");
    let _ = fs::remove_file(&unfinished);
    closed::new_file(&unfinished).map_err(|error| io_failure(&unfinished, &error))?;
    match filling(&unfinished).await {
        // From here on the store is the new one, though under another name for a moment: a server
        // that came now would refuse the folder.
        Ok((store, commits)) => set_aside(to.path(), &theirs)
            .and_then(|()| CommitsFile::begin(to.path(), store, commits))
            .and_then(|_| renamed(&unfinished, &target)),
        Err(error) => {
            let _ = fs::remove_file(&unfinished);
            Err(error)
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
async fn copy_to(database: &Path, file: &Path) -> Result<(StoreId, i64), StoreError> {
    let mut connection = opening::looking(database).await?;
    let copied = sqlx::query("VACUUM INTO ?")
        .bind(file.to_string_lossy().into_owned())
        .execute(&mut connection)
        .await;
    copied.map_err(|error| Fault::from(error).at(file))?;
    let mut connection = opening::looking(file).await?;
    let work = async {
        let identity = identity::read(&mut connection).await?;
        let identity = identity.ok_or_else(no_identity)?;
        let commits: Option<i64> = sqlx::query_scalar("SELECT max(batch) FROM journal")
            .fetch_one(&mut connection)
            .await?;
        connection.close().await?;
        Ok((identity.store, commits.unwrap_or_default()))
    };
    work.await.map_err(|fault: Fault| fault.at(file))
}

fn io_failure(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Io {
        path: path.to_owned(),
        detail: error.to_string(),
    }
}
