//! Transactions on a write connection. Each transaction is a numbered commit and adds a row to the
//! journal.
//!
//! This module sends `BEGIN` and `COMMIT` itself, since SQLite rolls back on its own when the disk
//! is full. Only SQLite knows whether a transaction is still open.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    sql::{execute, first},
};
use crate::rows::StoredRow as _;

/// State of the store at the start of a transaction.
#[derive(Debug)]
pub(super) struct TransactionStart {
    /// The number of commits before this transaction.
    pub(super) commits: i64,
    /// The id of the server that last opened the store; `None` if the id is missing or unreadable.
    pub(super) server_id: Option<Vec<u8>>,
}

/// The journal row of a commit.
#[derive(Debug)]
pub(super) struct JournalRow {
    pub(super) number: i64,
    pub(super) body: Vec<u8>,
}

/// Begins a write transaction (`IMMEDIATE`). A transaction that begins with a read could not wait
/// for another writer later.
pub(super) fn begin(connection: &Connection) -> Result<TransactionStart, DbError> {
    let start = execute(connection, "BEGIN IMMEDIATE", ())
        .map_err(DbError::from)
        .and_then(|_| read_start(connection));
    if start.is_err() {
        roll_back(connection);
    }
    start
}

fn read_start(connection: &Connection) -> Result<TransactionStart, DbError> {
    let row = first(
        connection,
        "SELECT (SELECT max(batch) FROM journal), (SELECT server_id FROM store)",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(TransactionStart {
        commits: row.value::<Option<i64>>(0)?.unwrap_or_default(),
        // An unreadable id counts as the id of another server.
        server_id: row.value(1).ok(),
    })
}

/// Commits successful work together with its journal row. Rolls failed work back.
pub(super) fn commit_or_roll_back<T>(
    connection: &Connection,
    work: Result<(T, JournalRow), DbError>,
) -> Result<T, DbError> {
    let result = work.and_then(|(value, JournalRow { number, body })| {
        execute(
            connection,
            "INSERT INTO journal (batch, body) VALUES (?, ?)",
            params![number, body],
        )?;
        execute(connection, "COMMIT", ())?;
        Ok(value)
    });
    if result.is_err() {
        roll_back(connection);
    }
    result
}

/// Commits a single journal row in one statement. Such a statement is enough for nearly all
/// commits. The row is inserted only if no other server has opened the store since, and if the
/// row's number follows the last commit. Returns whether the row was inserted.
pub(super) fn commit_row_alone(
    connection: &Connection,
    server_id: &[u8],
    JournalRow { number, body }: &JournalRow,
) -> Result<bool, DbError> {
    // SQLite locks the database for writing before this statement reads anything.
    let rows = execute(
        connection,
        "INSERT INTO journal (batch, body) SELECT ?1, ?2
         WHERE (SELECT max(batch) FROM journal) = ?1 - 1
             AND (SELECT server_id FROM store) = ?3",
        params![number, body, server_id],
    )?;
    Ok(rows == 1)
}

pub(super) fn roll_back(connection: &Connection) {
    // A failure is ignored, since SQLite might have rolled back already. If the transaction were
    // still open, the next transaction could not begin.
    let _ = execute(connection, "ROLLBACK", ());
}
