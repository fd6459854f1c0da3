//! The lists of finished matches by party. The store maintains this index, and repairs entries that
//! differ from the finished matches.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    sql::{execute, first, value, values},
};
use crate::{
    checksum::StoreId,
    rows::{
        StoredRow as _,
        finished::{COLUMNS, read},
    },
};

/// Rebuilds wrong entries of intact matches. A damaged match's entries are kept, since the match's
/// parties might not be recorded anywhere else. Returns whether any entry was wrong. Requires an
/// open transaction.
pub(super) fn repair(connection: &Connection, store: StoreId) -> Result<bool, DbError> {
    let Some(numbers) = find_mismatches(connection)? else {
        return Ok(false);
    };
    let foreign = execute(
        connection,
        "DELETE FROM finished_party WHERE typeof(finish_number) <> 'integer'",
        (),
    )?;
    let (mut wrong, mut parties) = (Vec::new(), Vec::new());
    for number in numbers {
        let select = format!("SELECT {COLUMNS} FROM finished_match WHERE finish_number = ?");
        let row = first(connection, &select, [number])?;
        match row.map(|row| read(store, &row)) {
            // The match is damaged, so its entries are kept.
            Some(Err(_)) => {}
            Some(Ok((_, names))) => {
                wrong.push(number.to_string());
                parties.push((number, names));
            }
            None => wrong.push(number.to_string()),
        }
    }
    delete(connection, &wrong)?;
    for (number, names) in &parties {
        for name in names.lines() {
            execute(
                connection,
                "INSERT INTO finished_party (name, finish_number) VALUES (?, ?)",
                params![name, number],
            )?;
        }
    }
    Ok(!wrong.is_empty() || foreign > 0)
}

/// Returns the numbers of matches with wrong entries. A returned number can have entries but no
/// finished match.
fn find_mismatches(connection: &Connection) -> Result<Option<Vec<i64>>, DbError> {
    // The query makes a single pass over each table, since a starting server waits for its result.
    let row = first(
        connection,
        "SELECT count(*), group_concat(iif(names IS parties, NULL, finish_number))
         FROM (SELECT finish_number, group_concat(name, char(10)) AS names
               FROM (SELECT finish_number, name FROM finished_party ORDER BY finish_number, name)
               GROUP BY finish_number)
             LEFT JOIN finished_match USING (finish_number)",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let (listed, differing): (i64, Option<String>) = (row.value(0)?, row.value(1)?);
    let with_parties: i64 = value(
        connection,
        "SELECT count(*) FROM finished_match WHERE parties <> ''",
        (),
    )?;
    if differing.is_none() && listed == with_parties {
        return Ok(None);
    }
    let unlisted: Vec<i64> = values(
        connection,
        "SELECT finish_number FROM finished_match
         WHERE parties <> '' AND finish_number NOT IN (SELECT finish_number FROM finished_party)",
        (),
    )?;
    let differing = differing.unwrap_or_default();
    let differing = differing
        .split(',')
        .filter_map(|number| number.parse().ok());
    Ok(Some(differing.chain(unlisted).collect()))
}

/// Deletes all entries of these matches.
fn delete(connection: &Connection, numbers: &[String]) -> Result<(), DbError> {
    execute(
        connection,
        "DELETE FROM finished_party WHERE finish_number IN (SELECT value FROM json_each(?))",
        [format!("[{}]", numbers.join(","))],
    )?;
    Ok(())
}
