//! Records: what happened in a match, for its replay.

use bridgemaster_games::{Digest, Game, Seat};

use crate::{Charge, Fault, SeatInfo};

/// Comings and goings of one seat that are recorded; later ones are not, so that a bot which
/// reconnects without end cannot make the replay grow without end. With the longest names 32 take
/// 17 KiB.
pub const MAX_SEAT_RECORDS: u32 = 32;

/// Something that happened in a match.
#[derive(Debug)]
pub struct Record<G: Game> {
    /// Its number, from 0 without a gap.
    pub number: u32,
    /// Time since the match started, in ms; 0 before.
    pub at_ms: u64,
    /// What happened.
    pub entry: RecordEntry<G>,
}

/// What happened.
#[derive(Debug)]
pub enum RecordEntry<G: Game> {
    /// A decision was applied.
    Decision(DecisionRecord<G>),
    /// A chance result was applied.
    Chance(ChanceRecord<G>),
    /// A seat committed a fault.
    Fault {
        /// The seat.
        seat: Seat,
        /// The fault.
        fault: Fault,
    },
    /// A seat's bot came, went or came back; the seat as it was then.
    Seat(SeatInfo),
}

/// Who made a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The seat's bot.
    Bot,
    /// The referee, because one answer was legal.
    Referee,
    /// The house.
    House,
    /// Nobody in this match: it was taken over from the match that this one was forked from.
    Replay,
}

/// A decision that was applied.
#[derive(Debug)]
pub struct DecisionRecord<G: Game> {
    /// The seat.
    pub seat: Seat,
    /// The decision.
    pub decision: G::Decision,
    /// Who made it.
    pub decided_by: DecidedBy,
    /// The request that it answered; 0 when the bot was not asked.
    pub request_id: u32,
    /// What it cost; `None` when the bot did not answer.
    pub charge: Option<Charge>,
    /// What came of it.
    pub events: Vec<G::Event>,
    /// Digest of the state after it.
    pub digest: Digest,
    /// The bot's note; empty when there was none or it was not kept. Known to the bot alone while
    /// the match runs.
    pub note: String,
}

/// A chance result that fell after the setup and was applied. Secret while the match runs, its
/// events apart.
#[derive(Debug)]
pub struct ChanceRecord<G: Game> {
    /// Number of the chance stream that it was drawn from.
    pub stream: u64,
    /// The result.
    pub chance: G::Chance,
    /// What came of it.
    pub events: Vec<G::Event>,
    /// Digest of the state after it.
    pub digest: Digest,
}
