//! Damage by valid SQL statements: rows with wrong values.

use std::path::Path;

use rand::{RngExt as _, rngs::SmallRng, seq::IndexedRandom as _};
use rusqlite::{Connection, Params, Result, types::FromSql};

/// Number of attempts to find rows that can be changed, since a constraint may prevent the change.
const ATTEMPTS: usize = 50;

/// Identifiers that are not valid, as literals.
const UNREADABLE: [&str; 3] = ["''", "x'ff00'", "'not an id!'"];

/// Changes a value of a row, swaps the values of two rows, or makes an identifier unreadable.
/// Returns a description.
pub(crate) fn change_rows(database: &Path, random: &mut SmallRng) -> Option<String> {
    let connection = Connection::open(database).ok()?;
    connection.pragma_update(None, "foreign_keys", false).ok()?;
    let done = (0..ATTEMPTS).find_map(|_| match random.random_range(0..4) {
        0 => make_unreadable(&connection, random),
        _ => change(&connection, random),
    });
    connection.close().ok()?;
    done
}

fn change(connection: &Connection, random: &mut SmallRng) -> Option<String> {
    let tables: Vec<String> = values(
        connection,
        "SELECT name FROM sqlite_schema WHERE type = 'table'
         AND name NOT LIKE 'sqlite_%' ORDER BY name",
        (),
    )
    .ok()?;
    let table = tables.choose(random)?;
    let columns: Vec<String> =
        values(connection, "SELECT name FROM pragma_table_info(?) ORDER BY cid", [table]).ok()?;
    let column = columns.choose(random)?;
    // Tables without row ids are skipped, because the statement fails for them.
    let rows = format!("SELECT rowid FROM {table} ORDER BY rowid");
    let rows: Vec<i64> = values(connection, &rows, ()).ok()?;
    let (one, other) = (*rows.choose(random)?, *rows.choose(random)?);
    if one == other {
        edit(connection, random, table, column, one)
    } else {
        swap(connection, table, column, one, other)
    }
}

/// Replaces an identifier by one that is not valid, also in tables without row ids.
fn make_unreadable(connection: &Connection, random: &mut SmallRng) -> Option<String> {
    let ids: Vec<String> = values(
        connection,
        "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.name IN ('name', 'match_id')
         ORDER BY 1",
        (),
    )
    .ok()?;
    let (table, column) = ids.choose(random)?.split_once('.')?;
    let rows: Vec<u32> = values(connection, &format!("SELECT count(*) FROM {table}"), ()).ok()?;
    let row = random.random_range(0..rows[0].max(1));
    let id = UNREADABLE.choose(random)?;
    let sql = format!(
        "UPDATE {table} SET {column} = {id}
         WHERE {column} = (SELECT {column} FROM {table} ORDER BY 1 LIMIT 1 OFFSET {row})"
    );
    let changed = connection.execute(&sql, ()).ok()?;
    (changed > 0).then(|| format!("{column} of row {row} of {table} set to {id}"))
}

/// Returns the values of a query with one column.
fn values<T: FromSql>(connection: &Connection, sql: &str, params: impl Params) -> Result<Vec<T>> {
    let mut statement = connection.prepare(sql)?;
    statement.query_map(params, |row| row.get(0))?.collect()
}

fn swap(
    connection: &Connection,
    table: &str,
    column: &str,
    one: i64,
    other: i64,
) -> Option<String> {
    let same = format!(
        "SELECT a.{column} IS b.{column} FROM {table} a, {table} b
         WHERE a.rowid = {one} AND b.rowid = {other}"
    );
    let same: bool = connection.query_one(&same, (), |row| row.get(0)).ok()?;
    if same {
        return None;
    }
    let sql = format!(
        "UPDATE {table} SET {column} = (SELECT {column} FROM {table} o
             WHERE o.rowid = {one} + {other} - {table}.rowid)
         WHERE rowid IN ({one}, {other})"
    );
    connection.execute(&sql, ()).ok()?;
    Some(format!("{column} of rows {one} and {other} of {table} swapped"))
}

fn edit(
    connection: &Connection,
    random: &mut SmallRng,
    table: &str,
    column: &str,
    row: i64,
) -> Option<String> {
    let select = format!("SELECT CAST({column} AS BLOB) FROM {table} WHERE rowid = {row}");
    let value: Option<Vec<u8>> = connection.query_one(&select, (), |row| row.get(0)).ok()?;
    let mut value = value.filter(|value| !value.is_empty())?;
    let at = random.random_range(0..value.len());
    // Flips the lowest bit, so that a digit stays a digit, and a letter a letter.
    value[at] ^= 1;
    let sql = format!(
        "UPDATE {table} SET {column} = CASE typeof({column})
             WHEN 'integer' THEN {column} + 1 WHEN 'text' THEN CAST(?1 AS TEXT) ELSE ?1 END
         WHERE rowid = {row}"
    );
    connection.execute(&sql, [value]).ok()?;
    Some(format!("{column} of row {row} of {table} changed"))
}
