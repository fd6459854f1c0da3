//! Messages to bots, which are encoded once and then sent as bytes.

use std::cell::RefCell;

use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::{DecisionRejected, MatchStarted, PlayResponse, play_response::Message},
};
use bridgemaster_referee::DecisionRequest;
use bridgemaster_replay::wire::{write_request, write_started};
use prost::{Message as _, bytes::Bytes};

/// An encoded message to a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The bytes of a [`PlayResponse`].
    pub bytes: Bytes,
    /// The number of the request in the message, if any. After the hand-over of a request to the
    /// transport, report it with [`SeatInput::HandedOver`](crate::SeatInput::HandedOver).
    pub request_id: Option<u32>,
    /// The rejection in the message, if any. It is needed for bots that answer by unary calls.
    pub(crate) rejected: Option<Box<DecisionRejected>>,
}

impl Outgoing {
    pub(crate) fn request<G: WireGame>(sequence: u32, request: &DecisionRequest<G>) -> Self {
        Self {
            request_id: Some(request.request_id),
            ..Self::written(|writer| write_request(sequence, request, writer))
        }
    }

    /// Encodes a start message with the game's config.
    pub(crate) fn started<G: WireGame>(
        sequence: u32,
        started: MatchStarted,
        config: &G::Config,
    ) -> Self {
        Self::written(|writer| write_started::<G>(sequence, started, config, writer))
    }

    /// Creates a message without a request or rejection, from the output of `write`.
    fn written(write: impl FnOnce(&mut Writer)) -> Self {
        thread_local! {
            /// The writer of each thread. One suffices, since it is used only during a call.
            static WRITER: RefCell<Writer> = RefCell::default();
        }
        let bytes = WRITER.with_borrow_mut(|writer| {
            writer.clear();
            write(writer);
            writer.to_bytes()
        });
        Self { bytes, request_id: None, rejected: None }
    }
}

impl From<PlayResponse> for Outgoing {
    fn from(response: PlayResponse) -> Self {
        let bytes = response.encode_to_vec().into();
        let (request_id, rejected) = match response.message {
            Some(Message::DecisionRequest(request)) => (Some(request.request_id), None),
            Some(Message::DecisionRejected(rejected)) => (None, Some(Box::new(rejected))),
            _ => (None, None),
        };
        Self { bytes, request_id, rejected }
    }
}
