//! The lists of parties: an index of the store's own, made of the finished matches. Where it differs
//! from them it is made anew.

use sqlx::{Row as _, SqliteConnection};

use super::failure::Fault;
use crate::{checksum::StoreId, rows::finished_rows::read};

/// Within a transaction: makes the entries anew that are not those of sound matches. What the lists
/// say of a damaged match stays: it may be all that is left of its parties. Tells whether anything
/// was wrong.
pub(super) async fn mend(connection: &mut SqliteConnection, store: StoreId) -> Result<bool, Fault> {
    let Some(numbers) = differing(connection).await? else {
        return Ok(false);
    };
    let foreign =
        sqlx::query("DELETE FROM finished_party WHERE typeof(finish_number) <> 'integer'")
            .execute(&mut *connection)
            .await?;
    let (mut wrong, mut parties) = (Vec::new(), Vec::new());
    for number in numbers {
        let row = sqlx::query(
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number = ?",
        )
        .bind(number)
        .fetch_optional(&mut *connection)
        .await?;
        match row.map(|row| read(store, &row)) {
            // It stays.
            Some(Err(_)) => {}
            Some(Ok((_, names))) => {
                wrong.push(number.to_string());
                parties.push((number, names));
            }
            None => wrong.push(number.to_string()),
        }
    }
    delete(connection, &wrong).await?;
    for (number, names) in &parties {
        for name in names.lines() {
            sqlx::query("INSERT INTO finished_party (name, finish_number) VALUES (?, ?)")
                .bind(name)
                .bind(number)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(!wrong.is_empty() || foreign.rows_affected() > 0)
}

/// The finished matches, or numbers of none, whose entries are others than the matches say; `None`
/// if there are none.
async fn differing(connection: &mut SqliteConnection) -> Result<Option<Vec<i64>>, Fault> {
    // In one pass over each table: a server that starts waits for it.
    let row = sqlx::query(
        "SELECT count(*), group_concat(iif(names IS parties, NULL, finish_number))
         FROM (SELECT finish_number, group_concat(name, char(10)) AS names
               FROM (SELECT finish_number, name FROM finished_party ORDER BY finish_number, name)
               GROUP BY finish_number)
             LEFT JOIN finished_match USING (finish_number)",
    )
    .fetch_one(&mut *connection)
    .await?;
    let (listed, differing): (i64, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
    let with_parties: i64 =
        sqlx::query_scalar("SELECT count(*) FROM finished_match WHERE parties <> ''")
            .fetch_one(&mut *connection)
            .await?;
    if differing.is_none() && listed == with_parties {
        return Ok(None);
    }
    let unlisted: Vec<i64> = sqlx::query_scalar(
        "SELECT finish_number FROM finished_match
         WHERE parties <> '' AND finish_number NOT IN (SELECT finish_number FROM finished_party)",
    )
    .fetch_all(connection)
    .await?;
    let differing = differing.unwrap_or_default();
    let differing = differing
        .split(',')
        .filter_map(|number| number.parse().ok());
    Ok(Some(differing.chain(unlisted).collect()))
}

/// Removes all entries of matches of these numbers.
async fn delete(connection: &mut SqliteConnection, numbers: &[String]) -> Result<(), Fault> {
    sqlx::query(
        "DELETE FROM finished_party WHERE finish_number IN (SELECT value FROM json_each(?))",
    )
    .bind(format!("[{}]", numbers.join(",")))
    .execute(connection)
    .await?;
    Ok(())
}
