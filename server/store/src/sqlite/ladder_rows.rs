//! Rows of ladders, of the versions of their bots, and of their matches.

use std::collections::{BTreeSet, HashMap};

use sqlx::{Row as _, SqliteConnection, SqliteExecutor, sqlite::SqliteRow};

use super::failure::Fault;
use crate::{
    Damage, DamagedValue, LadderChange, LadderId, LadderRows, StoredLadder, StoredLadderMatch,
    StoredLadderVersion,
    checksum::{CHECKSUM_DIFFERS, StoreId},
    ladder_batch::{LadderStanding, LadderStandings},
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

fn read<T>(rows: &[SqliteRow], read: impl Fn(&SqliteRow) -> Result<T, Damage>) -> LadderRows<T> {
    let mut all = LadderRows::default();
    for row in rows {
        match read(row) {
            Ok(sound) => all.kept.push(sound),
            Err(damage) => all.damaged.push(damage),
        }
    }
    all
}

fn ladder_of(store: StoreId, row: &SqliteRow) -> Result<StoredLadder, Damage> {
    let read = || -> Result<_, sqlx::Error> {
        let name: String = row.try_get(0)?;
        let term = row.try_get::<i64, _>(1)?.cast_unsigned();
        let value: Vec<u8> = row.try_get(2)?;
        let computed = checksum_of_ladder(store, &name, term, &value);
        let ladder = StoredLadder {
            ladder_id: LadderId::new(name).map_err(|error| sqlx::Error::Decode(error.into()))?,
            term,
            value,
        };
        Ok((ladder, row.try_get::<i64, _>(3)? == computed))
    };
    sound(read(), || {
        DamagedValue::Ladder(row.try_get(0).unwrap_or_default())
    })
}

fn version_of(
    store: StoreId,
    id: &LadderId,
    row: &SqliteRow,
) -> Result<StoredLadderVersion, Damage> {
    let read = || -> Result<_, sqlx::Error> {
        let version = StoredLadderVersion {
            bot_name: row.try_get(0)?,
            bot_version: row.try_get(1)?,
            value: row.try_get(2)?,
        };
        let StoredLadderVersion {
            bot_name,
            bot_version,
            value,
        } = &version;
        let computed = checksum_of_version(store, id, bot_name, bot_version, value);
        Ok((version, row.try_get::<i64, _>(3)? == computed))
    };
    sound(read(), || DamagedValue::LadderVersion {
        ladder: id.to_string(),
        bot_name: row.try_get(0).unwrap_or_default(),
        bot_version: row.try_get(1).unwrap_or_default(),
    })
}

fn match_of(store: StoreId, id: &LadderId, row: &SqliteRow) -> Result<StoredLadderMatch, Damage> {
    let read = || -> Result<_, sqlx::Error> {
        let found = StoredLadderMatch {
            number: row.try_get::<i64, _>(0)?.cast_unsigned(),
            is_over: row.try_get(1)?,
            value: row.try_get(2)?,
        };
        let StoredLadderMatch {
            number,
            is_over,
            value,
        } = &found;
        let computed = checksum_of_match(store, id.as_str(), *number, *is_over, value);
        Ok((found, row.try_get::<i64, _>(3)? == computed))
    };
    sound(read(), || DamagedValue::LadderMatch {
        ladder: id.to_string(),
        number: number_of(row),
    })
}

fn number_of(row: &SqliteRow) -> u64 {
    row.try_get::<i64, _>(0).unwrap_or_default().cast_unsigned()
}

fn sound<T>(
    read: Result<(T, bool), sqlx::Error>,
    damaged: impl FnOnce() -> DamagedValue,
) -> Result<T, Damage> {
    let detail = match read {
        Ok((value, true)) => return Ok(value),
        Ok((_, false)) => CHECKSUM_DIFFERS.to_owned(),
        Err(error) => error.to_string(),
    };
    let value = damaged();
    Err(Damage { value, detail })
}

fn checksum_of_ladder(store: StoreId, name: &str, term: u64, value: &[u8]) -> i64 {
    let row = store.row("ladder").text(name);
    row.number(term.cast_signed()).bytes(value).finish()
}

fn checksum_of_version(
    store: StoreId,
    id: &LadderId,
    bot_name: &str,
    bot_version: &str,
    value: &[u8],
) -> i64 {
    let row = store.row("ladder_version").text(id.as_str());
    row.text(bot_name).text(bot_version).bytes(value).finish()
}

fn checksum_of_match(
    store: StoreId,
    ladder: &str,
    number: u64,
    is_over: bool,
    value: &[u8],
) -> i64 {
    let row = store.row("ladder_match").text(ladder);
    let row = row.number(number.cast_signed()).number(is_over.into());
    row.bytes(value).finish()
}
