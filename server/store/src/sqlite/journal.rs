//! Rows of the journal: written many at once to the end of one table, read a match at a time.

use std::sync::{Arc, LazyLock};

use sqlx::{AssertSqlSafe, SqliteConnection};

use super::{failure::Fault, in_play::InPlay};

/// One entry of one match.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) seq: i64,
    /// The row of the same match before it.
    pub(super) previous: Option<i64>,
    pub(super) match_key: i64,
    pub(super) number: u64,
    pub(super) entry: Vec<u8>,
}

/// Most rows of one statement. More gain nothing: the statement is a small part of the cost by
/// then.
const MAX_ROWS_PER_INSERT: usize = 64;

/// A statement that adds up to `places` rows: values that are not bound are NULL, and a row
/// without a number is left out. So a few statements, kept prepared, serve any number of rows.
struct Insert {
    places: usize,
    sql: Arc<str>,
}

/// For 1, 2, 4, .. rows.
static INSERTS: LazyLock<Vec<Insert>> = LazyLock::new(|| {
    std::iter::successors(Some(1), |places| Some(places * 2))
        .take_while(|places| *places <= MAX_ROWS_PER_INSERT)
        .map(|places| {
            let values = vec!["(?, ?, ?, ?, ?)"; places].join(", ");
            let sql = format!(
                "INSERT INTO journal (seq, previous, match_key, number, entry)
                 SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"
            )
            .into();
            Insert { places, sql }
        })
        .collect()
});

impl Insert {
    /// The smallest that has room for so many rows.
    fn of(rows: usize) -> Option<&'static Self> {
        INSERTS.iter().find(|insert| insert.places >= rows)
    }
}

/// Adds rows within a transaction.
pub(super) async fn insert(connection: &mut SqliteConnection, rows: Vec<Row>) -> Result<(), Fault> {
    let mut rows = rows.into_iter();
    while let Some(insert) = Insert::of(rows.len().min(MAX_ROWS_PER_INSERT)) {
        if rows.len() == 0 {
            break;
        }
        let some = rows.by_ref().take(insert.places).collect();
        execute(connection, &insert.sql, some).await?;
    }
    Ok(())
}

async fn execute(
    connection: &mut SqliteConnection,
    sql: &Arc<str>,
    rows: Vec<Row>,
) -> Result<(), Fault> {
    let mut query = sqlx::query(AssertSqlSafe(Arc::clone(sql)));
    for row in rows {
        query = query
            .bind(row.seq)
            .bind(row.previous)
            .bind(row.match_key)
            // Numbers count entries one by one and stay far below the bound of i64.
            .bind(row.number.cast_signed())
            .bind(row.entry);
    }
    query.execute(connection).await?;
    Ok(())
}

/// The whole journal of a match, entry 0 first.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    in_play: &InPlay,
) -> Result<Vec<Vec<u8>>, Fault> {
    let Some(last_row) = in_play.last_row else {
        return Ok(Vec::new());
    };
    // One row more than there should be, so that a chain that does not end is noticed.
    let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
        "WITH RECURSIVE chain (seq) AS (
             VALUES (?1)
             UNION ALL
             SELECT journal.previous FROM chain JOIN journal ON journal.seq = chain.seq
             WHERE journal.previous IS NOT NULL
             LIMIT ?2 + 1
         )
         SELECT journal.match_key, journal.number, journal.entry
         FROM chain JOIN journal ON journal.seq = chain.seq",
    )
    .bind(last_row)
    .bind(in_play.entries.cast_signed())
    .fetch_all(connection)
    .await?;
    let mut journal = Vec::with_capacity(rows.len());
    let mut numbers = (0..in_play.entries.cast_signed()).rev();
    for (match_key, number, entry) in rows {
        if match_key != in_play.match_key || Some(number) != numbers.next() {
            return Err(Fault::Contradiction(format!(
                "the journal with key {} holds entry {number} of key {match_key} out of place",
                in_play.match_key
            )));
        }
        journal.push(entry);
    }
    if journal.len() as u64 != in_play.entries {
        return Err(Fault::Contradiction(format!(
            "the journal with key {} has {} entries of {}",
            in_play.match_key,
            journal.len(),
            in_play.entries
        )));
    }
    journal.reverse();
    Ok(journal)
}
