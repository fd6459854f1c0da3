//! Finished matches, and their entries in the lists of parties.

use std::collections::BTreeSet;

use super::{
    Param, SqlConnection, StoredRow, Unreadable, first, id_from_row, row_sums, scalar,
    substitute_id,
};
use crate::{
    DamageReport, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, IndexKey, KeyName,
    ListedPage, MatchId,
    checksum::{CHECKSUM_MISMATCH, StoreId},
    db_error::DbError,
    row_sums::{CountedTable, RowSums},
};

/// Prefix of the substitute id of a match whose id cannot be read. The number of the row follows.
const SUBSTITUTE_PREFIX: &str = "damaged-finished-";

/// A value that was read from finished matches, with the highest of their numbers. In PostgreSQL,
/// readers see matches as soon as they are committed, possibly before they are flushed; the value
/// must be withheld until then.
pub(crate) type MaybeUnflushed<T> = (T, Option<i64>);

/// The columns that [`read`] expects.
pub(crate) const COLUMNS: &str = "finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms,
     summary, parties, finished_match.checksum";

fn checksum_of(store: StoreId, finished: &FinishedMatch, parties: &str) -> i64 {
    store
        .start_row_checksum("finished_match")
        .add_text(finished.match_id.as_str())
        .add_number(finished.opened_at_unix_ms)
        .add_number(finished.ended_at_unix_ms)
        .add_bytes(&finished.summary)
        .add_text(parties)
        .finish()
}

/// Reads a finished match and its parties from a row with [`COLUMNS`].
pub(crate) fn read(
    store: StoreId,
    row: &impl StoredRow,
) -> Result<(FinishedMatch, String), DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let parties: String = row.value(5)?;
        let finished = FinishedMatch {
            match_id: MatchId::new(row.value::<String>(1)?)?,
            opened_at_unix_ms: row.value(2)?,
            ended_at_unix_ms: row.value(3)?,
            summary: row.value(4)?,
        };
        let computed = checksum_of(store, &finished, &parties);
        Ok((finished, parties, row.value::<i64>(6)? == computed))
    };
    let problem = match read() {
        Ok((finished, parties, true)) => return Ok((finished, parties)),
        Ok((_, _, false)) => CHECKSUM_MISMATCH.to_owned(),
        Err(error) => error.to_string(),
    };
    let id = id_from_row(row, 1)
        .unwrap_or_else(|| substitute_id(SUBSTITUTE_PREFIX, row.value(0).unwrap_or_default()));
    Err(DamageReport { value: DamagedValue::Summary(id), detail: problem })
}

/// The column after [`COLUMNS`] that states whether a match is unsettled: other matches may still
/// be inserted next to it in the list.
const UNSETTLED_COLUMN: usize = 7;

/// Reads the matches of rows, and the damage in them. The rows must come from the lists of all of
/// `keys`.
fn read_all<R: StoredRow>(
    store: StoreId,
    rows: &[R],
    keys: &[IndexKey],
) -> (Vec<FinishedMatch>, Vec<DamageReport>) {
    let (mut matches, mut damaged) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        match read(store, row) {
            Ok((finished, own)) => {
                let has = |key: &IndexKey| own.lines().any(|name| name == key.as_str());
                if keys.iter().all(has) {
                    matches.push(finished);
                } else {
                    damaged.push(DamageReport {
                        value: DamagedValue::Party(finished.match_id),
                        detail: "unexpected entry in the list of a party".to_owned(),
                    });
                }
            }
            Err(damage) => damaged.push(damage),
        }
    }
    (matches, damaged)
}

/// A finished match with its index keys and its replay.
#[derive(Debug)]
pub(crate) struct FinishedEntry {
    pub(crate) finished: FinishedMatch,
    /// Index keys in ascending order, separated by line breaks.
    pub(crate) keys: String,
    /// `None` if the replay was deleted.
    pub(crate) replay: Option<Vec<u8>>,
}

/// Joins index keys, which contain no line breaks, as they are stored.
pub(crate) fn join_keys(keys: &BTreeSet<IndexKey>) -> String {
    let names: Vec<&str> = keys.iter().map(IndexKey::as_str).collect();
    names.join("\n")
}

