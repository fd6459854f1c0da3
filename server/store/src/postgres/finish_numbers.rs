//! Numbers of finished matches, by which lists are ordered.
//!
//! A number is `base + (transaction id << 20) + position in the transaction`. Transaction ids are
//! assigned by PostgreSQL, so commits of several nodes lock no common row. The base is changed only
//! when a database was moved to a server with lower transaction ids.
//!
//! Transactions may be committed in another order than their ids. A match may thus appear between
//! matches that are already visible, but only above the *horizon*: the number of the oldest
//! transaction that is still running. Reads in ascending order stop at the horizon.

use sqlx::PgConnection;

use super::db_error::DbError;

/// SQL table with the next number, as column `number`. It requires an open transaction, and is
/// empty if the base is missing. A transaction has 2²⁰ numbers, far more than matches fit into
/// memory.
pub(super) const NEXT: &str = "(
    SELECT coalesce(
        (SELECT max(finish_number) + 1 FROM finished_match
         WHERE finish_number >= first AND finish_number < first + (1 << 20)),
        first) AS number
    FROM (SELECT last + (pg_current_xact_id()::text::bigint << 20) AS first
          FROM given_number WHERE of_table = 'finished_match') AS transaction) AS next";

/// SQL expression for the horizon: every match with a lower number is visible to the statement.
/// `NULL` if the base is missing.
pub(super) const HORIZON: &str = "(
    SELECT last + (pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 20)
    FROM given_number WHERE of_table = 'finished_match')";

/// Raises the base if a stored number is higher than those of new transactions. This is the case
/// after a backup was restored on another PostgreSQL server, or a logical replica replaced it. Must
/// be called on each new connection, before it commits matches.
pub(super) async fn raise_base(connection: &mut PgConnection) -> Result<(), DbError> {
    sqlx::query(
        "UPDATE given_number SET last = newest.number
         FROM (SELECT max(finish_number) AS number FROM finished_match) AS newest
         WHERE of_table = 'finished_match' AND newest.number >=
             last + (pg_snapshot_xmax(pg_current_snapshot())::text::bigint << 20)",
    )
    .execute(connection)
    .await?;
    Ok(())
}
