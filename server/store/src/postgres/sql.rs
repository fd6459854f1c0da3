//! PostgreSQL's side of the statements that are shared with SQLite (`rows`).

use std::path::Path;

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres,
    postgres::{PgArguments, PgRow},
    query::Query,
};

use super::{
    db_error::DbError,
    finish_numbers::{HORIZON, NEXT},
};
use crate::{
    StoreError,
    rows::{Param, SqlConnection, SqlDialect},
};

impl SqlConnection for PgConnection {
    type Row = PgRow;
    type Error = DbError;

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

    fn is_damaged_page(_: &DbError) -> bool {
        false
    }

    fn store_error(error: DbError, location: &Path) -> StoreError {
        error.at(&location.to_string_lossy())
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
    })
}
