//! Lists the matches of a ladder, page by page.

use std::sync::Arc;

use bridgemaster_edge::{
    identity::Visibility, limits::LISTED_MATCH_BYTES, refusal::Refusal, transport::Call,
};
use bridgemaster_ladder::End;
use bridgemaster_live::{Matches, Reader};
use bridgemaster_proto::v1::LadderMatch;
use bridgemaster_store::{LadderRows, StoredLadderMatch};

use super::{LiveLadder, rows::MatchRow, storage_failed};

/// The number of rows in one read of the store.
pub(super) const ROWS_PER_READ: u32 = 200;
/// The maximum number of reads in one call. Because of this limit a page can be short.
const MAX_READS: usize = 10;

/// A filter for a ladder's matches.
#[derive(Clone, Debug, Default)]
pub struct MatchFilter {
    /// A bot that plays in the match; empty for any.
    pub bot_name: String,
    /// Another bot that plays in the match; empty for any.
    pub against_bot_name: String,
    /// Whether the match is annulled; `None` for any.
    pub annulled: Option<bool>,
}

impl MatchFilter {
    /// Returns whether a match passes the filter. `is_voided` states that an organiser annulled it.
    fn accepts(&self, row: &MatchRow, is_voided: bool) -> bool {
        let has = |name: &str| {
            let mut seats = row.pairing.seats.iter();
            name.is_empty() || seats.any(|bot| bot.name == name)
        };
        let is_annulled =
            row.over.as_ref().is_some_and(|over| is_voided || matches!(over.end, End::Annulled(_)));
        has(&self.bot_name)
            && has(&self.against_bot_name)
            && self.annulled.is_none_or(|annulled| annulled == is_annulled)
    }
}

/// One page of a match list.
pub struct ListedMatches {
    /// The matches, newest first.
    pub matches: Vec<LadderMatch>,
    /// The match number below which the next page starts; `None` at the end.
    pub next: Option<u64>,
}

/// Matches that were played or annulled.
pub struct EndedMatches {
    /// The matches, in the order of their numbers.
    pub matches: Vec<EndedMatch>,
    /// The match number from which to continue; `None` at the end.
    pub next: Option<u64>,
}

/// A match that was played or annulled.
pub struct EndedMatch {
    /// The number of the match within its ladder.
    pub number: u64,
    /// Identifies the match on the server.
    pub match_id: String,
    /// The time at which the match ended, in ms since 1970 UTC.
    pub ended_unix_ms: u64,
}

impl LiveLadder {
    /// Reads matches that were played or annulled, in ascending order from this number on. The
    /// result can be empty although more matches follow.
    pub async fn read_ended(
        &self,
        matches: &Matches,
        filter: &MatchFilter,
        from: u64,
    ) -> Result<EndedMatches, Refusal> {
        let rows = self.read_rows(matches, from, ROWS_PER_READ).await?;
        let ended = |stored: &StoredLadderMatch| {
            let row = MatchRow::read(stored).ok();
            let row = row.filter(|row| filter.accepts(row, self.is_voided(stored.number, row)));
            let over = row?.over?;
            let is_cancelled = matches!(over.end, End::Cancelled { .. });
            (!is_cancelled).then_some(EndedMatch {
                number: stored.number,
                match_id: over.match_id,
                ended_unix_ms: over.ended_unix_ms,
            })
        };
        Ok(EndedMatches {
            matches: rows.intact.iter().filter_map(ended).collect(),
            next: rows.next,
        })
    }

    /// Lists at most `count` matches with smaller numbers than this, newest first. Matches that the
    /// reader may see are complete; of all others only the result is listed. A page can be short or
    /// even empty although more matches follow.
    pub async fn list(
        &self,
        matches: &Arc<Matches>,
        filter: &MatchFilter,
        before: Option<u64>,
        count: usize,
        (reader, visibility): (&Reader, Visibility<'_>),
    ) -> Result<ListedMatches, Refusal> {
        let _permit = matches.read_limiter().admit(reader)?;
        Call::reserve_answer(count * LISTED_MATCH_BYTES).await?;
        let paired = self.with_model(|model| model.ladder.counts().paired);
        let mut before = before.unwrap_or(u64::MAX).min(paired);
        let mut listed = Vec::new();
        for _ in 0..MAX_READS {
            if before == 0 {
                break;
            }
            let from = before.saturating_sub(ROWS_PER_READ.into());
            let limit = u32::try_from(before - from).unwrap_or(u32::MAX);
            let rows = self.read_rows(matches, from, limit).await?;
            // If rows are missing, the read returns rows that do not precede `before`.
            let in_range = rows.intact.iter().filter(|stored| stored.number < before);
            for stored in in_range.rev() {
                // Unreadable rows were logged when the ladder was loaded.
                let Ok(row) = MatchRow::read(stored) else {
                    continue;
                };
                if !filter.accepts(&row, self.is_voided(stored.number, &row)) {
                    continue;
                }
                if listed.len() == count {
                    return Ok(ListedMatches { matches: listed, next: Some(stored.number + 1) });
                }
                listed.push(self.match_message(matches, stored.number, &row, visibility).await?);
            }
            before = from;
        }
        Ok(ListedMatches { matches: listed, next: Some(before).filter(|before| *before > 0) })
    }

    fn is_voided(&self, number: u64, row: &MatchRow) -> bool {
        self.with_model(|model| model.annulment(number, row).is_some())
    }

    /// Reads match rows from this number on, after waiting in the fair queue for reads.
    pub async fn read_rows(
        &self,
        matches: &Matches,
        from: u64,
        count: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, Refusal> {
        let _turn = matches.read_limiter().acquire().await?;
        let rows = self.store.ladder_matches(self.id(), from, count).await;
        rows.map_err(|error| storage_failed(&error))
    }

    /// Reads one match by its number, in full if the reader may see it.
    pub async fn match_by_number(
        &self,
        matches: &Arc<Matches>,
        number: u64,
        visibility: Visibility<'_>,
    ) -> Result<Option<LadderMatch>, Refusal> {
        let stored = self.store.ladder_match(self.id(), number).await;
        let stored = stored.map_err(|_| Refusal::storage_failed())?;
        let Some(row) = stored.and_then(|stored| MatchRow::read(&stored).ok()) else {
            return Ok(None);
        };
        self.match_message(matches, number, &row, visibility).await.map(Some)
    }
}
