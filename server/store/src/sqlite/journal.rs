//! The journal: all of it is read once, when the store is opened, and then a match at a time.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{Row, all, execute},
};
use crate::{
    checksum::StoreId,
    journal::{
        in_play::InPlay,
        reading::{BATCHES_AT_ONCE, Journal, Loaded, journal_of},
        sweep::{Sweep, Swept},
    },
    rows::{StoredRow as _, open_rows::OpenRow},
};

/// Reads the journal of all matches in play.
pub(super) fn load(
    connection: &Connection,
    store: StoreId,
    open: Vec<OpenRow>,
) -> Result<Loaded, Fault> {
    let mut journal = Journal::of(open);
    loop {
        let batches = next_batches(connection, journal.last())?;
        if batches.is_empty() {
            return Ok(journal.finish());
        }
        for (number, body) in batches {
            let read = journal.read(store, number, &body);
            read.map_err(Fault::Contradiction)?;
        }
    }
}

/// The next batches after one.
fn next_batches(connection: &Connection, after: i64) -> Result<Vec<(i64, Vec<u8>)>, Fault> {
    let rows = all(
        connection,
        "SELECT batch, body FROM journal WHERE batch > ? ORDER BY batch LIMIT ?",
        [after, BATCHES_AT_ONCE],
    )?;
    Ok(rows.iter().map(number_and_body).collect())
}

/// A body that is no bytes is as one that cannot be read.
fn number_and_body(row: &Row) -> (i64, Vec<u8>) {
    let number = row.value(0).unwrap_or_default();
    (number, row.value(1).unwrap_or_default())
}

/// The whole journal of a match, entry 0 first; or what is wrong with it.
pub(super) fn read(
    connection: &Connection,
    store: StoreId,
    in_play: &InPlay,
) -> Result<Result<Vec<Vec<u8>>, String>, Fault> {
    let numbers: Vec<String> = in_play.batches.iter().map(|n| n.to_string()).collect();
    let rows = all(
        connection,
        "SELECT batch, body FROM journal
         WHERE batch IN (SELECT value FROM json_each(?)) ORDER BY batch",
        [format!("[{}]", numbers.join(","))],
    )?;
    let batches = rows.iter().map(number_and_body);
    Ok(journal_of(store, &in_play.standing, batches))
}

/// Removes everything that means nothing, before a server starts.
pub(super) fn sweep_all(connection: &Connection, sweep: &mut Sweep) -> Result<(), Fault> {
    for some in sweep.take_all() {
        delete(connection, &some)?;
    }
    Ok(())
}

/// Removes batches within a commit.
pub(super) fn remove(connection: &Connection, swept: &Swept) -> Result<(), Fault> {
    match swept {
        Swept::Nothing => Ok(()),
        Swept::Some(numbers) => delete(connection, numbers),
        // Without a condition SQLite frees whole pages unread. The row of this commit is added
        // afterwards.
        Swept::All => {
            execute(connection, "DELETE FROM journal", ())?;
            Ok(())
        }
    }
}

fn delete(connection: &Connection, numbers: &[i64]) -> Result<(), Fault> {
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    execute(
        connection,
        "DELETE FROM journal WHERE batch IN (SELECT value FROM json_each(?))",
        params![format!("[{}]", list.join(","))],
    )?;
    Ok(())
}
