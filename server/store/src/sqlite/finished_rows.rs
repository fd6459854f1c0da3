//! Rows of the finished matches, without their replays.

use std::collections::BTreeSet;

use sqlx::{
    Row as _, SqliteConnection, SqliteExecutor,
    sqlite::{SqlitePool, SqliteRow},
};

use super::{failure::Fault, replay_rows};
use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, KeyName, MatchId,
    checksum::StoreId,
    rows::{
        finished_rows::{checksum_of, kept_of, page_of, read, stands_in_for},
        match_ids::id_of,
    },
};

/// A page of the finished matches of a party, by the lists of parties.
const PAGE_OF_PARTY: &str =
    "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties, checksum
     FROM finished_party CROSS JOIN finished_match USING (finish_number)
     WHERE name = ?3 AND finish_number < ?1
     ORDER BY finish_number DESC LIMIT ?2 + 1";

/// Adds a finished match with its replay and its parties.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    store: StoreId,
    finished: FinishedMatch,
    replay: Vec<u8>,
    parties: &BTreeSet<KeyName>,
) -> Result<(), Fault> {
    let names: Vec<&str> = parties.iter().map(KeyName::as_str).collect();
    // A name has no line break.
    let parties = names.join("\n");
    let checksum = checksum_of(store, &finished, &parties);
    let finish_number: i64 = sqlx::query_scalar(
        "INSERT INTO finished_match
             (match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties, checksum)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING finish_number",
    )
    .bind(finished.match_id.as_str())
    .bind(finished.opened_at_unix_ms)
    .bind(finished.ended_at_unix_ms)
    .bind(&finished.summary)
    .bind(&parties)
    .bind(checksum)
    .fetch_one(&mut *connection)
    .await?;
    replay_rows::keep(
        &mut *connection,
        store,
        finish_number,
        &finished.match_id,
        replay,
    )
    .await?;
    for name in names {
        sqlx::query("INSERT INTO finished_party (name, finish_number) VALUES (?, ?)")
            .bind(name)
            .bind(finish_number)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Removes a finished match with its replay and its parties.
pub(super) async fn delete(
    connection: &mut SqliteConnection,
    finish_number: i64,
) -> Result<(), Fault> {
    for delete in [
        "DELETE FROM finished_match WHERE finish_number = ?",
        // A look at every entry, since what the match says of its parties may be damaged.
        "DELETE FROM finished_party WHERE finish_number = ?",
        "DELETE FROM replay WHERE finish_number = ?",
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
    database: &mut SqliteConnection,
    id: &MatchId,
) -> Result<Option<i64>, Fault> {
    let found = sqlx::query_scalar("SELECT finish_number FROM finished_match WHERE match_id = ?")
        .bind(id.as_str())
        .fetch_optional(&mut *database)
        .await?;
    let Some(number) = stands_in_for(id) else {
        return Ok(found);
    };
    if found.is_some() {
        return Ok(found);
    }
    let row = sqlx::query("SELECT match_id FROM finished_match WHERE finish_number = ?")
        .bind(number)
        .fetch_optional(database)
        .await?;
    let has_no_id = |row: &SqliteRow| id_of(row, 0).is_none();
    Ok(row.filter(has_no_id).map(|_| number))
}

/// A page of finished matches.
pub(super) async fn page(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    of: Option<&KeyName>,
) -> Result<FinishedPage, Fault> {
    // One more than the page has shows whether there is a next page.
    let query = match of {
        None => sqlx::query(
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number < ?1
             ORDER BY finish_number DESC LIMIT ?2 + 1",
        ),
        Some(_) => sqlx::query(PAGE_OF_PARTY),
    };
    let query = query
        .bind(after.map_or(i64::MAX, |cursor| cursor.0))
        .bind(limit);
    let query = match of {
        None => query,
        Some(of) => query.bind(of.as_str()),
    };
    let rows = query.fetch_all(database).await?;
    Ok(page_of(store, rows, limit, of))
}

/// A finished match, by its id.
pub(super) async fn one(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    id: &MatchId,
) -> Result<Option<FinishedMatch>, Fault> {
    let row = sqlx::query(
        "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
             checksum
         FROM finished_match WHERE match_id = ?",
    )
    .bind(id.as_str())
    .fetch_optional(database)
    .await?;
    let finished = row.map(|row| read(store, &row)).transpose();
    Ok(finished
        .map_err(Fault::Damage)?
        .map(|(finished, _)| finished))
}

/// Whether a name is a party of a finished match.
pub(super) async fn is_party(
    database: impl SqliteExecutor<'_>,
    id: &MatchId,
    name: &KeyName,
) -> Result<bool, Fault> {
    let is_party = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM finished_match JOIN finished_party USING (finish_number)
         WHERE match_id = ? AND name = ?)",
    )
    .bind(id.as_str())
    .bind(name.as_str())
    .fetch_one(database)
    .await?;
    Ok(is_party)
}

/// Replays that are kept, those of the matches that finished first.
pub(super) async fn kept_replays(
    database: &SqlitePool,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    spared: u64,
) -> Result<Vec<KeptReplay>, Fault> {
    let mut after = after.map_or(i64::MIN, |cursor| cursor.0);
    loop {
        // The length of a blob is in the head of its row. `CROSS JOIN` keeps the order of the
        // tables: of what is kept no more only that head is read.
        let rows = sqlx::query(
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 finished_match.checksum, length(replay)
             FROM replay CROSS JOIN finished_match USING (finish_number)
             WHERE finish_number > ?1 AND length(replay) > 0
                 AND finish_number <= (SELECT max(finish_number) FROM finished_match) - ?3
             ORDER BY finish_number LIMIT ?2",
        )
        .bind(after)
        .bind(limit)
        .bind(i64::try_from(spared).unwrap_or(i64::MAX))
        .fetch_all(database)
        .await?;
        let Some(last) = rows.last() else {
            return Ok(Vec::new());
        };
        after = last.try_get(0)?;
        let kept: Vec<_> = rows.iter().filter_map(|row| kept_of(store, row)).collect();
        // Matches that cannot be read are passed over.
        if !kept.is_empty() {
            return Ok(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::{DataDir, SqliteOptions, SqliteStore, sqlite::opening};

    #[tokio::test]
    async fn a_page_of_a_partys_matches_is_found_by_indexes_alone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
        let _store = store.unwrap();
        let readers = opening::readers(&dir.database());
        let plan = format!("EXPLAIN QUERY PLAN {PAGE_OF_PARTY}");
        let steps = sqlx::query(AssertSqlSafe(plan))
            .bind(9)
            .bind(9)
            .bind("north")
            .fetch_all(&readers)
            .await
            .unwrap();
        let steps: Vec<String> = steps.iter().map(|step| step.get("detail")).collect();
        assert_eq!(
            steps,
            [
                "SEARCH finished_party USING PRIMARY KEY (name=? AND finish_number<?)",
                "SEARCH finished_match USING INTEGER PRIMARY KEY (rowid=?)",
            ]
        );
    }
}
