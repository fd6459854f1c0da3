//! Rows of what nodes tell each other of their matches in play.

use sqlx::{AssertSqlSafe, PgExecutor, postgres::PgRow};

use super::{
    failure::Fault,
    node_number::{NODE_OF_KEY, NodeNumber},
};
use crate::{
    KeyName, MatchId, ToldCursor, ToldMatch, ToldPage,
    checksum::StoreId,
    rows::{StoredRow, match_ids::id_of},
};

/// Names have no line break, so it parts them.
const BREAK: &str = "\n";

/// Tells of matches, where they are in play at this node.
pub(super) async fn tell(
    database: impl PgExecutor<'_>,
    store: StoreId,
    node: NodeNumber,
    matches: &[ToldMatch],
) -> Result<(), Fault> {
    let mut parties = Vec::new();
    let mut checksums = Vec::new();
    for told in matches {
        let mut names: Vec<&str> = told.parties.iter().map(KeyName::as_str).collect();
        names.sort_unstable();
        let names = names.join(BREAK);
        checksums.push(checksum_of(
            store,
            told.match_id.as_str(),
            node.get(),
            told.created_at_unix_ms,
            &names,
            &told.shown,
        ));
        parties.push(names);
    }
    let ids: Vec<&str> = matches.iter().map(|told| told.match_id.as_str()).collect();
    let created: Vec<i64> = matches.iter().map(|told| told.created_at_unix_ms).collect();
    let shown: Vec<&[u8]> = matches.iter().map(|told| &*told.shown).collect();
    // In one order, so that two nodes that tell of one match do not wait for each other.
    sqlx::query(
        "INSERT INTO told_match (match_id, teller, created_at_unix_ms, parties, shown, checksum)
         SELECT match_id, $8, created, string_to_array(names, E'\\n'), told.shown, told.checksum
         FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::bigint[])
             AS told (match_id, created, names, shown, checksum)
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
    .bind(shown)
    .bind(checksums)
    .bind(node.base())
    .bind(node.last())
    .bind(node.get())
    .execute(database)
    .await?;
    Ok(())
}

/// Removes what was told of matches that are in play no more.
pub(super) async fn sweep(database: impl PgExecutor<'_>) -> Result<(), Fault> {
    sqlx::query(
        "DELETE FROM told_match WHERE NOT EXISTS (
             SELECT 1 FROM open_match WHERE open_match.match_id = told_match.match_id)",
    )
    .execute(database)
    .await?;
    Ok(())
}

/// A page of the matches in play at other nodes than this one, of all or of one name; with those that
/// this one has just taken over, until it tells of them itself.
pub(super) async fn page_elsewhere(
    database: impl PgExecutor<'_>,
    store: StoreId,
    node: NodeNumber,
    after: &ToldCursor,
    limit: u32,
    of: Option<&KeyName>,
) -> Result<ToldPage, Fault> {
    let is_of = match of {
        None => "",
        Some(_) => "AND parties @> ARRAY[$5]",
    };
    // One more than the page has shows whether there is a next page.
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
    let query = match of {
        None => query,
        Some(of) => query.bind(of.as_str()),
    };
    let mut rows = query.fetch_all(database).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let mut page = ToldPage::default();
    for row in &rows {
        match read(store, row) {
            Some(told) => page.matches.push(told),
            None => page.damaged.extend(id_of(row, 0)),
        }
    }
    if let Some(last) = rows.last().filter(|_| has_more) {
        page.next = Some(ToldCursor {
            created_at_unix_ms: last.value(1)?,
            match_id: last.value(0)?,
        });
    }
    Ok(page)
}

/// A match that is told, if its row is sound.
fn read(store: StoreId, row: &PgRow) -> Option<ToldMatch> {
    let match_id: String = row.value(0).ok()?;
    let created_at_unix_ms = row.value(1).ok()?;
    let names: String = row.value(2).ok()?;
    let shown: Vec<u8> = row.value(3).ok()?;
    let teller = row.value(5).ok()?;
    let computed = checksum_of(store, &match_id, teller, created_at_unix_ms, &names, &shown);
    if row.value::<i64>(4).ok()? != computed {
        return None;
    }
    let names = names.split(BREAK).filter(|name| !name.is_empty());
    Some(ToldMatch {
        match_id: MatchId::new(match_id).ok()?,
        created_at_unix_ms,
        parties: names.map(KeyName::new).collect::<Result<_, _>>().ok()?,
        shown,
    })
}

fn checksum_of(
    store: StoreId,
    match_id: &str,
    teller: i64,
    created_at_unix_ms: i64,
    names: &str,
    shown: &[u8],
) -> i64 {
    store
        .row("told_match")
        .text(match_id)
        .number(teller)
        .number(created_at_unix_ms)
        .text(names)
        .bytes(shown)
        .finish()
}
