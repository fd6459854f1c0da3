//! Rows of the matches in play, without their journals.

use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};

use super::{
    failure::Fault,
    match_ids::{STAND_IN_OPEN, id_of, stand_in},
};
use crate::{
    MatchId,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// A match in play, without its header.
#[derive(Debug)]
pub(super) struct OpenRow {
    pub(super) match_key: i64,
    /// Its own, or one that stands in for it.
    pub(super) match_id: MatchId,
    pub(super) opened_at_unix_ms: i64,
    /// What is wrong with it, if anything is.
    pub(super) problem: Option<String>,
}

/// Adds a match in play.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    store: StoreId,
    match_key: i64,
    match_id: &MatchId,
    opened_at_unix_ms: i64,
    header: Vec<u8>,
) -> Result<(), Fault> {
    let checksum = checksum_of(
        store,
        match_key,
        match_id.as_str(),
        opened_at_unix_ms,
        &header,
    );
    sqlx::query(
        "INSERT INTO open_match (match_key, match_id, opened_at_unix_ms, header, checksum)
         VALUES (?, ?, ?, ?, ?)",
    )
    .bind(match_key)
    .bind(match_id.as_str())
    .bind(opened_at_unix_ms)
    .bind(header)
    .bind(checksum)
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes a match in play.
pub(super) async fn delete(connection: &mut SqliteConnection, match_key: i64) -> Result<(), Fault> {
    sqlx::query("DELETE FROM open_match WHERE match_key = ?")
        .bind(match_key)
        .execute(connection)
        .await?;
    Ok(())
}

fn checksum_of(
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

/// The matches in play, each checked.
pub(super) async fn all(
    connection: &mut SqliteConnection,
    store: StoreId,
) -> Result<Vec<OpenRow>, Fault> {
    let rows = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match",
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .iter()
        .map(|row| {
            let match_key = row.try_get(0).unwrap_or_default();
            let read = read(store, match_key, row);
            let match_id = id_of(row, 1);
            let stand_in = || stand_in(STAND_IN_OPEN, match_key);
            OpenRow {
                match_key,
                match_id: match_id.unwrap_or_else(stand_in),
                opened_at_unix_ms: row.try_get(2).unwrap_or_default(),
                problem: read.err(),
            }
        })
        .collect())
}

/// The header of a row of `open_match`.
fn read(store: StoreId, match_key: i64, row: &SqliteRow) -> Result<Vec<u8>, String> {
    let read = || -> Result<_, sqlx::Error> {
        let match_id: String = row.try_get(1)?;
        let header: Vec<u8> = row.try_get(3)?;
        let computed = checksum_of(store, match_key, &match_id, row.try_get(2)?, &header);
        Ok((match_id, header, row.try_get::<i64, _>(4)? == computed))
    };
    let (match_id, header, is_sound) = read().map_err(|error| error.to_string())?;
    if !is_sound {
        return Err(CHECKSUM_DIFFERS.to_owned());
    }
    MatchId::new(match_id).map_err(|error| error.to_string())?;
    Ok(header)
}

/// The header of a match in play; or what is wrong with it.
pub(super) async fn header(
    connection: &mut SqliteConnection,
    store: StoreId,
    match_key: i64,
) -> Result<Result<Vec<u8>, String>, Fault> {
    let row = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match
         WHERE match_key = ?",
    )
    .bind(match_key)
    .fetch_optional(connection)
    .await?;
    Ok(match row {
        Some(row) => read(store, match_key, &row),
        None => Err("it is missing".to_owned()),
    })
}
