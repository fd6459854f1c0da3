//! Reads the journal in SQLite, and deletes unneeded batches. The journal is read as a whole when
//! the store is opened, and by match later.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{Row, all, execute},
};
use crate::{
    checksum::StoreId,
    journal::{
        in_play::MatchInPlay,
        reader::{BATCHES_PER_READ, JournalReader, LoadedJournal, assemble_journal},
        sweep::{Sweep, SweepStep},
    },
    rows::{StoredRow as _, open_rows::OpenRow},
};

pub(super) fn load(
    connection: &Connection,
    store: StoreId,
    open: Vec<OpenRow>,
) -> Result<LoadedJournal, DbError> {
    let mut journal = JournalReader::new(open);
    loop {
        let batches = next_batches(connection, journal.last())?;
        if batches.is_empty() {
            return Ok(journal.finish());
        }
        for (number, body) in batches {
            let read = journal.read(store, number, &body);
            read.map_err(DbError::Inconsistent)?;
        }
    }
}

/// Reads some of the batches after the batch with this number.
fn next_batches(connection: &Connection, after: i64) -> Result<Vec<(i64, Vec<u8>)>, DbError> {
    let rows = all(
        connection,
        "SELECT batch, body FROM journal WHERE batch > ? ORDER BY batch LIMIT ?",
        [after, BATCHES_PER_READ],
    )?;
    Ok(rows.iter().map(number_and_body).collect())
}

/// A body of another SQL type counts as unreadable.
fn number_and_body(row: &Row) -> (i64, Vec<u8>) {
    let number = row.value(0).unwrap_or_default();
    (number, row.value(1).unwrap_or_default())
}

/// Returns the whole journal of a match, entry 0 first; or a description of the problem.
pub(super) fn read(
    connection: &Connection,
    store: StoreId,
    in_play: &MatchInPlay,
) -> Result<Result<Vec<Vec<u8>>, String>, DbError> {
    let numbers: Vec<String> = in_play.batches.iter().map(|n| n.to_string()).collect();
    let rows = all(
        connection,
        "SELECT batch, body FROM journal
         WHERE batch IN (SELECT value FROM json_each(?)) ORDER BY batch",
        [format!("[{}]", numbers.join(","))],
    )?;
    let batches = rows.iter().map(number_and_body);
    Ok(assemble_journal(store, &in_play.state, batches))
}

/// Deletes all unneeded batches, before a server starts.
pub(super) fn sweep_all(connection: &Connection, sweep: &mut Sweep) -> Result<(), DbError> {
    for some in sweep.take_all() {
        delete(connection, &some)?;
    }
    Ok(())
}

pub(super) fn delete_swept(connection: &Connection, sweep_step: &SweepStep) -> Result<(), DbError> {
    match sweep_step {
        SweepStep::Nothing => Ok(()),
        SweepStep::Some(numbers) => delete(connection, numbers),
        // Without a `WHERE` clause SQLite frees whole pages without reading them. The row of this
        // commit is added afterwards.
        SweepStep::All => {
            execute(connection, "DELETE FROM journal", ())?;
            Ok(())
        }
    }
}

fn delete(connection: &Connection, numbers: &[i64]) -> Result<(), DbError> {
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    execute(
        connection,
        "DELETE FROM journal WHERE batch IN (SELECT value FROM json_each(?))",
        params![format!("[{}]", list.join(","))],
    )?;
    Ok(())
}
