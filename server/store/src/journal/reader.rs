//! Reads the journals of matches in play: all of them when the store is opened, and single ones
//! later. If a batch is damaged, only the matches with entries in it count as damaged.

use std::collections::HashMap;

use super::{BatchNumbers, JournalState, MatchInPlay, MatchesInPlay};
use crate::{
    DamageReport, DamagedValue, MatchId, OpenMatch,
    checksum::StoreId,
    journal_batch::{self, BatchPart},
    rows::open_matches::{OpenRow, RowWithHeader},
};

/// The matches restored from the journal.
pub(crate) struct LoadedJournal {
    /// Unneeded batches are marked for deletion only if no damage was found. So the intact entries
    /// of a damaged match are kept until the match is dropped and the store is reopened.
    pub(crate) matches: MatchesInPlay,
    pub(crate) damage_reports: Vec<DamageReport>,
}

/// The part of a match's journal that was read so far.
struct MatchReader {
    row: OpenRow,
    header: Result<Vec<u8>, String>,
    entries: Vec<Vec<u8>>,
    batches: BatchNumbers,
    /// The first problem with the journal of the match.
    problem: Option<String>,
}

/// A damaged batch whose matches are unknown.
struct UnreadableBatch {
    number: i64,
    /// The last match key according to the next readable batch.
    last_match_key: Option<i64>,
}

/// Restores all matches in play from the rows of the journal.
pub(crate) struct JournalReader {
    matches: HashMap<i64, MatchReader>,
    /// The largest match key assigned so far.
    last_match_key: i64,
    /// Numbers of the batches read so far.
    numbers: Vec<i64>,
    unreadable: Vec<UnreadableBatch>,
    damage_reports: Vec<DamageReport>,
}

impl JournalReader {
    /// Creates a reader that expects the first batch next.
    pub(crate) fn new(open: Vec<RowWithHeader>) -> Self {
        let last_match_key = open.iter().map(|open| open.row.match_key).max();
        let matches = open.into_iter().map(|RowWithHeader { row, header }| {
            let reader = MatchReader {
                row,
                header,
                entries: Vec::new(),
                batches: BatchNumbers::default(),
                problem: None,
            };
            (reader.row.match_key, reader)
        });
        Self {
            matches: matches.collect(),
            last_match_key: last_match_key.unwrap_or(0),
            numbers: Vec::new(),
            unreadable: Vec::new(),
            damage_reports: Vec::new(),
        }
    }

    /// Returns the number of the last batch that was read; 0 if none was read.
    pub(crate) fn last(&self) -> i64 {
        self.numbers.last().copied().unwrap_or(0)
    }

    /// Reads the next batch.
    ///
    /// # Errors
    /// Returns an error if the batch is out of order. This can occur when a page of the file is
    /// misplaced: a query can then return rows that do not match its condition.
    pub(crate) fn read(&mut self, store: StoreId, number: i64, body: &[u8]) -> Result<(), String> {
        if self.numbers.last().is_some_and(|last| number <= *last) {
            return Err(format!("batch {number} of the journal is out of order"));
        }
        let batch = journal_batch::read(store, number, body);
        self.numbers.push(number);
        let last_match_key = batch.last_match_key;
        if last_match_key > 0 {
            self.last_match_key = self.last_match_key.max(last_match_key);
            for before in &mut self.unreadable {
                before.last_match_key.get_or_insert(last_match_key);
            }
        }
        for part in batch.parts {
            if let Some(reader) = self.matches.get_mut(&part.match_key) {
                reader.append(number, part);
            }
        }
        let Some(damage) = batch.damage else {
            return Ok(());
        };
        self.damage_reports.push(DamageReport {
            value: DamagedValue::Batch(number),
            detail: "checksum mismatch".to_owned(),
        });
        let Some(keys) = damage.match_keys else {
            self.unreadable.push(UnreadableBatch { number, last_match_key: None });
            return Ok(());
        };
        for key in keys {
            if let Some(reader) = self.matches.get_mut(&key) {
                reader.mark_damaged(format!("the entries in batch {number} cannot be read"));
            }
        }
        Ok(())
    }

