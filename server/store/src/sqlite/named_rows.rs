//! Tables of named rows in SQLite.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{all, execute, first, for_each},
};
use crate::{
    DamageReport,
    checksum::StoreId,
    named_rows::{
        DamagedRow, Decision, NameRange, NamedTable, QueryResults, RowChange, RowQuery, RowResult,
        Selection, TableMark,
    },
    rows::StoredRow as _,
};

/// Runs queries in order.
pub(super) fn read(
    connection: &Connection,
    store: StoreId,
    queries: &[RowQuery],
) -> Result<QueryResults, DbError> {
    let read = |query| read_one(connection, store, query);
    queries.iter().map(read).collect()
}

pub(super) fn read_one(
    connection: &Connection,
    store: StoreId,
    query: &RowQuery,
) -> Result<Vec<RowResult>, DbError> {
    let select = format!(
        "SELECT name, value, checksum FROM {}",
        query.table.sql_name()
    );
    let rows = match &query.selection {
        // Not in the order of an index, from which SQLite would read names that are damaged in the
        // table.
        Selection::All => all(connection, &select, ())?,
        Selection::Named(names) => {
            let select = format!("{select} WHERE name = ?");
            let found = names.iter().map(|name| first(connection, &select, [name]));
            let found: Vec<_> = found.collect::<Result<_, _>>()?;
            found.into_iter().flatten().collect()
        }
        Selection::First(range, limit) => {
            let select = format!("{select} {} ORDER BY name LIMIT ?3", condition(range));
            all(
                connection,
                &select,
                params![range.from, range.before, limit],
            )?
        }
        Selection::Last(range) => {
            let select = format!("{select} {} ORDER BY name DESC LIMIT 1", condition(range));
            let row = first(connection, &select, params![range.from, range.before])?;
            row.into_iter().collect()
        }
    };
    Ok(query.table.read_all(store, &rows))
}

/// Returns the condition that a name is in a range. The bounds are the parameters 1 and 2.
fn condition(range: &NameRange) -> &'static str {
    match range.before {
        Some(_) => "WHERE name >= ?1 AND name < ?2",
        None => "WHERE name >= ?1 AND ?2 IS NULL",
    }
}

/// Returns the damage in a table. The table is not read as a whole, since it can be large.
pub(super) fn find_damage(
    connection: &Connection,
    store: StoreId,
    table: NamedTable,
) -> Result<Vec<DamageReport>, DbError> {
    let mut reports = Vec::new();
    let select = format!("SELECT name, value, checksum FROM {}", table.sql_name());
    for_each(connection, &select, |row| {
        let damaged = table.read(store, &row).err();
        reports.extend(damaged.map(DamagedRow::into_report));
    })?;
    Ok(reports)
}

/// Returns the mark of a table.
pub(super) fn mark(connection: &Connection, table: NamedTable) -> Result<TableMark, DbError> {
    let row = first(connection, &table.select_mark(), ())?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(TableMark {
        rows: row.value::<i64>(0)?.unsigned_abs(),
        sum: row.value::<i64>(1)?.unsigned_abs(),
    })
}

/// Applies a change. Requires an open transaction.
pub(super) fn apply(
    connection: &Connection,
    store: StoreId,
    change: &RowChange,
) -> Result<(), DbError> {
    let sql_name = change.table().sql_name();
    match change {
        RowChange::Put { table, name, value } => execute(
            connection,
            &format!("INSERT OR REPLACE INTO {sql_name} (name, value, checksum) VALUES (?, ?, ?)"),
            params![name, value, table.checksum(store, name, value)],
        ),
        RowChange::Delete { name, .. } => execute(
            connection,
            &format!("DELETE FROM {sql_name} WHERE name = ?"),
            [name],
        ),
        RowChange::DeleteRange { range, .. } => execute(
            connection,
            &format!("DELETE FROM {sql_name} {}", condition(range)),
            params![range.from, range.before],
        ),
        RowChange::DeleteAll { .. } => execute(connection, &format!("DELETE FROM {sql_name}"), ()),
        RowChange::DeleteDamaged { name, .. } => {
            // The index might still contain the undamaged name, and SQLite cannot delete a row that
            // is missing in an index. So the row is searched in the table.
            execute(connection, &format!("REINDEX {sql_name}"), ())?;
            let delete =
                format!("DELETE FROM {sql_name} WHERE coalesce(CAST(name AS BLOB), x'') = ?");
            execute(connection, &delete, [name])
        }
    }?;
    Ok(())
}

/// Reads rows, and applies the changes that `decide` derives from them. Requires an open
/// transaction.
pub(super) fn update<T>(
    connection: &Connection,
    store: StoreId,
    queries: &[RowQuery],
    decide: impl FnOnce(QueryResults, bool) -> Decision<T>,
) -> Result<T, DbError> {
    // The transaction is never repeated.
    let is_retry = false;
    let (changes, value) = decide(read(connection, store, queries)?, is_retry)?;
    for change in &changes {
        apply(connection, store, change)?;
    }
    Ok(value)
}
