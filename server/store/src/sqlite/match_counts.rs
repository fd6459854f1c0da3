//! Counts the matches in the database.

use rusqlite::Connection;

use super::{db_error::DbError, row::first};
use crate::{MatchCounts, rows::StoredRow as _};

pub(super) fn counts(connection: &Connection) -> Result<MatchCounts, DbError> {
    let row = first(
        connection,
        "SELECT (SELECT count(*) FROM open_match), (SELECT count(*) FROM finished_match)",
        (),
    )?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(MatchCounts {
        open: row.value::<i64>(0)?.unsigned_abs(),
        finished: row.value::<i64>(1)?.unsigned_abs(),
    })
}
