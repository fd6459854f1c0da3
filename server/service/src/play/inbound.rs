//! Receives messages from a bot, on a bidirectional stream or as unary calls, and validates its
//! Hello. A registry has the seat streams whose requests are answered by unary calls.

use std::{collections::HashMap, error::Error as _, future::pending, sync::Arc};

use bridgemaster_edge::{
    identity::Caller,
    limits::{Limits, MAX_BOT_TEXT_CHARS},
    refusal::{Refusal, check_text, name_problem},
};
use bridgemaster_live::{SeatHandle, journal::Gated};
use bridgemaster_match::{ClientStream, JoinRequest, SeatInput, TicketHash, Verdict};
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{Hello, PlayRequest, RefusalReason, play_request::Message as Incoming},
};
use bridgemaster_referee::{BotIdentity, ResumePoint};
use bridgemaster_store::{KeyId, KeyName};
use parking_lot::Mutex;
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

/// The source of a bot's messages.
pub(super) enum Inbound {
    /// A bidirectional stream that carries all messages.
    Stream(Streaming<PlayRequest>),
    /// The Hello of a server-streaming call. All other messages are unary calls.
    Calls {
        /// The Hello; `None` after it was read.
        hello: Option<Hello>,
        /// The registry in which unary calls find the stream.
        registry: SeatRegistry,
        /// The ticket that unary calls present.
        ticket: TicketHash,
    },
}

impl Inbound {
    /// Returns the Hello, which is the first message.
    pub(super) async fn hello(&mut self, limits: &Limits) -> Result<Hello, Refusal> {
        match self {
            Self::Stream(messages) => first_message(messages, limits).await,
            Self::Calls { hello, .. } => {
                hello.take().ok_or_else(|| Refusal::field("hello", "is missing"))
            }
        }
    }

    /// Returns the next message. Pends forever if messages are unary calls.
    pub(super) async fn message(&mut self) -> Result<Option<PlayRequest>, Status> {
        match self {
            Self::Stream(messages) => messages.message().await,
            Self::Calls { .. } => pending().await,
        }
    }

    /// Returns whether the bot can answer Pings.
    pub(super) fn supports_pong(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// Registers the stream, which now holds the seat, for unary calls. Dropping the returned value
    /// removes the stream.
    pub(super) fn register(
        &self,
        seat: &Arc<SeatHandle>,
        caller: &Caller,
    ) -> Option<SeatRegistration> {
        match self {
            Self::Stream(_) => None,
            Self::Calls { registry, ticket, .. } => {
                Some(registry.register(*ticket, Arc::clone(seat), caller.key_id().cloned()))
            }
        }
    }
}

async fn first_message(
    inbound: &mut Streaming<PlayRequest>,
    limits: &Limits,
) -> Result<Hello, Refusal> {
    let Ok(message) = timeout(limits.hello_time, inbound.message()).await else {
        return Err(Refusal::new(
            RefusalReason::HelloLate,
            format!(
                "no Hello was received within {} ms of the start of the stream",
                limits.hello_time.as_millis()
            ),
        ));
    };
    match message {
        Ok(Some(PlayRequest { message: Some(Incoming::Hello(hello)) })) => Ok(hello),
        Ok(Some(_)) => Err(Refusal::new(
            RefusalReason::HelloExpected,
            "the first message of a stream must be a Hello",
        )),
        Ok(None) => Err(Refusal::new(
            RefusalReason::HelloExpected,
            "the stream was closed before it sent a Hello",
        )),
        Err(status) => Err(Refusal::new(
            RefusalReason::MalformedMessage,
            format!("the first message cannot be decoded: {}", status.message()),
        )),
    }
}

/// Returns the refusal of bytes that are not a valid message, or `None` if the transport failed.
pub(super) fn malformed_message(status: &Status) -> Option<Refusal> {
    // The decoder reports undecodable and oversized messages with these codes and no source. A
    // reset or lost stream may have the same code, but its source is the transport's error.
    let is_decoders = matches!(
        status.code(),
        Code::Internal | Code::OutOfRange | Code::Unimplemented | Code::InvalidArgument
    ) && status.source().is_none();
    is_decoders.then(|| {
        Refusal::new(
            RefusalReason::MalformedMessage,
            format!("a message cannot be decoded: {}", status.message()),
        )
    })
}

/// Returns the last message that a bot has received, and the history to which it belongs. A
/// malformed history counts as unknown, so the bot starts over.
fn resume_point(hello: &Hello) -> Option<ResumePoint> {
    Some(ResumePoint {
        history_id: hello.history_id.as_deref()?.parse().ok()?,
        last_sequence: hello.last_sequence?,
    })
}

/// Validates the Hello of a caller for a match of `game_id`.
pub(super) fn join_request<'a>(
    hello: &Hello,
    game_id: &str,
    caller: &'a Caller,
) -> Result<JoinRequest<'a>, Refusal> {
    if hello.protocol_revision != PROTOCOL_REVISION {
        return Err(Refusal::new(
            RefusalReason::ProtocolRevisionUnsupported,
            format!(
                "hello.protocol_revision: this server supports {PROTOCOL_REVISION}, not {}",
                hello.protocol_revision
            ),
        )
        .with("supported", PROTOCOL_REVISION.to_string()));
    }
    if hello.bot_name.is_empty() {
        return Err(Refusal::field("hello.bot_name", "must not be empty"));
    }
    if let Some(problem) = name_problem(&hello.bot_name, MAX_BOT_TEXT_CHARS) {
        return Err(Refusal::field("hello.bot_name", problem));
    }
    check_text("hello.bot_version", &hello.bot_version, MAX_BOT_TEXT_CHARS)?;
    if !hello.games.is_empty() && !hello.games.iter().any(|game| game == game_id) {
        return Err(Refusal::new(
            RefusalReason::GameNotPlayed,
            format!("hello.games does not contain {game_id}, the game of the match"),
        )
        .with("game_id", game_id));
    }
    let client_stream = ClientStream::from_client(&hello.client_instance_id, hello.stream_number)
        .map_err(|problem| Refusal::field("hello.client_instance_id", problem))?;
    let bot = BotIdentity { name: hello.bot_name.clone(), version: hello.bot_version.clone() };
    Ok(JoinRequest {
        bot: caller.bot(bot),
        key: caller.key_name().map(KeyName::as_str),
        resume_point: resume_point(hello),
        client_stream,
    })
}

