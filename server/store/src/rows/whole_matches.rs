//! Matches in play with their headers and journals.

use std::ops::RangeInclusive;

use super::{
    SqlConnection, StoredRow, journal,
    open_matches::{OpenRow, header, read},
};
use crate::{
    DamageReport, DamagedValue, MatchId, OpenMatch,
    checksum::StoreId,
    db_error::DbError,
    journal::{in_play::MatchInPlay, reader::LoadedJournal},
};

/// A match in play with its header. The header is empty if it cannot be read.
pub(crate) struct RowWithHeader {
    pub(crate) row: OpenRow,
    pub(crate) header: Vec<u8>,
}

impl RowWithHeader {
    /// Reads the columns `match_key`, `match_id`, `opened_at_unix_ms`, `header` and `checksum`.
    pub(crate) fn read(store: StoreId, row: &impl StoredRow) -> Self {
        let open = OpenRow::read(store, row);
        let header = read(store, open.match_key, row).unwrap_or_default();
        Self { row: open, header }
    }
}

/// Reads and verifies the matches with these keys, in the order in which they were opened.
pub(crate) async fn with_headers<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    keys: &RangeInclusive<i64>,
) -> Result<Vec<RowWithHeader>, DbError> {
    let select = "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match
         WHERE match_key >= $1 AND match_key <= $2 ORDER BY match_key";
    let params = [(*keys.start()).into(), (*keys.end()).into()];
    let rows = connection.query(select, &params).await?;
    let rows = rows.iter().map(|row| RowWithHeader::read(store, row));
    Ok(rows.collect())
}

/// A match in play, with its header and journal.
pub(crate) struct WholeMatch {
    pub(crate) row: OpenRow,
    pub(crate) header: Vec<u8>,
    pub(crate) journal: Vec<Vec<u8>>,
}

impl From<WholeMatch> for OpenMatch {
    fn from(whole: WholeMatch) -> Self {
        Self {
            match_id: whole.row.match_id,
            opened_at_unix_ms: whole.row.opened_at_unix_ms,
            header: whole.header,
            journal: whole.journal,
        }
    }
}

/// A match in play that cannot be read.
pub(crate) struct UnreadableMatch {
    pub(crate) match_key: i64,
    pub(crate) damage: DamageReport,
}

/// Reads matches, in the order in which they were opened. Both the keys of the matches and the
/// numbers of their batches are in this range. Requires an open snapshot transaction.
pub(crate) async fn read_whole<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    keys: RangeInclusive<i64>,
) -> Result<Vec<Result<WholeMatch, UnreadableMatch>>, DbError> {
    let rows = with_headers(connection, store, &keys).await?;
    let of_rows = rows.iter().map(|with_header| with_header.row.clone());
    let loaded = journal::load(connection, store, of_rows.collect(), keys).await?;
    Ok(combine(rows, loaded))
}

/// Combines the rows of matches with their journals.
pub(crate) fn combine(
    rows: Vec<RowWithHeader>,
    mut loaded: LoadedJournal,
) -> Vec<Result<WholeMatch, UnreadableMatch>> {
    let matches = rows.into_iter().map(|RowWithHeader { row, header }| {
        let in_play = loaded.matches.by_id.remove(&row.match_id);
        let (journal, damage) = in_play.map_or((None, None), |it| (it.cached_journal, it.damage));
        match (journal, damage) {
            (Some(journal), None) => Ok(WholeMatch { row, header, journal }),
            (_, damage) => Err(UnreadableMatch {
                match_key: row.match_key,
                damage: damage.map_or_else(|| duplicate_id(&row), |damage| *damage),
            }),
        }
    });
    matches.collect()
}

/// Reads a match in play, except what is cached.
pub(crate) async fn read_open_match<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    id: &MatchId,
    in_play: &mut MatchInPlay,
) -> Result<OpenMatch, DbError> {
    if let Some(damage) = &in_play.damage {
        return Err((**damage).clone().into());
    }
    let header = match in_play.cached_header.take() {
        Some(header) => header,
        None => read_header(connection, store, id, in_play).await?,
    };
    let journal = match in_play.cached_journal.take() {
        Some(journal) => journal,
        None => {
            let read = journal::read(connection, store, in_play).await?;
            read.map_err(|detail| DamageReport {
                value: DamagedValue::Journal(id.clone()),
                detail,
            })?
        }
    };
    Ok(OpenMatch {
        match_id: id.clone(),
        opened_at_unix_ms: in_play.state.opened_at_unix_ms,
        header,
        journal,
    })
}

/// Reads the header of a match in play.
pub(crate) async fn read_header<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    id: &MatchId,
    in_play: &MatchInPlay,
) -> Result<Vec<u8>, DbError> {
    let header = header(connection, store, in_play.state.match_key).await?;
    let header =
        header.map_err(|detail| DamageReport { value: DamagedValue::Header(id.clone()), detail });
    Ok(header?)
}

/// The damage if two rows have the same id, which the database should prevent.
fn duplicate_id(row: &OpenRow) -> DamageReport {
    DamageReport {
        value: DamagedValue::Journal(row.match_id.clone()),
        detail: "the id is not unique".to_owned(),
    }
}
