//! Rows of the finished matches, without their replays.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor, postgres::PgPool};

use super::{failure::Fault, found::Found, given_numbers, replay_rows};
use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, KeyName, MatchCounts, MatchId,
    checksum::StoreId,
    rows::{
        StoredRow as _,
        finished_rows::{COLUMNS, checksum_of, kept_of, page_of, read, stands_in_for},
        match_ids::id_of,
    },
};

/// Adds a finished match with its replay and its parties.
pub(super) async fn insert(
    connection: &mut PgConnection,
    store: StoreId,
    finished: &FinishedMatch,
    replay: &[u8],
    parties: &BTreeSet<KeyName>,
) -> Result<(), Fault> {
    let names: Vec<&str> = parties.iter().map(KeyName::as_str).collect();
    // A name has no line break.
    let parties = names.join("\n");
    let finish_number = given_numbers::next(connection, "finished_match").await?;
    sqlx::query(
        "INSERT INTO finished_match
             (finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
              checksum)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(finish_number)
    .bind(finished.match_id.as_str())
    .bind(finished.opened_at_unix_ms)
    .bind(finished.ended_at_unix_ms)
    .bind(&finished.summary)
    .bind(&parties)
    .bind(checksum_of(store, finished, &parties))
    .execute(&mut *connection)
    .await?;
    let id = &finished.match_id;
    replay_rows::keep(connection, store, finish_number, id, replay).await?;
    sqlx::query("INSERT INTO finished_party (name, finish_number) SELECT unnest($1::text[]), $2")
        .bind(&names)
        .bind(finish_number)
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes a finished match with its replay and its parties.
pub(super) async fn delete(connection: &mut PgConnection, finish_number: i64) -> Result<(), Fault> {
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

/// The row of a finished match, by its id or by what stands in for it.
pub(super) async fn number(
    connection: &mut PgConnection,
    id: &MatchId,
) -> Result<Option<i64>, Fault> {
    let found = sqlx::query_scalar("SELECT finish_number FROM finished_match WHERE match_id = $1")
        .bind(id.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    let Some(number) = stands_in_for(id).filter(|_| found.is_none()) else {
        return Ok(found);
    };
    let row = sqlx::query("SELECT match_id FROM finished_match WHERE finish_number = $1")
        .bind(number)
        .fetch_optional(connection)
        .await?;
    let has_no_id = row.is_some_and(|row| id_of(&row, 0).is_none());
    Ok(has_no_id.then_some(number))
}

/// A page of finished matches.
pub(super) async fn page(
    database: impl PgExecutor<'_>,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    of: Option<&KeyName>,
) -> Result<Found<FinishedPage>, Fault> {
    let (list, is_of) = match of {
        None => ("finished_match", ""),
        Some(_) => (
            "finished_party JOIN finished_match USING (finish_number)",
            "AND name = $3",
        ),
    };
    // One more than the page has shows whether there is a next page.
    let select = AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM {list} WHERE finish_number < $1 {is_of}
         ORDER BY finish_number DESC LIMIT $2 + 1"
    ));
    let query = sqlx::query(select)
        .bind(after.map_or(i64::MAX, |cursor| cursor.0))
        .bind(i64::from(limit));
    let query = match of {
        None => query,
        Some(of) => query.bind(of.as_str()),
    };
    let rows = query.fetch_all(database).await?;
    let newest = rows.first().map(|row| row.value(0)).transpose()?;
    let value = page_of(store, rows, limit, of);
    Ok(Found { value, newest })
}

/// How many matches there are.
pub(super) async fn counts(database: impl PgExecutor<'_>) -> Result<MatchCounts, Fault> {
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

/// A finished match, by its id.
pub(super) async fn one(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &MatchId,
) -> Result<Found<Option<FinishedMatch>>, Fault> {
    let select = AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM finished_match WHERE match_id = $1"
    ));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let newest = row.as_ref().map(|row| row.value(0)).transpose()?;
    let finished = row.map(|row| read(store, &row)).transpose();
    let finished = finished.map_err(Fault::Damage)?;
    let value = finished.map(|(finished, _)| finished);
    Ok(Found { value, newest })
}

/// Whether a name is a party of a finished match.
pub(super) async fn is_party(
    database: impl PgExecutor<'_>,
    id: &MatchId,
    name: &KeyName,
) -> Result<Found<bool>, Fault> {
    let newest: Option<i64> = sqlx::query_scalar(
        "SELECT finish_number FROM finished_match JOIN finished_party USING (finish_number)
         WHERE match_id = $1 AND name = $2",
    )
    .bind(id.as_str())
    .bind(name.as_str())
    .fetch_optional(database)
    .await?;
    let value = newest.is_some();
    Ok(Found { value, newest })
}

/// Replays that are kept, those of the matches that finished first.
pub(super) async fn kept_replays(
    database: &PgPool,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    spared: u64,
) -> Result<Found<Vec<KeptReplay>>, Fault> {
    let mut after = after.map_or(i64::MIN, |cursor| cursor.0);
    let select = format!(
        "SELECT {COLUMNS}, length(replay)::bigint
         FROM replay JOIN finished_match USING (finish_number)
         WHERE finish_number > $1 AND length(replay) > 0
             AND finish_number <= (SELECT max(finish_number) FROM finished_match) - $3
         ORDER BY finish_number LIMIT $2"
    );
    loop {
        let rows = sqlx::query(AssertSqlSafe(select.clone()))
            .bind(after)
            .bind(i64::from(limit))
            .bind(i64::try_from(spared).unwrap_or(i64::MAX))
            .fetch_all(database)
            .await?;
        let Some(last) = rows.last() else {
            let (value, newest) = (Vec::new(), None);
            return Ok(Found { value, newest });
        };
        after = last.value(0)?;
        let value: Vec<_> = rows.iter().filter_map(|row| kept_of(store, row)).collect();
        // Matches that cannot be read are passed over.
        if !value.is_empty() {
            let newest = Some(after);
            return Ok(Found { value, newest });
        }
    }
}
