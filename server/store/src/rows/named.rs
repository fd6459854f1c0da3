//! Tables of named rows.
//!
//! In PostgreSQL, several nodes may write the same record at the same time, for example that of an
//! idempotency key. To keep a commit from waiting for another node's, each transaction writes its
//! own version of a row.

use super::{Param, SqlConnection, row_sums};
use crate::{
    checksum::StoreId,
    db_error::DbError,
    named_rows::{
        DamagedRow, NameRange, NamedTable, QueryResults, RowChange, RowDecision, RowQuery,
        RowResult, RowSelection,
    },
    row_sums::{CountedTable, RowSum, RowSums},
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
    let (distinct, version) =
        if C::DIALECT.has_versions { ("DISTINCT ON (name)", ", version DESC") } else { ("", "") };
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
            (format!("{select} WHERE name IN ({list}) ORDER BY name{version}"), params.collect())
        }
        RowSelection::First(range, limit) => {
            let (condition, mut params) = condition(range);
            params.push(i64::from(*limit).into());
            let limit = params.len();
            (format!("{select} WHERE {condition} ORDER BY name{version} LIMIT ${limit}"), params)
        }
        RowSelection::Last(range) => {
            let (condition, params) = condition(range);
            (format!("{select} WHERE {condition} ORDER BY name DESC{version} LIMIT 1"), params)
        }
    };
    let rows = connection.query(&sql, &params).await?;
    Ok(query.table.read_all(store, &rows))
}

/// Returns the condition that a name is in a range, and its parameters.
fn condition(range: &NameRange) -> (&'static str, Vec<Param<'_>>) {
    let from = Param::AnyText(&range.from);
    match &range.before {
        Some(before) => ("name >= $1 AND name < $2", vec![from, Param::AnyText(before)]),
        None => ("name >= $1", vec![from]),
    }
}

/// Applies a change. Requires an open transaction.
pub(crate) async fn apply<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    change: &RowChange,
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let table = CountedTable::Named(change.table());
    // With versions, all of them except those that another node is deleting.
    let named = if C::DIALECT.has_versions {
        format!(
            "name = $1 AND version IN (
                 SELECT version FROM {} WHERE name = $1 FOR UPDATE SKIP LOCKED)",
            table.sql_name()
        )
    } else {
        "name = $1".to_owned()
    };
    let stored_name = format!("{} = $1", C::DIALECT.name_bytes);
    let (condition, params) = match change {
        RowChange::Put { name, value, .. } => {
            let checksum = change.table().checksum(store, name, value);
            sums.add_row(table, checksum);
            let params = [Param::AnyText(name), value.as_slice().into(), checksum.into()];
            return row_sums::replace(connection, table, &named, &params, sums).await;
        }
        RowChange::Delete { name, .. } => (&*named, vec![Param::AnyText(name)]),
        RowChange::DeleteRange { range, .. } => condition(range),
        RowChange::DeleteAll { .. } => ("1 = 1", Vec::new()),
        RowChange::DeleteDamaged { name, .. } => {
            // The index might still contain the undamaged name. So the row is searched in the
            // table.
            connection.rebuild_index(table.sql_name()).await?;
            (&*stored_name, vec![name.as_slice().into()])
        }
    };
    row_sums::delete(connection, table, condition, &params, sums).await
}

/// Reads rows of tables that change without matches, and applies the changes that `decide` derives
/// from them. Requires an open transaction that has locked the tables.
pub(crate) async fn update<C: SqlConnection, T>(
    connection: &mut C,
    store: StoreId,
    queries: &[RowQuery],
    decide: impl FnOnce(QueryResults) -> RowDecision<T>,
) -> Result<T, DbError> {
    let mut results = read(connection, store, queries).await?;
    for (RowQuery { table, selection }, rows) in queries.iter().zip(&mut results) {
        // A new secret must not replace a lost one.
        if let (NamedTable::Secret, RowSelection::All) = (table, selection) {
            let missing = row_sums::find_missing(connection, CountedTable::Named(*table)).await?;
            rows.extend(missing.map(|missing| Err(DamagedRow::missing(*table, missing.detail))));
        }
    }
    let (changes, value) = decide(results)?;
    let mut sums = RowSums::default();
    for change in &changes {
        let table = CountedTable::Named(change.table());
        let is_complete = matches!(change, RowChange::DeleteDamaged { .. })
            && row_sums::find_missing(connection, table).await?.is_none();
        apply(connection, store, change, &mut sums).await?;
        let new_sum = match change {
            RowChange::DeleteAll { .. } => RowSum::default(),
            // The damaged part may be the checksum itself, which says nothing about the stored sum.
            RowChange::DeleteDamaged { .. } if is_complete => {
                row_sums::scan(connection, table).await?
            }
            _ => continue,
        };
        row_sums::set_locked(connection, table, new_sum).await?;
        sums.clear(table);
    }
    row_sums::add_to_locked(connection, &sums).await?;
    Ok(value)
}
