//! A match's referee as a state machine: seats, clocks, faults and records, without I/O.
//!
//! A [`Referee`] receives inputs ([`Input`]) with their times ([`Time`]), and returns the actions
//! to perform ([`Output`]). It never awaits, reads no clock and does not depend on protobuf. The
//! same inputs at the same times always produce the same outputs. So a unit test can run a whole
//! match with every fault.
//!
//! The *shell* around it owns the streams. It must:
//! * record the time of an input when it occurs, or for an answer, when it is decoded;
//! * deliver inputs in the order of their times, so that an answer in time is accepted even if it
//!   is handled after its deadline;
//! * report [`Input::RefereeLag`] before the next input if the shell itself was stalled, or a node
//!   that forwards the stream of a seat;
//! * report [`Input::HandedOver`] when a request was handed to the transport;
//! * call [`Referee::handle`] with [`Input::Tick`] when [`Referee::deadline`] is reached;
//! * when a new stream replaces a seat's stream, report [`Input::Connected`] for the new one, and
//!   nothing more for the old one, not even [`Input::Disconnected`];
//! * pass the sequence number of a reconnecting bot to [`Input::Connected`] only if the bot's
//!   history covers the number ([`Histories`]) and [`Referee::can_resume`] returns true;
//! * after a restart, create a referee with the same rules and `created_at`, replay every input at
//!   the same time, begin a new history with the numbers of [`Referee::sent`], and then report
//!   [`Input::Restarted`].

#![forbid(unsafe_code)]

mod answers;
mod clock;
mod event_log;
mod fault;
mod fork;
mod histories;
mod input;
mod machine;
mod outbox;
mod output;
mod penalty;
mod phases;
mod play;
mod player;
mod public;
mod queries;
mod record;
mod result;
mod rules;
mod streams;
mod time;
mod time_control;
mod timers;

pub use clock::{
    Charge, ClockReading, ClockRules, ClockUse, MAX_BANK_MS, RESTART_GRACE_MS, SeatOdds,
};
pub use fault::{Fault, FaultAction, FaultPolicy, FaultReason, MAX_RECORDED_FAULTS};
pub use fork::{Fork, ForkChance, ForkStep, redraw};
pub use histories::{
    EndedHistory, Histories, HistoryId, MAX_ENDED_HISTORIES, ParseHistoryIdError, ResumePoint,
};
pub use input::{Answer, BotIdentity, ForwardingLag, Input};
pub use machine::{MatchPhase, Referee};
pub use outbox::MAX_RETAINED_MESSAGES;
pub use output::{
    CloseReason, DecisionRequest, Output, Rejection, RejectionReason, RequestContent, SeatMessage,
    SeatStatus, Started,
};
pub use penalty::MAX_USELESS_MESSAGES;
pub use record::{
    ChanceRecord, DecidedBy, DecisionRecord, MATCH_NOTE_BYTES, MAX_NOTE_BYTES, MAX_SEAT_RECORDS,
    NoteBudget, Record, RecordEntry, SeatInfo, SeatState,
};
pub use result::{MatchLag, MatchResult, SeatResult, places};
pub use rules::{HousePolicy, MatchRules};
pub use time::{LAG_MARGIN_MS, MAX_FORWARDING_LAG_MS, Time};
pub use time_control::{ParseTimeControlError, TimeControl};
