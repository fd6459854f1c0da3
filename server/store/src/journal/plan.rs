//! What a checked batch comes to in rows.

use std::collections::BTreeSet;

use super::in_play::{Change, Changes, MatchesInPlay, Standing};
use crate::{FinishedMatch, KeyName, LadderChange, LadderId, MatchId, Write, journal_batch::Part};

/// A change of one match as a whole, of a note, or of a ladder.
#[derive(Debug)]
pub(crate) enum Step {
    Open {
        match_key: i64,
        match_id: MatchId,
        opened_at_unix_ms: i64,
        header: Vec<u8>,
    },
    Finish {
        match_key: i64,
        finished: FinishedMatch,
        replay: Vec<u8>,
        parties: BTreeSet<KeyName>,
    },
    DropOpen {
        match_key: i64,
    },
    DropFinished {
        match_id: MatchId,
    },
    ForgetReplay {
        match_id: MatchId,
    },
    KeepNote {
        name: String,
        value: Vec<u8>,
    },
    DropNote {
        name: String,
    },
    ChangeLadder {
        ladder_id: LadderId,
        change: LadderChange,
    },
}

impl Step {
    /// Whether others may act on it as soon as they see it, without asking whether it is flushed. They
    /// cannot on a match that is new, since nobody knows its id yet; readers of finished matches and
    /// of notes ask.
    pub(crate) fn is_acted_on_at_once(&self) -> bool {
        match self {
            Self::Open { .. }
            | Self::Finish { .. }
            | Self::KeepNote { .. }
            | Self::DropNote { .. } => false,
            Self::DropOpen { .. }
            | Self::DropFinished { .. }
            | Self::ForgetReplay { .. }
            | Self::ChangeLadder { .. } => true,
        }
    }
}

/// The rows of a batch, and how the matches stand once they are stored.
#[derive(Debug)]
pub(crate) struct Plan {
    /// In the order of the batch.
    pub(crate) steps: Vec<Step>,
    /// Parts of the batch; `None` for those of matches that leave play within it.
    parts: Vec<Option<Part>>,
    pub(crate) changes: Changes,
    pub(crate) match_keys_given: i64,
}

impl Plan {
    /// Plans a batch that has passed [`batch::check`](crate::batch::check).
    pub(crate) fn of(batch: Vec<Write>, matches: &MatchesInPlay) -> Self {
        let mut plan = Self {
            steps: Vec::new(),
            parts: Vec::with_capacity(batch.len()),
            changes: Changes::with_capacity(batch.len()),
            match_keys_given: matches.match_keys_given,
        };
        for write in batch {
            plan.add(write, matches);
        }
        plan
    }

    /// The parts of the journal's batch.
    pub(crate) fn take_parts(&mut self) -> Vec<Part> {
        std::mem::take(&mut self.parts)
            .into_iter()
            .flatten()
            .collect()
    }

    fn add(&mut self, write: Write, matches: &MatchesInPlay) {
        match write {
            Write::OpenMatch {
                match_id,
                opened_at_unix_ms,
                header,
            } => {
                self.match_keys_given += 1;
                let match_key = self.match_keys_given;
                let standing = Standing {
                    match_key,
                    opened_at_unix_ms,
                    entries: 0,
                    last_batch: None,
                };
                let change = Change {
                    standing,
                    part: None,
                };
                self.changes.insert(match_id.clone(), Some(change));
                self.steps.push(Step::Open {
                    match_key,
                    match_id,
                    opened_at_unix_ms,
                    header,
                });
            }
            Write::Append {
                match_id,
                number,
                entry,
            } => self.append(match_id, number, entry, matches),
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
            } => {
                let Some(standing) = self.remove(&match_id, matches) else {
                    debug_assert!(false, "a checked batch finishes matches in play only");
                    return;
                };
                let finished = FinishedMatch {
                    match_id,
                    opened_at_unix_ms: standing.opened_at_unix_ms,
                    ended_at_unix_ms,
                    summary,
                };
                self.steps.push(Step::Finish {
                    match_key: standing.match_key,
                    finished,
                    replay,
                    parties: parties.into_iter().collect(),
                });
            }
            Write::DropMatch { match_id } => {
                let step = match self.remove(&match_id, matches) {
                    Some(Standing { match_key, .. }) => Step::DropOpen { match_key },
                    None => Step::DropFinished { match_id },
                };
                self.steps.push(step);
            }
            Write::ForgetReplay { match_id } => self.steps.push(Step::ForgetReplay { match_id }),
            Write::KeepNote { name, value } => self.steps.push(Step::KeepNote { name, value }),
            Write::DropNote { name } => self.steps.push(Step::DropNote { name }),
            Write::ChangeLadder { ladder_id, change } => {
                self.steps.push(Step::ChangeLadder { ladder_id, change });
            }
        }
    }

    fn append(&mut self, match_id: MatchId, number: u64, entry: Vec<u8>, matches: &MatchesInPlay) {
        let standing = self.changes.entry(match_id).or_insert_with_key(|id| {
            let standing = matches.get(id)?.standing.clone();
            Some(Change {
                standing,
                part: None,
            })
        });
        let Some(Change { standing, part }) = standing else {
            debug_assert!(false, "a checked batch appends to matches in play only");
            return;
        };
        standing.entries += 1;
        if let Some(begun) = part.and_then(|place| self.parts[place].as_mut()) {
            begun.entries.push(entry);
            return;
        }
        *part = Some(self.parts.len());
        self.parts.push(Some(Part {
            match_key: standing.match_key,
            first_entry: number,
            previous_batch: standing.last_batch,
            entries: vec![entry],
        }));
    }

    /// Takes a match out of play, if it is in play.
    fn remove(&mut self, id: &MatchId, matches: &MatchesInPlay) -> Option<Standing> {
        if let Some(change) = self.changes.get_mut(id) {
            let Change { standing, part } = change.take()?;
            if let Some(place) = part {
                self.parts[place] = None;
            }
            return Some(standing);
        }
        let standing = matches.get(id)?.standing.clone();
        self.changes.insert(id.clone(), None);
        Some(standing)
    }
}
