//! The journal: all of it is read once, when the store is opened, and then a match at a time.

use bridgemaster_lease::Commits;
use sqlx::{PgConnection, PgExecutor, Row as _, postgres::PgRow};

use super::{failure::Fault, node_number::NodeNumber};
use crate::{
    checksum::StoreId,
    journal::{
        in_play::InPlay,
        reading::{BATCHES_AT_ONCE, Journal, Loaded, journal_of},
        sweep::{Sweep, Swept},
    },
    rows::open_rows::OpenRow,
};

/// Reads the journal of all matches of a node that are in play.
pub(super) async fn load(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
    open: Vec<OpenRow>,
) -> Result<Loaded, Fault> {
    let mut journal = Journal::of(open);
    loop {
        let batches = sqlx::query(
            "SELECT batch, body FROM journal WHERE batch > $1 AND batch <= $2
             ORDER BY batch LIMIT $3",
        )
        .bind(journal.last().max(node.base()))
        .bind(node.last())
        .bind(BATCHES_AT_ONCE)
        .fetch_all(&mut *connection)
        .await?;
        if batches.is_empty() {
            let mut loaded = journal.finish();
            let given = &mut loaded.matches.match_keys_given;
            *given = node.base().max(*given);
            return Ok(loaded);
        }
        for (number, body) in batches.iter().map(number_and_body) {
            let read = journal.read(store, number, &body);
            read.map_err(Fault::Contradiction)?;
        }
    }
}

/// Reads the journal of matches that are in these batches.
pub(super) async fn load_some(
    connection: &mut PgConnection,
    store: StoreId,
    open: Vec<OpenRow>,
    batches: &[i64],
) -> Result<Loaded, Fault> {
    let mut journal = Journal::of(open);
    for some in batches.chunks(BATCHES_AT_ONCE as usize) {
        let rows =
            sqlx::query("SELECT batch, body FROM journal WHERE batch = ANY ($1) ORDER BY batch")
                .bind(some)
                .fetch_all(&mut *connection)
                .await?;
        for (number, body) in rows.iter().map(number_and_body) {
            let read = journal.read(store, number, &body);
            read.map_err(Fault::Contradiction)?;
        }
    }
    Ok(journal.finish())
}

/// A body that is no bytes is as one that cannot be read.
fn number_and_body(row: &PgRow) -> (i64, Vec<u8>) {
    let number = row.try_get(0).unwrap_or_default();
    (number, row.try_get(1).unwrap_or_default())
}

/// The whole journal of a match, entry 0 first; or what is wrong with it.
pub(super) async fn read(
    database: impl PgExecutor<'_>,
    store: StoreId,
    in_play: &InPlay,
) -> Result<Result<Vec<Vec<u8>>, String>, Fault> {
    let numbers: Vec<i64> = in_play.batches.iter().collect();
    let rows = sqlx::query("SELECT batch, body FROM journal WHERE batch = ANY ($1) ORDER BY batch")
        .bind(numbers)
        .fetch_all(database)
        .await?;
    let batches = rows.iter().map(number_and_body);
    Ok(journal_of(store, &in_play.standing, batches))
}

/// The number of the newest batch of a node; that before its first if it has none.
pub(super) async fn newest(database: impl PgExecutor<'_>, node: NodeNumber) -> Result<i64, Fault> {
    let newest: Option<i64> =
        sqlx::query_scalar("SELECT max(batch) FROM journal WHERE batch > $1 AND batch <= $2")
            .bind(node.base())
            .bind(node.last())
            .fetch_one(database)
            .await?;
    Ok(newest.unwrap_or(node.base()))
}

/// Whether an earlier try to add the batch of this number was committed.
pub(super) async fn is_stored(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
) -> Result<bool, Fault> {
    Ok(Commits::is_there(number, newest(connection, node).await?))
}

/// Adds a batch behind the one before it.
///
/// # Errors
/// A contradiction if that is not the newest: then the database is another one, such as a standby
/// that did not have all commits.
pub(super) async fn add(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
    body: &[u8],
) -> Result<(), Fault> {
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
    let newest = newest(connection, node).await?;
    Err(contradiction(node, newest, number - 1))
}

/// The newest batch of the node is another one than this server has made last.
pub(super) fn contradiction(node: NodeNumber, newest: i64, made: i64) -> Fault {
    Fault::Contradiction(format!(
        "it has {} commits, and this server has made {}",
        node.count(newest),
        node.count(made)
    ))
}

/// Removes everything that means nothing, before a server starts.
pub(super) async fn sweep_all(
    connection: &mut PgConnection,
    sweep: &mut Sweep,
) -> Result<(), Fault> {
    for some in sweep.take_all() {
        delete(connection, &some).await?;
    }
    Ok(())
}

/// Removes batches within a commit, which has added its own of this number.
pub(super) async fn remove(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
    swept: &Swept,
) -> Result<(), Fault> {
    match swept {
        Swept::Nothing => Ok(()),
        Swept::Some(numbers) => delete(connection, numbers).await,
        Swept::All => delete_before(connection, node, number).await,
    }
}

/// Removes the journal of a node that has no match in play any more, but for its last batch, which
/// says how far its numbers are given.
pub(super) async fn forget_all_but_newest(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<(), Fault> {
    let newest = newest(&mut *connection, node).await?;
    delete_before(connection, node, newest).await
}

async fn delete_before(
    connection: &mut PgConnection,
    node: NodeNumber,
    before: i64,
) -> Result<(), Fault> {
    sqlx::query("DELETE FROM journal WHERE batch > $1 AND batch < $2")
        .bind(node.base())
        .bind(before)
        .execute(connection)
        .await?;
    Ok(())
}

async fn delete(connection: &mut PgConnection, numbers: &[i64]) -> Result<(), Fault> {
    sqlx::query("DELETE FROM journal WHERE batch = ANY ($1)")
        .bind(numbers)
        .execute(connection)
        .await?;
    Ok(())
}
