//! Checks a data folder as a whole: every value of it, and whether its end is there.

use std::path::Path;

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    identity, journal, key_rows, ladder_rows, log_file, note_rows, open_rows, opening,
    row::{first, value},
    secret_rows,
    taking::{check_together, tail},
};
use crate::{
    CompiledFuture, Damage, DamagedValue, DataDir, Inspector, KeyName, MatchId, OpenMatch,
    StoreError, Tail,
    checksum::StoreId,
    commits_file::{self, Told},
    detached::on_a_thread,
    rows::{
        StoredRow as _,
        finished_rows::read,
        replay_rows::{ReplayRow, replay_of},
    },
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
pub fn check(dir: &DataDir) -> CompiledFuture<'_, Result<CheckReport, StoreError>> {
    let dir = dir.clone();
    Box::pin(on_a_thread(move || check_with(&dir, &mut ())))
}

/// The same, with a look into each match that is as it was written. It blocks until all is read.
///
/// # Errors
/// As [`check`].
pub fn check_with(dir: &DataDir, inspector: &mut dyn Inspector) -> Result<CheckReport, StoreError> {
    let path = dir.database();
    let told = commits_file::read(dir.path())?;
    if !is_held(dir)? {
        log_file::check(&path)?;
    }
    let connection = opening::looking(&path)?;
    let report = check_all(&connection, &path, &told, inspector);
    report.map_err(|fault| fault.at(&path))
}

/// Whether a server holds the folder.
pub(super) fn is_held(dir: &DataDir) -> Result<bool, StoreError> {
    match dir.lock() {
        Ok(_) => Ok(false),
        Err(StoreError::FolderInUse { .. }) => Ok(true),
        Err(other) => Err(other),
    }
}

/// Refuses what is not sound, by its first damage.
pub(super) fn sound(report: CheckReport, path: &Path) -> Result<(), StoreError> {
    if let Some(detail) = report.structure {
        return Err(Fault::Contradiction(detail).at(path));
    }
    // No match in play needs a damaged batch, unless the match is damaged too.
    let is_lost = |damage: &Damage| !matches!(damage.value, DamagedValue::Batch(_));
    if let Some(damage) = report.damages.into_iter().find(is_lost) {
        return Err(Fault::Damage(damage).at(path));
    }
    if let Tail::Lost(lost) = report.tail {
        return Err(Fault::Contradiction(lost.to_string()).at(path));
    }
    Ok(())
}

pub(super) fn no_identity() -> Fault {
    Fault::Contradiction("the row that says which store it is, is missing".to_owned())
}

/// Checks everything in one view of the database.
pub(super) fn check_all(
    connection: &Connection,
    path: &Path,
    told: &Told,
    inspector: &mut dyn Inspector,
) -> Result<CheckReport, Fault> {
    let verdict: String = value(connection, "PRAGMA integrity_check(1)", ())?;
    let mut report = CheckReport {
        structure: (verdict != "ok").then_some(verdict),
        ..CheckReport::default()
    };
    match check_values(connection, path, told, inspector, &mut report) {
        // What SQLite said of the file is the reason.
        Err(Fault::Contradiction(_)) if report.structure.is_some() => Ok(report),
        checked => checked.map(|()| report),
    }
}

