//! What an operator does with a data folder as a whole: checks it, backs it up, restores it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sqlx::{Connection as _, Row as _, SqliteConnection};

use super::{
    failure::Fault,
    identity, journal, key_rows, ladder_rows, log_file, match_rows, note_rows, opening,
    secret_rows,
    writer::{check_together, tail},
};
use crate::{
    COMMITS_FILE, DATABASE_FILE, Damage, DamagedValue, DataDir, Inspector, KeyName, MatchId,
    OpenMatch, StoreError, Tail,
    checksum::StoreId,
    closed,
    commits_file::{self, CommitsFile, Told, has_bytes, sync_folder},
};

/// What a check has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Matches in play.
    pub open: u64,
    /// Finished matches.
    pub finished: u64,
    /// API keys, revoked ones included.
    pub keys: u64,
    /// Commits that the database has.
    pub commits: u64,
    /// Every value that cannot be read.
    pub damages: Vec<Damage>,
    /// Whether the newest commits are there.
    pub tail: Tail,
    /// What SQLite finds wrong with the file itself; `None` if nothing.
    pub structure: Option<String>,
}

impl CheckReport {
    /// Whether nothing is damaged and nothing known to be missing. Whether the newest commits are
    /// there may be unknown.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.damages.is_empty() && self.structure.is_none() && !matches!(self.tail, Tail::Lost(_))
    }
}

/// Reads every value of a data folder and reports what is damaged. A server may run in it; nothing
/// is changed.
///
/// # Errors
/// What keeps a database from being read at all, as for
/// [`SqliteStore::open`](super::SqliteStore::open); or a failure of the storage.
pub async fn check(dir: &DataDir) -> Result<CheckReport, StoreError> {
    check_with(dir, &mut ()).await
}

/// The same, with a look into each match that is as it was written.
///
/// # Errors
/// As [`check`].
pub async fn check_with(
    dir: &DataDir,
    inspector: &mut dyn Inspector,
) -> Result<CheckReport, StoreError> {
    let path = dir.database();
    let told = commits_file::read(dir.path())?;
    if !is_held(dir)? {
        log_file::check(&path)?;
    }
    let mut connection = opening::looking(&path).await?;
    let report = check_all(&mut connection, &path, &told, inspector).await;
    report.map_err(|fault| fault.at(&path))
}

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

