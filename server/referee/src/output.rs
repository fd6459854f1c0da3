//! What the referee tells the shell.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{ClockReading, FaultReason, MatchResult, Record, SeatInfo};

/// Something to do, in this order.
#[derive(Debug)]
pub enum Output<G: Game> {
    /// Send a message to the seat's current stream. Never given for a seat without one.
    Send {
        /// The seat.
        seat: Seat,
        /// Counts the messages of the seat from 1; a message that is sent again keeps its number.
        sequence: u32,
        /// The message.
        message: SeatMessage<G>,
    },
    /// End the seat's current stream after what was sent.
    Close {
        /// The seat.
        seat: Seat,
        /// Why.
        reason: CloseReason,
    },
    /// Something to write into the replay.
    Record(Record<G>),
    /// The match is over and [`Referee::result`](crate::Referee::result) is there.
    Ended,
    /// The match was cancelled. It has no result, and no records follow.
    Cancelled,
}

/// Why a stream is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The match is over.
    MatchEnded,
    /// The seat is forfeited, for this reason.
    Forfeited(FaultReason),
    /// It carried bytes that are no message; the seat may connect again.
    Garbage,
    /// The match was cancelled.
    Cancelled,
}

/// A message to a seat. Cheap to clone and to move.
#[derive(Debug)]
pub enum SeatMessage<G: Game> {
    /// The match starts, or has started when the bot joined again without knowledge.
    Started(Arc<Started>),
    /// The seat is asked.
    Request(DecisionRequest<G>),
    /// A decision was refused.
    Rejected(Arc<Rejection>),
    /// Something changed about a seat's bot.
    SeatStatus(Arc<SeatStatus>),
    /// The match is over.
    Ended(Arc<MatchResult>),
}

impl<G: Game> Clone for SeatMessage<G> {
    fn clone(&self) -> Self {
        match self {
            Self::Started(started) => Self::Started(Arc::clone(started)),
            Self::Request(request) => Self::Request(request.clone()),
            Self::Rejected(rejection) => Self::Rejected(Arc::clone(rejection)),
            Self::SeatStatus(status) => Self::SeatStatus(Arc::clone(status)),
            Self::Ended(result) => Self::Ended(Arc::clone(result)),
        }
    }
}

/// The start of a match, as one seat is told of it; the rules are the match's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The seat that is told.
    pub seat: Seat,
    /// The seats as the seat may know them now, in seat order.
    pub seats: Vec<SeatInfo>,
}

/// A request for a decision.
#[derive(Debug)]
pub struct DecisionRequest<G: Game> {
    /// Its number: counts from 1 for each seat.
    pub request_id: u32,
    /// What is asked.
    pub question: Arc<Question<G>>,
    /// The clock when it was sent.
    pub clock: ClockReading,
}

impl<G: Game> Clone for DecisionRequest<G> {
    fn clone(&self) -> Self {
        Self {
            request_id: self.request_id,
            question: Arc::clone(&self.question),
            clock: self.clock,
        }
    }
}

/// What a request asks; stays the same however often it is sent.
#[derive(Debug)]
pub struct Question<G: Game> {
    /// What the seat knows.
    pub observation: G::Observation,
    /// Legal decisions in canonical order.
    pub legal: Vec<G::Decision>,
    /// The list was cut: other legal decisions are accepted too, if given in full.
    pub cut: bool,
    /// What happened since the seat's last request.
    pub events: Vec<G::Event>,
}

/// Why a decision was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectionReason {
    /// The request was answered before, differently, or is not open any more. No penalty.
    StaleRequest,
    /// No request has this number yet. No penalty.
    UnknownRequest,
    /// The index is not below the length of the legal list.
    IndexOutOfRange,
    /// The decision is of another game, or a part of it is missing or out of range.
    MalformedDecision,
    /// The decision is not legal.
    IllegalDecision,
}

/// A decision was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The request that it named.
    pub request_id: u32,
    /// Why.
    pub reason: RejectionReason,
    /// The field that is wrong, as a path below `Decision`; empty when none is.
    pub field: String,
    /// Explanation for people, with what would be valid.
    pub detail: String,
    /// The seat's request that waits for an answer, its clock running on; 0 when none does.
    pub open_request_id: u32,
    /// Strikes of the seat so far.
    pub strikes: u32,
}

/// Something changed about a seat's bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatStatus {
    /// The seat as it is now, or, for another seat, as everybody may know it.
    pub info: SeatInfo,
    /// The fault that changed it; `None` when none did.
    pub reason: Option<FaultReason>,
}
