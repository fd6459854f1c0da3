//! The journal as it is read: all of it once, when the store is opened, and then a match at a time.

use std::collections::HashMap;

use super::{
    batch_numbers::BatchNumbers,
    in_play::{InPlay, MatchesInPlay, Standing},
    sweep::Sweep,
};
use crate::{
    Damage, DamagedValue, MatchId,
    checksum::StoreId,
    journal_batch::{self, Batch, Part},
    rows::open_rows::OpenRow,
};

/// What the matches in play and the journal come to.
pub(crate) struct Loaded {
    pub(crate) matches: MatchesInPlay,
    /// With the batches that are not needed, unless damage was found: then what is left of a
    /// damaged match stays until that is dropped and the store opened again.
    pub(crate) sweep: Sweep,
    pub(crate) damages: Vec<Damage>,
}

/// A match while the journal is read.
struct Reading {
    row: OpenRow,
    entries: Vec<Vec<u8>>,
    batches: BatchNumbers,
    /// The first thing that is wrong with its journal.
    problem: Option<String>,
}

/// A batch of which it cannot be told whose it is.
struct Unreadable {
    number: i64,
    /// The largest key given by the next batch that can be read.
    match_keys_given: Option<i64>,
}

/// All matches while the journal is read.
pub(crate) struct Journal {
    matches: HashMap<i64, Reading>,
    /// The largest key that was given to a match.
    match_keys_given: i64,
    /// The batches that were read.
    numbers: Vec<i64>,
    unreadable: Vec<Unreadable>,
    damages: Vec<Damage>,
}

impl Journal {
    /// Before its first batch.
    pub(crate) fn of(open: Vec<OpenRow>) -> Self {
        let given = open.iter().map(|row| row.match_key).max();
        let matches = open.into_iter().map(|row| {
            let reading = Reading {
                row,
                entries: Vec::new(),
                batches: BatchNumbers::default(),
                problem: None,
            };
            (reading.row.match_key, reading)
        });
        Self {
            matches: matches.collect(),
            match_keys_given: given.unwrap_or(0),
            numbers: Vec::new(),
            unreadable: Vec::new(),
            damages: Vec::new(),
        }
    }

    /// The number of the last batch that was read; 0 before the first.
    pub(crate) fn last(&self) -> i64 {
        self.numbers.last().copied().unwrap_or(0)
    }

    /// Reads the next batch.
    ///
    /// # Errors
    /// What is wrong if it is not the next: a page of a file that stands for another one gives rows
    /// that were not asked for.
    pub(crate) fn read(&mut self, store: StoreId, number: i64, body: &[u8]) -> Result<(), String> {
        if self.numbers.last().is_some_and(|last| number <= *last) {
            return Err(format!("batch {number} of the journal is out of order"));
        }
        self.append(number, journal_batch::read(store, number, body));
        Ok(())
    }

    fn append(&mut self, number: i64, batch: Batch) {
        self.numbers.push(number);
        let given = batch.match_keys_given;
        if given > 0 {
            self.match_keys_given = self.match_keys_given.max(given);
            for before in &mut self.unreadable {
                before.match_keys_given.get_or_insert(given);
            }
        }
        for part in batch.parts {
            if let Some(reading) = self.matches.get_mut(&part.match_key) {
                reading.append(number, part);
            }
        }
        let Some(damage) = batch.damage else {
            return;
        };
        self.damages.push(Damage {
            value: DamagedValue::Batch(number),
            detail: "it is not as it was written".to_owned(),
        });
        let Some(keys) = damage.match_keys else {
            self.unreadable.push(Unreadable {
                number,
                match_keys_given: None,
            });
            return;
        };
        for key in keys {
            if let Some(reading) = self.matches.get_mut(&key) {
                reading.fails(format!("its part of batch {number} cannot be read"));
            }
        }
    }

    /// Has every match fail of which a batch may be that nobody can tell whose it is.
    fn lay_unreadable_to_matches(&mut self) {
        for unreadable in &self.unreadable {
            let number = unreadable.number;
            for reading in self.matches.values_mut() {
                // A match with later entries would say that it has some in this batch.
                let is_before = reading.batches.last().is_none_or(|last| last < number);
                let given = unreadable.match_keys_given;
                if is_before && given.is_none_or(|given| reading.row.match_key <= given) {
                    reading.fails(format!(
                        "batch {number}, which may be of it, cannot be read"
                    ));
                }
            }
        }
    }

    /// After its last batch.
    pub(crate) fn finish(mut self) -> Loaded {
        self.lay_unreadable_to_matches();
        let mut matches = MatchesInPlay {
            match_keys_given: self.match_keys_given,
            ..MatchesInPlay::default()
        };
        let mut damages = self.damages;
        let mut sweep = Sweep::default();
        let mut is_damaged = false;
        for (_, reading) in self.matches {
            for number in reading.batches.iter() {
                sweep.enter(number);
            }
            let (id, in_play) = reading.finish();
            if let Some(damage) = &in_play.damage {
                is_damaged = true;
                damages.push((**damage).clone());
            }
            matches.by_id.insert(id, in_play);
        }
        if !is_damaged {
            for number in self.numbers {
                sweep.has_been(number);
            }
        }
        Loaded {
            matches,
            sweep,
            damages,
        }
    }
}

impl Reading {
    /// Appends the part of the next batch.
    fn append(&mut self, number: i64, part: Part) {
        let entries = self.entries.len() as u64;
        if part.first_entry != entries || part.previous_batch != self.batches.last() {
            self.fails(format!(
                "batch {number} goes on from entry {}, and {entries} are there",
                part.first_entry
            ));
        }
        self.batches.push(number);
        self.entries.extend(part.entries);
    }

    fn fails(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn finish(self) -> (MatchId, InPlay) {
        let OpenRow {
            match_key,
            match_id,
            opened_at_unix_ms,
            problem,
        } = self.row;
        let header = problem.map(|detail| (DamagedValue::Header(match_id.clone()), detail));
        let journal = self
            .problem
            .map(|detail| (DamagedValue::Journal(match_id.clone()), detail));
        let damage = header.or(journal);
        let damage = damage.map(|(value, detail)| Box::new(Damage { value, detail }));
        let standing = Standing {
            match_key,
            opened_at_unix_ms,
            entries: self.entries.len() as u64,
            last_batch: self.batches.last(),
        };
        let in_play = InPlay {
            standing,
            batches: self.batches,
            read_at_open: damage.is_none().then_some(self.entries),
            header_at_open: None,
            damage,
        };
        (match_id, in_play)
    }
}

/// How many batches are read at once: they are of any size, and a journal may be large.
pub(crate) const BATCHES_AT_ONCE: i64 = 256;

/// The whole journal of a match, entry 0 first, from all batches that it is in; or what is wrong
/// with it.
pub(crate) fn journal_of(
    store: StoreId,
    standing: &Standing,
    batches: impl IntoIterator<Item = (i64, Vec<u8>)>,
) -> Result<Vec<Vec<u8>>, String> {
    let entries = standing.entries;
    let mut journal = Vec::new();
    for (number, body) in batches {
        let batch = journal_batch::read(store, number, &body);
        let mut parts = batch.parts.into_iter();
        let part = parts.find(|part| part.match_key == standing.match_key);
        match part {
            Some(part) if part.first_entry == journal.len() as u64 => journal.extend(part.entries),
            _ => return Err(format!("its part of batch {number} cannot be read")),
        }
    }
    if journal.len() as u64 == entries {
        return Ok(journal);
    }
    let found = journal.len();
    Err(format!("{found} of {entries} entries are there"))
}
