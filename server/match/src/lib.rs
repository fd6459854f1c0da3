//! One match whole, without I/O: its referee, the streams that hold its seats, what was reported and
//! is not handled yet, its replay, and the entries of its journal.
//!
//! A [`Match`] is given what happened and when, and tells what is to be done: it appends
//! [`Effect`]s to a buffer of its caller. It has no lock, no clock, no store and no task, so a whole
//! match, its server killed in the middle, fits into a test.
//!
//! Duties of the shell that drives it:
//! * put each report into an [`Inbox`] at the moment at which it is made, and take all of them
//!   whenever the match is given anything;
//! * carry out the effects of a call in their order, before the next call;
//! * let nothing be seen before as many [`Entries`] are stored as the effect says, and never if
//!   they cannot be; tell the match with [`Match::stored`] when they are;
//! * not read a stream any further before what [`Match::unsettled_report`] says is stored: then what
//!   waits is bounded by the streams;
//! * ask for the news with [`Match::take_news`] while somebody watches, soon after what everybody may
//!   know has changed, and before somebody else begins to watch;
//! * call [`Match::tick`] at the time that it gave last, and when [`Effect::Wake`] asks for it;
//! * [`Match::park`] it before streams end with the server;
//! * to go on after its own end, [`recover`] the match from what was stored, and call
//!   [`Match::restarted`] before anything else.

#![forbid(unsafe_code)]

mod afterwards;
mod calendar;
mod cancelling;
mod effect;
mod effects;
mod held_back;
mod journal;
mod judging;
mod link;
mod machine;
mod moment;
mod news;
mod origin;
mod outgoing;
mod referee_input;
mod report;
mod returns;
mod shown;
mod storing;
mod tickets;
#[cfg(test)]
mod two_bots;
mod untold;
mod verdict;

pub use afterwards::LastWords;
pub use bridgemaster_names::MatchId;
pub use effect::{Cancellation, Closing, Counted, Effect, Ending, Entries, Finish, StoredEntry};
pub use journal::{
    Beginning, Claims, Header, MAX_SUMMARY_BYTES, ReadEntry, Recovered, StoredInput, Unreplayable,
    read_entry, read_finished, read_histories, recover,
};
pub use machine::{Joined, Match, NotCancelled, NotSeated, Opening};
pub use moment::{Ahead, MIN_LAG_US, Moment};
pub use news::{DueNews, News};
pub use origin::{OfferedSeat, Origin, TicketHash};
pub use outgoing::Outgoing;
pub use report::{Inbox, Report, SeatInput, StreamNumber};
pub use tickets::{NoNewTickets, Replaced};
pub use verdict::Verdict;