    /// Marks every match that might have a part in an unreadable batch as damaged.
    fn attribute_unreadable_batches(&mut self) {
        for unreadable in &self.unreadable {
            let number = unreadable.number;
            for reader in self.matches.values_mut() {
                // If the batch contained entries of this match, the match's next part would name
                // the batch as its previous batch.
                let is_before = reader.batches.last().is_none_or(|last| last < number);
                let last_match_key = unreadable.last_match_key;
                if is_before && last_match_key.is_none_or(|last| reader.row.match_key <= last) {
                    reader.mark_damaged(format!(
                        "batch {number} cannot be read, and might contain entries of the match"
                    ));
                }
            }
        }
    }

    /// Returns the restored matches. Called after the last batch was read.
    pub(crate) fn finish(mut self) -> LoadedJournal {
        self.attribute_unreadable_batches();
        let mut matches =
            MatchesInPlay { last_match_key: self.last_match_key, ..MatchesInPlay::default() };
        let mut damage_reports = self.damage_reports;
        let mut has_damage = false;
        for (_, reader) in self.matches {
            for number in reader.batches.iter() {
                matches.sweep.add_reference(number);
            }
            let (id, mut in_play) = reader.finish();
            if matches.by_id.contains_key(&id) {
                let value = DamagedValue::Journal(id.clone());
                // The database should prevent this.
                let detail = "the id is not unique".to_owned();
                in_play.damage = Some(Box::new(DamageReport { value, detail }));
            }
            if let Some(damage) = &in_play.damage {
                has_damage = true;
                damage_reports.push((**damage).clone());
            }
            matches.by_id.insert(id, in_play);
        }
        if !has_damage {
            for number in self.numbers {
                matches.sweep.add_unreferenced_batch(number);
            }
        }
        LoadedJournal { matches, damage_reports }
    }
}

impl MatchReader {
    /// Appends the match's part of the next batch.
    fn append(&mut self, number: i64, part: BatchPart) {
        let entries = self.entries.len() as u64;
        if part.first_entry != entries || part.previous_batch != self.batches.last() {
            self.mark_damaged(format!(
                "batch {number} starts at entry {}, but the journal has {entries} entries",
                part.first_entry
            ));
        }
        self.batches.push(number);
        self.entries.extend(part.entries);
    }

    fn mark_damaged(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn finish(self) -> (MatchId, MatchInPlay) {
        let OpenRow { match_key, match_id, opened_at_unix_ms } = self.row;
        let state = JournalState {
            match_key,
            opened_at_unix_ms,
            entries: self.entries.len() as u64,
            last_batch: self.batches.last(),
        };
        let mut in_play = MatchInPlay { state, batches: self.batches, damage: None, cached: None };
        let id = match_id.clone();
        let damage = |value, detail| Some(Box::new(DamageReport { value, detail }));
        match (self.header, self.problem) {
            (Err(detail), _) => in_play.damage = damage(DamagedValue::Header(id), detail),
            (Ok(_), Some(detail)) => in_play.damage = damage(DamagedValue::Journal(id), detail),
            (Ok(header), None) => {
                let journal = self.entries;
                let open = OpenMatch { match_id: id, opened_at_unix_ms, header, journal };
                in_play.cached = Some(Box::new(open));
            }
        }
        (match_id, in_play)
    }
}

/// Maximum number of batches that are read in one query, since a journal can be large.
pub(crate) const BATCHES_PER_READ: i64 = 256;

/// Assembles the whole journal of a match, entry 0 first, from all batches with the match's
/// entries. Returns a description of the problem if this fails.
pub(crate) fn assemble_journal(
    store: StoreId,
    state: &JournalState,
    batches: impl IntoIterator<Item = (i64, Vec<u8>)>,
) -> Result<Vec<Vec<u8>>, String> {
    let entries = state.entries;
    let mut journal = Vec::new();
    for (number, body) in batches {
        let batch = journal_batch::read(store, number, &body);
        let mut parts = batch.parts.into_iter();
        let part = parts.find(|part| part.match_key == state.match_key);
        match part {
            Some(part) if part.first_entry == journal.len() as u64 => journal.extend(part.entries),
            _ => return Err(format!("the entries in batch {number} cannot be read")),
        }
    }
    if journal.len() as u64 == entries {
        return Ok(journal);
    }
    let found = journal.len();
    Err(format!("only {found} of {entries} entries were found"))
}
