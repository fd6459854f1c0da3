//! Rows of matches in play that nodes advertise for the lists of other nodes.

use sqlx::{AssertSqlSafe, PgExecutor, postgres::PgRow};

use super::{
    db_error::DbError,
    node_number::{NODE_OF_KEY, NodeNumber},
};
use crate::{
    AdvertisedCursor, AdvertisedMatch, AdvertisedPage, KeyName, MatchId,
    checksum::StoreId,
    rows::{StoredRow, id_from_row},
};

/// Separator between the names of the parties, which contain no line breaks.
const NAME_SEPARATOR: &str = "\n";

/// Inserts or replaces the entries of matches that are in play on this node.
pub(super) async fn upsert(
    database: impl PgExecutor<'_>,
    store: StoreId,
    node: NodeNumber,
    matches: &[AdvertisedMatch],
) -> Result<(), DbError> {
    let mut parties = Vec::new();
    let mut checksums = Vec::new();
    for entry in matches {
        let mut names: Vec<&str> = entry.parties.iter().map(KeyName::as_str).collect();
        names.sort_unstable();
        let names = names.join(NAME_SEPARATOR);
        checksums.push(checksum_of(
            store,
            entry.match_id.as_str(),
            node.get(),
            entry.created_at_unix_ms,
            &names,
            &entry.summary,
        ));
        parties.push(names);
    }
    let ids: Vec<&str> = matches
        .iter()
        .map(|entry| entry.match_id.as_str())
        .collect();
    let created: Vec<i64> = matches
        .iter()
        .map(|entry| entry.created_at_unix_ms)
        .collect();
    let summaries: Vec<&[u8]> = matches.iter().map(|entry| &*entry.summary).collect();
    // The rows are written in a fixed order, so that two nodes with the same match cannot deadlock.
    sqlx::query(
        "INSERT INTO told_match (match_id, teller, created_at_unix_ms, parties, shown, checksum)
         SELECT match_id, $8, created, string_to_array(names, E'\\n'), advertised.summary,
             advertised.checksum
         FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::bigint[])
             AS advertised (match_id, created, names, summary, checksum)
             JOIN open_match USING (match_id)
         WHERE match_key > $6 AND match_key <= $7
         ORDER BY match_id
         ON CONFLICT (match_id) DO UPDATE SET teller = excluded.teller,
             created_at_unix_ms = excluded.created_at_unix_ms, parties = excluded.parties,
             shown = excluded.shown, checksum = excluded.checksum",
    )
    .bind(ids)
    .bind(created)
    .bind(parties)
    .bind(summaries)
    .bind(checksums)
    .bind(node.base())
    .bind(node.last())
    .bind(node.get())
    .execute(database)
    .await?;
    Ok(())
}

/// Deletes the entries of matches that are no longer in play.
pub(super) async fn delete_ended(database: impl PgExecutor<'_>) -> Result<(), DbError> {
    sqlx::query(
        "DELETE FROM told_match WHERE NOT EXISTS (
             SELECT 1 FROM open_match WHERE open_match.match_id = told_match.match_id)",
    )
    .execute(database)
    .await?;
    Ok(())
}

/// Returns a page of the matches in play on other nodes, optionally of one party. Includes matches
/// that this node has just taken over, until it advertises them itself.
pub(super) async fn remote_page(
    database: impl PgExecutor<'_>,
    store: StoreId,
    node: NodeNumber,
    after: &AdvertisedCursor,
    limit: u32,
    party: Option<&KeyName>,
) -> Result<AdvertisedPage, DbError> {
    let is_of = match party {
        None => "",
        Some(_) => "AND parties @> ARRAY[$5]",
    };
    // One extra row shows whether there is a next page.
    let select = AssertSqlSafe(format!(
        "SELECT match_id, created_at_unix_ms, array_to_string(parties, E'\\n'), shown,
             told_match.checksum, teller
         FROM told_match JOIN open_match USING (match_id)
         WHERE NOT (teller = $1 AND {NODE_OF_KEY} = $1)
             AND (created_at_unix_ms, match_id) < ($2, $3) {is_of}
         ORDER BY created_at_unix_ms DESC, match_id DESC LIMIT $4 + 1"
    ));
    let query = sqlx::query(select)
        .bind(node.get())
        .bind(after.created_at_unix_ms)
        .bind(&after.match_id)
        .bind(i64::from(limit));
    let query = match party {
        None => query,
        Some(party) => query.bind(party.as_str()),
    };
    let mut rows = query.fetch_all(database).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let mut page = AdvertisedPage::default();
    for row in &rows {
        match read(store, row) {
            Some(entry) => page.matches.push(entry),
            None => page.damaged.extend(id_from_row(row, 0)),
        }
    }
    if let Some(last) = rows.last().filter(|_| has_more) {
        page.next = Some(AdvertisedCursor {
            created_at_unix_ms: last.value(1)?,
            match_id: last.value(0)?,
        });
    }
    Ok(page)
}

/// Reads an entry; `None` if it is damaged.
fn read(store: StoreId, row: &PgRow) -> Option<AdvertisedMatch> {
    let match_id: String = row.value(0).ok()?;
    let created_at_unix_ms = row.value(1).ok()?;
    let names: String = row.value(2).ok()?;
    let summary: Vec<u8> = row.value(3).ok()?;
    let advertiser = row.value(5).ok()?;
    let computed = checksum_of(
        store,
        &match_id,
        advertiser,
        created_at_unix_ms,
        &names,
        &summary,
    );
    if row.value::<i64>(4).ok()? != computed {
        return None;
    }
    let names = names.split(NAME_SEPARATOR).filter(|name| !name.is_empty());
    Some(AdvertisedMatch {
        match_id: MatchId::new(match_id).ok()?,
        created_at_unix_ms,
        parties: names.map(KeyName::new).collect::<Result<_, _>>().ok()?,
        summary,
    })
}

fn checksum_of(
    store: StoreId,
    match_id: &str,
    advertiser: i64,
    created_at_unix_ms: i64,
    names: &str,
    summary: &[u8],
) -> i64 {
    store
        .row_checksum("told_match")
        .add_text(match_id)
        .add_number(advertiser)
        .add_number(created_at_unix_ms)
        .add_text(names)
        .add_bytes(summary)
        .finish()
}
