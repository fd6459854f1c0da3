//! Matches in play, without their journals.

use std::ops::RangeInclusive;

use super::{SqlConnection, StoredRow, Unreadable, first, id_from_row, row_sums, substitute_id};
use crate::{
    MatchId,
    checksum::{CHECKSUM_MISMATCH, StoreId},
    db_error::DbError,
    row_sums::{CountedTable, RowSums},
};

/// Prefix of the substitute id of a match whose id cannot be read. The key of the match follows.
const SUBSTITUTE_PREFIX: &str = "damaged-in-play-";

/// A match in play, without its header.
#[derive(Clone, Debug)]
pub(crate) struct OpenRow {
    pub(crate) match_key: i64,
    /// Id of the match, or a substitute if the id cannot be read.
    pub(crate) match_id: MatchId,
    pub(crate) opened_at_unix_ms: i64,
}

/// A row, and its header or a description of its damage.
pub(crate) struct RowWithHeader {
    pub(crate) row: OpenRow,
    pub(crate) header: Result<Vec<u8>, String>,
}

pub(crate) fn checksum_of(
    store: StoreId,
    match_key: i64,
    match_id: &str,
    opened_at_unix_ms: i64,
    header: &[u8],
) -> i64 {
    store
        .start_row_checksum("open_match")
        .add_number(match_key)
        .add_text(match_id)
        .add_number(opened_at_unix_ms)
        .add_bytes(header)
        .finish()
}

/// The columns of a row with its header.
const COLUMNS: &str = "match_key, match_id, opened_at_unix_ms, header, checksum";

impl RowWithHeader {
    /// Reads a row with [`COLUMNS`].
    pub(crate) fn read(store: StoreId, row: &impl StoredRow) -> Self {
        let match_key = row.value(0).unwrap_or_default();
        let match_id = id_from_row(row, 1);
        let substitute_id = || substitute_id(SUBSTITUTE_PREFIX, match_key);
        Self {
            row: OpenRow {
                match_key,
                match_id: match_id.unwrap_or_else(substitute_id),
                opened_at_unix_ms: row.value(2).unwrap_or_default(),
            },
            header: read(store, match_key, row),
        }
    }
}

/// Reads the matches with these keys, in the order in which they were opened.
pub(crate) async fn select<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    keys: &RangeInclusive<i64>,
) -> Result<Vec<RowWithHeader>, DbError> {
    let select = format!(
        "SELECT {COLUMNS} FROM open_match WHERE match_key >= $1 AND match_key <= $2
         ORDER BY match_key"
    );
    let params = [(*keys.start()).into(), (*keys.end()).into()];
    let rows = connection.query(&select, &params).await?;
    Ok(rows.iter().map(|row| RowWithHeader::read(store, row)).collect())
}

/// Reads the header from a row of `open_match`.
fn read(store: StoreId, match_key: i64, row: &impl StoredRow) -> Result<Vec<u8>, String> {
    let read = || -> Result<_, Unreadable> {
        let match_id: String = row.value(1)?;
        let header: Vec<u8> = row.value(3)?;
        let computed = checksum_of(store, match_key, &match_id, row.value(2)?, &header);
        Ok((match_id, header, row.value::<i64>(4)? == computed))
    };
    let (match_id, header, is_sound) = read().map_err(|error| error.to_string())?;
    if !is_sound {
        return Err(CHECKSUM_MISMATCH.to_owned());
    }
    MatchId::new(match_id).map_err(|error| error.to_string())?;
    Ok(header)
}

/// Inserts a match. Requires an open transaction.
pub(crate) async fn insert<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    match_key: i64,
    match_id: &MatchId,
    opened_at_unix_ms: i64,
    header: &[u8],
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let match_id = match_id.as_str();
    let checksum = checksum_of(store, match_key, match_id, opened_at_unix_ms, header);
    sums.add_row(CountedTable::OpenMatch, checksum);
    let params = [
        match_key.into(),
        match_id.into(),
        opened_at_unix_ms.into(),
        header.into(),
        checksum.into(),
    ];
    let insert = "INSERT INTO open_match (match_key, match_id, opened_at_unix_ms, header, checksum)
         VALUES ($1, $2, $3, $4, $5)";
    connection.execute(insert, &params).await?;
    Ok(())
}

/// Deletes a match. Requires an open transaction.
pub(crate) async fn delete<C: SqlConnection>(
    connection: &mut C,
    match_key: i64,
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let (table, params) = (CountedTable::OpenMatch, [match_key.into()]);
    row_sums::delete(connection, table, "match_key = $1", &params, sums).await
}

/// Reads the header of a match in play, or describes its damage.
pub(crate) async fn header<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    match_key: i64,
) -> Result<Result<Vec<u8>, String>, DbError> {
    let select = format!("SELECT {COLUMNS} FROM open_match WHERE match_key = $1");
    Ok(match first(connection, &select, &[match_key.into()]).await? {
        Some(row) => read(store, match_key, &row),
        None => Err("the row is missing".to_owned()),
    })
}
