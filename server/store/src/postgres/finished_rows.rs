//! Rows of finished matches in PostgreSQL, without their replays.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor, postgres::PgRow};

use super::{
    db_error::DbError,
    finish_numbers::{HORIZON, NEXT},
    maybe_unflushed::MaybeUnflushed,
    replay_rows,
};
use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, KeyName, MatchCounts, MatchId, ReplayMetadata,
    checksum::StoreId,
    rows::{
        StoredRow as _,
        finished_rows::{
            COLUMNS, checksum_of, read, read_page, replay_metadata_from_row,
            row_number_of_substitute,
        },
        match_ids::id_from_row,
    },
};

pub(super) async fn insert(
    connection: &mut PgConnection,
    store: StoreId,
    finished: &FinishedMatch,
    replay: &[u8],
    parties: &BTreeSet<KeyName>,
) -> Result<(), DbError> {
    let names: Vec<&str> = parties.iter().map(KeyName::as_str).collect();
    // Names contain no line breaks.
    let parties = names.join("\n");
    let insert = AssertSqlSafe(format!(
        "INSERT INTO finished_match
             (finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
              checksum)
         SELECT number, $1, $2, $3, $4, $5, $6 FROM {NEXT} RETURNING finish_number"
    ));
    let finish_number: Option<i64> = sqlx::query_scalar(insert)
        .bind(finished.match_id.as_str())
        .bind(finished.opened_at_unix_ms)
        .bind(finished.ended_at_unix_ms)
        .bind(&finished.summary)
        .bind(&parties)
        .bind(checksum_of(store, finished, &parties))
        .fetch_optional(&mut *connection)
        .await?;
    let finish_number = finish_number.ok_or_else(|| {
        DbError::Inconsistent("the base of the numbers of finished matches is missing".to_owned())
    })?;
    let id = &finished.match_id;
    replay_rows::insert(connection, store, finish_number, id, Some(replay)).await?;
    sqlx::query("INSERT INTO finished_party (name, finish_number) SELECT unnest($1::text[]), $2")
        .bind(&names)
        .bind(finish_number)
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a finished match with its replay and its parties.
pub(super) async fn delete(
    connection: &mut PgConnection,
    finish_number: i64,
) -> Result<(), DbError> {
    for delete in [
        "DELETE FROM finished_match WHERE finish_number = $1",
        "DELETE FROM finished_party WHERE finish_number = $1",
        "DELETE FROM replay WHERE finish_number = $1",
    ] {
        sqlx::query(delete)
            .bind(finish_number)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Returns the row number of a finished match, given its id or substitute id.
pub(super) async fn finish_number(
    connection: &mut PgConnection,
    id: &MatchId,
) -> Result<Option<i64>, DbError> {
    let found = sqlx::query_scalar("SELECT finish_number FROM finished_match WHERE match_id = $1")
        .bind(id.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    let Some(number) = row_number_of_substitute(id).filter(|_| found.is_none()) else {
        return Ok(found);
    };
    let row = sqlx::query("SELECT match_id FROM finished_match WHERE finish_number = $1")
        .bind(number)
        .fetch_optional(connection)
        .await?;
    let has_no_id = row.is_some_and(|row| id_from_row(&row, 0).is_none());
    Ok(has_no_id.then_some(number))
}

pub(super) async fn page(
    database: impl PgExecutor<'_>,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    party: Option<&KeyName>,
) -> Result<MaybeUnflushed<FinishedPage>, DbError> {
    let (list, is_of) = match party {
        None => ("finished_match", ""),
        Some(_) => (
            "finished_party JOIN finished_match USING (finish_number)",
            "AND name = $3",
        ),
    };
    // One extra row shows whether there is a next page.
    let select = AssertSqlSafe(format!(
        "SELECT {COLUMNS}, finish_number >= {HORIZON} FROM {list}
         WHERE finish_number < $1 {is_of} ORDER BY finish_number DESC LIMIT $2 + 1"
    ));
    let query = sqlx::query(select)
        .bind(after.map_or(i64::MAX, |cursor| cursor.0))
        .bind(i64::from(limit));
    let query = match party {
        None => query,
        Some(party) => query.bind(party.as_str()),
    };
    let rows = query.fetch_all(database).await?;
    let newest = rows.first().map(|row| row.value(0)).transpose()?;
    let is_unsettled = |row: &PgRow| row.value(7).unwrap_or_default();
    let of_page = rows.iter().take(limit as usize);
    let unsettled = of_page.take_while(|row| is_unsettled(row)).count();
    let value = FinishedPage {
        unsettled,
        ..read_page(store, rows, limit, party)
    };
    Ok(MaybeUnflushed { value, newest })
}

pub(super) async fn counts(database: impl PgExecutor<'_>) -> Result<MatchCounts, DbError> {
    let (open, finished): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM open_match), (SELECT count(*) FROM finished_match)",
    )
    .fetch_one(database)
    .await?;
    Ok(MatchCounts {
        open: open.unsigned_abs(),
        finished: finished.unsigned_abs(),
    })
}

pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &MatchId,
) -> Result<MaybeUnflushed<Option<FinishedMatch>>, DbError> {
    let select = AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM finished_match WHERE match_id = $1"
    ));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let newest = row.as_ref().map(|row| row.value(0)).transpose()?;
    let finished = row.map(|row| read(store, &row)).transpose();
    let finished = finished.map_err(DbError::Damaged)?;
    let value = finished.map(|(finished, _)| finished);
    Ok(MaybeUnflushed { value, newest })
}

