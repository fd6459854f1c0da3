//! Reads the matches in play of a node with their journals, for a takeover.

use sqlx::PgConnection;

use super::{
    db_error::DbError,
    journal,
    node_number::NodeNumber,
    open_rows::{self, RowWithHeader},
};
use crate::{
    DamageReport, DamagedValue, checksum::StoreId, journal::reader::LoadedJournal,
    rows::open_matches::OpenRow,
};

/// A match in play, with its header and journal.
pub(super) struct WholeMatch {
    pub(super) row: OpenRow,
    pub(super) header: Vec<u8>,
    pub(super) journal: Vec<Vec<u8>>,
}

/// A match in play that cannot be read.
pub(super) struct UnreadableMatch {
    pub(super) match_key: i64,
    pub(super) damage: DamageReport,
}

/// Reads the matches of a node, in the order in which they were opened. Requires an open snapshot
/// transaction.
pub(super) async fn read(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
) -> Result<Vec<Result<WholeMatch, UnreadableMatch>>, DbError> {
    let rows = open_rows::with_headers(connection, store, node).await?;
    let of_rows = rows.iter().map(|with_header| with_header.row.clone());
    let loaded = journal::load(connection, store, node, of_rows.collect()).await?;
    Ok(combine(rows, loaded))
}

/// Combines the rows of matches with their journals.
pub(super) fn combine(
    rows: Vec<RowWithHeader>,
    mut loaded: LoadedJournal,
) -> Vec<Result<WholeMatch, UnreadableMatch>> {
    let matches = rows.into_iter().map(|RowWithHeader { row, header }| {
        let in_play = loaded.matches.by_id.remove(&row.match_id);
        let (journal, damage) = in_play.map_or((None, None), |it| (it.cached_journal, it.damage));
        match (journal, damage) {
            (Some(journal), None) => Ok(WholeMatch {
                row,
                header,
                journal,
            }),
            (_, damage) => Err(UnreadableMatch {
                match_key: row.match_key,
                damage: damage.map_or_else(|| duplicate_id(&row), |damage| *damage),
            }),
        }
    });
    matches.collect()
}

/// The damage of two rows with the same id, which the database should not allow.
fn duplicate_id(row: &OpenRow) -> DamageReport {
    DamageReport {
        value: DamagedValue::Journal(row.match_id.clone()),
        detail: "the id is not unique".to_owned(),
    }
}
