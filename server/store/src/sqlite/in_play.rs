//! The matches in play, as the writer knows them.

use std::collections::HashMap;

use sqlx::SqliteConnection;

use super::failure::Fault;
use crate::MatchId;

/// A match in play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InPlay {
    /// Stands for it in the journal.
    pub(super) match_key: i64,
    pub(super) opened_at_unix_ms: i64,
    /// Entries of its journal.
    pub(super) entries: u64,
    /// The row of its last entry.
    pub(super) last_row: Option<i64>,
}

/// All matches in play, just as the database has them: it is changed after a commit, and by
/// nobody but this process.
#[derive(Debug)]
pub(super) struct MatchesInPlay {
    by_id: HashMap<MatchId, InPlay>,
    /// What the next match gets as its key.
    pub(super) next_key: i64,
    /// What the next row of the journal gets as its number.
    pub(super) next_row: i64,
}

/// What a commit changes: `None` for a match that leaves play.
pub(super) type Changes = HashMap<MatchId, Option<InPlay>>;

impl MatchesInPlay {
    /// Reads them, and makes sure that no journal has a gap. The journal has no rows of other
    /// matches.
    pub(super) async fn load(connection: &mut SqliteConnection) -> Result<Self, Fault> {
        let matches: Vec<(i64, String, i64)> =
            sqlx::query_as("SELECT match_key, match_id, opened_at_unix_ms FROM open_match")
                .fetch_all(&mut *connection)
                .await?;
        let journals: Vec<(i64, i64, i64, i64)> = sqlx::query_as(
            "SELECT match_key, count(*), max(number), max(seq) FROM journal GROUP BY match_key",
        )
        .fetch_all(connection)
        .await?;
        let mut next_row = 1;
        let mut journal_of = HashMap::new();
        for (match_key, entries, last_number, last_row) in journals {
            if entries != last_number + 1 {
                return Err(Fault::Contradiction(format!(
                    "the journal with key {match_key} has {entries} entries, \
                     and the last is number {last_number}"
                )));
            }
            next_row = next_row.max(last_row + 1);
            journal_of.insert(match_key, (entries.unsigned_abs(), last_row));
        }
        let mut next_key = 1;
        let mut by_id = HashMap::with_capacity(matches.len());
        for (match_key, match_id, opened_at_unix_ms) in matches {
            let journal = journal_of.get(&match_key);
            let in_play = InPlay {
                match_key,
                opened_at_unix_ms,
                entries: journal.map_or(0, |(entries, _)| *entries),
                last_row: journal.map(|(_, last_row)| *last_row),
            };
            next_key = next_key.max(match_key + 1);
            by_id.insert(MatchId::new(match_id)?, in_play);
        }
        Ok(Self {
            by_id,
            next_key,
            next_row,
        })
    }

    pub(super) fn get(&self, id: &MatchId) -> Option<&InPlay> {
        self.by_id.get(id)
    }

    /// The ids, in the order in which the matches were opened.
    pub(super) fn ids(&self) -> Vec<MatchId> {
        let mut matches: Vec<_> = self.by_id.iter().collect();
        matches.sort_unstable_by_key(|(_, in_play)| in_play.match_key);
        matches.into_iter().map(|(id, _)| id.clone()).collect()
    }

    /// How many there would be after the changes.
    pub(super) fn count_after(&self, changes: &Changes) -> usize {
        let was = changes
            .keys()
            .filter(|id| self.by_id.contains_key(*id))
            .count();
        let is = changes.values().flatten().count();
        self.by_id.len() - was + is
    }

    /// Takes over what has been committed.
    pub(super) fn apply(&mut self, changes: Changes, next_key: i64, next_row: i64) {
        for (id, change) in changes {
            match change {
                Some(in_play) => self.by_id.insert(id, in_play),
                None => self.by_id.remove(&id),
            };
        }
        self.next_key = next_key;
        self.next_row = next_row;
    }
}
