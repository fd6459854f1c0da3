//! Rows of ladders, of the versions of their bots, and of their matches.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{all as all_rows, execute, first, value as value_of, values},
};
use crate::{
    Damage, DamagedValue, LadderChange, LadderId, LadderRows, StoredLadder, StoredLadderMatch,
    StoredLadderVersion,
    checksum::StoreId,
    ladder_batch::{LadderStanding, LadderStandings},
    rows::ladder_rows::{
        checksum_of_ladder, checksum_of_match, checksum_of_version, ladder_of, match_of, number_of,
        read, version_of,
    },
};

/// The row of a ladder.
const LADDER: &str = "SELECT ladder_id, term, value, checksum FROM ladder WHERE ladder_id = ?";

/// How these ladders stand, with those of these matches that are not over.
pub(super) fn standings(
    connection: &Connection,
    store: StoreId,
    asked: HashMap<LadderId, BTreeSet<u64>>,
) -> Result<LadderStandings, Fault> {
    let mut standings = LadderStandings::new();
    for (id, ends) in asked {
        let Some(row) = first(connection, LADDER, [id.as_str()])? else {
            continue;
        };
        let Ok(ladder) = ladder_of(store, &row) else {
            standings.insert(id, LadderStanding::Damaged);
            continue;
        };
        let last: Option<i64> = value_of(
            connection,
            "SELECT max(number) FROM ladder_match WHERE ladder_id = ?",
            [id.as_str()],
        )?;
        let mut open = BTreeSet::new();
        for number in ends {
            // One that cannot be read cannot be ended either.
            if let Ok(Some(found)) = one_match(connection, store, &id, number)
                && !found.is_over
            {
                open.insert(number);
            }
        }
        let standing = LadderStanding::Sound {
            term: ladder.term,
            matches: last.map_or(0, |last| last.cast_unsigned() + 1),
            open,
        };
        standings.insert(id, standing);
    }
    Ok(standings)
}

/// Within a transaction: carries out a change that fits.
pub(super) fn carry_out(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    change: LadderChange,
) -> Result<(), Fault> {
    match change {
        LadderChange::Open { value } => keep(connection, store, id, 0, &value),
        LadderChange::Keep { term, value } => keep(connection, store, id, term, &value),
        LadderChange::Lead { term } => {
            let row = first(connection, LADDER, [id.as_str()])?;
            let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            let ladder = ladder_of(store, &row).map_err(Fault::Damage)?;
            keep(connection, store, id, term, &ladder.value)
        }
        LadderChange::KeepVersion {
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
            keep_match(connection, store, id, number, false, &value)
        }
        LadderChange::End { number, value, .. } => {
            keep_match(connection, store, id, number, true, &value)
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

fn keep(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    term: u64,
    value: &[u8],
) -> Result<(), Fault> {
    let id = id.as_str();
    let checksum = checksum_of_ladder(store, id, term, value);
    execute(
        connection,
        "INSERT OR REPLACE INTO ladder (ladder_id, term, value, checksum) VALUES (?, ?, ?, ?)",
        params![id, term.cast_signed(), value, checksum],
    )?;
    Ok(())
}

fn keep_match(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> Result<(), Fault> {
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

/// Every ladder.
pub(super) fn all(
    connection: &Connection,
    store: StoreId,
) -> Result<LadderRows<StoredLadder>, Fault> {
    let rows = all_rows(
        connection,
        "SELECT ladder_id, term, value, checksum FROM ladder ORDER BY ladder_id",
        (),
    )?;
    Ok(read(&rows, |row| ladder_of(store, row)))
}

/// Every version of a ladder.
pub(super) fn versions(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
) -> Result<LadderRows<StoredLadderVersion>, Fault> {
    let rows = all_rows(
        connection,
        "SELECT bot_name, bot_version, value, checksum FROM ladder_version
         WHERE ladder_id = ? ORDER BY bot_name, bot_version",
        [id.as_str()],
    )?;
    Ok(read(&rows, |row| version_of(store, id, row)))
}

/// A page of matches of a ladder.
pub(super) fn matches(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    from: u64,
    limit: u32,
) -> Result<LadderRows<StoredLadderMatch>, Fault> {
    let Ok(first_number) = i64::try_from(from) else {
        return Ok(LadderRows::default());
    };
    // One more than the page has shows whether there is a next page.
    let mut rows = all_rows(
        connection,
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = ? AND number >= ? ORDER BY number LIMIT ? + 1",
        params![id.as_str(), first_number, limit],
    )?;
    let next = rows.get(limit as usize).map(number_of);
    // A number that is damaged must not lead back.
    let next = next.filter(|next| *next > from);
    rows.truncate(limit as usize);
    Ok(LadderRows {
        next,
        ..read(&rows, |row| match_of(store, id, row))
    })
}

/// A match of a ladder.
pub(super) fn one_match(
    connection: &Connection,
    store: StoreId,
    id: &LadderId,
    number: u64,
) -> Result<Option<StoredLadderMatch>, Fault> {
    let Ok(number) = i64::try_from(number) else {
        return Ok(None);
    };
    let row = first(
        connection,
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = ? AND number = ?",
        params![id.as_str(), number],
    )?;
    let found = row.map(|row| match_of(store, id, &row)).transpose();
    found.map_err(Fault::Damage)
}

/// What is damaged in the rows of all ladders.
pub(super) fn check(connection: &Connection, store: StoreId) -> Result<Vec<Damage>, Fault> {
    let mut damages = all(connection, store)?.damaged;
    let names: Vec<String> = values(
        connection,
        "SELECT DISTINCT CAST(ladder_id AS TEXT) FROM
             (SELECT ladder_id FROM ladder_version UNION SELECT ladder_id FROM ladder_match)",
        (),
    )?;
    for name in names {
        let Ok(id) = LadderId::new(name.as_str()) else {
            damages.push(Damage {
                value: DamagedValue::Ladder(name),
                detail: "rows of versions or matches are under a name that no ladder has"
                    .to_owned(),
            });
            continue;
        };
        damages.extend(versions(connection, store, &id)?.damaged);
        let mut from = 0;
        loop {
            let limit = crate::limits::MAX_PAGE_LADDER_MATCHES;
            let page = matches(connection, store, &id, from, limit)?;
            damages.extend(page.damaged);
            match page.next {
                Some(next) => from = next,
                None => break,
            }
        }
    }
    Ok(damages)
}
