//! The journal: all of it is read once, when the store is opened, and then a match at a time.

use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};

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
    connection: &mut SqliteConnection,
    store: StoreId,
    open: Vec<OpenRow>,
) -> Result<Loaded, Fault> {
    let mut journal = Journal::of(open);
    loop {
        let batches = next_batches(connection, journal.last()).await?;
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
async fn next_batches(
    connection: &mut SqliteConnection,
    after: i64,
) -> Result<Vec<(i64, Vec<u8>)>, Fault> {
    let rows =
        sqlx::query("SELECT batch, body FROM journal WHERE batch > ? ORDER BY batch LIMIT ?")
            .bind(after)
            .bind(BATCHES_AT_ONCE)
            .fetch_all(connection)
            .await?;
    Ok(rows.iter().map(number_and_body).collect())
}

/// A body that is no bytes is as one that cannot be read.
fn number_and_body(row: &SqliteRow) -> (i64, Vec<u8>) {
    let number = row.try_get(0).unwrap_or_default();
    (number, row.try_get(1).unwrap_or_default())
}

/// The whole journal of a match, entry 0 first; or what is wrong with it.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    store: StoreId,
    in_play: &InPlay,
) -> Result<Result<Vec<Vec<u8>>, String>, Fault> {
    let numbers: Vec<String> = in_play.batches.iter().map(|n| n.to_string()).collect();
    let rows = sqlx::query(
        "SELECT batch, body FROM journal
         WHERE batch IN (SELECT value FROM json_each(?)) ORDER BY batch",
    )
    .bind(format!("[{}]", numbers.join(",")))
    .fetch_all(connection)
    .await?;
    let batches = rows.iter().map(number_and_body);
    Ok(journal_of(store, &in_play.standing, batches))
}

/// Removes everything that means nothing, before a server starts.
pub(super) async fn sweep_all(
    connection: &mut SqliteConnection,
    sweep: &mut Sweep,
) -> Result<(), Fault> {
    for some in sweep.take_all() {
        delete(connection, &some).await?;
    }
    Ok(())
}

/// Removes batches within a commit.
pub(super) async fn remove(connection: &mut SqliteConnection, swept: &Swept) -> Result<(), Fault> {
    match swept {
        Swept::Nothing => Ok(()),
        Swept::Some(numbers) => delete(connection, numbers).await,
        // Without a condition SQLite frees whole pages unread. The row of this commit is added
        // afterwards.
        Swept::All => {
            let delete = sqlx::query("DELETE FROM journal");
            delete.execute(connection).await?;
            Ok(())
        }
    }
}

async fn delete(connection: &mut SqliteConnection, numbers: &[i64]) -> Result<(), Fault> {
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    sqlx::query("DELETE FROM journal WHERE batch IN (SELECT value FROM json_each(?))")
        .bind(format!("[{}]", list.join(",")))
        .execute(connection)
        .await?;
    Ok(())
}
