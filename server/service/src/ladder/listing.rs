//! Lists of the matches of a ladder.

use std::sync::Arc;

use bridgemaster_ladder::End;
use bridgemaster_proto::v1::LadderMatch;
use bridgemaster_store::{LadderRows, StoredLadderMatch};

use super::{LiveLadder, rows::MatchRow, telling::storage_failed};
use crate::{
    hosting::{Matches, Reader, Seen},
    limits::LISTED_MATCH_BYTES,
    refusal::Refusal,
    transport::Call,
};

/// Rows that a list reads at once.
const AT_ONCE: u32 = 200;
/// Most times that one call does. A page may then be short, and the list go on.
const MAX_READS: usize = 10;

/// Which matches of a ladder are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchFilter {
    /// With a bot of this name; empty for all.
    pub(crate) bot_name: String,
    /// With this other bot too; empty for all.
    pub(crate) against_bot_name: String,
    /// Only those that were annulled, or only such that were not.
    pub(crate) annulled: Option<bool>,
}

impl MatchFilter {
    fn wants(&self, row: &MatchRow) -> bool {
        let has = |name: &str| {
            let mut seats = row.pairing.seats.iter();
            name.is_empty() || seats.any(|bot| bot.name == name)
        };
        let is_annulled = row
            .over
            .as_ref()
            .is_some_and(|over| matches!(over.end, End::Annulled(_)));
        has(&self.bot_name)
            && has(&self.against_bot_name)
            && self.annulled.is_none_or(|wanted| wanted == is_annulled)
    }
}

/// A part of the list.
pub(crate) struct ListedMatches {
    pub(crate) matches: Vec<LadderMatch>,
    /// The number before which the list goes on; `None` at its end.
    pub(crate) next: Option<u64>,
}

/// Matches that were played or annulled.
pub(crate) struct EndedMatches {
    pub(crate) matches: Vec<EndedMatch>,
    /// The number from which on there may be more; `None` at the end.
    pub(crate) next: Option<u64>,
}

/// A match that was played or annulled.
pub(crate) struct EndedMatch {
    pub(crate) number: u64,
    pub(crate) match_id: String,
    pub(crate) ended_unix_ms: u64,
}

impl LiveLadder {
    /// Some of the matches that were played or annulled, the first match first, from this number
    /// on. There may be none, and still more to come.
    pub(crate) async fn ended(
        &self,
        matches: &Matches,
        filter: &MatchFilter,
        from: u64,
    ) -> Result<EndedMatches, Refusal> {
        let rows = self.rows(matches, from, AT_ONCE).await?;
        let ended = |stored: &StoredLadderMatch| {
            let row = MatchRow::read(stored).ok().filter(|row| filter.wants(row));
            let over = row?.over?;
            let is_cancelled = matches!(over.end, End::Cancelled { .. });
            (!is_cancelled).then_some(EndedMatch {
                number: stored.number,
                match_id: over.match_id,
                ended_unix_ms: over.ended_unix_ms,
            })
        };
        Ok(EndedMatches {
            matches: rows.kept.iter().filter_map(ended).collect(),
            next: rows.next,
        })
    }

    /// At most `count` of the matches, the newest first, with all that there is of those that are
    /// `seen` and the results of others, from before this number on. There may be
    /// fewer, even none, and still more to come.
    pub(crate) async fn list(
        &self,
        matches: &Arc<Matches>,
        filter: &MatchFilter,
        before: Option<u64>,
        count: usize,
        (reader, seen): (&Reader, Seen<'_>),
    ) -> Result<ListedMatches, Refusal> {
        let _place = matches.reading().begin(reader)?;
        Call::room_for_answer(count * LISTED_MATCH_BYTES).await?;
        let paired = self.with(|known| known.ladder.counts().paired);
        let mut before = before.unwrap_or(u64::MAX).min(paired);
        let mut listed = Vec::new();
        for _ in 0..MAX_READS {
            if before == 0 {
                break;
            }
            let from = before.saturating_sub(AT_ONCE.into());
            let limit = u32::try_from(before - from).unwrap_or(u32::MAX);
            let rows = self.rows(matches, from, limit).await?;
            // Where rows are missing, some from before on are read.
            let asked_for = rows.kept.iter().filter(|stored| stored.number < before);
            for stored in asked_for.rev() {
                // One that cannot be read was told of at the start.
                let Ok(row) = MatchRow::read(stored) else {
                    continue;
                };
                if !filter.wants(&row) {
                    continue;
                }
                if listed.len() == count {
                    return Ok(ListedMatches {
                        matches: listed,
                        next: Some(stored.number + 1),
                    });
                }
                listed.push(self.match_shown(matches, stored.number, &row, seen).await?);
            }
            before = from;
        }
        Ok(ListedMatches {
            matches: listed,
            next: Some(before).filter(|before| *before > 0),
        })
    }

    /// What is kept of matches, from this number on. It is read in turn with other callers.
    pub(crate) async fn rows(
        &self,
        matches: &Matches,
        from: u64,
        count: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, Refusal> {
        let _turn = matches.reading().turn().await?;
        let rows = self.store().ladder_matches(self.id(), from, count).await;
        rows.map_err(|error| storage_failed(&error))
    }

    /// One match, by its number, with all that there is of it if it is `seen`.
    pub(crate) async fn one(
        &self,
        matches: &Arc<Matches>,
        number: u64,
        seen: Seen<'_>,
    ) -> Result<Option<LadderMatch>, Refusal> {
        let stored = self.store().ladder_match(self.id(), number).await;
        let stored = stored.map_err(|_| Refusal::storage_failed())?;
        let Some(row) = stored.and_then(|stored| MatchRow::read(&stored).ok()) else {
            return Ok(None);
        };
        self.match_shown(matches, number, &row, seen)
            .await
            .map(Some)
    }
}
