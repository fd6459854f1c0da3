//! A whole match as a state machine without I/O. It consists of the referee, the seats' streams,
//! the unhandled reports, the replay and the journal.
//!
//! A [`Match`] receives inputs with their times, and appends the resulting actions as [`Effect`]s
//! to its caller's buffer. It has no lock, clock, store or task. So a unit test can run a whole
//! match, and even simulate a crash of the server.
//!
//! Duties of the shell that drives it:
//! * put each report into an [`Inbox`] at the moment of its event, and pass all reports to the
//!   match with its next call;
//! * carry out a call's effects in order, before the next call;
//! * make an effect visible only once the [`Entries`] in its `after` field are stored; call
//!   [`Match::mark_stored`] after storing entries;
//! * stop reading a stream until [`Match::uncommitted_report`] is stored, so that the streams limit
//!   the number of waiting effects;
//! * poll [`Match::take_update`] while there are spectators, soon after a public change and before
//!   a new spectator starts to watch;
//! * call [`Match::tick`] at the time that its last call returned, and on [`Effect::Wake`];
//! * call [`Match::park`] before the server stops and its streams end;
//! * after a restart, [`recover`] the match from the store, and call [`Match::restart`] before
//!   anything else.

#![forbid(unsafe_code)]

mod clocks;
mod commit_tracker;
mod effect;
mod final_messages;
mod join;
mod journal;
mod machine;
mod organiser;
mod origin;
mod outgoing;
pub mod property;
mod referee_outputs;
mod report;
mod return_tracker;
mod seat_stream;
mod spectator_update;
mod view;

pub use bridgemaster_lease::names::MatchId;
pub use clocks::{ClockOffset, MIN_LAG_US, ServerTime};
pub use effect::{
    Cancellation, Closing, CountedEvent, Effect, Entries, Finish, MatchEnd, StoredEntry, Verdict,
};
pub use final_messages::FinalMessages;
pub use join::{ClientStream, JoinError, JoinRequest, Joined, StreamStart};
pub use journal::{
    Header, HistoryStart, MAX_SUMMARY_BYTES, MatchParties, ReadEntry, Recovered, StoredInput,
    Unreplayable, decode_finished, read_entry, read_histories, recover,
};
pub use machine::Match;
pub use organiser::{CancelError, ExpireSeatError, ReplaceTicketsError, ReplacedTickets};
pub use origin::{OfferedSeat, Origin, TicketHash};
pub use outgoing::Outgoing;
pub use report::{Inbox, Report, SeatInput, StreamNumber};
pub use spectator_update::{DueUpdate, SpectatorUpdate};

#[cfg(test)]
mod tests;