/// Returns whether a name is a party of a finished match.
pub(super) async fn find_party(
    database: impl PgExecutor<'_>,
    id: &MatchId,
    name: &KeyName,
) -> Result<MaybeUnflushed<bool>, DbError> {
    let newest: Option<i64> = sqlx::query_scalar(
        "SELECT finish_number FROM finished_match JOIN finished_party USING (finish_number)
         WHERE match_id = $1 AND name = $2",
    )
    .bind(id.as_str())
    .bind(name.as_str())
    .fetch_optional(database)
    .await?;
    let value = newest.is_some();
    Ok(MaybeUnflushed { value, newest })
}

/// Returns stored replays, oldest match first.
pub(super) async fn stored_replays(
    database: &mut PgConnection,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    skip_newest: u64,
) -> Result<MaybeUnflushed<Vec<ReplayMetadata>>, DbError> {
    let mut after = after.map_or(i64::MIN, |cursor| cursor.0);
    let none = MaybeUnflushed {
        value: Vec::new(),
        newest: None,
    };
    let Ok(skip_newest) = i64::try_from(skip_newest) else {
        return Ok(none);
    };
    let select = format!(
        "SELECT {COLUMNS}, length(replay)::bigint
         FROM replay JOIN finished_match USING (finish_number)
         WHERE finish_number > $1 AND length(replay) > 0 AND finish_number < {HORIZON}
             AND finish_number <= (SELECT finish_number FROM finished_match
                 ORDER BY finish_number DESC LIMIT 1 OFFSET $3)
         ORDER BY finish_number LIMIT $2"
    );
    loop {
        let rows = sqlx::query(AssertSqlSafe(select.clone()))
            .bind(after)
            .bind(i64::from(limit))
            .bind(skip_newest)
            .fetch_all(&mut *database)
            .await?;
        let Some(last) = rows.last() else {
            return Ok(none);
        };
        after = last.value(0)?;
        let value: Vec<_> = rows
            .iter()
            .filter_map(|row| replay_metadata_from_row(store, row))
            .collect();
        // Matches that cannot be read are skipped.
        if !value.is_empty() {
            let newest = Some(after);
            return Ok(MaybeUnflushed { value, newest });
        }
    }
}
