//! Messages from a match to one spectator.

use std::sync::Arc;

use bridgemaster_proto::v1::WatchMatchResponse;
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::{Status, codegen::Bytes};

use crate::{
    journal::{Gate, Gated},
    limiter::Permit,
};

/// A message to a spectator: an update, or the refusal that ends the stream.
pub(in super::super) type SpectatorMessage = Gated<Result<SharedUpdate, Status>>;

/// Receives the messages to one spectator.
pub(crate) type WatchReceiver = mpsc::Receiver<SpectatorMessage>;

/// An encoded `WatchMatchResponse` that all spectators share.
pub(crate) struct SharedUpdate {
    message: Bytes,
    /// The permit for the bytes of the update while it waits behind earlier updates.
    _permit: Option<Arc<Permit>>,
}

impl SharedUpdate {
    pub(super) fn new(message: Bytes, permit: Option<Arc<Permit>>) -> Self {
        Self {
            message,
            _permit: permit,
        }
    }

    /// Returns the encoded message.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.message
    }
}

pub(super) fn first_message(snapshot: &WatchMatchResponse, gate: Option<Gate>) -> SpectatorMessage {
    let message = snapshot.encode_to_vec().into();
    Gated::new(Ok(SharedUpdate::new(message, None)), gate)
}

/// Creates the only message to a spectator of an ended match.
pub(in super::super) fn only_message(snapshot: &WatchMatchResponse) -> WatchReceiver {
    let (queue, receiver) = mpsc::channel(1);
    // The queue is new and has capacity.
    let _ = queue.try_send(first_message(snapshot, None));
    receiver
}
