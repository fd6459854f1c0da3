//! What a match has done to the world around it: what its shell has to carry out, in order.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_referee::{Charge, DecidedBy, Fault, FaultReason, MatchResult};

use crate::{Moment, Outgoing, StreamNumber};

/// A number of entries of a match's journal, counted from its start. What waits for so many may be
/// seen once they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entries(pub u64);

impl Entries {
    /// Nothing is waited for.
    pub const NONE: Self = Self(0);
}

/// Something to be carried out. Whoever drives the match gives a buffer for them, and carries them
/// out in their order before the match is given anything else.
#[derive(Debug)]
pub enum Effect {
    /// Store an entry of the journal: the one after those before it. Not given by a match without a
    /// journal.
    Store(StoredEntry),
    /// A new stream takes a seat: what is sent to the seat from now on goes to it.
    Open {
        /// The seat.
        seat: Seat,
        /// The stream.
        stream: StreamNumber,
    },
    /// Send a message to the stream that holds a seat. If its queue is full, the shell ends it as too
    /// slow, sends it nothing more, and calls [`Match::overflowed`](crate::Match::overflowed) when
    /// the effects at hand are carried out.
    Send {
        /// The seat.
        seat: Seat,
        /// The message.
        message: Outgoing,
        /// Not before so many entries are stored.
        after: Entries,
    },
    /// End the stream that holds a seat after what was sent to it.
    Close {
        /// The seat.
        seat: Seat,
        /// Why.
        closing: Closing,
        /// Not before so many entries are stored.
        after: Entries,
    },
    /// The stream that held a seat ended by itself. Nothing is sent to it any more.
    Lost {
        /// The seat.
        seat: Seat,
        /// What was wrong with its bytes, if they were no message.
        garbage: Option<String>,
    },
    /// The deadline is before the moment at which the timer looks again, or there is none any more:
    /// wake the timer, which calls [`Match::tick`](crate::Match::tick).
    Wake,
    /// A message of a bot that was decoded at this moment is handled.
    Handled(Moment),
    /// A seat committed a fault: for the log of the operator, who may know at once.
    Faulty {
        /// The seat.
        seat: Seat,
        /// The fault.
        fault: Fault,
    },
    /// Count something for everybody to see: it is no secret any more.
    Count(Counted),
    /// The match is over, and no records or entries follow.
    Ended(Ending),
    /// The match was cancelled: it has neither a result nor a replay, and nothing follows.
    Cancelled {
        /// Not to be seen before so many entries are stored.
        after: Entries,
    },
}

/// Something that is counted.
#[derive(Clone, Debug)]
pub enum Counted {
    /// A decision was applied.
    Decision {
        /// Whose it is.
        seat: Seat,
        /// Who made it.
        by: DecidedBy,
        /// What it cost; `None` when no bot answered.
        charge: Option<Charge>,
        /// Time since the match started, in ms; 0 before.
        at_ms: u64,
    },
    /// A seat committed a fault.
    Fault {
        /// The seat.
        seat: Seat,
        /// The fault.
        fault: Fault,
    },
}

/// An entry of a journal.
#[derive(Debug)]
pub struct StoredEntry {
    /// Its number, from 0.
    pub number: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// It is the last one: what stays of the match is stored with it, and the journal is dropped.
    pub finish: Option<Box<Finish>>,
}

/// What stays of a match that ends.
#[derive(Debug)]
pub struct Finish {
    /// What is known of it without its replay: see [`read_finished`](crate::read_finished).
    pub summary: Vec<u8>,
    /// The bytes of its replay file; none of a match that was cancelled.
    pub replay: Arc<[u8]>,
    /// Names that the match is of: of the key that made it, and of its bots.
    pub parties: Vec<String>,
}

/// The end of a match.
#[derive(Debug)]
pub struct Ending {
    /// Its result.
    pub result: Arc<MatchResult>,
    /// Not to be seen before so many entries are stored.
    pub after: Entries,
}

/// Why a match was cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancellation {
    /// What whoever cancelled it said.
    pub reason: String,
    /// Name of that API key, where there are keys.
    pub by: Option<String>,
    /// The seat that was offered to a bot, and that the bot declined.
    pub declined: Option<Seat>,
}

/// Why the match ends a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The match is over.
    MatchEnded,
    /// The seat is forfeited, for this reason.
    Forfeited(FaultReason),
    /// A newer stream took the seat.
    Superseded,
    /// The match was cancelled.
    Cancelled(Arc<Cancellation>),
}
