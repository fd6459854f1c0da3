//! Effects: the actions that a match asks its shell to carry out, in order, and the outcomes of
//! answers.

use std::sync::Arc;

use bridgemaster_games::{Game, Seat};
use bridgemaster_proto::v1::DecisionRejected;
use bridgemaster_referee::{Charge, DecidedBy, DecisionRecord, Fault, FaultReason, MatchResult};

use crate::{Outgoing, ServerTime, StreamNumber};

/// A position in a match's journal: the number of entries before it. An effect with a position
/// becomes visible only once that many entries are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entries(pub u64);

impl Entries {
    /// The start of the journal. An effect with this position need not wait.
    pub const NONE: Self = Self(0);
}

/// An action for the shell, which is the caller of the match. The shell passes a buffer for effects
/// with each call, and carries them out in order before its next call.
#[derive(Debug)]
pub enum Effect {
    /// Append an entry to the stored journal. Never emitted by a match without a journal.
    Store(StoredEntry),
    /// Attach a new stream to a seat. Later messages to the seat go to it.
    Open {
        /// The seat that the stream belongs to.
        seat: Seat,
        /// The number of the new stream.
        stream: StreamNumber,
    },
    /// Send a message to a seat's current stream. If the stream's queue is full, the shell closes
    /// the stream as too slow, sends nothing more to it, and calls
    /// [`Match::handle_overflow`](crate::Match::handle_overflow) after the current effects.
    Send {
        /// The receiving seat.
        seat: Seat,
        /// The message with its encoded bytes.
        message: Outgoing,
        /// The journal position that this effect waits for.
        after: Entries,
    },
    /// Close a seat's current stream after sending the messages before this effect.
    Close {
        /// The seat that the stream belongs to.
        seat: Seat,
        /// The reason to report to the bot.
        closing: Closing,
        /// The journal position that this effect waits for.
        after: Entries,
    },
    /// A seat's current stream has ended. No further messages are sent to it.
    Lost {
        /// The seat of the stream.
        seat: Seat,
        /// The decoding error, if the stream carried invalid bytes.
        garbage: Option<String>,
    },
    /// Wake the timer, because the deadline is now earlier or no longer exists. The timer then
    /// calls [`Match::tick`](crate::Match::tick).
    Wake,
    /// A bot's message was handled. The value is the time when the message was decoded.
    Handled(ServerTime),
    /// Write a fault to the operator's log. The log can contain the match's secrets.
    LogFault {
        /// The seat that committed the fault.
        seat: Seat,
        /// The fault with its cost.
        fault: Fault,
    },
    /// Count an event in the metrics. The event is no longer secret. It follows the effect that
    /// stores the event's entry.
    Count(CountedEvent),
    /// The match has ended. No records or entries follow.
    Ended(MatchEnd),
    /// The match was cancelled. It has neither a result nor a replay, and no further effects
    /// follow.
    Cancelled {
        /// The journal position that this effect waits for.
        after: Entries,
    },
}

/// An event for the metrics.
#[derive(Clone, Debug)]
pub enum CountedEvent {
    /// A decision was applied.
    Decision {
        /// The seat that owed the decision.
        seat: Seat,
        /// The origin of the decision.
        by: DecidedBy,
        /// The charge for the answer; `None` if the bot did not answer.
        charge: Option<Charge>,
        /// Time since the match started, in ms; 0 before the start.
        at_ms: u64,
    },
    /// A seat committed a fault.
    Fault {
        /// The seat that committed the fault.
        seat: Seat,
        /// The fault with its cost.
        fault: Fault,
    },
}

/// An entry of a journal.
#[derive(Debug)]
pub struct StoredEntry {
    /// The entry's number, counted from 0.
    pub number: u64,
    /// The encoded `JournalEntry`.
    pub bytes: Vec<u8>,
    /// For the last entry, the finished match's data to store with it. The journal is then deleted.
    pub finish: Option<Box<Finish>>,
}

/// The stored data of a finished match.
#[derive(Debug)]
pub struct Finish {
    /// The summary without the replay: see [`decode_finished`](crate::decode_finished).
    pub summary: Vec<u8>,
    /// The bytes of the replay file; empty for a cancelled match.
    pub replay: Arc<[u8]>,
    /// Names of the API keys that created and played the match, for access checks.
    pub parties: Vec<String>,
    /// The properties by which lists find the match, as names and values: see
    /// [`property`](crate::property).
    pub properties: Vec<(&'static str, String)>,
}

/// The end of a match.
#[derive(Debug)]
pub struct MatchEnd {
    /// The result of the match.
    pub result: Arc<MatchResult>,
    /// The journal position that this effect waits for.
    pub after: Entries,
}

/// The reason and the cause of a cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancellation {
    /// The reason given in the request.
    pub reason: String,
    /// Name of the API key that cancelled the match; `None` if the server uses no keys.
    pub by: Option<String>,
    /// The seat whose bot declined a queue's offer, if this caused the cancellation.
    pub declined: Option<Seat>,
}

/// The reason why the match closes a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The match has ended with a result.
    MatchEnded,
    /// The seat was forfeited because of this fault.
    Forfeited(FaultReason),
    /// A newer stream replaced this one.
    Superseded,
    /// The match was cancelled and has no result.
    Cancelled(Arc<Cancellation>),
}

/// The decisions and faults during a time in which it is secret which seats have decided. Their
/// number is small, because such times are short and the recorded faults of a seat are limited.
#[derive(Debug, Default)]
pub(crate) struct WithheldCounts {
    withheld: Vec<CountedEvent>,
    /// Events that are public, and are emitted once their entry is queued.
    public: Vec<CountedEvent>,
}

impl WithheldCounts {
    /// Adds a decision made at this time since the start of the match.
    pub(crate) fn add_decision<G: Game>(&mut self, record: &DecisionRecord<G>, at_ms: u64) {
        self.withheld.push(CountedEvent::Decision {
            seat: record.seat,
            by: record.decided_by,
            charge: record.charge,
            at_ms,
        });
    }

    pub(crate) fn add_fault(&mut self, seat: Seat, fault: &Fault) {
        let fault = fault.clone();
        self.withheld.push(CountedEvent::Fault { seat, fault });
    }

    /// Makes all withheld events public.
    pub(crate) fn release(&mut self) {
        self.public.append(&mut self.withheld);
    }

    /// Emits all public events. Must be called after the effect that stores their entry was added.
    pub(crate) fn emit(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.public.drain(..).map(Effect::Count));
    }
}

/// The outcome of a bot's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer was accepted.
    Accepted,
    /// The answer was rejected for this reason.
    Rejected(Box<DecisionRejected>),
}

impl Verdict {
    /// Finds the outcome of a seat's answer among the answer's effects.
    pub(crate) fn in_effects(seat: Seat, effects: &[Effect]) -> Self {
        let rejected = effects.iter().find_map(|effect| match effect {
            Effect::Send { seat: receiver, message, after: _ } if *receiver == seat => {
                message.rejected.clone()
            }
            _ => None,
        });
        rejected.map_or(Self::Accepted, Self::Rejected)
    }
}