/// Inserts a finished match without its replay, with this number; `None` for the next number.
/// Returns the number. Requires an open transaction.
pub(super) async fn insert<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    number: Option<i64>,
    FinishedEntry { finished, keys, .. }: &FinishedEntry,
    sums: &mut RowSums,
) -> Result<i64, DbError> {
    let checksum = checksum_of(store, finished, keys);
    sums.add_row(CountedTable::FinishedMatch, checksum);
    let next = C::DIALECT.next_finish_number;
    let sql = format!(
        "INSERT INTO finished_match (finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms,
             summary, parties, checksum)
         SELECT coalesce(CAST($1 AS BIGINT), number), $2, $3, $4, $5, $6, $7 FROM {next}
         RETURNING finish_number"
    );
    let params = [
        Param::Number(number),
        finished.match_id.as_str().into(),
        finished.opened_at_unix_ms.into(),
        finished.ended_at_unix_ms.into(),
        finished.summary.as_slice().into(),
        keys.as_str().into(),
        checksum.into(),
    ];
    let number: Option<i64> = scalar(connection, &sql, &params).await?;
    let number = number
        .ok_or_else(|| Unreadable::new("the base of the numbers of finished matches is missing"))?;
    let names: Vec<&str> = keys.lines().collect();
    if names.is_empty() {
        return Ok(number);
    }
    let rows: Vec<String> = (2..).take(names.len()).map(|n| format!("(${n}, $1)")).collect();
    let rows = rows.join(", ");
    let insert = format!("INSERT INTO finished_party (name, match_id) VALUES {rows}");
    let names = names.into_iter().map(Param::Text);
    let id = finished.match_id.as_str().into();
    let params: Vec<Param<'_>> = std::iter::once(id).chain(names).collect();
    connection.execute(&insert, &params).await?;
    Ok(number)
}

/// Deletes a finished match with its replay and its parties. Requires an open transaction.
pub(crate) async fn delete<C: SqlConnection>(
    connection: &mut C,
    finish_number: i64,
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let params = [finish_number.into()];
    for delete in [
        // All entries are deleted, since the match's list of keys might be damaged.
        "DELETE FROM finished_party WHERE match_id =
             (SELECT match_id FROM finished_match WHERE finish_number = $1)",
        "DELETE FROM replay WHERE finish_number = $1",
    ] {
        connection.execute(delete, &params).await?;
    }
    let (table, condition) = (CountedTable::FinishedMatch, "finish_number = $1");
    row_sums::delete(connection, table, condition, &params, sums).await
}

/// Returns the row number of a finished match, given its id or substitute id.
pub(crate) async fn finish_number<C: SqlConnection>(
    connection: &mut C,
    id: &MatchId,
) -> Result<Option<i64>, DbError> {
    let select = "SELECT finish_number FROM finished_match WHERE match_id = $1";
    let number = scalar(connection, select, &[id.as_str().into()]).await?;
    if number.is_some() {
        return Ok(number);
    }
    // The number in a substitute id is valid if the row has no readable id.
    let number = id.as_str().strip_prefix(SUBSTITUTE_PREFIX);
    let Some(number) = number.and_then(|number| number.parse::<i64>().ok()) else {
        return Ok(None);
    };
    let select = "SELECT match_id FROM finished_match WHERE finish_number = $1";
    let row = first(connection, select, &[number.into()]).await?;
    let has_no_id = row.is_some_and(|row| id_from_row(&row, 0).is_none());
    Ok(has_no_id.then_some(number))
}

/// Returns a page in the order in which matches finished, newest first.
pub(crate) async fn page<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
) -> Result<MaybeUnflushed<FinishedPage>, DbError> {
    let horizon = C::DIALECT.finish_horizon;
    // One extra row shows whether there is a next page.
    let select = format!(
        "SELECT {COLUMNS}, finish_number >= {horizon} FROM finished_match
         WHERE finish_number < $1 ORDER BY finish_number DESC LIMIT $2 + 1"
    );
    let before = after.map_or(i64::MAX, |cursor| cursor.0);
    let params = [before.into(), i64::from(limit).into()];
    let mut rows = connection.query(&select, &params).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let newest = rows.first().map(|row| row.value(0)).transpose()?;
    let (matches, damaged) = read_all(store, &rows, &[]);
    let last = rows.last().filter(|_| has_more);
    let is_unsettled = |row: &&C::Row| row.value(UNSETTLED_COLUMN).unwrap_or_default();
    let page = FinishedPage {
        matches,
        damaged,
        next: last.map(|row| FinishedCursor(row.value(0).unwrap_or_default())),
        unsettled: rows.iter().take_while(is_unsettled).count(),
    };
    Ok((page, newest))
}

/// A text that is greater than every id.
const ABOVE_IDS: &str = "~";

/// Returns the query for the highest `limit` ids below `$1` of matches with the key `$3`.
fn select_entries(limit: u32) -> String {
    format!(
        "SELECT match_id FROM finished_party WHERE match_id < $1 AND name = $3
         ORDER BY match_id DESC LIMIT {limit}"
    )
}

