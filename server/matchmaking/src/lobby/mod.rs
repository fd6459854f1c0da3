//! Matchmaking: queues, the bots that attend them, and the seats that are offered to these bots.
//!
//! [`WaitingRoom`] contains the logic, without I/O: its inputs are events and times, and its
//! outputs are the next messages of streams. [`Lobby`] adds a lock, a timer, and the wakers of
//! streams. Messages are not queued: the next message of a stream is computed when the client can
//! receive it. So slow clients use no memory, and a reopened stream receives the current state.
//!
//! An offer is a seat in a match that is created and stored. Each match records which seats are
//! offered to which bots, so a restarted server recovers its offers from its matches. A bot accepts
//! an offer by opening PlayService.Play, and the match then notifies the lobby.

mod attendance;
mod messages;
mod queue;
mod shell;
mod waiting_room;

use std::fmt;

use bridgemaster_edge::{limits::MAX_BOT_TEXT_CHARS, random::system_bytes, refusal::name_problem};
use bridgemaster_games::Seat;
use bridgemaster_live::Ticket;
use bridgemaster_match::MatchId;
use sha2::{Digest as _, Sha256};

pub use attendance::VersionStatus;
pub use queue::QueueRules;
pub use shell::{InvitedBot, Lobby, QUEUE_RECORD_PREFIX, queue_unknown};
pub use waiting_room::{LobbyError, NewAttendance, WaitingRoom};

/// The maximum length of a queue's name, in bytes.
const MAX_QUEUE_ID_BYTES: usize = 64;

/// The name of a queue, unique on its server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueId(String);

impl QueueId {
    /// The format of a name, for error messages.
    pub const FORMAT_RULE: &str = "must have 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`";

    /// Validates the name of a queue; `None` if it is malformed.
    pub fn new(text: &str) -> Option<Self> {
        let is_name_byte = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        let is_name =
            (1..=MAX_QUEUE_ID_BYTES).contains(&text.len()) && text.bytes().all(is_name_byte);
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of a bot that attends. On a server with keys, the bot's name is the name of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BotName(String);

impl BotName {
    /// Validates the name of a bot by the same rules as the name in a Hello; `None` if it is
    /// malformed.
    pub fn new(text: &str) -> Option<Self> {
        let is_name = !text.is_empty() && name_problem(text, MAX_BOT_TEXT_CHARS).is_none();
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The identifier of an attendance. It must be unpredictable, since on a server without keys any
/// caller that presents it may change the attendance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttendanceId(String);

impl AttendanceId {
    /// Generates a random identifier: 32 lower-case hex digits.
    pub fn generate() -> Self {
        Self(format!("{:032x}", u128::from_le_bytes(system_bytes())))
    }

    /// Wraps an identifier that a client sent. An attendance with this identifier need not exist.
    pub fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The identifier of an offer. It is derived from the match, the seat and the ticket, so it stays
/// the same after a restart. It must be unpredictable, since on a server without keys any caller
/// that presents it may decline the offer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OfferId(String);

impl OfferId {
    pub(crate) fn for_seat(id: &MatchId, seat: Seat, ticket: &Ticket) -> Self {
        let hash = Sha256::digest(format!("offer\n{}", ticket.reveal()));
        let hash = u64::from_be_bytes(std::array::from_fn(|byte| hash[byte]));
        Self(format!("{id}-{}-{hash:016x}", seat.number()))
    }

    /// Returns whether the offer is for this seat.
    fn is_of(&self, id: &MatchId, seat: Seat) -> bool {
        self.0.starts_with(&format!("{id}-{}-", seat.number()))
    }

    /// Wraps an identifier that a client sent. An offer with this identifier need not exist.
    pub fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Extracts the match identifier; `None` if the offer's identifier is malformed.
    fn match_id(&self) -> Option<MatchId> {
        let id = self.0.rsplitn(3, '-').nth(2)?;
        MatchId::new(id).ok()
    }
}
