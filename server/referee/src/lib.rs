//! The referee of a match as a state machine: seats, clocks, faults and records, without I/O.
//!
//! A [`Referee`] is given what happened ([`Input`]) and when ([`Time`]), and returns what to do
//! ([`Output`]). It never awaits, reads no clock and knows no protobuf. So a whole match with every
//! fault fits into a unit test, and the same inputs at the same times always give the same outputs.
//!
//! The *shell* around it owns the streams. It must:
//! * take the moment of an input when it happens (of an answer, when it is decoded), and deliver
//!   inputs in the order of their moments: then an answer that was decoded before its deadline
//!   is in time, however late it is handled;
//! * report [`Input::RefereeLag`] before the next input when the shell itself stood still;
//! * report [`Input::HandedOver`] when a request has gone to the transport;
//! * call [`Referee::handle`] with [`Input::Tick`] when [`Referee::deadline`] is reached;
//! * when a newer stream takes a seat over, report [`Input::Connected`] for it and nothing more
//!   of the older one, [`Input::Disconnected`] included;
//! * believe the number that a bot comes back with only when its history holds it ([`Histories`])
//!   and [`Referee::can_resume`]; [`Input::Connected`] has it only then;
//! * to go on after its own end, make a referee by the same rules and `created_at`, give it every
//!   input again at the same time, begin a new history with what [`Referee::sent`] tells of each
//!   seat, and then [`Input::Restarted`].

#![forbid(unsafe_code)]

mod answers;
mod clock;
mod event_log;
mod fault;
mod fault_action;
mod fork;
mod histories;
mod house;
mod input;
mod lag;
mod machine;
mod notes;
mod odds;
mod outbox;
mod output;
mod penalty;
mod phases;
mod play;
mod player;
mod public;
mod reading;
mod record;
mod result;
mod rules;
mod rules_error;
mod seat_info;
mod streams;
mod time;
mod timers;

pub use clock::{Charge, ClockReading, ClockRules, ClockUse, MAX_BANK_MS, RESTART_GRACE_MS};
pub use fault::{Fault, FaultPolicy, FaultReason, MAX_FAULTS_KEPT};
pub use fault_action::FaultAction;
pub use fork::{Fork, ForkChance, ForkError, ForkStep, redrawn};
pub use histories::{
    EndedHistory, Histories, HistoryId, Known, MAX_ENDED_HISTORIES_KEPT, NoHistoryId,
};
pub use house::HousePolicy;
pub use input::{Answer, BadAnswerReason, BotIdentity, Input};
pub use lag::LAG_MARGIN_MS;
pub use machine::{MatchPhase, Referee};
pub use notes::{MATCH_NOTE_BYTES, MAX_NOTE_BYTES, NoteRoom};
pub use odds::SeatOdds;
pub use outbox::MAX_MESSAGES_KEPT;
pub use output::{
    CloseReason, DecisionRequest, Output, Question, Rejection, RejectionReason, SeatMessage,
    SeatStatus, Started,
};
pub use penalty::MAX_USELESS_MESSAGES;
pub use record::{ChanceRecord, DecidedBy, DecisionRecord, MAX_SEAT_RECORDS, Record, RecordEntry};
pub use result::{LagOfMatch, MatchResult, SeatResult, places};
pub use rules::MatchRules;
pub use rules_error::RulesError;
pub use seat_info::{SeatInfo, SeatState};
pub use time::Time;
