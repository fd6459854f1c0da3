//! Checks every value in a data folder, and whether the newest commits are present.

use std::{io, path::Path};

use rusqlite::Connection;

use super::{
    log_file, opening,
    sql::{StatementConnection, first, for_each, run, value},
    takeover::{check_completeness, check_same_store, load_matches, read_identity},
};
use crate::{
    CommitCompleteness, CompiledFuture, DamageReport, DamagedValue, DataDir, FinishedMatch,
    KeyName, LOCK_FILE, OpenMatch, Records, StoreError,
    checksum::StoreId,
    commit_count_file::{self, CommitsRecord, is_non_empty_file},
    db_error::DbError,
    detached::run_blocking,
    key_store,
    named_rows::{DamagedRow, NamedTable},
    record_store, replacement,
    rows::{
        StoredRow as _,
        finished::read,
        named,
        replays::{REPLAY_COLUMN, SELECT_WITH_REPLAY, read_replay},
        row_sums,
    },
    schema::SchemaUse,
};

/// Inspects values that a check has found intact. The store itself does not interpret the values.
pub trait Inspector: Send {
    /// Receives all of the store's records, before any match.
    fn inspect_records(&mut self, _notes: &Records) {}

    /// Inspects a match in play, with its whole journal.
    ///
    /// # Errors
    /// Returns the damage found in the match.
    fn inspect_match_in_play(&mut self, open: &OpenMatch) -> Result<(), DamageReport>;

    /// Inspects a finished match, with its replay.
    ///
    /// # Errors
    /// Returns the damage found in the match.
    fn inspect_finished_match(
        &mut self,
        finished: &FinishedMatch,
        replay: &[u8],
    ) -> Result<(), DamageReport>;
}

/// Accepts every value without inspection.
impl Inspector for () {
    fn inspect_match_in_play(&mut self, _: &OpenMatch) -> Result<(), DamageReport> {
        Ok(())
    }

    fn inspect_finished_match(&mut self, _: &FinishedMatch, _: &[u8]) -> Result<(), DamageReport> {
        Ok(())
    }
}

/// The findings of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The number of matches in play.
    pub open: u64,
    /// The number of finished matches.
    pub finished: u64,
    /// The number of API keys, including revoked keys.
    pub keys: u64,
    /// The number of commits in the database.
    pub commits: u64,
    /// Every value that cannot be read.
    pub damage_reports: Vec<DamageReport>,
    /// Completeness of the newest commits.
    pub completeness: CommitCompleteness,
    /// The first structural error that SQLite reports in the file, if any.
    pub structure: Option<String>,
}

impl CheckReport {
    /// Returns whether nothing is damaged and no commits are known to be missing. It might be
    /// unknown whether the newest commits are complete.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.damage_reports.is_empty()
            && self.structure.is_none()
            && !matches!(self.completeness, CommitCompleteness::Missing(_))
    }
}

/// Reads every value in a data folder, and reports damage. A server can be using the folder
/// meanwhile. Changes nothing, except that it completes the replacement of the store if that was
/// interrupted: no database might be in place otherwise.
///
/// # Errors
/// Returns an error that prevents reading the database at all, as for
/// [`SqliteStore::open`](super::SqliteStore::open); or a storage failure.
pub fn check(dir: &DataDir) -> CompiledFuture<'_, Result<CheckReport, StoreError>> {
    let dir = dir.clone();
    Box::pin(run_blocking(move || check_with_inspector(&dir, &mut ())))
}

/// Like [`check`], but also passes the intact values to `inspector`. Blocks until everything is
/// read.
///
/// # Errors
/// Returns the errors of [`check`].
pub fn check_with_inspector(
    dir: &DataDir,
    inspector: &mut dyn Inspector,
) -> Result<CheckReport, StoreError> {
    let path = dir.database();
    require_readable_store(dir)?;
    let recorded = commit_count_file::read(dir.path())?;
    let connection = opening::open_read_only(&path, SchemaUse::Use)?;
    let report = check_all(&connection, &path, &recorded, inspector);
    report.map_err(|error| error.at(&path))
}

