//! The journal: it is read as a whole when a store is opened, and by match later.

use std::ops::RangeInclusive;

use super::{Param, SqlConnection, StoredRow, Unreadable, open_matches::RowWithHeader};
use crate::{
    checksum::StoreId,
    db_error::DbError,
    journal::{
        MatchInPlay, Sweep,
        reader::{BATCHES_PER_READ, JournalReader, LoadedJournal, assemble_journal},
    },
};

/// Returns the number and the body of a batch. A body of another SQL type counts as unreadable.
fn number_and_body(row: &impl StoredRow) -> (i64, Vec<u8>) {
    let number = row.value(0).unwrap_or_default();
    (number, row.value(1).unwrap_or_default())
}

/// Reads the journal of matches in play from the batches with these numbers.
pub(crate) async fn load<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    open: Vec<RowWithHeader>,
    batches: RangeInclusive<i64>,
) -> Result<LoadedJournal, DbError> {
    let mut journal = JournalReader::new(open);
    let select = "SELECT batch, body FROM journal WHERE batch >= $1 AND batch <= $2
         ORDER BY batch LIMIT $3";
    loop {
        let from = (journal.last() + 1).max(*batches.start());
        let params = [from.into(), (*batches.end()).into(), BATCHES_PER_READ.into()];
        let rows = connection.query(select, &params).await?;
        if rows.is_empty() {
            return Ok(journal.finish());
        }
        read_batches(&mut journal, store, &rows)?;
    }
}

/// Reads the journal of matches that are in these batches.
pub(crate) async fn load_batches<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    open: Vec<RowWithHeader>,
    batches: &[i64],
) -> Result<LoadedJournal, DbError> {
    let mut journal = JournalReader::new(open);
    for some in batches.chunks(BATCHES_PER_READ as usize) {
        read_batches(&mut journal, store, &select(connection, some).await?)?;
    }
    Ok(journal.finish())
}

fn read_batches(
    journal: &mut JournalReader,
    store: StoreId,
    rows: &[impl StoredRow],
) -> Result<(), Unreadable> {
    for (number, body) in rows.iter().map(number_and_body) {
        let read = journal.read(store, number, &body);
        read.map_err(Unreadable::new)?;
    }
    Ok(())
}

async fn select<C: SqlConnection>(
    connection: &mut C,
    numbers: &[i64],
) -> Result<Vec<C::Row>, DbError> {
    let in_numbers = C::DIALECT.in_numbers;
    let select = format!("SELECT batch, body FROM journal WHERE batch {in_numbers} ORDER BY batch");
    connection.query(&select, &[Param::Numbers(numbers)]).await
}

/// Returns the whole journal of a match, entry 0 first; or a description of the problem.
pub(crate) async fn read<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    in_play: &MatchInPlay,
) -> Result<Result<Vec<Vec<u8>>, String>, DbError> {
    let numbers: Vec<i64> = in_play.batches.iter().collect();
    let rows = select(connection, &numbers).await?;
    let batches = rows.iter().map(number_and_body);
    Ok(assemble_journal(store, &in_play.state, batches))
}

/// Deletes all unneeded batches, before a server starts.
pub(crate) async fn sweep_all<C: SqlConnection>(
    connection: &mut C,
    sweep: &mut Sweep,
) -> Result<(), DbError> {
    for some in sweep.take_unneeded() {
        delete(connection, &some).await?;
    }
    Ok(())
}

/// Deletes batches. Requires an open transaction.
pub(crate) async fn delete<C: SqlConnection>(
    connection: &mut C,
    numbers: &[i64],
) -> Result<(), DbError> {
    let delete = format!("DELETE FROM journal WHERE batch {}", C::DIALECT.in_numbers);
    connection.execute(&delete, &[Param::Numbers(numbers)]).await?;
    Ok(())
}
