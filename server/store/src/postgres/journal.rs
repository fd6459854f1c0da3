//! The journal: all of it is read once, when the store is opened, and then a match at a time.

use sqlx::{PgConnection, PgExecutor, Row as _, postgres::PgRow};

use super::failure::Fault;
use crate::{
    checksum::StoreId,
    journal::{
        in_play::InPlay,
        reading::{BATCHES_AT_ONCE, Journal, Loaded, journal_of},
        sweep::{Sweep, Swept},
    },
    rows::open_rows::OpenRow,
};

/// Reads the journal of all matches in play.
pub(super) async fn load(
    connection: &mut PgConnection,
    store: StoreId,
    open: Vec<OpenRow>,
) -> Result<Loaded, Fault> {
    let mut journal = Journal::of(open);
    loop {
        let batches =
            sqlx::query("SELECT batch, body FROM journal WHERE batch > $1 ORDER BY batch LIMIT $2")
                .bind(journal.last())
                .bind(BATCHES_AT_ONCE)
                .fetch_all(&mut *connection)
                .await?;
        if batches.is_empty() {
            return Ok(journal.finish());
        }
        for (number, body) in batches.iter().map(number_and_body) {
            let read = journal.read(store, number, &body);
            read.map_err(Fault::Contradiction)?;
        }
    }
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

/// The number of the newest batch; 0 before the first.
pub(super) async fn newest(database: impl PgExecutor<'_>) -> Result<i64, Fault> {
    let newest = sqlx::query_scalar("SELECT coalesce(max(batch), 0) FROM journal");
    Ok(newest.fetch_one(database).await?)
}

/// Adds a batch.
pub(super) async fn add(
    connection: &mut PgConnection,
    number: i64,
    body: &[u8],
) -> Result<(), Fault> {
    sqlx::query("INSERT INTO journal (batch, body) VALUES ($1, $2)")
        .bind(number)
        .bind(body)
        .execute(connection)
        .await?;
    Ok(())
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

/// Removes batches within a commit, before it adds its own.
pub(super) async fn remove(connection: &mut PgConnection, swept: &Swept) -> Result<(), Fault> {
    match swept {
        Swept::Nothing => Ok(()),
        Swept::Some(numbers) => delete(connection, numbers).await,
        Swept::All => {
            let delete = sqlx::query("DELETE FROM journal");
            delete.execute(connection).await?;
            Ok(())
        }
    }
}

async fn delete(connection: &mut PgConnection, numbers: &[i64]) -> Result<(), Fault> {
    sqlx::query("DELETE FROM journal WHERE batch = ANY ($1)")
        .bind(numbers)
        .execute(connection)
        .await?;
    Ok(())
}
