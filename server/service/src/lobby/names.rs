//! What names queues, attendances, offers and bots.

use std::fmt;

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_proto::outside::is_printable;
use sha2::{Digest as _, Sha256};

use crate::{hosting::Ticket, limits::MAX_BOT_TEXT_CHARS, random::system_bytes};

/// Longest name of a queue, in bytes.
const MAX_QUEUE_ID_BYTES: usize = 64;

/// Names a queue on its server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct QueueId(String);

impl QueueId {
    /// What a name of a queue is.
    pub(crate) const RULE: &str = "1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`";

    /// The queue of this name; `None` for a text that names none.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_of_a_name = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        let is_name =
            (1..=MAX_QUEUE_ID_BYTES).contains(&text.len()) && text.bytes().all(is_of_a_name);
        is_name.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Name of a bot that attends. On a server with keys it is that of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BotName(String);

impl BotName {
    /// The bot of this name; `None` for a text that Hello would be refused with.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let chars = text.chars().count();
        let is_name = (1..=MAX_BOT_TEXT_CHARS).contains(&chars) && text.chars().all(is_printable);
        is_name.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Names an attendance. It cannot be guessed: on a server without keys, who knows it may change it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AttendanceId(String);

impl AttendanceId {
    /// A new one: 32 lower hex digits.
    pub(crate) fn draw() -> Self {
        Self(format!("{:032x}", u128::from_le_bytes(system_bytes())))
    }

    /// The one that a caller names.
    pub(crate) fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Names an offer: by the match, the seat, and what its ticket makes of them. So it has the same
/// name after a restart, and only who is told of it knows it: on a server without keys, who knows it
/// may decline it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OfferId(String);

impl OfferId {
    pub(crate) fn of(id: &MatchId, seat: Seat, ticket: &Ticket) -> Self {
        let hash = Sha256::digest(format!("offer\n{}", ticket.reveal()));
        let hash = u64::from_be_bytes(std::array::from_fn(|byte| hash[byte]));
        Self(format!("{id}-{}-{hash:016x}", seat.number()))
    }

    /// Whether it is of this seat of a match.
    pub(super) fn is_of(&self, id: &MatchId, seat: Seat) -> bool {
        self.0.starts_with(&format!("{id}-{}-", seat.number()))
    }

    /// The one that a caller names.
    pub(crate) fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The match that it is of, if it can be one.
    pub(super) fn match_id(&self) -> Option<MatchId> {
        let id = self.0.rsplitn(3, '-').nth(2)?;
        MatchId::new(id).ok()
    }
}
