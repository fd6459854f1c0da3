//! Matchmaking: queues, the bots that attend them, and the seats that are offered to these bots.
//!
//! [`WaitingRoom`] contains all of the logic, without I/O: its inputs are events and times, and its
//! outputs are the next messages of streams. [`Lobby`] adds a lock, a timer, and the wakers of
//! streams. No messages are queued for a stream: the next message is computed when the client can
//! receive it. So slow clients cost no memory, and a reopened stream gets the current state.
//!
//! An offer is a seat in a match that is created and stored. Each match records which seats are
//! offered to which bots, so a restarted server finds its offers in its matches. A bot accepts an
//! offer by opening PlayService.Play, and the match then notifies the lobby.

mod attendance;
mod names;
mod offer;
mod queue;
mod queue_updates;
mod shell;
mod stream;
mod stream_poll;
mod version_status;
mod waiting_room;

pub(crate) use names::{AttendanceId, BotName, OfferId, QueueId};
pub(crate) use queue::QueueRules;
pub(crate) use shell::{InvitedBot, Lobby, QUEUE_RECORD_PREFIX, queue_unknown};
pub(crate) use version_status::VersionStatus;
pub(crate) use waiting_room::{LobbyError, NewAttendance, WaitingRoom};
