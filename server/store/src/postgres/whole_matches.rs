//! The matches of a node that are in play, each with all that is kept of it.

use sqlx::PgConnection;

use super::{
    failure::Fault,
    journal,
    node_number::NodeNumber,
    open_rows::{self, WithHeader},
};
use crate::{
    Damage, DamagedValue, checksum::StoreId, journal::reading::Loaded, rows::open_rows::OpenRow,
};

/// A match in play.
pub(super) struct WholeMatch {
    pub(super) row: OpenRow,
    pub(super) header: Vec<u8>,
    pub(super) journal: Vec<Vec<u8>>,
}

/// A match in play that cannot be read.
pub(super) struct Unreadable {
    pub(super) match_key: i64,
    pub(super) damage: Damage,
}

/// Reads the matches of a node, in the order in which they were opened. The connection must show the
/// database as it is at one moment.
pub(super) async fn read(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
) -> Result<Vec<Result<WholeMatch, Unreadable>>, Fault> {
    let rows = open_rows::with_headers(connection, store, node).await?;
    let of_rows = rows.iter().map(|with_header| with_header.row.clone());
    let loaded = journal::load(connection, store, node, of_rows.collect()).await?;
    Ok(whole(rows, loaded))
}

/// Matches with what their journals have come to.
pub(super) fn whole(
    rows: Vec<WithHeader>,
    mut loaded: Loaded,
) -> Vec<Result<WholeMatch, Unreadable>> {
    let matches = rows.into_iter().map(|WithHeader { row, header }| {
        let in_play = loaded.matches.by_id.remove(&row.match_id);
        let (journal, damage) = in_play.map_or((None, None), |it| (it.read_at_open, it.damage));
        match (journal, damage) {
            (Some(journal), None) => Ok(WholeMatch {
                row,
                header,
                journal,
            }),
            (_, damage) => Err(Unreadable {
                match_key: row.match_key,
                damage: damage.map_or_else(|| not_read(&row), |damage| *damage),
            }),
        }
    });
    matches.collect()
}

/// Two rows have the same identifier, which the database does not allow.
fn not_read(row: &OpenRow) -> Damage {
    Damage {
        value: DamagedValue::Journal(row.match_id.clone()),
        detail: "it is not read".to_owned(),
    }
}
