//! A bot joins a seat with a new stream: its request and the result.

use std::sync::Arc;

use bridgemaster_referee::{BotIdentity, FaultReason, HistoryId, ResumePoint};

use crate::{Cancellation, Entries, StreamNumber};

/// Maximum length of a client instance's identifier, in bytes.
const MAX_INSTANCE_ID_BYTES: usize = 64;

/// The identification of a stream by the client that opens it. If a client reconnects before the
/// server has handled the request of a lost connection, its requests can arrive in the wrong order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientStream {
    instance_id: String,
    number: u32,
}

impl ClientStream {
    /// Creates an identification from a request; `None` if the client does not number its streams.
    ///
    /// # Errors
    /// Returns an error if the identifier is too long. Returns a description of the problem.
    pub fn from_client(instance_id: &str, number: u32) -> Result<Option<Self>, String> {
        let bytes = instance_id.len();
        if bytes > MAX_INSTANCE_ID_BYTES {
            return Err(format!(
                "has {bytes} bytes; at most {MAX_INSTANCE_ID_BYTES} are allowed, send a shorter \
                 random identifier"
            ));
        }
        let is_numbered = !instance_id.is_empty();
        Ok(is_numbered.then(|| Self { instance_id: instance_id.to_owned(), number }))
    }

    /// Returns whether the client that opened this stream has opened `newest` later.
    pub fn is_older_than(&self, newest: &Self) -> bool {
        self.instance_id == newest.instance_id && self.number < newest.number
    }
}

/// A bot's request to join a seat with a new stream, as the bot states it.
#[derive(Clone, Debug, Default)]
pub struct JoinRequest<'a> {
    /// The name and version of the bot.
    pub bot: BotIdentity,
    /// The name of the bot's API key. A seat that belongs to another key is refused.
    pub key: Option<&'a str>,
    /// The point up to which the bot has received messages.
    pub resume_point: Option<ResumePoint>,
    /// The client's identification of the stream.
    pub client_stream: Option<ClientStream>,
}

/// A seat with a newly attached stream.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    /// The number of the stream.
    pub stream: StreamNumber,
    /// The contents of the Welcome message.
    pub start: StreamStart,
    /// The journal position that must be stored before the Welcome is sent, because the bot keeps
    /// the history identifier in it.
    pub after: Entries,
}

/// The start of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamStart {
    /// The current history of the match.
    pub history_id: HistoryId,
    /// True if the stream continues after the bot's resume point. If false, the bot starts over.
    pub resumed: bool,
    /// Remaining note budget of the seat, in bytes.
    pub note_bytes_left: u32,
}

/// The reason why a bot cannot join a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// The seat is held by the bot of another API key, or reserved for one.
    OfAnotherKey,
    /// The seat was offered to this other version of the bot.
    OfAnotherVersion(String),
    /// The seat is forfeited because of this fault.
    Forfeited(FaultReason),
    /// The match was cancelled.
    Cancelled(Arc<Cancellation>),
    /// The same client has opened the seat's newest stream later.
    Superseded,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_streams_of_the_same_instance_are_ordered() {
        let stream = |id: &str, number| ClientStream::from_client(id, number).unwrap().unwrap();
        assert!(stream("a", 1).is_older_than(&stream("a", 2)));
        assert!(!stream("a", 2).is_older_than(&stream("a", 2)));
        assert!(!stream("a", 3).is_older_than(&stream("a", 2)));
        assert!(!stream("b", 1).is_older_than(&stream("a", 2)));
    }

    #[test]
    fn an_identifier_has_at_most_64_bytes() {
        assert_eq!(ClientStream::from_client("", 7), Ok(None));
        assert!(ClientStream::from_client(&"x".repeat(64), 1).unwrap().is_some());
        let problem = ClientStream::from_client(&"é".repeat(33), 1).unwrap_err();
        assert!(problem.starts_with("has 66 bytes; at most 64 are allowed"), "{problem}");
    }
}
