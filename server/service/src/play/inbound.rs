//! What a bot says on its stream.

use std::{error::Error as _, future::pending};

use bridgemaster_match::TicketHash;
use bridgemaster_proto::v1::{
    Hello, PlayRequest, RefusalReason, play_request::Message as Incoming,
};
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

use super::seat_links::{SeatLink, SeatLinks};
use crate::{hosting::SeatStream, identity::Caller, limits::Limits, refusal::Refusal};

/// What a bot says on its stream.
pub(super) enum Inbound {
    /// All that it says, message by message.
    Stream(Streaming<PlayRequest>),
    /// The Hello that came with its call. Whatever else it says comes by calls of their own.
    Calls {
        /// Taken when it is read.
        hello: Option<Hello>,
        /// Where those calls find the stream.
        links: SeatLinks,
        /// The ticket that they show.
        ticket: TicketHash,
    },
}

impl Inbound {
    /// The first message.
    pub(super) async fn hello(&mut self, limits: &Limits) -> Result<Hello, Refusal> {
        match self {
            Self::Stream(messages) => first_message(messages, limits).await,
            Self::Calls { hello, .. } => hello
                .take()
                .ok_or_else(|| Refusal::field("hello", "who plays is not set")),
        }
    }

    /// The next message. A bot whose messages are calls has none.
    pub(super) async fn message(&mut self) -> Result<Option<PlayRequest>, Status> {
        match self {
            Self::Stream(messages) => messages.message().await,
            Self::Calls { .. } => pending().await,
        }
    }

    /// Whether Pings are answered here.
    pub(super) fn has_pongs(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// Lets calls find the stream, now that it holds the seat, for as long as the link is held.
    pub(super) fn link(&self, seat: &SeatStream, caller: &Caller) -> Option<SeatLink> {
        match self {
            Self::Stream(_) => None,
            Self::Calls { links, ticket, .. } => {
                Some(links.link(*ticket, seat.voice(), caller.key_id().cloned()))
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
            format!("no Hello came within {} ms", limits.hello_time.as_millis()),
        ));
    };
    match message {
        Ok(Some(PlayRequest {
            message: Some(Incoming::Hello(hello)),
        })) => Ok(hello),
        Ok(Some(_)) => Err(Refusal::new(
            RefusalReason::HelloExpected,
            "the first message of a stream is Hello",
        )),
        Ok(None) => Err(Refusal::new(
            RefusalReason::HelloExpected,
            "the stream was closed before its first message, Hello",
        )),
        Err(status) => Err(Refusal::new(
            RefusalReason::MalformedMessage,
            format!("the first message cannot be read: {}", status.message()),
        )),
    }
}

/// The refusal for bytes that are no message; `None` when the transport failed instead.
pub(super) fn garbage(status: &Status) -> Option<Refusal> {
    // The decoder reports undecodable and oversized messages with these codes and no source. A
    // reset or lost stream may have the same code, but its source is the transport's error.
    let is_decoders = matches!(
        status.code(),
        Code::Internal | Code::OutOfRange | Code::Unimplemented | Code::InvalidArgument
    ) && status.source().is_none();
    is_decoders.then(|| {
        Refusal::new(
            RefusalReason::MalformedMessage,
            format!("a message cannot be read: {}", status.message()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_transport_is_no_garbage_whatever_its_code() {
        for reason in [h2::Reason::PROTOCOL_ERROR, h2::Reason::INTERNAL_ERROR] {
            let status = Status::from_error(Box::new(h2::Error::from(reason)));
            assert_eq!(status.code(), Code::Internal);
            assert!(garbage(&status).is_none(), "{status:?}");
        }
        let undecodable = Status::internal("failed to decode Protobuf message");
        assert!(garbage(&undecodable).is_some());
    }
}
