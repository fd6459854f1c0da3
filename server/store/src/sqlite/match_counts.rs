//! How many matches the database has.

use sqlx::SqliteExecutor;

use super::failure::Fault;
use crate::MatchCounts;

/// How many there are.
pub(super) async fn counts(database: impl SqliteExecutor<'_>) -> Result<MatchCounts, Fault> {
    let (open, finished): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM open_match), (SELECT count(*) FROM finished_match)",
    )
    .fetch_one(database)
    .await?;
    Ok(MatchCounts {
        open: open.unsigned_abs(),
        finished: finished.unsigned_abs(),
    })
}