/// Returns the statement that selects a page of the matches with this number of keys: of several
/// keys, among the first `scanned` matches with the first key.
pub(crate) fn select_listed<C: SqlConnection>(keys: usize, scanned: u32) -> String {
    let join = C::DIALECT.ordered_join;
    let (list, condition) = match keys {
        0 => ("finished_match".to_owned(), "match_id < $1".to_owned()),
        1 => (
            format!("finished_party {join} finished_match USING (match_id)"),
            "match_id < $1 AND name = $3".to_owned(),
        ),
        _ => {
            let has_key = |key: usize| {
                format!(
                    "EXISTS (SELECT 1 FROM finished_party AS other
                         WHERE other.name = ${key} AND other.match_id = entries.match_id)"
                )
            };
            let others: Vec<String> = (4..keys + 3).map(has_key).collect();
            let ids = format!(
                "SELECT match_id FROM ({}) AS entries WHERE {}
                 ORDER BY match_id DESC LIMIT $2 + 1",
                select_entries(scanned),
                others.join(" AND ")
            );
            (format!("({ids}) AS ids {join} finished_match USING (match_id)"), "true".to_owned())
        }
    };
    format!("SELECT {COLUMNS} FROM {list} WHERE {condition} ORDER BY match_id DESC LIMIT $2 + 1")
}

/// Sorts keys by the number of their matches, up to `scanned`, so that the fewest entries are read.
async fn rarest_first<C: SqlConnection>(
    connection: &mut C,
    keys: &[IndexKey],
    scanned: u32,
) -> Result<Vec<IndexKey>, DbError> {
    if keys.len() < 2 {
        return Ok(keys.to_vec());
    }
    let count = format!(
        "SELECT count(*) FROM (SELECT 1 FROM finished_party WHERE name = $1 LIMIT {scanned})
         AS entries"
    );
    let mut counted = Vec::with_capacity(keys.len());
    for key in keys {
        let entries: Option<i64> = scalar(connection, &count, &[key.as_str().into()]).await?;
        counted.push((entries, key.clone()));
    }
    counted.sort();
    Ok(counted.into_iter().map(|(_, key)| key).collect())
}

/// Returns a page of the list of the matches with all of `keys`, which is ordered by id, highest
/// first. With several keys, it reads at most `scanned` matches with the rarest key.
pub(crate) async fn list<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    before: Option<&MatchId>,
    limit: u32,
    keys: &[IndexKey],
    scanned: u32,
) -> Result<MaybeUnflushed<ListedPage>, DbError> {
    let keys = rarest_first(connection, keys, scanned).await?;
    let before = before.map_or(ABOVE_IDS, MatchId::as_str);
    let mut params = vec![before.into(), i64::from(limit).into()];
    params.extend(keys.iter().map(|key| Param::Text(key.as_str())));
    let select = select_listed::<C>(keys.len(), scanned);
    let mut rows = connection.query(&select, &params).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let numbers = rows.iter().filter_map(|row| row.value::<i64>(0).ok());
    let newest = numbers.max();
    let (matches, damaged) = read_all(store, &rows, &keys);
    // A row whose id cannot be read has no position.
    let mut ids = rows.iter().rev().filter_map(|row| id_from_row(row, 1));
    let mut next = ids.next().filter(|_| has_more);
    if !has_more && keys.len() > 1 {
        // The list continues below the entries that were read, unless these were all.
        let entries = select_entries(scanned);
        let lowest = format!("SELECT min(match_id), count(*) FROM ({entries}) AS entries");
        if let Some(row) = first(connection, &lowest, &params[..3]).await?
            && row.value::<i64>(1)? >= i64::from(scanned)
        {
            next = id_from_row(&row, 0);
        }
    }
    let page = ListedPage { matches, damaged, next };
    Ok((page, newest))
}

pub(crate) async fn get<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    id: &MatchId,
) -> Result<MaybeUnflushed<Option<FinishedMatch>>, DbError> {
    let select = format!("SELECT {COLUMNS} FROM finished_match WHERE match_id = $1");
    let row = first(connection, &select, &[id.as_str().into()]).await?;
    let newest = row.as_ref().map(|row| row.value(0)).transpose()?;
    let finished = row.map(|row| read(store, &row)).transpose()?;
    let finished = finished.map(|(finished, _)| finished);
    Ok((finished, newest))
}

/// Returns whether a name is a party of a finished match.
pub(crate) async fn find_party<C: SqlConnection>(
    connection: &mut C,
    id: &MatchId,
    name: &KeyName,
) -> Result<MaybeUnflushed<bool>, DbError> {
    let select = "SELECT finish_number FROM finished_match JOIN finished_party USING (match_id)
         WHERE match_id = $1 AND name = $2";
    let params = [id.as_str().into(), name.as_str().into()];
    let newest = scalar(connection, select, &params).await?;
    Ok((newest.is_some(), newest))
}
