//! The lists of parties: an index of the store's own, made of the finished matches. Where it differs
//! from them it is made anew.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{execute, first, value, values},
};
use crate::{
    checksum::StoreId,
    rows::{StoredRow as _, finished_rows::read},
};

/// Within a transaction: makes the entries anew that are not those of sound matches. What the lists
/// say of a damaged match stays: it may be all that is left of its parties. Tells whether anything
/// was wrong.
pub(super) fn mend(connection: &Connection, store: StoreId) -> Result<bool, Fault> {
    let Some(numbers) = differing(connection)? else {
        return Ok(false);
    };
    let foreign = execute(
        connection,
        "DELETE FROM finished_party WHERE typeof(finish_number) <> 'integer'",
        (),
    )?;
    let (mut wrong, mut parties) = (Vec::new(), Vec::new());
    for number in numbers {
        let row = first(
            connection,
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number = ?",
            [number],
        )?;
        match row.map(|row| read(store, &row)) {
            // It stays.
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

/// The finished matches, or numbers of none, whose entries are others than the matches say; `None`
/// if there are none.
fn differing(connection: &Connection) -> Result<Option<Vec<i64>>, Fault> {
    // In one pass over each table: a server that starts waits for it.
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

/// Removes all entries of matches of these numbers.
fn delete(connection: &Connection, numbers: &[String]) -> Result<(), Fault> {
    execute(
        connection,
        "DELETE FROM finished_party WHERE finish_number IN (SELECT value FROM json_each(?))",
        [format!("[{}]", numbers.join(","))],
    )?;
    Ok(())
}
