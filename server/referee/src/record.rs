//! Records, which make up a match's replay.

use bridgemaster_games::{Digest, Game, Seat};

use crate::{Charge, Fault, SeatInfo};

/// Maximum number of connection records for one seat. Later changes are not recorded. Otherwise, a
/// bot that reconnects endlessly could make the replay grow without limit. With names of maximum
/// length, 32 records take 17 KiB.
pub const MAX_SEAT_RECORDS: u32 = 32;

/// A replay entry.
#[derive(Debug)]
pub struct Record<G: Game> {
    /// The record's number. Records are numbered from 0 without gaps.
    pub number: u32,
    /// Time since the match started, in ms; 0 before the start.
    pub at_ms: u64,
    /// The record's content.
    pub entry: RecordEntry<G>,
}

/// A record's content.
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
