//! Copies a data folder as a whole: backs it up, and restores it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sqlx::Connection as _;

use super::{
    checking::{CheckReport, check, check_all, is_held, no_identity},
    failure::Fault,
    identity, log_file, opening,
};
use crate::{
    COMMITS_FILE, DATABASE_FILE, Damage, DamagedValue, DataDir, StoreError, Tail,
    checksum::StoreId,
    closed,
    commits_file::{self, CommitsFile, has_bytes, sync_folder},
};

/// Copies the store of a data folder into another folder, which is made if it is missing. A server
/// may run in the first one: the copy has what was committed when it began. Returns a check of the
/// copy.
///
/// # Errors
/// [`StoreError::AlreadyThere`] if there is a store in the other folder; what keeps a database from
/// being read; or a failure of the storage. The other folder then has no store.
pub async fn backup(dir: &DataDir, to: &Path) -> Result<CheckReport, StoreError> {
    if !is_held(dir)? {
        log_file::check(&dir.database())?;
    }
    let to = DataDir::prepare(to)?;
    let _held = to.lock()?;
    copy(&dir.database(), &to, Existing::Refused).await?;
    check(&to).await
}

/// Copies a backup into a data folder, which is made if it is missing. Returns a check of it.
///
/// # Errors
/// [`StoreError::FolderInUse`] while a server holds the folder; [`StoreError::AlreadyThere`] if
/// there is a store in it; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if the backup is
/// damaged; or a failure of the storage. The data folder then has no store.
pub async fn restore(from: &Path, dir: &DataDir) -> Result<CheckReport, StoreError> {
    restore_into(from, dir, Existing::Refused).await
}

/// The same, in place of a store that may be there. That is kept, in a folder in the data folder
/// whose name begins with `replaced-`.
///
/// # Errors
/// As [`restore`], but for [`StoreError::AlreadyThere`]. A backup that is refused leaves the data
/// folder as it was.
pub async fn replace(from: &Path, dir: &DataDir) -> Result<CheckReport, StoreError> {
    restore_into(from, dir, Existing::SetAside).await
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
    if let Some(detail) = report.structure {
        return Err(Fault::Contradiction(detail).at(&database));
    }
    // No match in play needs a damaged batch, unless the match is damaged too.
    let is_lost = |damage: &Damage| !matches!(damage.value, DamagedValue::Batch(_));
    if let Some(damage) = report.damages.into_iter().find(is_lost) {
        return Err(Fault::Damage(damage).at(&database));
    }
    if let Tail::Lost(lost) = report.tail {
        return Err(Fault::Contradiction(lost.to_string()).at(&database));
    }
    let _held = dir.lock()?;
    copy(&database, dir, existing).await?;
    check(dir).await
}

/// Copies a database into a folder, with its file of commits. If there is a store in the folder, it
/// is moved into one of its own, or refused.
async fn copy(database: &Path, to: &DataDir, existing: Existing) -> Result<(), StoreError> {
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
    match copy_to(database, &unfinished).await {
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

/// Copies a database to a file that is made. Which store it is, and its commits.
async fn copy_to(database: &Path, file: &Path) -> Result<(StoreId, i64), StoreError> {
    closed::new_file(file).map_err(|error| io_failure(file, &error))?;
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