/// Whether a server holds the folder.
fn is_held(dir: &DataDir) -> Result<bool, StoreError> {
    match dir.lock() {
        Ok(_) => Ok(false),
        Err(StoreError::FolderInUse { .. }) => Ok(true),
        Err(other) => Err(other),
    }
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

fn no_identity() -> Fault {
    Fault::Contradiction("the row that says which store it is, is missing".to_owned())
}

/// Checks everything in one view of the database.
async fn check_all(
    connection: &mut SqliteConnection,
    path: &Path,
    told: &Told,
    inspector: &mut dyn Inspector,
) -> Result<CheckReport, Fault> {
    let verdict: String = sqlx::query_scalar("PRAGMA integrity_check(1)")
        .fetch_one(&mut *connection)
        .await?;
    let mut report = CheckReport {
        structure: (verdict != "ok").then_some(verdict),
        ..CheckReport::default()
    };
    match check_values(connection, path, told, inspector, &mut report).await {
        // What SQLite said of the file is the reason.
        Err(Fault::Contradiction(_)) if report.structure.is_some() => Ok(report),
        checked => checked.map(|()| report),
    }
}

async fn check_values(
    connection: &mut SqliteConnection,
    path: &Path,
    told: &Told,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), Fault> {
    sqlx::query("BEGIN").execute(&mut *connection).await?;
    let store = identity::read(connection)
        .await?
        .ok_or_else(no_identity)?
        .store;
    check_together(path, told, store)?;
    let commits: Option<i64> = sqlx::query_scalar("SELECT max(batch) FROM journal")
        .fetch_one(&mut *connection)
        .await?;
    report.commits = commits.unwrap_or_default().unsigned_abs();
    report.tail = tail(told, commits.unwrap_or_default());
    let open = match_rows::open_rows(connection, store).await?;
    report.open = open.len() as u64;
    let mut loaded = journal::load(connection, store, open).await?;
    report.damages = loaded.damages;
    for (match_id, in_play) in &mut loaded.matches.by_id {
        let Some(journal) = in_play.read_at_open.take() else {
            continue;
        };
        let match_key = in_play.standing.match_key;
        // One that is damaged has no journal that was read.
        let Ok(header) = match_rows::header(connection, store, match_key).await? else {
            continue;
        };
        let looked = inspector.match_in_play(&OpenMatch {
            match_id: match_id.clone(),
            opened_at_unix_ms: in_play.standing.opened_at_unix_ms,
            header,
            journal,
        });
        report.damages.extend(looked.err());
    }
    check_finished(connection, store, inspector, report).await?;
    let keys = key_rows::all(&mut *connection, store).await?;
    report.keys = (keys.sound.len() + keys.damaged.len()) as u64;
    let damaged = keys.damaged.into_iter().map(|row| row.key.into());
    report.damages.extend(damaged);
    if report.structure.is_none() && !highest_numbers_are_kept(connection).await? {
        report.structure =
            Some("the highest numbers of finished matches and API keys are not kept".to_owned());
    }
    let secrets = secret_rows::all(&mut *connection, store).await?;
    report.damages.extend(secrets.damaged);
    let notes = note_rows::all(&mut *connection, store, "").await?;
    report.damages.extend(notes.damaged);
    let damaged = ladder_rows::check(&mut *connection, store).await?;
    report.damages.extend(damaged);
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(())
}

/// Checks the finished matches one by one, since replays are large.
async fn check_finished(
    connection: &mut SqliteConnection,
    store: StoreId,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), Fault> {
    let mut last = i64::MIN;
    let mut entries_of_parties = 0;
    loop {
        let row = sqlx::query(
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number > ? ORDER BY finish_number LIMIT 1",
        )
        .bind(last)
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = row else {
            break;
        };
        let number: i64 = row.try_get(0)?;
        // A page of the file that stands for another one gives rows that were not asked for.
        if number <= last {
            let problem = format!("finished match {number} is out of order");
            return Err(Fault::Contradiction(problem));
        }
        last = number;
        report.finished += 1;
        let (finished, parties) = match match_rows::finished_of(store, &row) {
            Ok(read) => read,
            Err(damage) => {
                report.damages.push(damage);
                continue;
            }
        };
        match replay(connection, store, &finished.match_id, number).await? {
            Ok(replay) => {
                let looked = inspector.finished_match(&finished, &replay);
                report.damages.extend(looked.err());
            }
            Err(damage) => report.damages.push(damage),
        }
        for party in parties.lines() {
            if is_party(connection, party, number).await? {
                entries_of_parties += 1;
            } else {
                let value = DamagedValue::Party(finished.match_id.clone());
                let detail = format!("it is not in the list of {:?}", shown(party));
                report.damages.push(Damage { value, detail });
            }
        }
    }
    let listed = sqlx::query_scalar("SELECT count(*) FROM finished_party");
    let listed: i64 = listed.fetch_one(connection).await?;
    if listed > entries_of_parties && report.damages.is_empty() && report.structure.is_none() {
        let more = listed - entries_of_parties;
        report.structure = Some(format!("lists of parties have {more} entries of no match"));
    }
    Ok(())
}

/// The replay of a finished match, or what is wrong with it.
async fn replay(
    connection: &mut SqliteConnection,
    store: StoreId,
    match_id: &MatchId,
    finish_number: i64,
) -> Result<Result<Vec<u8>, Damage>, Fault> {
    let row = sqlx::query(
        "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE finish_number = ?",
    )
    .bind(finish_number)
    .fetch_one(connection)
    .await?;
    Ok(match_rows::replay_of(store, match_id, &row))
}

/// Whether a finished match is in the list of a name.
async fn is_party(
    connection: &mut SqliteConnection,
    name: &str,
    finish_number: i64,
) -> Result<bool, Fault> {
    let is_listed = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM finished_party WHERE name = ? AND finish_number = ?)",
    )
    .bind(name)
    .bind(finish_number)
    .fetch_one(connection)
    .await?;
    Ok(is_listed)
}

/// Whether SQLite still knows the highest numbers that it gave, so that none is given twice.
async fn highest_numbers_are_kept(connection: &mut SqliteConnection) -> Result<bool, Fault> {
    let kept = sqlx::query_scalar(
        "WITH kept(name, highest) AS (
             SELECT 'api_key', max(key_number) FROM api_key
             UNION ALL SELECT 'finished_match', max(finish_number) FROM finished_match)
         SELECT NOT EXISTS (
             SELECT 1 FROM sqlite_sequence LEFT JOIN kept USING (name)
             WHERE kept.name IS NULL OR typeof(seq) <> 'integer')
         AND NOT EXISTS (
             SELECT 1 FROM kept LEFT JOIN sqlite_sequence USING (name)
             WHERE highest > coalesce(seq, 0))",
    );
    Ok(kept.fetch_one(connection).await?)
}

/// A name as far as it is one.
fn shown(party: &str) -> &str {
    KeyName::new(party).map_or("", |_| party)
}
