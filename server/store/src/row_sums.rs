//! The number of rows of each table, and the sum of their checksums, by which missing rows are
//! noticed: a checksum in a row says nothing about a row that is gone.
//!
//! A sum does not depend on the order of the rows, so each commit adds the rows that it writes and
//! subtracts the rows that it replaces or deletes. It contains whole rows, so a row that was put
//! back to an earlier value is noticed too.
//!
//! The sums of tables that change together with matches are part of each commit's journal row. So
//! in PostgreSQL each node has its own sums, and no commit waits for that of another node. A node
//! can delete a row that another node has written; only the sum over all nodes describes the
//! tables. The newest journal row of a node that was taken over remains, and with it the node's
//! sums. API keys and secrets change under a lock of their table; their sums are in a table of
//! their own.

use crate::{
    DamageReport, DamagedValue, KeysVersion,
    db_error::DbError,
    named_rows::NamedTable,
    rows::{Param, SqlConnection, StoredRow, Unreadable, first},
};

/// Numbers are stored modulo 2^62, so that SQL adds two of them without an overflow.
pub(crate) const SUM_MASK: i64 = (1 << 62) - 1;

/// A table whose rows are counted. Replays are not, since each finished match must have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedTable {
    OpenMatch,
    FinishedMatch,
    Named(NamedTable),
}

impl CountedTable {
    /// Tables that change together with matches, in the order of the numbers in a journal row.
    pub(crate) const OF_JOURNAL: [Self; 6] = [
        Self::OpenMatch,
        Self::FinishedMatch,
        Self::Named(NamedTable::Record),
        Self::Named(NamedTable::Ladder),
        Self::Named(NamedTable::LadderVersion),
        Self::Named(NamedTable::LadderMatch),
    ];

    /// Tables that change under a lock.
    pub(crate) const LOCKED: [Self; 3] = [
        Self::Named(NamedTable::Key),
        Self::Named(NamedTable::KeyUse),
        Self::Named(NamedTable::Secret),
    ];

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::OF_JOURNAL.into_iter().chain(Self::LOCKED)
    }

    pub(crate) const fn sql_name(self) -> &'static str {
        match self {
            Self::OpenMatch => "open_match",
            Self::FinishedMatch => "finished_match",
            Self::Named(table) => table.sql_name(),
        }
    }

    fn place(self) -> usize {
        let place = Self::all().position(|table| table == self);
        place.expect("every table is in one of the lists")
    }
}

/// The rows of one table, or a change to them. Both numbers are modulo 2^62.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSum {
    pub(crate) rows: i64,
    pub(crate) sum: i64,
}

impl RowSum {
    pub(crate) fn of_row(checksum: i64) -> Self {
        Self { rows: 1, sum: checksum & SUM_MASK }
    }

    fn add(&mut self, other: Self) {
        self.rows = (self.rows + other.rows) & SUM_MASK;
        self.sum = (self.sum + other.sum) & SUM_MASK;
    }

    fn negated(self) -> Self {
        Self { rows: -self.rows & SUM_MASK, sum: -self.sum & SUM_MASK }
    }
}

/// The number of numbers in a journal row.
const JOURNAL_NUMBERS: usize = 2 * CountedTable::OF_JOURNAL.len();

/// The rows of every table, or a change to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSums([RowSum; CountedTable::OF_JOURNAL.len() + CountedTable::LOCKED.len()]);

impl RowSums {
    pub(crate) fn of(&self, table: CountedTable) -> RowSum {
        self.0[table.place()]
    }

    pub(crate) fn add(&mut self, table: CountedTable, added: RowSum) {
        self.0[table.place()].add(added);
    }

    pub(crate) fn add_row(&mut self, table: CountedTable, checksum: i64) {
        self.add(table, RowSum::of_row(checksum));
    }

    pub(crate) fn subtract(&mut self, table: CountedTable, removed: RowSum) {
        self.add(table, removed.negated());
    }

    pub(crate) fn clear(&mut self, table: CountedTable) {
        self.0[table.place()] = RowSum::default();
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for table in CountedTable::all() {
            self.add(table, other.of(table));
        }
    }

    /// Returns the numbers that a journal row contains: two for each table.
    pub(crate) fn journal_numbers(&self) -> [i64; JOURNAL_NUMBERS] {
        let mut numbers = [0; JOURNAL_NUMBERS];
        let pairs = numbers.chunks_exact_mut(2).zip(self.0);
        pairs.for_each(|(pair, RowSum { rows, sum })| pair.copy_from_slice(&[rows, sum]));
        numbers
    }

    /// Reads the numbers of a journal row. Missing numbers are 0, so that damage to them is noticed
    /// as a difference to the tables.
    pub(crate) fn from_journal(numbers: &[i64]) -> Self {
        let mut sums = Self::default();
        for (pair, own) in numbers.chunks_exact(2).zip(&mut sums.0) {
            own.add(RowSum { rows: pair[0] & SUM_MASK, sum: pair[1] & SUM_MASK });
        }
        sums
    }
}

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

/// Returns the version of the API keys: the stored sum of their rows.
pub(crate) async fn keys_version<C: SqlConnection>(
    connection: &mut C,
) -> Result<KeysVersion, DbError> {
    let stored = of_locked(connection, CountedTable::Named(NamedTable::Key)).await?;
    let missing = || Unreadable::new("the stored number of API keys is missing");
    Ok(KeysVersion(stored.ok_or_else(missing)?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_depends_on_the_rows_but_not_on_their_order() {
        let record = CountedTable::Named(NamedTable::Record);
        let (mut one, mut other) = (RowSums::default(), RowSums::default());
        for checksum in [i64::MIN, -1, 7, i64::MAX] {
            one.add_row(record, checksum);
        }
        for checksum in [i64::MAX, 7, i64::MIN, 12, -1] {
            other.add_row(record, checksum);
        }
        assert_ne!(one, other);
        other.subtract(record, RowSum::of_row(12));
        assert_eq!(one, other);
        assert_eq!(one.of(record).rows, 4);
    }

    #[test]
    fn nodes_that_delete_rows_of_others_add_up() {
        let (mut writer, mut deleter) = (RowSums::default(), RowSums::default());
        writer.add_row(CountedTable::OpenMatch, -5);
        deleter.subtract(CountedTable::OpenMatch, RowSum::of_row(-5));
        let stored = [writer, deleter].map(|sums| sums.journal_numbers());
        assert_ne!(stored[1], RowSums::default().journal_numbers());
        let mut total = RowSums::default();
        for numbers in stored {
            total.add_all(&RowSums::from_journal(&numbers));
        }
        assert_eq!(total, RowSums::default());
    }
}
