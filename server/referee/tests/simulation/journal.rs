//! The journal of the simulated server: what of a match would be there after a kill.

use std::hash::{DefaultHasher, Hash, Hasher};

use bridgemaster_games::{Digest, Game};
use bridgemaster_referee::{Answer, HistoryId, Input, MatchPhase, Referee, Time};

use crate::oracle::{Violation, demand};

/// An input as it is stored, with what a replay of it must lead to.
struct Entry<G: Game> {
    at: Time,
    input: Input<G>,
    /// Of a restart: the history that begins with it.
    begins: Option<HistoryId>,
    digest: Digest,
    records: u32,
    deadline: Option<Time>,
    outputs: u64,
}

/// The inputs of a match in order: those that are stored, and after them those that are not yet.
pub(crate) struct Journal<G: Game> {
    entries: Vec<Entry<G>>,
    /// As many are to be stored: those after the last that had an effect ride along with the next
    /// that has one.
    due: usize,
    /// As many are stored.
    stored: usize,
    /// As many are being stored now, if any are.
    storing: Option<usize>,
    /// The match ended with this one.
    end: Option<usize>,
}

impl<G: Game> Journal<G> {
    pub(crate) fn new() -> Self {
        Self {
            entries: Vec::new(),
            due: 0,
            stored: 0,
            storing: None,
            end: None,
        }
    }

    /// Writes down an input and what it led to; `outputs` is their text. A restart begins the
    /// history `running`, which is stored in any case, because bots are told of it.
    pub(crate) fn write(
        &mut self,
        at: Time,
        input: Input<G>,
        running: HistoryId,
        outputs: &str,
        referee: &Referee<G>,
    ) {
        let begins = matches!(input, Input::Restarted).then_some(running);
        self.entries.push(Entry {
            at,
            input,
            begins,
            digest: referee.digest(),
            records: referee.records(),
            deadline: referee.deadline(),
            outputs: hash(outputs),
        });
        if !outputs.is_empty() || begins.is_some() {
            self.due = self.entries.len();
        }
        if referee.phase() == MatchPhase::Ended {
            self.end.get_or_insert(self.entries.len());
        }
    }

    /// Entries, stored or not.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Effects of all that was written up to now may be seen when as many entries are stored.
    pub(crate) fn due(&self) -> usize {
        self.due
    }

    pub(crate) fn stored(&self) -> usize {
        self.stored
    }

    /// Begins to store what is due, unless that is being done; tells how many entries
    /// will be stored then.
    pub(crate) fn begin_to_store(&mut self) -> Option<usize> {
        let is_needed = self.storing.is_none() && self.stored < self.due;
        is_needed.then(|| *self.storing.insert(self.due))
    }

    pub(crate) fn have_stored(&mut self, count: usize) {
        self.storing = None;
        self.stored = count;
    }

    /// The end of the match is stored: it will not be played again.
    pub(crate) fn is_complete(&self) -> bool {
        self.end.is_some_and(|end| end <= self.stored)
    }

    /// The server is killed: what is not stored is lost, and of what is stored all but so much.
    pub(crate) fn lose_all_but(&mut self, kept: usize) {
        self.stored = self.stored.min(kept);
        self.entries.truncate(self.stored);
        self.due = self.stored;
        self.storing = None;
        self.end = None;
    }

    /// The inputs that are left, in order, each with the history that begins with it.
    pub(crate) fn inputs(
        &self,
    ) -> impl Iterator<Item = (usize, Time, Input<G>, Option<HistoryId>)> {
        let entries = self.entries.iter().enumerate();
        entries.map(|(number, entry)| (number, entry.at, copy(&entry.input), entry.begins))
    }

    /// Holds a referee that took an input again against what it was when it took it first.
    pub(crate) fn check_replayed(
        &self,
        number: usize,
        outputs: &str,
        referee: &Referee<G>,
    ) -> Result<(), Violation> {
        let entry = &self.entries[number];
        demand!(
            (referee.digest(), referee.records(), referee.deadline())
                == (entry.digest, entry.records, entry.deadline)
                && hash(outputs) == entry.outputs,
            "replayed from its journal the match goes another way at entry {number}: {outputs}"
        );
        Ok(())
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// An input once more, as one writes it down and reads it.
pub(crate) fn copy<G: Game>(input: &Input<G>) -> Input<G> {
    match input {
        Input::Connected {
            seat,
            bot,
            last_sequence,
        } => Input::Connected {
            seat: *seat,
            bot: bot.clone(),
            last_sequence: *last_sequence,
        },
        Input::Disconnected { seat } => Input::Disconnected { seat: *seat },
        Input::HandedOver { seat, request_id } => Input::HandedOver {
            seat: *seat,
            request_id: *request_id,
        },
        Input::Answer {
            seat,
            request_id,
            answer,
        } => Input::Answer {
            seat: *seat,
            request_id: *request_id,
            answer: match answer {
                Answer::Index(index) => Answer::Index(*index),
                Answer::Decision(decision) => Answer::Decision(decision.clone()),
            },
        },
        Input::BadAnswer {
            seat,
            request_id,
            reason,
            field,
            detail,
        } => Input::BadAnswer {
            seat: *seat,
            request_id: *request_id,
            reason: *reason,
            field: field.clone(),
            detail: detail.clone(),
        },
        Input::Garbage { seat, detail } => Input::Garbage {
            seat: *seat,
            detail: detail.clone(),
        },
        Input::Useless { seat } => Input::Useless { seat: *seat },
        Input::Flood { seat, detail } => Input::Flood {
            seat: *seat,
            detail: detail.clone(),
        },
        Input::RoundTrip {
            seat,
            round_trip_us,
        } => Input::RoundTrip {
            seat: *seat,
            round_trip_us: *round_trip_us,
        },
        Input::Resign { seat } => Input::Resign { seat: *seat },
        Input::TurnedAway { seat } => Input::TurnedAway { seat: *seat },
        Input::RefereeLag { lag_us } => Input::RefereeLag { lag_us: *lag_us },
        Input::Restarted => Input::Restarted,
        Input::Tick => Input::Tick,
    }
}
