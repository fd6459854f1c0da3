//! Rows of ladders, of the versions of their bots, and of their matches.

use std::collections::{BTreeSet, HashMap};

use sqlx::{SqliteConnection, SqliteExecutor};

use super::failure::Fault;
use crate::{
    Damage, DamagedValue, LadderChange, LadderId, LadderRows, StoredLadder, StoredLadderMatch,
    StoredLadderVersion,
    checksum::StoreId,
    ladder_batch::{LadderStanding, LadderStandings},
    rows::ladder_rows::{
        checksum_of_ladder, checksum_of_match, checksum_of_version, ladder_of, match_of, number_of,
        read, version_of,
    },
};

/// How these ladders stand, with those of these matches that are not over.
pub(super) async fn standings(
    connection: &mut SqliteConnection,
    store: StoreId,
    asked: HashMap<LadderId, BTreeSet<u64>>,
) -> Result<LadderStandings, Fault> {
    let mut standings = LadderStandings::new();
    for (id, ends) in asked {
        let row =
            sqlx::query("SELECT ladder_id, term, value, checksum FROM ladder WHERE ladder_id = ?")
                .bind(id.as_str())
                .fetch_optional(&mut *connection)
                .await?;
        let Some(row) = row else {
            continue;
        };
        let Ok(ladder) = ladder_of(store, &row) else {
            standings.insert(id, LadderStanding::Damaged);
            continue;
        };
        let last: Option<i64> =
            sqlx::query_scalar("SELECT max(number) FROM ladder_match WHERE ladder_id = ?")
                .bind(id.as_str())
                .fetch_one(&mut *connection)
                .await?;
        let mut open = BTreeSet::new();
        for number in ends {
            // One that cannot be read cannot be ended either.
            if let Ok(Some(found)) = one_match(&mut *connection, store, &id, number).await
                && !found.is_over
            {
                open.insert(number);
            }
        }
        let standing = LadderStanding::Sound {
            term: ladder.term,
            matches: last.map_or(0, |last| last.cast_unsigned() + 1),
            open,
        };
        standings.insert(id, standing);
    }
    Ok(standings)
}

