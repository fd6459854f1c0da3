//! What a bot is sent, as bytes: encoded once, when it is said, and not touched again.

use std::cell::RefCell;

use bridgemaster_proto::{
    games::{WireGame, Writer},
    v1::{DecisionRejected, MatchStarted, PlayResponse, play_response::Message},
};
use bridgemaster_referee::DecisionRequest;
use bridgemaster_wire::{write_request, write_started};
use prost::{Message as _, bytes::Bytes};

/// A message to a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The bytes of a [`PlayResponse`].
    pub bytes: Bytes,
    /// The request that it asks, if it asks one. That this went to the transport is to be reported:
    /// see [`SeatInput::HandedOver`](crate::SeatInput::HandedOver).
    pub request_id: Option<u32>,
    /// The refusal of an answer, if it is one: a bot that answers by calls is told so by its call.
    pub(crate) rejected: Option<Box<DecisionRejected>>,
}

impl Outgoing {
    /// A request.
    pub(crate) fn request<G: WireGame>(sequence: u32, request: &DecisionRequest<G>) -> Self {
        Self {
            request_id: Some(request.request_id),
            ..Self::written(|writer| write_request(sequence, request, writer))
        }
    }

    /// What a seat is told at the start, with the config of the game.
    pub(crate) fn started<G: WireGame>(
        sequence: u32,
        started: MatchStarted,
        config: &G::Config,
    ) -> Self {
        Self::written(|writer| write_started::<G>(sequence, started, config, writer))
    }

    /// What `write` writes; it asks nothing and refuses nothing.
    fn written(write: impl FnOnce(&mut Writer)) -> Self {
        thread_local! {
            /// One for each thread: it is full for no longer than a call, and there are many matches.
            static WRITER: RefCell<Writer> = RefCell::default();
        }
        let bytes = WRITER.with_borrow_mut(|writer| {
            writer.clear();
            write(writer);
            writer.to_bytes()
        });
        Self {
            bytes,
            request_id: None,
            rejected: None,
        }
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
        Self {
            bytes,
            request_id,
            rejected,
        }
    }
}