/// The newest stream that was opened with each ticket. Clones share one registry.
#[derive(Clone, Default)]
pub(crate) struct SeatRegistry {
    by_ticket: Arc<Mutex<HashMap<TicketHash, Arc<RegisteredSeat>>>>,
}

pub(super) struct RegisteredSeat {
    handle: Arc<SeatHandle>,
    /// The key that opened the stream; `None` on a server without keys.
    key: Option<KeyId>,
    /// Locked while an answer is processed. The lock ensures that each call gets the result of its
    /// own answer.
    answering: Mutex<()>,
}

/// Removes a stream from the registry when dropped.
pub(super) struct SeatRegistration {
    registry: SeatRegistry,
    ticket: TicketHash,
    registered: Arc<RegisteredSeat>,
}

impl SeatRegistry {
    /// Registers a stream for calls with this ticket.
    pub(super) fn register(
        &self,
        ticket: TicketHash,
        handle: Arc<SeatHandle>,
        key: Option<KeyId>,
    ) -> SeatRegistration {
        let registered = Arc::new(RegisteredSeat { handle, key, answering: Mutex::default() });
        let mut by_ticket = self.by_ticket.lock();
        let newest = by_ticket.get(&ticket);
        // A stream that joined the seat later may already be registered.
        if newest.is_none_or(|newest| newest.handle.is_older_than(&registered.handle)) {
            by_ticket.insert(ticket, Arc::clone(&registered));
        }
        drop(by_ticket);
        SeatRegistration { registry: self.clone(), ticket, registered }
    }

    /// Returns the newest stream that was opened with a ticket.
    pub(super) fn find(&self, ticket: TicketHash) -> Option<Arc<RegisteredSeat>> {
        self.by_ticket.lock().get(&ticket).cloned()
    }
}

impl RegisteredSeat {
    /// Returns whether the stream was opened with this key.
    pub(super) fn is_opened_with(&self, key: Option<&KeyId>) -> bool {
        self.key.as_ref() == key
    }

    /// Passes an answer to the match and returns the result, or `None` if the stream no longer
    /// holds the seat or the match is parked.
    pub(super) fn answer(&self, input: SeatInput) -> Option<Gated<Verdict>> {
        let _one_at_a_time = self.answering.lock();
        self.handle.answer(input)
    }
}

impl Drop for SeatRegistration {
    fn drop(&mut self) {
        let mut by_ticket = self.registry.by_ticket.lock();
        let newest = by_ticket.get(&self.ticket);
        if newest.is_some_and(|newest| Arc::ptr_eq(newest, &self.registered)) {
            by_ticket.remove(&self.ticket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transport_error_is_not_a_malformed_message() {
        for reason in [h2::Reason::PROTOCOL_ERROR, h2::Reason::INTERNAL_ERROR] {
            let status = Status::from_error(Box::new(h2::Error::from(reason)));
            assert_eq!(status.code(), Code::Internal);
            assert!(malformed_message(&status).is_none(), "{status:?}");
        }
        let undecodable = Status::internal("failed to decode Protobuf message");
        assert!(malformed_message(&undecodable).is_some());
    }
}
