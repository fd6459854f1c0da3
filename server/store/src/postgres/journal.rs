//! The journal of a node, whose batch numbers are a range of their own.

use bridgemaster_lease::CommitNumbers;
use sqlx::{PgConnection, PgExecutor};

use super::{db_error::DbError, node_number::NodeNumber};
use crate::{
    checksum::StoreId,
    journal::{reader::LoadedJournal, sweep::SweepStep},
    rows::{journal, open_matches::OpenRow},
};

/// Reads the journal of all matches in play of a node.
pub(super) async fn load(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
    open: Vec<OpenRow>,
) -> Result<LoadedJournal, DbError> {
    let mut loaded = journal::load(connection, store, open, node.range()).await?;
    let last_match_key = &mut loaded.matches.last_match_key;
    *last_match_key = node.base().max(*last_match_key);
    Ok(loaded)
}

/// Returns the number of the newest batch of a node. If there are no batches, returns the number
/// before the first.
pub(super) async fn newest_batch(
    database: impl PgExecutor<'_>,
    node: NodeNumber,
) -> Result<i64, DbError> {
    let newest: Option<i64> =
        sqlx::query_scalar("SELECT max(batch) FROM journal WHERE batch > $1 AND batch <= $2")
            .bind(node.base())
            .bind(node.last())
            .fetch_one(database)
            .await?;
    Ok(newest.unwrap_or(node.base()))
}

/// Returns whether an earlier attempt to add the batch with this number was committed.
pub(super) async fn is_batch_stored(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
) -> Result<bool, DbError> {
    Ok(CommitNumbers::is_committed(
        number,
        newest_batch(connection, node).await?,
    ))
}

/// Appends a batch.
///
/// # Errors
/// [`DbError::Inconsistent`] if the newest batch is not the predecessor. The database is then a
/// different one, such as a standby that lacks commits.
pub(super) async fn add_batch(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
    body: &[u8],
) -> Result<(), DbError> {
    let added = sqlx::query(
        "INSERT INTO journal (batch, body) SELECT $1, $2 WHERE $1::bigint - 1 = (
             SELECT coalesce(max(batch), $3) FROM journal WHERE batch > $3 AND batch <= $4)",
    )
    .bind(number)
    .bind(body)
    .bind(node.base())
    .bind(node.last())
    .execute(&mut *connection)
    .await?;
    if added.rows_affected() == 1 {
        return Ok(());
    }
    let newest = newest_batch(connection, node).await?;
    Err(inconsistent_commits(node, newest, number - 1))
}

/// Returns the error for a newest batch that is not the last one written by this server.
pub(super) fn inconsistent_commits(node: NodeNumber, newest: i64, made: i64) -> DbError {
    DbError::Inconsistent(format!(
        "the database has {} commits, but this server has made {}",
        node.count(newest),
        node.count(made)
    ))
}

/// Deletes batches as part of the commit with this number, after the batch of the commit was added.
pub(super) async fn delete_swept(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
    sweep_step: &SweepStep,
) -> Result<(), DbError> {
    match sweep_step {
        SweepStep::Nothing => Ok(()),
        SweepStep::Some(numbers) => journal::delete(connection, numbers).await,
        SweepStep::All => delete_before(connection, node, number).await,
    }
}

/// Deletes the journal of a node without matches in play. The newest batch remains, since it
/// records the assigned numbers.
pub(super) async fn delete_all_but_newest(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<(), DbError> {
    let newest = newest_batch(&mut *connection, node).await?;
    delete_before(connection, node, newest).await
}

async fn delete_before(
    connection: &mut PgConnection,
    node: NodeNumber,
    before: i64,
) -> Result<(), DbError> {
    sqlx::query("DELETE FROM journal WHERE batch > $1 AND batch < $2")
        .bind(node.base())
        .bind(before)
        .execute(connection)
        .await?;
    Ok(())
}