fn check_values(
    connection: &Connection,
    path: &Path,
    told: &Told,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), Fault> {
    connection.execute_batch("BEGIN")?;
    let store = identity::read(connection)?.ok_or_else(no_identity)?.store;
    check_together(path, told, store)?;
    let commits: Option<i64> = value(connection, "SELECT max(batch) FROM journal", ())?;
    report.commits = commits.unwrap_or_default().unsigned_abs();
    report.tail = tail(told, commits.unwrap_or_default());
    let open = open_rows::all(connection, store)?;
    report.open = open.len() as u64;
    let mut loaded = journal::load(connection, store, open)?;
    report.damages = loaded.damages;
    for (match_id, in_play) in &mut loaded.matches.by_id {
        let Some(journal) = in_play.read_at_open.take() else {
            continue;
        };
        let match_key = in_play.standing.match_key;
        // One that is damaged has no journal that was read.
        let Ok(header) = open_rows::header(connection, store, match_key)? else {
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
    check_finished(connection, store, inspector, report)?;
    let keys = key_rows::all(connection, store)?;
    report.keys = (keys.sound.len() + keys.damaged.len()) as u64;
    let damaged = keys.damaged.into_iter().map(|row| row.key.into());
    report.damages.extend(damaged);
    if report.structure.is_none() && !highest_numbers_are_kept(connection)? {
        report.structure =
            Some("the highest numbers of finished matches and API keys are not kept".to_owned());
    }
    let secrets = secret_rows::all(connection, store)?;
    report.damages.extend(secrets.damaged);
    let notes = note_rows::all(connection, store, "")?;
    report.damages.extend(notes.damaged);
    let damaged = ladder_rows::check(connection, store)?;
    report.damages.extend(damaged);
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// Checks the finished matches one by one, since replays are large.
fn check_finished(
    connection: &Connection,
    store: StoreId,
    inspector: &mut dyn Inspector,
    report: &mut CheckReport,
) -> Result<(), Fault> {
    let mut last = i64::MIN;
    let mut entries_of_parties = 0;
    loop {
        let row = first(
            connection,
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number > ? ORDER BY finish_number LIMIT 1",
            [last],
        )?;
        let Some(row) = row else {
            break;
        };
        let number: i64 = row.value(0)?;
        // A page of the file that stands for another one gives rows that were not asked for.
        if number <= last {
            let problem = format!("finished match {number} is out of order");
            return Err(Fault::Contradiction(problem));
        }
        last = number;
        report.finished += 1;
        let (finished, parties) = match read(store, &row) {
            Ok(read) => read,
            Err(damage) => {
                report.damages.push(damage);
                continue;
            }
        };
        let replay = replay(connection, store, &finished.match_id, number)?;
        report.damages.extend(match replay {
            Ok(ReplayRow::Kept(replay)) => inspector.finished_match(&finished, &replay).err(),
            Ok(ReplayRow::Forgotten) => None,
            Err(damage) => Some(damage),
        });
        for party in parties.lines() {
            if is_party(connection, party, number)? {
                entries_of_parties += 1;
            } else {
                let value = DamagedValue::Party(finished.match_id.clone());
                let detail = format!("it is not in the list of {:?}", shown(party));
                report.damages.push(Damage { value, detail });
            }
        }
    }
    let listed: i64 = value(connection, "SELECT count(*) FROM finished_party", ())?;
    if listed > entries_of_parties && report.damages.is_empty() && report.structure.is_none() {
        let more = listed - entries_of_parties;
        report.structure = Some(format!("lists of parties have {more} entries of no match"));
    }
    Ok(())
}

/// The replay of a finished match, or what is wrong with it.
fn replay(
    connection: &Connection,
    store: StoreId,
    match_id: &MatchId,
    finish_number: i64,
) -> Result<Result<ReplayRow, Damage>, Fault> {
    let row = first(
        connection,
        "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE finish_number = ?",
        [finish_number],
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(replay_of(store, match_id, &row))
}

/// Whether a finished match is in the list of a name.
fn is_party(connection: &Connection, name: &str, finish_number: i64) -> Result<bool, Fault> {
    let is_listed = value(
        connection,
        "SELECT EXISTS (SELECT 1 FROM finished_party WHERE name = ? AND finish_number = ?)",
        params![name, finish_number],
    )?;
    Ok(is_listed)
}

/// Whether SQLite still knows the highest numbers that it gave, so that none is given twice.
fn highest_numbers_are_kept(connection: &Connection) -> Result<bool, Fault> {
    let are_kept = value(
        connection,
        "WITH kept(name, highest) AS (
             SELECT 'api_key', max(key_number) FROM api_key
             UNION ALL SELECT 'finished_match', max(finish_number) FROM finished_match)
         SELECT NOT EXISTS (
             SELECT 1 FROM sqlite_sequence LEFT JOIN kept USING (name)
             WHERE kept.name IS NULL OR typeof(seq) <> 'integer')
         AND NOT EXISTS (
             SELECT 1 FROM kept LEFT JOIN sqlite_sequence USING (name)
             WHERE highest > coalesce(seq, 0))",
        (),
    )?;
    Ok(are_kept)
}

/// A name as far as it is one.
fn shown(party: &str) -> &str {
    KeyName::new(party).map_or("", |_| party)
}