/// Within a transaction: carries out a change that fits.
pub(super) async fn carry_out(
    connection: &mut SqliteConnection,
    store: StoreId,
    id: &LadderId,
    change: LadderChange,
) -> Result<(), Fault> {
    match change {
        LadderChange::Open { value } => keep(connection, store, id, 0, &value).await,
        LadderChange::Keep { term, value } => keep(connection, store, id, term, &value).await,
        LadderChange::Lead { term } => {
            let row = sqlx::query(
                "SELECT ladder_id, term, value, checksum FROM ladder WHERE ladder_id = ?",
            )
            .bind(id.as_str())
            .fetch_one(&mut *connection)
            .await?;
            let ladder = ladder_of(store, &row).map_err(Fault::Damage)?;
            keep(connection, store, id, term, &ladder.value).await
        }
        LadderChange::KeepVersion {
            bot_name,
            bot_version,
            value,
            ..
        } => {
            let checksum = checksum_of_version(store, id, &bot_name, &bot_version, &value);
            sqlx::query(
                "INSERT OR REPLACE INTO ladder_version
                     (ladder_id, bot_name, bot_version, value, checksum)
                 VALUES (?, ?, ?, ?, ?)",
            )
            .bind(id.as_str())
            .bind(bot_name)
            .bind(bot_version)
            .bind(value)
            .bind(checksum)
            .execute(connection)
            .await?;
            Ok(())
        }
        LadderChange::Pair { number, value, .. } => {
            keep_match(connection, store, id, number, false, &value).await
        }
        LadderChange::End { number, value, .. } => {
            keep_match(connection, store, id, number, true, &value).await
        }
        LadderChange::Drop => {
            for delete in [
                "DELETE FROM ladder WHERE ladder_id = ?",
                "DELETE FROM ladder_version WHERE ladder_id = ?",
                "DELETE FROM ladder_match WHERE ladder_id = ?",
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

async fn keep(
    connection: &mut SqliteConnection,
    store: StoreId,
    id: &LadderId,
    term: u64,
    value: &[u8],
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT OR REPLACE INTO ladder (ladder_id, term, value, checksum) VALUES (?, ?, ?, ?)",
    )
    .bind(id.as_str())
    .bind(term.cast_signed())
    .bind(value)
    .bind(checksum_of_ladder(store, id.as_str(), term, value))
    .execute(connection)
    .await?;
    Ok(())
}

async fn keep_match(
    connection: &mut SqliteConnection,
    store: StoreId,
    id: &LadderId,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT OR REPLACE INTO ladder_match (ladder_id, number, is_over, value, checksum)
         VALUES (?, ?, ?, ?, ?)",
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

/// Every ladder.
pub(super) async fn all(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
) -> Result<LadderRows<StoredLadder>, Fault> {
    let rows =
        sqlx::query("SELECT ladder_id, term, value, checksum FROM ladder ORDER BY ladder_id")
            .fetch_all(database)
            .await?;
    Ok(read(&rows, |row| ladder_of(store, row)))
}

/// Every version of a ladder.
pub(super) async fn versions(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    id: &LadderId,
) -> Result<LadderRows<StoredLadderVersion>, Fault> {
    let rows = sqlx::query(
        "SELECT bot_name, bot_version, value, checksum FROM ladder_version
         WHERE ladder_id = ? ORDER BY bot_name, bot_version",
    )
    .bind(id.as_str())
    .fetch_all(database)
    .await?;
    Ok(read(&rows, |row| version_of(store, id, row)))
}

/// A page of matches of a ladder.
pub(super) async fn matches(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    id: &LadderId,
    from: u64,
    limit: u32,
) -> Result<LadderRows<StoredLadderMatch>, Fault> {
    let Ok(from) = i64::try_from(from) else {
        return Ok(LadderRows::default());
    };
    // One more than the page has shows whether there is a next page.
    let mut rows = sqlx::query(
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = ? AND number >= ? ORDER BY number LIMIT ? + 1",
    )
    .bind(id.as_str())
    .bind(from)
    .bind(limit)
    .fetch_all(database)
    .await?;
    let next = rows.get(limit as usize).map(number_of);
    // A number that is damaged must not lead back.
    let next = next.filter(|next| *next > from.cast_unsigned());
    rows.truncate(limit as usize);
    Ok(LadderRows {
        next,
        ..read(&rows, |row| match_of(store, id, row))
    })
}

/// A match of a ladder.
pub(super) async fn one_match(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    id: &LadderId,
    number: u64,
) -> Result<Option<StoredLadderMatch>, Fault> {
    let Ok(number) = i64::try_from(number) else {
        return Ok(None);
    };
    let row = sqlx::query(
        "SELECT number, is_over, value, checksum FROM ladder_match
         WHERE ladder_id = ? AND number = ?",
    )
    .bind(id.as_str())
    .bind(number)
    .fetch_optional(database)
    .await?;
    let found = row.map(|row| match_of(store, id, &row)).transpose();
    found.map_err(Fault::Damage)
}

/// What is damaged in the rows of all ladders.
pub(super) async fn check(
    connection: &mut SqliteConnection,
    store: StoreId,
) -> Result<Vec<Damage>, Fault> {
    let mut damages = all(&mut *connection, store).await?.damaged;
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT CAST(ladder_id AS TEXT) FROM
             (SELECT ladder_id FROM ladder_version UNION SELECT ladder_id FROM ladder_match)",
    )
    .fetch_all(&mut *connection)
    .await?;
    for name in names {
        let Ok(id) = LadderId::new(name.as_str()) else {
            damages.push(Damage {
                value: DamagedValue::Ladder(name),
                detail: "rows of versions or matches are under a name that no ladder has"
                    .to_owned(),
            });
            continue;
        };
        damages.extend(versions(&mut *connection, store, &id).await?.damaged);
        let mut from = 0;
        loop {
            let limit = crate::limits::MAX_PAGE_LADDER_MATCHES;
            let page = matches(&mut *connection, store, &id, from, limit).await?;
            damages.extend(page.damaged);
            match page.next {
                Some(next) => from = next,
                None => break,
            }
        }
    }
    Ok(damages)
}
