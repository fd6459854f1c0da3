//! The SQL dialect of PostgreSQL for the statements that are shared with SQLite (`rows`), and the
//! numbers of finished matches, by which lists are ordered.
//!
//! A number is `base + (transaction id << 20) + position in the transaction`. Transaction ids are
//! assigned by PostgreSQL, so commits of different nodes need no common lock. The base changes only
//! when a database is moved to a server with lower transaction ids.
//!
//! Transactions may be committed in another order than their ids. So a match may appear between
//! matches that are already visible, but only above the *horizon*: the number of the oldest
//! transaction that is still running. Reads in ascending order stop at the horizon.

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres,
    postgres::{PgArguments, PgRow},
    query::Query,
};

use crate::{
    db_error::DbError,
    rows::{Param, SqlConnection, SqlDialect},
};

/// SQL table with the next number, as column `number`. Requires an open transaction. The table is
/// empty if the base is missing. A transaction has 2²⁰ numbers, and far fewer matches fit into
/// memory.
const NEXT: &str = "(
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

impl SqlConnection for PgConnection {
    type Row = PgRow;

    const DIALECT: SqlDialect = SqlDialect {
        next_finish_number: NEXT,
        finish_horizon: HORIZON,
        last_unskipped_number: "(SELECT finish_number FROM finished_match
             ORDER BY finish_number DESC LIMIT 1 OFFSET $3)",
        // The stored number is only the base of the numbers.
        last_finish_number: "SELECT greatest(last, (SELECT max(finish_number) FROM finished_match))
             FROM given_number WHERE of_table = 'finished_match'",
        set_last_finish_number: "UPDATE given_number SET last = $1
             WHERE of_table = 'finished_match'",
        ordered_join: "JOIN",
        in_numbers: "= ANY ($1)",
        newest_sums:
            "SELECT (SELECT sums FROM journal
                 WHERE batch > number << 40 AND batch < (number + 1) << 40
                 ORDER BY batch DESC LIMIT 1)
             FROM generate_series(0, (SELECT coalesce(max(batch), 0) >> 40 FROM journal)) AS number",
        name_bytes: "name",
        has_versions: true,
    };

    async fn query(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<PgRow>, DbError> {
        Ok(bind(sql, params).fetch_all(self).await?)
    }

    async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64, DbError> {
        Ok(bind(sql, params).execute(self).await?.rows_affected())
    }

    async fn rebuild_index(&mut self, _: &'static str) -> Result<(), DbError> {
        Ok(())
    }
}

/// Returns a statement with its parameters. The statements contain no values.
fn bind<'q>(sql: &str, params: &'q [Param<'q>]) -> Query<'q, Postgres, PgArguments> {
    let query = sqlx::query(AssertSqlSafe(sql.to_owned()));
    params.iter().fold(query, |query, param| match param {
        Param::Number(number) => query.bind(*number),
        Param::Text(text) => query.bind(*text),
        Param::Bytes(bytes) => query.bind(*bytes),
        Param::AnyText(text) => query.bind(text.as_bytes()),
        Param::Numbers(numbers) => query.bind(*numbers),
        Param::Sums(sums) => query.bind(sums.journal_numbers()),
    })
}

/// Raises the base if a stored number is higher than those that new transactions would get. This
/// occurs after a backup was restored on another PostgreSQL server, or after a failover to a
/// logical replica. Must be called on each new connection before it commits matches.
pub(super) async fn raise_base(connection: &mut PgConnection) -> Result<(), DbError> {
    let raise = "UPDATE given_number SET last = newest.number
         FROM (SELECT max(finish_number) AS number FROM finished_match) AS newest
         WHERE of_table = 'finished_match' AND newest.number >=
             last + (pg_snapshot_xmax(pg_current_snapshot())::text::bigint << 20)";
    connection.execute(raise, &[]).await?;
    Ok(())
}
