//! Tables of named rows.
//!
//! In PostgreSQL, several nodes may write the same record at the same time, for example that of an
//! idempotency key. To keep a commit from waiting for another node's, each transaction writes its
//! own version of a row.

use super::{Param, SqlConnection, StoredRow, Unreadable, first};
use crate::{
    checksum::StoreId,
    db_error::DbError,
    named_rows::{
        NameRange, NamedTable, QueryResults, RowChange, RowDecision, RowQuery, RowResult,
        RowSelection, TableFingerprint,
    },
};

/// Runs queries in order.
pub(crate) async fn read<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    queries: &[RowQuery],
) -> Result<QueryResults, DbError> {
    let mut results = Vec::with_capacity(queries.len());
    for query in queries {
        results.push(read_one(connection, store, query).await?);
    }
    Ok(results)
}

pub(crate) async fn read_one<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    query: &RowQuery,
) -> Result<Vec<RowResult>, DbError> {
    let (distinct, version) = if C::DIALECT.has_versions {
        ("DISTINCT ON (name)", ", version DESC")
    } else {
        ("", "")
    };
    let table = query.table.sql_name();
    let select = format!("SELECT {distinct} name, value, checksum FROM {table}");
    let (sql, params) = match &query.selection {
        // SQLite reads the table without an order, since an ordered read would return names from
        // the index even if these names are damaged in the table.
        RowSelection::All if C::DIALECT.has_versions => {
            (format!("{select} ORDER BY name{version}"), Vec::new())
        }
        RowSelection::All => (select, Vec::new()),
        RowSelection::Named(names) if names.is_empty() => return Ok(Vec::new()),
        RowSelection::Named(names) => {
            let list: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
            let list = list.join(", ");
            let params = names.iter().map(|name| Param::AnyText(name));
            (
                format!("{select} WHERE name IN ({list}) ORDER BY name{version}"),
                params.collect(),
            )
        }
        RowSelection::First(range, limit) => {
            let (condition, mut params) = condition(range);
            params.push(i64::from(*limit).into());
            let limit = params.len();
            (
                format!("{select} WHERE {condition} ORDER BY name{version} LIMIT ${limit}"),
                params,
            )
        }
        RowSelection::Last(range) => {
            let (condition, params) = condition(range);
            (
                format!("{select} WHERE {condition} ORDER BY name DESC{version} LIMIT 1"),
                params,
            )
        }
    };
    let rows = connection.query(&sql, &params).await?;
    Ok(query.table.read_all(store, &rows))
}

/// Returns the condition that a name is in a range, and its parameters.
fn condition(range: &NameRange) -> (&'static str, Vec<Param<'_>>) {
    let from = Param::AnyText(&range.from);
    match &range.before {
        Some(before) => (
            "name >= $1 AND name < $2",
            vec![from, Param::AnyText(before)],
        ),
        None => ("name >= $1", vec![from]),
    }
}

/// Returns the fingerprint of a table.
pub(crate) async fn fingerprint<C: SqlConnection>(
    connection: &mut C,
    table: NamedTable,
) -> Result<TableFingerprint, DbError> {
    let select = format!(
        "SELECT count(*), CAST(coalesce(sum(checksum & 4294967295), 0) AS BIGINT) FROM {}",
        table.sql_name()
    );
    let row = first(connection, &select, &[]).await?;
    let row = row.ok_or_else(|| Unreadable::new("the count is missing"))?;
    Ok(TableFingerprint {
        rows: row.value::<i64>(0)?.unsigned_abs(),
        sum: row.value::<i64>(1)?.unsigned_abs(),
    })
}

/// Applies a change. Requires an open transaction.
pub(crate) async fn apply<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    change: &RowChange,
) -> Result<(), DbError> {
    let table = change.table().sql_name();
    let has_versions = C::DIALECT.has_versions;
    let (sql, params) = match change {
        RowChange::Put { name, value, .. } => {
            let put = if has_versions {
                // The reference to the count forces PostgreSQL to delete before it inserts.
                format!(
                    "WITH deleted AS ({} RETURNING 1)
                     INSERT INTO {table} (name, value, checksum, version)
                     SELECT $1, $2, $3, pg_current_xact_id()::text::bigint
                     FROM (SELECT count(*) FROM deleted) AS counted",
                    delete(table, has_versions)
                )
            } else {
                format!(
                    "INSERT OR REPLACE INTO {table} (name, value, checksum) VALUES ($1, $2, $3)"
                )
            };
            let checksum = change.table().checksum(store, name, value);
            let name = Param::AnyText(name);
            (put, vec![name, value.as_slice().into(), checksum.into()])
        }
        RowChange::Delete { name, .. } => {
            let name = Param::AnyText(name);
            (delete(table, has_versions), vec![name])
        }
        RowChange::DeleteRange { range, .. } => {
            let (condition, params) = condition(range);
            (format!("DELETE FROM {table} WHERE {condition}"), params)
        }
        RowChange::DeleteAll { .. } => (format!("DELETE FROM {table}"), Vec::new()),
        RowChange::DeleteDamaged { name, .. } => {
            // The index might still contain the undamaged name, so it is rebuilt, and the row is
            // found in the table.
            connection.rebuild_index(table).await?;
            let name = name.as_slice().into();
            let stored = C::DIALECT.name_bytes;
            (
                format!("DELETE FROM {table} WHERE {stored} = $1"),
                vec![name],
            )
        }
    };
    connection.execute(&sql, &params).await?;
    Ok(())
}

/// Returns the statement that deletes a row. With versions, it deletes all of them except those
/// that another node is deleting.
fn delete(table: &str, has_versions: bool) -> String {
    if !has_versions {
        return format!("DELETE FROM {table} WHERE name = $1");
    }
    format!(
        "DELETE FROM {table} WHERE name = $1 AND version IN (
             SELECT version FROM {table} WHERE name = $1 FOR UPDATE SKIP LOCKED)"
    )
}

/// Reads rows, and applies the changes that `decide` derives from them. Requires an open
/// transaction.
pub(crate) async fn update<C: SqlConnection, T>(
    connection: &mut C,
    store: StoreId,
    queries: &[RowQuery],
    decide: impl FnOnce(QueryResults) -> RowDecision<T>,
) -> Result<T, DbError> {
    let (changes, value) = decide(read(connection, store, queries).await?)?;
    for change in &changes {
        apply(connection, store, change).await?;
    }
    Ok(value)
}
