//! Tables of named rows in PostgreSQL.
//!
//! Nodes may write the same record at the same time, such as that of an idempotency key. A commit
//! must not wait for that of another node, so each transaction writes its own version of a row.

use sqlx::{AssertSqlSafe, PgConnection, postgres::PgRow};

use super::{db_error::DbError, write_connection::Transaction};
use crate::{
    checksum::StoreId,
    named_rows::{
        Decision, NameRange, NamedTable, QueryResults, RowChange, RowQuery, RowResult, Selection,
        TableMark,
    },
};

/// Runs queries in order.
pub(super) async fn read(
    connection: &mut PgConnection,
    store: StoreId,
    queries: &[RowQuery],
) -> Result<QueryResults, DbError> {
    let mut results = Vec::with_capacity(queries.len());
    for query in queries {
        results.push(read_one(connection, store, query).await?);
    }
    Ok(results)
}

pub(super) async fn read_one(
    connection: &mut PgConnection,
    store: StoreId,
    query: &RowQuery,
) -> Result<Vec<RowResult>, DbError> {
    let (condition, order) = match &query.selection {
        Selection::All => ("true", "name, version DESC"),
        Selection::Named(_) => ("name = ANY ($1)", "name, version DESC"),
        Selection::First(range, _) => (condition(range), "name, version DESC LIMIT $3"),
        Selection::Last(range) => (condition(range), "name DESC, version DESC LIMIT 1"),
    };
    let select = AssertSqlSafe(format!(
        "SELECT DISTINCT ON (name) name, value, checksum FROM {} WHERE {condition} ORDER BY {order}",
        query.table.sql_name()
    ));
    let select = sqlx::query(select);
    let select = match &query.selection {
        Selection::All => select,
        Selection::Named(names) => {
            let names: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
            select.bind(names)
        }
        Selection::First(range, limit) => {
            let (from, before) = bounds(range);
            select.bind(from).bind(before).bind(i64::from(*limit))
        }
        Selection::Last(range) => {
            let (from, before) = bounds(range);
            select.bind(from).bind(before)
        }
    };
    let rows: Vec<PgRow> = select.fetch_all(connection).await?;
    Ok(query.table.read_all(store, &rows))
}

/// Returns the condition that a name is in a range. The bounds are the parameters 1 and 2.
fn condition(range: &NameRange) -> &'static str {
    match range.before {
        Some(_) => "name >= $1 AND name < $2",
        None => "name >= $1 AND $2::bytea IS NULL",
    }
}

fn bounds(range: &NameRange) -> (&[u8], Option<&[u8]>) {
    (
        range.from.as_bytes(),
        range.before.as_deref().map(str::as_bytes),
    )
}

/// Returns the mark of a table.
pub(super) async fn mark(
    connection: &mut PgConnection,
    table: NamedTable,
) -> Result<TableMark, DbError> {
    let select = AssertSqlSafe(format!(
        "SELECT rows, sum::bigint FROM ({}) AS mark (rows, sum)",
        table.select_mark()
    ));
    let (rows, sum): (i64, i64) = sqlx::query_as(select).fetch_one(connection).await?;
    Ok(TableMark {
        rows: rows.unsigned_abs(),
        sum: sum.unsigned_abs(),
    })
}

/// Applies a change. Requires an open transaction.
pub(super) async fn apply(
    connection: &mut PgConnection,
    store: StoreId,
    change: &RowChange,
) -> Result<(), DbError> {
    let sql_name = change.table().sql_name();
    match change {
        RowChange::Put { table, name, value } => {
            // The count makes PostgreSQL delete before it inserts.
            let put = AssertSqlSafe(format!(
                "WITH deleted AS ({} RETURNING 1)
                 INSERT INTO {sql_name} (name, value, checksum, version)
                 SELECT $1, $2, $3, pg_current_xact_id()::text::bigint
                 FROM (SELECT count(*) FROM deleted) AS counted",
                delete(*table)
            ));
            sqlx::query(put)
                .bind(name.as_bytes())
                .bind(value)
                .bind(table.checksum(store, name, value))
                .execute(connection)
                .await?;
        }
        RowChange::Delete { table, name } => {
            let delete = sqlx::query(AssertSqlSafe(delete(*table)));
            delete.bind(name.as_bytes()).execute(connection).await?;
        }
        RowChange::DeleteRange { range, .. } => {
            let delete = format!("DELETE FROM {sql_name} WHERE {}", condition(range));
            let (from, before) = bounds(range);
            let delete = sqlx::query(AssertSqlSafe(delete)).bind(from).bind(before);
            delete.execute(connection).await?;
        }
        RowChange::DeleteAll { .. } => {
            let delete = AssertSqlSafe(format!("DELETE FROM {sql_name}"));
            sqlx::query(delete).execute(connection).await?;
        }
        RowChange::DeleteDamaged { name, .. } => {
            let delete = AssertSqlSafe(format!("DELETE FROM {sql_name} WHERE name = $1"));
            sqlx::query(delete).bind(name).execute(connection).await?;
        }
    }
    Ok(())
}

/// Returns the statement that deletes the versions of a row, except those that another node is
/// deleting.
fn delete(table: NamedTable) -> String {
    let table = table.sql_name();
    format!(
        "DELETE FROM {table} WHERE name = $1 AND version IN (
             SELECT version FROM {table} WHERE name = $1 FOR UPDATE SKIP LOCKED)"
    )
}

/// Reads rows in a transaction of their own.
pub(super) struct ReadRows<'a> {
    pub(super) store: StoreId,
    pub(super) queries: &'a [RowQuery],
}

impl Transaction for ReadRows<'_> {
    type Output = QueryResults;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<QueryResults, DbError> {
        read(connection, self.store, self.queries).await
    }
}

/// Reads the mark of a table in a transaction of its own.
pub(super) struct ReadMark(pub(super) NamedTable);

impl Transaction for ReadMark {
    type Output = TableMark;

    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<TableMark, DbError> {
        mark(connection, self.0).await
    }
}

/// Reads rows, and applies the changes that `decide` derives from them.
pub(super) struct UpdateRows<D> {
    pub(super) store: StoreId,
    pub(super) queries: Vec<RowQuery>,
    pub(super) decide: D,
}

impl<T: Send, D> Transaction for UpdateRows<D>
where
    D: Fn(QueryResults, bool) -> Decision<T> + Send + Sync,
{
    type Output = T;

    async fn run(&self, connection: &mut PgConnection, is_retry: bool) -> Result<T, DbError> {
        for query in &self.queries {
            lock(connection, query.table).await?;
        }
        let results = read(connection, self.store, &self.queries).await?;
        let (changes, value) = (self.decide)(results, is_retry)?;
        for change in &changes {
            apply(connection, self.store, change).await?;
        }
        Ok(value)
    }
}

/// Locks a table against other writers until the transaction ends. Readers are not blocked. Requires
/// an open transaction. It waits at most 1 s and is then retried, since the transaction also locks
/// the row of the node, which delays a takeover of its matches.
async fn lock(connection: &mut PgConnection, table: NamedTable) -> Result<(), DbError> {
    let lock = format!(
        "SET LOCAL lock_timeout = '1s'; LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE",
        table.sql_name()
    );
    sqlx::raw_sql(AssertSqlSafe(lock))
        .execute(connection)
        .await?;
    Ok(())
}
