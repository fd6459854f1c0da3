//! Matches in play with their headers and journals.

use std::ops::RangeInclusive;

use super::{
    SqlConnection, journal,
    open_matches::{self, OpenRow, header},
};
use crate::{
    DamageReport, DamagedValue, MatchId, OpenMatch,
    checksum::StoreId,
    db_error::DbError,
    journal::{MatchInPlay, reader::LoadedJournal},
};

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
    let open = open_matches::select(connection, store, &keys).await?;
    Ok(split(journal::load(connection, store, open, keys).await?))
}

/// Returns the loaded matches, in the order in which they were opened.
pub(crate) fn split(loaded: LoadedJournal) -> Vec<Result<WholeMatch, UnreadableMatch>> {
    let mut matches = Vec::from_iter(loaded.matches.by_id);
    matches.sort_unstable_by_key(|(_, in_play)| in_play.state.match_key);
    let whole = |(_, in_play): (MatchId, MatchInPlay)| {
        let match_key = in_play.state.match_key;
        if let Some(damage) = in_play.damage {
            return Some(Err(UnreadableMatch { match_key, damage: *damage }));
        }
        let OpenMatch { match_id, opened_at_unix_ms, header, journal } = *in_play.cached?;
        let row = OpenRow { match_key, match_id, opened_at_unix_ms };
        Some(Ok(WholeMatch { row, header, journal }))
    };
    matches.into_iter().filter_map(whole).collect()
}

/// Reads a match in play, unless it is cached.
pub(crate) async fn read_open_match<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    id: &MatchId,
    in_play: &mut MatchInPlay,
) -> Result<OpenMatch, DbError> {
    if let Some(damage) = &in_play.damage {
        return Err((**damage).clone().into());
    }
    if let Some(open) = in_play.cached.take() {
        return Ok(*open);
    }
    let header = read_header(connection, store, id, in_play).await?;
    let journal = journal::read(connection, store, in_play).await?;
    let journal = journal
        .map_err(|detail| DamageReport { value: DamagedValue::Journal(id.clone()), detail })?;
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