/// Checks the files of a folder before its database is read. Completes the replacement of the store
/// if that was interrupted.
///
/// # Errors
/// Returns an error if the folder has no store, or SQLite would silently lose commits, or a
/// replacement cannot be completed on a read-only medium.
pub(super) fn require_readable_store(dir: &DataDir) -> Result<(), StoreError> {
    let path = dir.database();
    if !is_locked(dir)? {
        log_file::check(&path)?;
    }
    if is_non_empty_file(&path) {
        return Ok(());
    }
    Err(StoreError::NoStore(dir.path().display().to_string()))
}

/// Returns whether a server has locked the folder. Nothing is written to a folder that never was
/// locked.
fn is_locked(dir: &DataDir) -> Result<bool, StoreError> {
    if !dir.path().join(LOCK_FILE).exists() {
        return Ok(false);
    }
    match dir.lock() {
        Ok(_) => Ok(false),
        Err(StoreError::FolderInUse { .. }) => Ok(true),
        // No server can use a folder on a read-only medium.
        Err(StoreError::FolderUnusable { cause, .. })
            if cause.kind() == io::ErrorKind::ReadOnlyFilesystem =>
        {
            replacement::require_completed(dir)?;
            Ok(false)
        }
        Err(other) => Err(other),
    }
}

/// Returns the first damage of the report as an error, if there is any.
pub(super) fn require_sound(report: CheckReport, path: &Path) -> Result<(), StoreError> {
    if let Some(detail) = report.structure {
        return Err(DbError::Inconsistent(detail).at(path));
    }
    // A damaged batch alone loses nothing: if a match in play needs it, that match is reported too.
    let is_lost = |damage: &DamageReport| !matches!(damage.value, DamagedValue::Batch(_));
    if let Some(damage) = report.damage_reports.into_iter().find(is_lost) {
        return Err(DbError::Damaged(damage).at(path));
    }
    if let CommitCompleteness::Missing(lost) = report.completeness {
        return Err(DbError::Inconsistent(lost.to_string()).at(path));
    }
    Ok(())
}

pub(super) fn missing_identity() -> DbError {
    DbError::Inconsistent("the row with the store id is missing".to_owned())
}

/// Checks all values in one transaction.
pub(super) fn check_all(
    connection: &Connection,
    path: &Path,
    recorded: &CommitsRecord,
    inspector: &mut dyn Inspector,
) -> Result<CheckReport, DbError> {
    let verdict: String = value(connection, "PRAGMA integrity_check(1)", ())?;
    let mut report =
        CheckReport { structure: (verdict != "ok").then_some(verdict), ..CheckReport::default() };
    match check_values(connection, path, recorded, inspector, &mut report) {
        // This inconsistency is a consequence of the structural error, which is reported.
        Err(DbError::Inconsistent(_)) if report.structure.is_some() => Ok(report),
        checked => checked.map(|()| report),
    }
}

