//! One transaction of a writing connection. Each is a commit with a number of its own, and leaves a
//! row in the journal.
//!
//! These are plain statements, and whether a transaction is still open is left to SQLite: it rolls
//! one back on its own where the disk is full.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{execute, first},
};
use crate::rows::StoredRow as _;

/// A transaction that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    /// Commits before it.
    pub(super) commits: i64,
    /// Which server opened the store last; `None` if there is no row that says so.
    pub(super) server_id: Option<Vec<u8>>,
}

/// The row that a commit leaves in the journal.
#[derive(Debug)]
pub(super) struct JournalRow {
    pub(super) number: i64,
    pub(super) body: Vec<u8>,
}

/// Begins, as a writer from the start: a transaction that begins by reading cannot wait for
/// another writer later.
pub(super) fn begin(connection: &Connection) -> Result<Begun, Fault> {
    let begun = execute(connection, "BEGIN IMMEDIATE", ())
        .map_err(Fault::from)
        .and_then(|_| how_it_stands(connection));
    if begun.is_err() {
        roll_back(connection);
    }
    begun
}

fn how_it_stands(connection: &Connection) -> Result<Begun, Fault> {
    let row = first(
        connection,
        "SELECT (SELECT max(batch) FROM journal), (SELECT server_id FROM store)",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(Begun {
        commits: row.value::<Option<i64>>(0)?.unwrap_or_default(),
        // One that cannot be read is another.
        server_id: row.value(1).ok(),
    })
}

/// Commits what has succeeded, with its row; rolls back what has failed, or what cannot be
/// committed.
pub(super) fn end<T>(
    connection: &Connection,
    work: Result<(T, JournalRow), Fault>,
) -> Result<T, Fault> {
    let ended = work.and_then(|(value, JournalRow { number, body })| {
        execute(
            connection,
            "INSERT INTO journal (batch, body) VALUES (?, ?)",
            params![number, body],
        )?;
        execute(connection, "COMMIT", ())?;
        Ok(value)
    });
    if ended.is_err() {
        roll_back(connection);
    }
    ended
}

/// Commits a row and nothing else, as nearly all commits do: in one statement, which is a transaction
/// of its own. It is committed if the server of this identifier is still the one that opened the
/// store last, and the commit before the row's is the last one; this tells whether it is so.
pub(super) fn commit_alone(
    connection: &Connection,
    server_id: &[u8],
    JournalRow { number, body }: &JournalRow,
) -> Result<bool, Fault> {
    // SQLite takes the lock of a writer before it reads anything for such a statement.
    let rows = execute(
        connection,
        "INSERT INTO journal (batch, body) SELECT ?1, ?2
         WHERE (SELECT max(batch) FROM journal) = ?1 - 1
             AND (SELECT server_id FROM store) = ?3",
        params![number, body, server_id],
    )?;
    Ok(rows == 1)
}

/// Takes back what has begun.
pub(super) fn roll_back(connection: &Connection) {
    // Fails where SQLite has rolled back on its own, which is what is wanted. If the transaction
    // were still open, the next one could not begin.
    let _ = execute(connection, "ROLLBACK", ());
}
