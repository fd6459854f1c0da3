//! Receives messages from a bot, on a bidirectional stream or as unary calls.

use std::{error::Error as _, future::pending};

use bridgemaster_match::TicketHash;
use bridgemaster_proto::v1::{
    Hello, PlayRequest, RefusalReason, play_request::Message as Incoming,
};
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

use super::seat_registry::{SeatRegistration, SeatRegistry};
use crate::{identity::Caller, limits::Limits, live::SeatSession, refusal::Refusal};

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
            Self::Calls { hello, .. } => hello
                .take()
                .ok_or_else(|| Refusal::field("hello", "is missing")),
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
    pub(super) fn register(&self, seat: &SeatSession, caller: &Caller) -> Option<SeatRegistration> {
        match self {
            Self::Stream(_) => None,
            Self::Calls {
                registry, ticket, ..
            } => Some(registry.register(*ticket, seat.handle(), caller.key_id().cloned())),
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
        Ok(Some(PlayRequest {
            message: Some(Incoming::Hello(hello)),
        })) => Ok(hello),
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
