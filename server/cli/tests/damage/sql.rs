//! Damage by SQL that is valid: rows that say what they never said.

use std::path::Path;

use rand::{RngExt as _, rngs::SmallRng, seq::IndexedRandom as _};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection,
    sqlite::SqliteConnectOptions,
};

/// Attempts to find rows that can be changed: a constraint may forbid some.
const ATTEMPTS: usize = 50;

/// Changes a value of a row, or gives the values of two rows to each other. Tells what was done.
pub(crate) fn change_rows(database: &Path, random: &mut SmallRng) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let options = SqliteConnectOptions::new()
            .filename(database)
            .foreign_keys(false);
        let mut connection = options.connect().await.ok()?;
        let mut done = None;
        for _ in 0..ATTEMPTS {
            done = change(&mut connection, random).await;
            if done.is_some() {
                break;
            }
        }
        connection.close().await.ok()?;
        done
    })
}

async fn change(connection: &mut SqliteConnection, random: &mut SmallRng) -> Option<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table'
         AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY name",
    )
    .fetch_all(&mut *connection)
    .await
    .ok()?;
    let table = tables.choose(random)?;
    let columns: Vec<String> =
        sqlx::query_scalar("SELECT name FROM pragma_table_info(?) ORDER BY cid")
            .bind(table)
            .fetch_all(&mut *connection)
            .await
            .ok()?;
    let column = columns.choose(random)?;
    // A table without numbers of rows is left out: the statement fails.
    let rows = format!("SELECT rowid FROM {table} ORDER BY rowid");
    let rows: Vec<i64> = sqlx::query_scalar(AssertSqlSafe(rows))
        .fetch_all(&mut *connection)
        .await
        .ok()?;
    let (one, other) = (*rows.choose(random)?, *rows.choose(random)?);
    if one == other {
        edit(connection, random, table, column, one).await
    } else {
        swap(connection, table, column, one, other).await
    }
}

async fn swap(
    connection: &mut SqliteConnection,
    table: &str,
    column: &str,
    one: i64,
    other: i64,
) -> Option<String> {
    let same = format!(
        "SELECT a.{column} IS b.{column} FROM {table} a, {table} b
         WHERE a.rowid = {one} AND b.rowid = {other}"
    );
    let same: bool = sqlx::query_scalar(AssertSqlSafe(same))
        .fetch_one(&mut *connection)
        .await
        .ok()?;
    if same {
        return None;
    }
    let sql = format!(
        "UPDATE {table} SET {column} = (SELECT {column} FROM {table} o
             WHERE o.rowid = {one} + {other} - {table}.rowid)
         WHERE rowid IN ({one}, {other})"
    );
    sqlx::query(AssertSqlSafe(sql))
        .execute(connection)
        .await
        .ok()?;
    Some(format!(
        "{column} of rows {one} and {other} of {table} swapped"
    ))
}

async fn edit(
    connection: &mut SqliteConnection,
    random: &mut SmallRng,
    table: &str,
    column: &str,
    row: i64,
) -> Option<String> {
    let select = format!("SELECT CAST({column} AS BLOB) FROM {table} WHERE rowid = {row}");
    let value: Option<Vec<u8>> = sqlx::query_scalar(AssertSqlSafe(select))
        .fetch_one(&mut *connection)
        .await
        .ok()?;
    let mut value = value.filter(|value| !value.is_empty())?;
    let at = random.random_range(0..value.len());
    // The lowest bit: a digit stays a digit, and a letter a letter.
    value[at] ^= 1;
    let sql = format!(
        "UPDATE {table} SET {column} = CASE typeof({column})
             WHEN 'integer' THEN {column} + 1 WHEN 'text' THEN CAST(? AS TEXT) ELSE ? END
         WHERE rowid = {row}"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(&value)
        .bind(&value)
        .execute(connection)
        .await
        .ok()?;
    Some(format!("{column} of row {row} of {table} changed"))
}
