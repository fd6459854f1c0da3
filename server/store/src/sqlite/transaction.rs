//! One transaction of a writing connection. Each is a commit with a number of its own, and leaves a
//! row in the journal.
//!
//! These are plain statements: sqlx counts the transactions that it begins itself, and its count
//! is wrong after SQLite has rolled one back on its own, as it does on a full disk. Each statement
//! that sqlx is given is a message to another thread and back, so those that belong together are
//! given at once.

use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};

use super::failure::Fault;

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
pub(super) async fn begin(connection: &mut SqliteConnection) -> Result<Begun, Fault> {
    let rows = sqlx::query(
        "BEGIN IMMEDIATE;
         SELECT (SELECT max(batch) FROM journal), (SELECT server_id FROM store)",
    )
    .fetch_all(&mut *connection)
    .await;
    let read = |row: &SqliteRow| {
        Ok(Begun {
            commits: row.try_get::<Option<i64>, _>(0)?.unwrap_or_default(),
            // One that cannot be read is another.
            server_id: row.try_get(1).ok(),
        })
    };
    let begun = rows.and_then(|rows| read(rows.first().ok_or(sqlx::Error::RowNotFound)?));
    if begun.is_err() {
        roll_back(connection).await;
    }
    Ok(begun?)
}

/// Commits what has succeeded, with its row; rolls back what has failed, or what cannot be
/// committed.
pub(super) async fn end<T>(
    connection: &mut SqliteConnection,
    work: Result<(T, JournalRow), Fault>,
) -> Result<T, Fault> {
    let outcome = match work {
        Ok((value, JournalRow { number, body })) => {
            let committed = sqlx::query("INSERT INTO journal (batch, body) VALUES (?, ?); COMMIT")
                .bind(number)
                .bind(body)
                .execute(&mut *connection)
                .await;
            match committed {
                Ok(_) => return Ok(value),
                Err(error) => error.into(),
            }
        }
        Err(fault) => fault,
    };
    roll_back(connection).await;
    Err(outcome)
}

/// Commits a row and nothing else, as nearly all commits do: in one statement, which is a transaction
/// of its own. It is committed if the server of this identifier is still the one that opened the
/// store last, and the commit before the row's is the last one; this tells whether it is so.
pub(super) async fn commit_alone(
    connection: &mut SqliteConnection,
    server_id: &[u8],
    JournalRow { number, body }: &JournalRow,
) -> Result<bool, Fault> {
    // SQLite takes the lock of a writer before it reads anything for such a statement.
    let committed = sqlx::query(
        "INSERT INTO journal (batch, body) SELECT ?1, ?2
         WHERE (SELECT max(batch) FROM journal) = ?1 - 1
             AND (SELECT server_id FROM store) = ?3",
    )
    .bind(number)
    .bind(&body[..])
    .bind(server_id)
    .execute(connection)
    .await?;
    Ok(committed.rows_affected() == 1)
}

/// Takes back what has begun.
pub(super) async fn roll_back(connection: &mut SqliteConnection) {
    // Fails where SQLite has rolled back on its own, which is what is wanted. If the transaction
    // were still open, the next one could not begin.
    let _ = sqlx::query("ROLLBACK").execute(connection).await;
}
