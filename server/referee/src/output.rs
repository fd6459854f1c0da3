//! Outputs of the referee: messages, closed streams and records.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};

use crate::{ClockReading, FaultReason, MatchResult, Record, SeatInfo};

/// An action that the shell must perform. The shell must handle outputs in order.
#[derive(Debug)]
pub enum Output<G: Game> {
    /// Send a message to the seat's current stream. Only emitted while the seat has a stream.
    Send {
        /// The receiving seat.
        seat: Seat,
        /// Sequence number of the message, counted from 1 for each seat. A message that is sent
        /// again keeps its number.
        sequence: u32,
        /// The message to send.
        message: SeatMessage<G>,
    },
    /// Close the seat's current stream after sending the messages before this output.
    Close {
        /// The seat that the stream belongs to.
        seat: Seat,
        /// The reason to report to the bot.
        reason: CloseReason,
    },
    /// Append a record to the replay.
    Record(Record<G>),
    /// The match has ended; [`Referee::result`](crate::Referee::result) returns the result.
    Ended,
    /// The match was cancelled. It has no result, and no records follow.
    Cancelled,
}

impl<G: Game> Output<G> {
    pub(crate) fn send(seat: Seat, sequence: u32, message: SeatMessage<G>) -> Self {
        Self::Send { seat, sequence, message }
    }

    pub(crate) fn close(seat: Seat, reason: CloseReason) -> Self {
        Self::Close { seat, reason }
    }
}

/// The reason why the referee closes a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The match has ended with a result.
    MatchEnded,
    /// The seat was forfeited because of this fault.
    Forfeited(FaultReason),
    /// The stream carried bytes that are not a message. The seat's bot can connect again.
    Garbage,
    /// The match was cancelled and has no result.
    Cancelled,
}

/// A message to a seat. Cheap to clone and to move.
#[derive(Clone, Debug)]
pub enum SeatMessage<G: Game> {
    /// The match starts, or a bot without a resume point joins a match that has started.
    Started(Arc<Started>),
    /// The seat owes a decision.
    Request(DecisionRequest<G>),
    /// A decision was rejected.
    Rejected(Arc<Rejection>),
    /// The status of a seat's bot changed.
    SeatStatus(Arc<SeatStatus>),
    /// The match has ended; contains its result.
    Ended(Arc<MatchResult>),
}

/// The start of a match, from one seat's point of view. The rules are in the match itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The receiving seat.
    pub seat: Seat,
    /// Each seat's state, as far as the receiver may know it, in seat order.
    pub seats: Vec<SeatInfo>,
}

/// A request for a decision.
#[derive(Clone, Debug)]
pub struct DecisionRequest<G: Game> {
    /// The request's number, counted from 1 for each seat.
    pub request_id: u32,
    /// The decision to make.
    pub content: Arc<RequestContent<G>>,
    /// The clock at the time when the request is sent.
    pub clock: ClockReading,
}

/// A request's content, which is the same each time the request is sent.
#[derive(Debug)]
pub struct RequestContent<G: Game> {
    /// The seat's view of the game state.
    pub observation: G::Observation,
    /// Legal decisions in canonical order.
    pub legal: Vec<G::Decision>,
    /// True if the list is truncated. Other legal decisions are accepted too, if they are sent in
    /// full.
    pub cut: bool,
    /// The events since the seat's previous request.
    pub events: Vec<G::Event>,
}

/// The reason why a decision was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectionReason {
    /// The request was already answered, or is no longer open. There is no penalty.
    StaleRequest,
    /// No request with this number has been sent yet. There is no penalty.
    UnknownRequest,
    /// The index is not below the legal list's length.
    IndexOutOfRange,
    /// The decision belongs to another game, or a part of it is missing or out of range.
    MalformedDecision,
    /// The game's rules do not allow the decision.
    IllegalDecision,
}

/// The rejection of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The request that the rejected decision referred to.
    pub request_id: u32,
    /// The kind of error.
    pub reason: RejectionReason,
    /// Path of the invalid field, relative to `Decision`; empty if no field is invalid.
    pub field: String,
    /// Explanation in English, with the valid values.
    pub detail: String,
    /// The number of the seat's open request, whose clock is running; 0 for none.
    pub open_request_id: u32,
    /// The seat's number of strikes.
    pub strikes: u32,
}

/// A change in the status of a seat's bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatStatus {
    /// The seat's state: the full state if the receiver owns the seat, otherwise the public state.
    pub info: SeatInfo,
    /// The fault that caused the change; `None` if the bot connected.
    pub reason: Option<FaultReason>,
}
