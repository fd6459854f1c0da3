//! Ladder rows in SQLite: descriptions, bot versions, and matches.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{all as all_rows, execute, first, value as value_of, values},
};
use crate::{
    DamageReport, DamagedValue, LadderChange, LadderId, LadderRows, StoredLadder,
    StoredLadderMatch, StoredLadderVersion,
    checksum::StoreId,
    ladder_batch::{LadderState, LadderStates},
    rows::ladder_rows::{
        checksum_of_ladder, checksum_of_match, checksum_of_version, ladder_from_row,
        match_from_row, match_number_from_row, read, version_from_row,
    },
};

const SELECT_LADDER: &str =
    "SELECT ladder_id, term, value, checksum FROM ladder WHERE ladder_id = ?";

/// Returns the state of these ladders. `ended` contains the matches to look up, by ladder.
pub(super) fn states(
    connection: &Connection,
    store: StoreId,
    ended: HashMap<LadderId, BTreeSet<u64>>,
) -> Result<LadderStates, DbError> {
    let mut states = LadderStates::new();
    for (id, ends) in ended {
        let Some(row) = first(connection, SELECT_LADDER, [id.as_str()])? else {
            continue;
        };
        let Ok(ladder) = ladder_from_row(store, &row) else {
            states.insert(id, LadderState::Damaged);
            continue;
        };
        let last: Option<i64> = value_of(
            connection,
            "SELECT max(number) FROM ladder_match WHERE ladder_id = ?",
            [id.as_str()],
        )?;
        let mut open = BTreeSet::new();
        for number in ends {
            // An unreadable match cannot be ended.
            if let Ok(Some(found)) = get_match(connection, store, &id, number)
                && !found.is_over
            {
                open.insert(number);
            }
        }
        let state = LadderState::Sound {
            term: ladder.term,
            matches: last.map_or(0, |last| last.cast_unsigned() + 1),
            open,
        };
        states.insert(id, state);
    }
    Ok(states)
}

/// Applies a validated change. Requires an open transaction.
pub(super) fn apply(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    change: LadderChange,
) -> Result<(), DbError> {
    match change {
        LadderChange::Open { value } => put(connection, store, id, 0, &value),
        LadderChange::Update { term, value } => put(connection, store, id, term, &value),
        LadderChange::StartTerm { term } => {
            let row = first(connection, SELECT_LADDER, [id.as_str()])?;
            let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            let ladder = ladder_from_row(store, &row).map_err(DbError::Damaged)?;
            put(connection, store, id, term, &ladder.value)
        }
        LadderChange::PutVersion {
            bot_name,
            bot_version,
            value,
            ..
        } => {
            let checksum = checksum_of_version(store, id, &bot_name, &bot_version, &value);
            execute(
                connection,
                "INSERT OR REPLACE INTO ladder_version
                     (ladder_id, bot_name, bot_version, value, checksum)
                 VALUES (?, ?, ?, ?, ?)",
                params![id.as_str(), bot_name, bot_version, value, checksum],
            )?;
            Ok(())
        }
        LadderChange::Pair { number, value, .. } => {
            put_match(connection, store, id, number, false, &value)
        }
        LadderChange::End { number, value, .. } => {
            put_match(connection, store, id, number, true, &value)
        }
        LadderChange::Drop => {
            for delete in [
                "DELETE FROM ladder WHERE ladder_id = ?",
                "DELETE FROM ladder_version WHERE ladder_id = ?",
                "DELETE FROM ladder_match WHERE ladder_id = ?",
            ] {
                execute(connection, delete, [id.as_str()])?;
            }
            Ok(())
        }
    }
}

fn put(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    term: u64,
    value: &[u8],
) -> Result<(), DbError> {
    let id = id.as_str();
    let checksum = checksum_of_ladder(store, id, term, value);
    execute(
        connection,
        "INSERT OR REPLACE INTO ladder (ladder_id, term, value, checksum) VALUES (?, ?, ?, ?)",
        params![id, term.cast_signed(), value, checksum],
    )?;
    Ok(())
}

fn put_match(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> Result<(), DbError> {
    let id = id.as_str();
    let checksum = checksum_of_match(store, id, number, is_over, value);
    execute(
        connection,
        "INSERT OR REPLACE INTO ladder_match (ladder_id, number, is_over, value, checksum)
         VALUES (?, ?, ?, ?, ?)",
        params![id, number.cast_signed(), is_over, value, checksum],
    )?;
    Ok(())
}

pub(super) fn all(
    connection: &Connection,
    store: StoreId,
) -> Result<LadderRows<StoredLadder>, DbError> {
    let rows = all_rows(
        connection,
        "SELECT ladder_id, term, value, checksum FROM ladder ORDER BY ladder_id",
        (),
    )?;
    Ok(read(&rows, |row| ladder_from_row(store, row)))
}

pub(super) fn versions(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
) -> Result<LadderRows<StoredLadderVersion>, DbError> {
    let rows = all_rows(
        connection,
        "SELECT bot_name, bot_version, value, checksum FROM ladder_version
         WHERE ladder_id = ? ORDER BY bot_name, bot_version",
        [id.as_str()],
    )?;
    Ok(read(&rows, |row| version_from_row(store, id, row)))
}

pub(super) fn matches(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    from: u64,
    limit: u32,
) -> Result<LadderRows<StoredLadderMatch>, DbError> {
    let Ok(first_number) = i64::try_from(from) else {
        return Ok(LadderRows::default());
    };
    // One extra row shows whether there is a next page.
    let mut rows = all_rows(
        connection,
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = ? AND number >= ? ORDER BY number LIMIT ? + 1",
        params![id.as_str(), first_number, limit],
    )?;
    let next = rows.get(limit as usize).map(match_number_from_row);
    // A damaged number must not move the next page backwards.
    let next = next.filter(|next| *next > from);
    rows.truncate(limit as usize);
    Ok(LadderRows {
        next,
        ..read(&rows, |row| match_from_row(store, id, row))
    })
}

pub(super) fn get_match(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    number: u64,
) -> Result<Option<StoredLadderMatch>, DbError> {
    let Ok(number) = i64::try_from(number) else {
        return Ok(None);
    };
    let row = first(
        connection,
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = ? AND number = ?",
        params![id.as_str(), number],
    )?;
    let found = row.map(|row| match_from_row(store, id, &row)).transpose();
    found.map_err(DbError::Damaged)
}

/// Returns the damage in the rows of all ladders.
pub(super) fn find_damage(
    connection: &Connection,
    store: StoreId,
) -> Result<Vec<DamageReport>, DbError> {
    let mut damage_reports = all(connection, store)?.damaged;
    let names: Vec<String> = values(
        connection,
        "SELECT DISTINCT CAST(ladder_id AS TEXT) FROM
             (SELECT ladder_id FROM ladder_version UNION SELECT ladder_id FROM ladder_match)",
        (),
    )?;
    for name in names {
        let Ok(id) = LadderId::new(name.as_str()) else {
            damage_reports.push(DamageReport {
                value: DamagedValue::Ladder(name),
                detail: "the name is invalid, but versions or matches refer to it".to_owned(),
            });
            continue;
        };
        damage_reports.extend(versions(connection, store, &id)?.damaged);
        let mut from = 0;
        loop {
            let limit = crate::limits::MAX_PAGE_LADDER_MATCHES;
            let page = matches(connection, store, &id, from, limit)?;
            damage_reports.extend(page.damaged);
            match page.next {
                Some(next) => from = next,
                None => break,
            }
        }
    }
    Ok(damage_reports)
}
