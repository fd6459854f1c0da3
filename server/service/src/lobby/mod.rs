//! Where bots wait for matches: queues, the bots that attend them, and the seats that these are
//! offered.
//!
//! [`WaitingRoom`] is all of it without I/O: it is told what happened and when, and says what each
//! stream is told next. [`Lobby`] is the thin shell around it: a lock, a timer, and what wakes
//! streams. Nothing is queued for a stream. It asks for its next message when its peer has room,
//! so who reads slowly costs nothing, and a stream that is opened anew finds what holds.
//!
//! An offer is a seat of a match that is made and stored. What is offered to whom is part of the
//! match, so that a server that is started again finds its offers in its matches. A bot accepts by
//! opening PlayService.Play, which the matches tell of.

mod attendance;
mod names;
mod offer;
mod queue;
mod shell;
mod standing;
mod stream;
mod telling;
mod waiting_room;
mod watching;

pub(crate) use names::{AttendanceId, BotName, OfferId, QueueId};
pub(crate) use queue::QueueRules;
pub(crate) use shell::{Invited, Lobby, QUEUE_NOTES, queue_unknown};
pub(crate) use standing::Standing;
pub(crate) use waiting_room::{Asking, Refused, WaitingRoom};