fn check_values(
    connection: &Connection,
    path: &Path,
    recorded: &CommitsRecord,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), DbError> {
    connection.execute_batch("BEGIN")?;
    let store = read_identity(connection)?.ok_or_else(missing_identity)?.store;
    check_same_store(path, recorded, store)?;
    let commits: Option<i64> = value(connection, "SELECT max(batch) FROM journal", ())?;
    report.commits = commits.unwrap_or_default().unsigned_abs();
    report.completeness = check_completeness(recorded, commits.unwrap_or_default());
    let rows = |table: NamedTable| {
        run(named::read_one(&mut StatementConnection(connection), store, &table.all()))
    };
    let records = record_store::records(rows(NamedTable::Record)?);
    inspector.inspect_records(&records);
    check_in_play(connection, store, inspector, report)?;
    check_finished(connection, store, inspector, report)?;
    let (keys, damaged) = key_store::check_keys(rows(NamedTable::Key)?, rows(NamedTable::KeyUse)?);
    report.keys = keys;
    report.damage_reports.extend(damaged);
    if report.structure.is_none() && !is_highest_number_stored(connection)? {
        report.structure =
            Some("the highest assigned number of finished matches is missing".to_owned());
    }
    let other_tables = NamedTable::ALL.into_iter();
    for table in other_tables.filter(|table| !table.is_of_keys()) {
        let select = format!("SELECT name, value, checksum FROM {}", table.sql_name());
        // The rows are read one by one, since the table can be large.
        for_each(connection, &select, |row| {
            let damaged = table.read(store, &row).err();
            report.damage_reports.extend(damaged.map(DamagedRow::into_report));
        })?;
    }
    // A row with a damaged checksum is already reported.
    let is_damaged = !report.damage_reports.is_empty();
    let differences = run(row_sums::compare(&mut StatementConnection(connection)))?.into_iter();
    let missing = differences.filter(|(_, is_missing)| *is_missing || !is_damaged);
    report.damage_reports.extend(missing.map(|(damage, _)| damage));
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// Checks the matches in play, and passes each readable one to the inspector.
fn check_in_play(
    connection: &Connection,
    store: StoreId,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), DbError> {
    let loaded = load_matches(connection, store)?;
    report.open = loaded.matches.by_id.len() as u64;
    report.damage_reports = loaded.damage_reports;
    for in_play in loaded.matches.by_id.values() {
        // A damaged match is not in memory.
        if let Some(open) = &in_play.cached {
            report.damage_reports.extend(inspector.inspect_match_in_play(open).err());
        }
    }
    Ok(())
}

/// Checks the finished matches one by one, since replays are large.
fn check_finished(
    connection: &Connection,
    store: StoreId,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), DbError> {
    let mut last = i64::MIN;
    let mut entries_of_parties = 0;
    loop {
        let select =
            format!("{SELECT_WITH_REPLAY} WHERE finish_number > ? ORDER BY finish_number LIMIT 1");
        let row = first(connection, &select, [last])?;
        let Some(row) = row else { break };
        let number: i64 = row.value(0)?;
        // If a page of the file is misplaced, a query can return rows that do not match its
        // condition.
        if number <= last {
            let problem = format!("finished match {number} is out of order");
            return Err(DbError::Inconsistent(problem));
        }
        last = number;
        report.finished += 1;
        let (finished, parties) = match read(store, &row) {
            Ok(read) => read,
            Err(damage) => {
                report.damage_reports.push(damage);
                continue;
            }
        };
        report.damage_reports.extend(
            match read_replay(store, &finished.match_id, &row, REPLAY_COLUMN) {
                Ok(Some(replay)) => inspector.inspect_finished_match(&finished, &replay).err(),
                Ok(None) => None,
                Err(damage) => Some(damage),
            },
        );
        for party in parties.lines() {
            let exists =
                "SELECT EXISTS (SELECT 1 FROM finished_party WHERE name = ? AND match_id = ?)";
            if value(connection, exists, [party, finished.match_id.as_str()])? {
                entries_of_parties += 1;
            } else {
                let value = DamagedValue::Party(finished.match_id.clone());
                let detail = format!("missing from the list of {:?}", valid_name(party));
                report.damage_reports.push(DamageReport { value, detail });
            }
        }
    }
    let listed: i64 = value(connection, "SELECT count(*) FROM finished_party", ())?;
    if listed > entries_of_parties && report.damage_reports.is_empty() && report.structure.is_none()
    {
        let more = listed - entries_of_parties;
        let problem = format!("the lists of parties have {more} entries without a match");
        report.structure = Some(problem);
    }
    Ok(())
}

/// Returns whether the highest number that was assigned to a finished match is still stored.
/// Without it, SQLite would assign numbers again.
fn is_highest_number_stored(connection: &Connection) -> Result<bool, DbError> {
    let select = "WITH kept(name, highest) AS (
             SELECT 'finished_match', max(finish_number) FROM finished_match)
         SELECT NOT EXISTS (
             SELECT 1 FROM sqlite_sequence LEFT JOIN kept USING (name)
             WHERE kept.name IS NULL OR typeof(seq) <> 'integer')
         AND NOT EXISTS (
             SELECT 1 FROM kept LEFT JOIN sqlite_sequence USING (name)
             WHERE highest > coalesce(seq, 0))";
    Ok(value(connection, select, ())?)
}

/// Returns the name, or an empty string if the name is not valid.
fn valid_name(party: &str) -> &str {
    KeyName::new(party).map_or("", |_| party)
}
