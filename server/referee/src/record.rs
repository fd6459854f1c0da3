//! Records, which make up a match's replay, with the states of seats and the notes that they
//! contain.

use bridgemaster_games::{Digest, Game, Seat, SeatCount};

use crate::{BotIdentity, Charge, Fault};

/// Maximum number of connection records for one seat. Later changes are not recorded, since a bot
/// that reconnects endlessly could otherwise make the replay grow without limit. With names of
/// maximum length, 32 records take 17 KiB.
pub const MAX_SEAT_RECORDS: u32 = 32;

/// A numbered and timed entry of a replay.
#[derive(Debug)]
pub struct Record<G: Game> {
    /// The record's number. Records are numbered from 0 without gaps.
    pub number: u32,
    /// Time since the match started, in ms; 0 before the start.
    pub at_ms: u64,
    /// The decision, chance result, fault or seat change that was recorded.
    pub entry: RecordEntry<G>,
}

/// The content of a record: a decision, a chance result, a fault, or a change of a seat's bot.
#[derive(Debug)]
pub enum RecordEntry<G: Game> {
    /// A decision was applied.
    Decision(DecisionRecord<G>),
    /// A chance result was applied.
    Chance(ChanceRecord<G>),
    /// A seat committed a fault.
    Fault {
        /// The seat that committed the fault.
        seat: Seat,
        /// The fault with its cost.
        fault: Fault,
    },
    /// A seat's bot connected, disconnected or changed. Contains the seat's state.
    Seat(SeatInfo),
}

/// States who made a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The seat's bot decided.
    Bot,
    /// The referee decided, because only one decision was legal.
    Referee,
    /// The house, the server's own player, decided for an absent or forfeited seat.
    House,
    /// The decision was copied from the match that was forked.
    Replay,
}

/// A decision that was applied to the game state.
#[derive(Debug)]
pub struct DecisionRecord<G: Game> {
    /// The seat that owed the decision.
    pub seat: Seat,
    /// The decision in full.
    pub decision: G::Decision,
    /// The origin of the decision.
    pub decided_by: DecidedBy,
    /// The request that the bot answered, or that the house decided instead; 0 if there was no
    /// request.
    pub request_id: u32,
    /// The charge for the answer; `None` if the bot did not answer.
    pub charge: Option<Charge>,
    /// The public consequences of the decision.
    pub events: Vec<G::Event>,
    /// Digest of the game state after the decision.
    pub digest: Digest,
    /// The bot's note; empty if there is none or it was dropped. It is visible only to the bot
    /// while the match runs.
    pub note: String,
}

/// A chance result that was drawn and applied after the setup. Everything except its events is
/// secret while the match runs.
#[derive(Debug)]
pub struct ChanceRecord<G: Game> {
    /// Number of the chance stream that the result was drawn from.
    pub stream: u64,
    /// The chance result that was drawn.
    pub chance: G::Chance,
    /// The public consequences of the result.
    pub events: Vec<G::Event>,
    /// Digest of the game state after the result.
    pub digest: Digest,
}

/// The connection state of a seat's bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatState {
    /// No bot has connected yet.
    Vacant,
    /// A bot is connected.
    Connected,
    /// The bot's stream is lost, and the bot can reconnect.
    Paused,
    /// The seat was forfeited, and the house, the server's own player, plays it.
    Forfeited,
}

/// A seat and its bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatInfo {
    /// The seat's number.
    pub seat: Seat,
    /// The connection state of the seat's bot.
    pub state: SeatState,
    /// The seat's bot; `None` before a bot has connected.
    pub bot: Option<BotIdentity>,
    /// The seat's number of strikes so far.
    pub strikes: u32,
}

/// Maximum length of a note, in bytes of UTF-8: a few lines of text.
pub const MAX_NOTE_BYTES: usize = 1024;

/// Maximum total length of a match's notes in bytes, split evenly between its seats. This is enough
/// for one line per decision in a long match, and small compared with the replay.
pub const MATCH_NOTE_BYTES: usize = 64 * 1024;

/// The number of bytes left for one seat's notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteBudget {
    remaining_bytes: u32,
}

impl NoteBudget {
    /// Creates one seat's budget in a new match.
    pub fn for_match(seats: SeatCount) -> Self {
        // At most 65,536, for one seat, so it fits.
        let remaining_bytes = (MATCH_NOTE_BYTES / usize::from(seats.get())) as u32;
        Self { remaining_bytes }
    }

    /// The number of bytes left.
    pub fn remaining_bytes(self) -> u32 {
        self.remaining_bytes
    }

    /// Returns whether a note of this length is accepted.
    pub fn has(self, note_bytes: usize) -> bool {
        note_bytes <= MAX_NOTE_BYTES && note_bytes <= self.remaining_bytes as usize
    }

    /// Deducts the length of a note if it fits. Returns whether it fits.
    pub fn take(&mut self, note_bytes: usize) -> bool {
        let fits = self.has(note_bytes);
        if fits {
            // Cannot underflow, since `has` was checked.
            self.remaining_bytes -= note_bytes as u32;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_accepted_within_its_length_limit_and_the_budget_of_its_seat() {
        let mut budget = NoteBudget::for_match(SeatCount::new(6).unwrap());
        assert_eq!(budget.remaining_bytes(), 10_922);
        assert!(!budget.take(MAX_NOTE_BYTES + 1));
        for _ in 0..10 {
            assert!(budget.take(MAX_NOTE_BYTES));
        }
        assert_eq!(budget.remaining_bytes(), 682);
        assert!(!budget.take(683));
        assert_eq!(budget.remaining_bytes(), 682, "a dropped note uses no budget");
        assert!(budget.take(682) && budget.take(0) && !budget.take(1));
    }
}
