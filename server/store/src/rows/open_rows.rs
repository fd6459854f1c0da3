//! Rows of the matches in play, as they are read, and their checksums.

use super::{
    StoredRow, Unreadable,
    match_ids::{STAND_IN_OPEN, id_of, stand_in},
};
use crate::{
    MatchId,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// A match in play, without its header.
#[derive(Clone, Debug)]
pub(crate) struct OpenRow {
    pub(crate) match_key: i64,
    /// Its own, or one that stands in for it.
    pub(crate) match_id: MatchId,
    pub(crate) opened_at_unix_ms: i64,
    /// What is wrong with it, if anything is.
    pub(crate) problem: Option<String>,
}

/// The checksum of a match in play.
pub(crate) fn checksum_of(
    store: StoreId,
    match_key: i64,
    match_id: &str,
    opened_at_unix_ms: i64,
    header: &[u8],
) -> i64 {
    store
        .row("open_match")
        .number(match_key)
        .text(match_id)
        .number(opened_at_unix_ms)
        .bytes(header)
        .finish()
}

impl OpenRow {
    /// A match in play, from its row.
    pub(crate) fn of(store: StoreId, row: &impl StoredRow) -> Self {
        let match_key = row.value(0).unwrap_or_default();
        let read = read(store, match_key, row);
        let match_id = id_of(row, 1);
        let stand_in = || stand_in(STAND_IN_OPEN, match_key);
        Self {
            match_key,
            match_id: match_id.unwrap_or_else(stand_in),
            opened_at_unix_ms: row.value(2).unwrap_or_default(),
            problem: read.err(),
        }
    }
}

/// The header of a row of `open_match`.
pub(crate) fn read(
    store: StoreId,
    match_key: i64,
    row: &impl StoredRow,
) -> Result<Vec<u8>, String> {
    let read = || -> Result<_, Unreadable> {
        let match_id: String = row.value(1)?;
        let header: Vec<u8> = row.value(3)?;
        let computed = checksum_of(store, match_key, &match_id, row.value(2)?, &header);
        Ok((match_id, header, row.value::<i64>(4)? == computed))
    };
    let (match_id, header, is_sound) = read().map_err(|error| error.to_string())?;
    if !is_sound {
        return Err(CHECKSUM_DIFFERS.to_owned());
    }
    MatchId::new(match_id).map_err(|error| error.to_string())?;
    Ok(header)
}
