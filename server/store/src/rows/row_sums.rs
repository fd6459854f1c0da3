//! The stored [sums](crate::row_sums) of rows: read, changed, and compared with the tables.

use super::{Param, SqlConnection, StoredRow, Unreadable, first};
use crate::{
    DamageReport, DamagedValue, KeysVersion,
    db_error::DbError,
    named_table::NamedTable,
    row_sums::{CountedTable, RowSum, RowSums, SUM_MASK},
};

/// The columns of the sum of rows. Halves of the checksums are added, since SQL reports an
/// overflow.
const COLUMNS: &str = "count(*),
    CAST(coalesce(sum(checksum & 2147483647), 0) AS BIGINT),
    CAST(coalesce(sum((checksum >> 31) & 2147483647), 0) AS BIGINT)";

fn from_row(row: &impl StoredRow) -> Result<RowSum, Unreadable> {
    let (low, high): (i64, i64) = (row.value(1)?, row.value(2)?);
    let sum = i128::from(low) + (i128::from(high) << 31);
    Ok(RowSum { rows: row.value(0)?, sum: (sum & i128::from(SUM_MASK)) as i64 })
}

/// Runs a query for [`COLUMNS`].
async fn query<C: SqlConnection>(
    connection: &mut C,
    sql: &str,
    params: &[Param<'_>],
) -> Result<RowSum, DbError> {
    let row = first(connection, sql, params).await?;
    let row = row.ok_or_else(|| Unreadable::new("the count is missing"))?;
    Ok(from_row(&row)?)
}

/// Returns the sum of all rows of a table.
pub(crate) async fn scan<C: SqlConnection>(
    connection: &mut C,
    table: CountedTable,
) -> Result<RowSum, DbError> {
    let select = format!("SELECT {COLUMNS} FROM {}", table.sql_name());
    query(connection, &select, &[]).await
}

/// Deletes the rows that satisfy a condition, and subtracts them. Requires an open transaction.
pub(crate) async fn delete<C: SqlConnection>(
    connection: &mut C,
    table: CountedTable,
    condition: &str,
    params: &[Param<'_>],
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let name = table.sql_name();
    let delete = format!("DELETE FROM {name} WHERE {condition}");
    let deleted = if C::DIALECT.has_versions {
        // Another node can insert a row between two statements.
        let delete =
            format!("WITH deleted AS ({delete} RETURNING checksum) SELECT {COLUMNS} FROM deleted");
        query(connection, &delete, params).await?
    } else {
        let select = format!("SELECT {COLUMNS} FROM {name} WHERE {condition}");
        let deleted = query(connection, &select, params).await?;
        if deleted.rows > 0 {
            connection.execute(&delete, params).await?;
        }
        deleted
    };
    sums.subtract(table, deleted);
    Ok(())
}

/// Inserts a row with a name, and replaces its earlier versions except those that another node is
/// deleting. The parameters are the name, the value and the checksum. Requires an open transaction.
pub(crate) async fn replace<C: SqlConnection>(
    connection: &mut C,
    table: CountedTable,
    condition: &str,
    params: &[Param<'_>; 3],
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let name = table.sql_name();
    if C::DIALECT.has_versions {
        // PostgreSQL inserts after it has deleted, since it inserts for a row of `counted`.
        let put = format!(
            "WITH deleted AS (DELETE FROM {name} WHERE {condition} RETURNING checksum),
                 counted AS (SELECT {COLUMNS} FROM deleted),
                 inserted AS (INSERT INTO {name} (name, value, checksum, version)
                     SELECT $1, $2, $3, pg_current_xact_id()::text::bigint FROM counted)
             SELECT * FROM counted"
        );
        let replaced = query(connection, &put, params).await?;
        sums.subtract(table, replaced);
        return Ok(());
    }
    let select = format!("SELECT {COLUMNS} FROM {name} WHERE {condition}");
    sums.subtract(table, query(connection, &select, &params[..1]).await?);
    let put = format!("INSERT OR REPLACE INTO {name} (name, value, checksum) VALUES ($1, $2, $3)");
    connection.execute(&put, params).await?;
    Ok(())
}

/// Changes the stored sums of locked tables. Requires an open transaction that has locked the
/// tables.
pub(crate) async fn add_to_locked<C: SqlConnection>(
    connection: &mut C,
    change: &RowSums,
) -> Result<(), DbError> {
    for table in CountedTable::LOCKED {
        let RowSum { rows, sum } = change.of(table);
        if (rows, sum) == (0, 0) {
            continue;
        }
        let update = format!(
            "UPDATE key_sum SET row_count = (row_count + $2) & {SUM_MASK},
                 checksum_sum = (checksum_sum + $3) & {SUM_MASK}
             WHERE of_table = $1"
        );
        let params = [table.sql_name().into(), rows.into(), sum.into()];
        connection.execute(&update, &params).await?;
    }
    Ok(())
}

/// Returns the stored sum of a locked table, or `None` if it is missing.
async fn of_locked<C: SqlConnection>(
    connection: &mut C,
    table: CountedTable,
) -> Result<Option<RowSum>, DbError> {
    let select = "SELECT row_count, checksum_sum FROM key_sum WHERE of_table = $1";
    let row = first(connection, select, &[table.sql_name().into()]).await?;
    Ok(row.and_then(|row| Some(RowSum { rows: row.value(0).ok()?, sum: row.value(1).ok()? })))
}

/// Returns the version of the API keys: the stored sum of their rows. If it is missing, returns the
/// sum of the rows as they are, since authentication must not depend on a single row.
pub(crate) async fn keys_version<C: SqlConnection>(
    connection: &mut C,
) -> Result<KeysVersion, DbError> {
    let table = CountedTable::Named(NamedTable::Key);
    Ok(KeysVersion(match of_locked(connection, table).await? {
        Some(stored) => stored,
        None => scan(connection, table).await?,
    }))
}

/// Returns the difference between the rows of a table and its stored sum, which itself can be
/// missing. Also returns whether the number of rows differs.
fn difference(
    table: CountedTable,
    stored: Option<RowSum>,
    found: RowSum,
) -> Option<(DamageReport, bool)> {
    let rows = found.rows;
    let detail = match stored {
        None => "the stored number of its rows is missing".to_owned(),
        Some(stored) if stored == found => return None,
        Some(RowSum { rows: expected, .. }) => match expected - rows {
            0 => format!("one of its {rows} rows is not the row that was committed last"),
            1 => format!("1 of its {expected} rows is missing"),
            missing if missing > 0 => format!("{missing} of its {expected} rows are missing"),
            _ => format!("it has {rows} rows, but {expected} were committed"),
        },
    };
    let value = DamagedValue::Table(table.sql_name());
    let is_count_wrong = stored.is_none_or(|stored| stored.rows != rows);
    Some((DamageReport { value, detail }, is_count_wrong))
}

/// Returns whether rows of a locked table are missing. Requires an open transaction that has locked
/// the table.
pub(crate) async fn find_missing<C: SqlConnection>(
    connection: &mut C,
    table: CountedTable,
) -> Result<Option<DamageReport>, DbError> {
    let found = scan(connection, table).await?;
    let stored = of_locked(connection, table).await?;
    if stored.is_some_and(|stored| stored.rows <= found.rows) {
        return Ok(None);
    }
    Ok(difference(table, stored, found).map(|(damage, _)| damage))
}

/// Compares all tables with the stored sums, those of all nodes together. Returns the differences,
/// and whether each is one of the number of rows. Requires an open snapshot transaction.
pub(crate) async fn compare<C: SqlConnection>(
    connection: &mut C,
) -> Result<Vec<(DamageReport, bool)>, DbError> {
    let mut of_nodes = RowSums::default();
    for row in connection.query(C::DIALECT.newest_sums, &[]).await? {
        of_nodes.add_all(&row.sums(0));
    }
    let mut differences = Vec::new();
    for table in CountedTable::all() {
        let stored = if CountedTable::LOCKED.contains(&table) {
            of_locked(connection, table).await?
        } else {
            Some(of_nodes.of(table))
        };
        let found = scan(connection, table).await?;
        differences.extend(difference(table, stored, found));
    }
    Ok(differences)
}

/// Returns the sums of all tables as they are now, and stores those of locked tables. Requires an
/// open transaction.
pub(crate) async fn accept<C: SqlConnection>(connection: &mut C) -> Result<RowSums, DbError> {
    let mut sums = RowSums::default();
    for table in CountedTable::all() {
        sums.add(table, scan(connection, table).await?);
    }
    for table in CountedTable::LOCKED {
        set_locked(connection, table, sums.of(table)).await?;
    }
    Ok(sums)
}

/// Stores the sum of a locked table. Requires an open transaction.
pub(crate) async fn set_locked<C: SqlConnection>(
    connection: &mut C,
    table: CountedTable,
    RowSum { rows, sum }: RowSum,
) -> Result<(), DbError> {
    let name = table.sql_name().into();
    let delete = "DELETE FROM key_sum WHERE of_table = $1";
    connection.execute(delete, &[name]).await?;
    let insert = "INSERT INTO key_sum (of_table, row_count, checksum_sum) VALUES ($1, $2, $3)";
    let params = [name, rows.into(), sum.into()];
    connection.execute(insert, &params).await?;
    Ok(())
}
