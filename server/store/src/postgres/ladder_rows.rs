//! Rows of ladders in PostgreSQL: descriptions, versions of bots, and matches.

use std::collections::{BTreeSet, HashMap};

use sqlx::{PgConnection, PgExecutor};

use super::db_error::DbError;
use crate::{
    LadderChange, LadderId, LadderRows, StoredLadder, StoredLadderMatch, StoredLadderVersion,
    checksum::StoreId,
    ladder_batch::{LadderState, LadderStates},
    rows::ladder_rows::{
        checksum_of_ladder, checksum_of_match, checksum_of_version, ladder_from_row,
        match_from_row, match_number_from_row, read, version_from_row,
    },
};

/// Returns the state of these ladders. `ended` has the matches to look up, by ladder.
pub(super) async fn states(
    connection: &mut PgConnection,
    store: StoreId,
    ended: &HashMap<LadderId, BTreeSet<u64>>,
) -> Result<LadderStates, DbError> {
    let mut states = LadderStates::new();
    for (id, ends) in ended {
        let row =
            sqlx::query("SELECT ladder_id, term, value, checksum FROM ladder WHERE ladder_id = $1")
                .bind(id.as_str())
                .fetch_optional(&mut *connection)
                .await?;
        let Some(row) = row else {
            continue;
        };
        let Ok(ladder) = ladder_from_row(store, &row) else {
            states.insert(id.clone(), LadderState::Damaged);
            continue;
        };
        let last: Option<i64> =
            sqlx::query_scalar("SELECT max(number) FROM ladder_match WHERE ladder_id = $1")
                .bind(id.as_str())
                .fetch_one(&mut *connection)
                .await?;
        let mut open = BTreeSet::new();
        for number in ends {
            match get_match(&mut *connection, store, id, *number).await {
                Ok(Some(found)) if !found.is_over => _ = open.insert(*number),
                // An unreadable match cannot be ended.
                Ok(_) | Err(DbError::Damaged(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let state = LadderState::Sound {
            term: ladder.term,
            matches: last.map_or(0, |last| last.cast_unsigned() + 1),
            open,
        };
        states.insert(id.clone(), state);
    }
    Ok(states)
}

/// Applies a validated change. Requires an open transaction.
pub(super) async fn apply(
    connection: &mut PgConnection,
    store: StoreId,
    id: &LadderId,
    change: &LadderChange,
) -> Result<(), DbError> {
    match change {
        LadderChange::Open { value } => put(connection, store, id, 0, value).await,
        LadderChange::Update { term, value } => put(connection, store, id, *term, value).await,
        LadderChange::StartTerm { term } => {
            let row = sqlx::query(
                "SELECT ladder_id, term, value, checksum FROM ladder WHERE ladder_id = $1",
            )
            .bind(id.as_str())
            .fetch_one(&mut *connection)
            .await?;
            let ladder = ladder_from_row(store, &row).map_err(DbError::Damaged)?;
            put(connection, store, id, *term, &ladder.value).await
        }
        LadderChange::PutVersion {
            bot_name,
            bot_version,
            value,
            ..
        } => put_version(connection, store, id, bot_name, bot_version, value).await,
        LadderChange::Pair { number, value, .. } => {
            put_match(connection, store, id, *number, false, value).await
        }
        LadderChange::End { number, value, .. } => {
            put_match(connection, store, id, *number, true, value).await
        }
        LadderChange::Drop => {
            for delete in [
                "DELETE FROM ladder WHERE ladder_id = $1",
                "DELETE FROM ladder_version WHERE ladder_id = $1",
                "DELETE FROM ladder_match WHERE ladder_id = $1",
            ] {
                sqlx::query(delete)
                    .bind(id.as_str())
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
}

async fn put(
    connection: &mut PgConnection,
    store: StoreId,
    id: &LadderId,
    term: u64,
    value: &[u8],
) -> Result<(), DbError> {
    sqlx::query(
        "INSERT INTO ladder (ladder_id, term, value, checksum) VALUES ($1, $2, $3, $4)
         ON CONFLICT (ladder_id) DO UPDATE
         SET term = excluded.term, value = excluded.value, checksum = excluded.checksum",
    )
    .bind(id.as_str())
    .bind(term.cast_signed())
    .bind(value)
    .bind(checksum_of_ladder(store, id.as_str(), term, value))
    .execute(connection)
    .await?;
    Ok(())
}

async fn put_version(
    connection: &mut PgConnection,
    store: StoreId,
    id: &LadderId,
    bot_name: &str,
    bot_version: &str,
    value: &[u8],
) -> Result<(), DbError> {
    sqlx::query(
        "INSERT INTO ladder_version (ladder_id, bot_name, bot_version, value, checksum)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (ladder_id, bot_name, bot_version) DO UPDATE
         SET value = excluded.value, checksum = excluded.checksum",
    )
    .bind(id.as_str())
    .bind(bot_name.as_bytes())
    .bind(bot_version.as_bytes())
    .bind(value)
    .bind(checksum_of_version(store, id, bot_name, bot_version, value))
    .execute(connection)
    .await?;
    Ok(())
}

async fn put_match(
    connection: &mut PgConnection,
    store: StoreId,
    id: &LadderId,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> Result<(), DbError> {
    sqlx::query(
        "INSERT INTO ladder_match (ladder_id, number, is_over, value, checksum)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (ladder_id, number) DO UPDATE
         SET is_over = excluded.is_over, value = excluded.value, checksum = excluded.checksum",
    )
    .bind(id.as_str())
    .bind(number.cast_signed())
    .bind(is_over)
    .bind(value)
    .bind(checksum_of_match(
        store,
        id.as_str(),
        number,
        is_over,
        value,
    ))
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn all(
    database: impl PgExecutor<'_>,
    store: StoreId,
) -> Result<LadderRows<StoredLadder>, DbError> {
    let rows =
        sqlx::query("SELECT ladder_id, term, value, checksum FROM ladder ORDER BY ladder_id")
            .fetch_all(database)
            .await?;
    Ok(read(&rows, |row| ladder_from_row(store, row)))
}

pub(super) async fn versions(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &LadderId,
) -> Result<LadderRows<StoredLadderVersion>, DbError> {
    let rows = sqlx::query(
        "SELECT bot_name, bot_version, value, checksum FROM ladder_version
         WHERE ladder_id = $1 ORDER BY bot_name, bot_version",
    )
    .bind(id.as_str())
    .fetch_all(database)
    .await?;
    Ok(read(&rows, |row| version_from_row(store, id, row)))
}

pub(super) async fn matches(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &LadderId,
    from: u64,
    limit: u32,
) -> Result<LadderRows<StoredLadderMatch>, DbError> {
    let Ok(from) = i64::try_from(from) else {
        return Ok(LadderRows::default());
    };
    // One extra row shows whether there is a next page.
    let mut rows = sqlx::query(
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = $1 AND number >= $2 ORDER BY number LIMIT $3 + 1",
    )
    .bind(id.as_str())
    .bind(from)
    .bind(i64::from(limit))
    .fetch_all(database)
    .await?;
    let next = rows.get(limit as usize).map(match_number_from_row);
    // A damaged number must not move the next page backwards.
    let next = next.filter(|next| *next > from.cast_unsigned());
    rows.truncate(limit as usize);
    Ok(LadderRows {
        next,
        ..read(&rows, |row| match_from_row(store, id, row))
    })
}

pub(super) async fn get_match(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &LadderId,
    number: u64,
) -> Result<Option<StoredLadderMatch>, DbError> {
    let Ok(number) = i64::try_from(number) else {
        return Ok(None);
    };
    let row = sqlx::query(
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = $1 AND number = $2",
    )
    .bind(id.as_str())
    .bind(number)
    .fetch_optional(database)
    .await?;
    let found = row.map(|row| match_from_row(store, id, &row)).transpose();
    found.map_err(DbError::Damaged)
}
