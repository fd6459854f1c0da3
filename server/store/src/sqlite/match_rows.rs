//! Rows of matches: those in play without their journals, and the finished ones.

use std::collections::BTreeSet;

use sqlx::{SqliteConnection, SqliteExecutor};

use super::{failure::Fault, plan::Step};
use crate::{FinishedCursor, FinishedMatch, FinishedPage, KeyName, MatchCounts, MatchId};

/// Carries out a step of a plan.
pub(super) async fn carry_out(connection: &mut SqliteConnection, step: Step) -> Result<(), Fault> {
    match step {
        Step::Open {
            match_key,
            match_id,
            opened_at_unix_ms,
            header,
        } => {
            sqlx::query(
                "INSERT INTO open_match (match_key, match_id, opened_at_unix_ms, header)
                 VALUES (?, ?, ?, ?)",
            )
            .bind(match_key)
            .bind(match_id.as_str())
            .bind(opened_at_unix_ms)
            .bind(header)
            .execute(connection)
            .await?;
        }
        Step::Finish {
            match_key,
            finished,
            replay,
            parties,
        } => {
            delete_open(connection, match_key).await?;
            let finish_number: i64 = sqlx::query_scalar(
                "INSERT INTO finished_match
                     (match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties)
                 VALUES (?, ?, ?, ?, ?) RETURNING finish_number",
            )
            .bind(finished.match_id.as_str())
            .bind(finished.opened_at_unix_ms)
            .bind(finished.ended_at_unix_ms)
            .bind(finished.summary)
            .bind(lines(&parties))
            .fetch_one(&mut *connection)
            .await?;
            sqlx::query("INSERT INTO replay (finish_number, replay) VALUES (?, ?)")
                .bind(finish_number)
                .bind(replay)
                .execute(&mut *connection)
                .await?;
            for party in &parties {
                sqlx::query("INSERT INTO finished_party (name, finish_number) VALUES (?, ?)")
                    .bind(party.as_str())
                    .bind(finish_number)
                    .execute(&mut *connection)
                    .await?;
            }
        }
        Step::DropOpen { match_key } => delete_open(connection, match_key).await?,
        Step::DropFinished { match_id } => {
            // The replay goes with it: its row refers to this one.
            let dropped: Option<(i64, String)> = sqlx::query_as(
                "DELETE FROM finished_match WHERE match_id = ? RETURNING finish_number, parties",
            )
            .bind(match_id.as_str())
            .fetch_optional(&mut *connection)
            .await?;
            let (finish_number, parties) = dropped.unwrap_or_default();
            for party in parties.lines() {
                sqlx::query("DELETE FROM finished_party WHERE name = ? AND finish_number = ?")
                    .bind(party)
                    .bind(finish_number)
                    .execute(&mut *connection)
                    .await?;
            }
        }
    }
    Ok(())
}

/// Names in one text: a name has no line break.
fn lines(names: &BTreeSet<KeyName>) -> String {
    let names: Vec<&str> = names.iter().map(KeyName::as_str).collect();
    names.join("\n")
}

async fn delete_open(connection: &mut SqliteConnection, match_key: i64) -> Result<(), Fault> {
    sqlx::query("DELETE FROM open_match WHERE match_key = ?")
        .bind(match_key)
        .execute(connection)
        .await?;
    Ok(())
}

/// The header of a match in play.
pub(super) async fn header(
    connection: &mut SqliteConnection,
    match_key: i64,
) -> Result<Vec<u8>, Fault> {
    let header = sqlx::query_scalar("SELECT header FROM open_match WHERE match_key = ?")
        .bind(match_key)
        .fetch_optional(connection)
        .await?;
    header.ok_or_else(|| {
        Fault::Contradiction(format!(
            "the match with key {match_key} has lost its header"
        ))
    })
}

/// Whether a match of this id has finished.
pub(super) async fn is_finished(
    connection: &mut SqliteConnection,
    id: &MatchId,
) -> Result<bool, Fault> {
    let sql = "SELECT EXISTS (SELECT 1 FROM finished_match WHERE match_id = ?)";
    Ok(sqlx::query_scalar(sql)
        .bind(id.as_str())
        .fetch_one(connection)
        .await?)
}

/// A page of finished matches.
pub(super) async fn finished_page(
    database: impl SqliteExecutor<'_>,
    after: Option<FinishedCursor>,
    limit: u32,
    of: Option<&KeyName>,
) -> Result<FinishedPage, Fault> {
    // One more than the page has shows whether there is a next page.
    let query = match of {
        None => sqlx::query_as(
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary
             FROM finished_match WHERE finish_number < ?1
             ORDER BY finish_number DESC LIMIT ?2 + 1",
        ),
        Some(_) => sqlx::query_as(
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary
             FROM finished_party CROSS JOIN finished_match USING (finish_number)
             WHERE name = ?3 AND finish_number < ?1
             ORDER BY finish_number DESC LIMIT ?2 + 1",
        ),
    };
    let query = query
        .bind(after.map_or(i64::MAX, |cursor| cursor.0))
        .bind(limit);
    let query = match of {
        None => query,
        Some(of) => query.bind(of.as_str()),
    };
    let mut rows: Vec<(i64, String, i64, i64, Vec<u8>)> = query.fetch_all(database).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows
        .last()
        .filter(|_| has_more)
        .map(|row| FinishedCursor(row.0));
    let matches = rows
        .into_iter()
        .map(|(_, match_id, opened_at, ended_at, summary)| {
            finished_match_of(match_id, opened_at, ended_at, summary)
        });
    Ok(FinishedPage {
        matches: matches.collect::<Result<_, _>>()?,
        damaged: Vec::new(),
        next,
    })
}

/// A finished match.
pub(super) async fn finished_match(
    database: impl SqliteExecutor<'_>,
    id: &MatchId,
) -> Result<Option<FinishedMatch>, Fault> {
    let row: Option<(String, i64, i64, Vec<u8>)> = sqlx::query_as(
        "SELECT match_id, opened_at_unix_ms, ended_at_unix_ms, summary
         FROM finished_match WHERE match_id = ?",
    )
    .bind(id.as_str())
    .fetch_optional(database)
    .await?;
    row.map(|(match_id, opened_at, ended_at, summary)| {
        finished_match_of(match_id, opened_at, ended_at, summary)
    })
    .transpose()
}

fn finished_match_of(
    match_id: String,
    opened_at_unix_ms: i64,
    ended_at_unix_ms: i64,
    summary: Vec<u8>,
) -> Result<FinishedMatch, Fault> {
    let match_id = MatchId::new(match_id)?;
    Ok(FinishedMatch {
        match_id,
        opened_at_unix_ms,
        ended_at_unix_ms,
        summary,
    })
}

/// The replay of a finished match.
pub(super) async fn replay(
    database: impl SqliteExecutor<'_>,
    id: &MatchId,
) -> Result<Option<Vec<u8>>, Fault> {
    Ok(sqlx::query_scalar(
        "SELECT replay FROM finished_match JOIN replay USING (finish_number) WHERE match_id = ?",
    )
    .bind(id.as_str())
    .fetch_optional(database)
    .await?)
}

/// How many there are.
pub(super) async fn counts(database: impl SqliteExecutor<'_>) -> Result<MatchCounts, Fault> {
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
