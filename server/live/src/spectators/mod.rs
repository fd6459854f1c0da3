//! The spectators of one match.
//!
//! Bots have priority. While a match holds its lock, it only queues an update, once for all
//! spectators. A separate task then builds and encodes the message, and sends the same bytes to
//! every spectator.

mod audience;
mod publisher;

use std::sync::Arc;

use bridgemaster_edge::limiter::Permit;
use bridgemaster_proto::v1::WatchMatchResponse;
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::{Status, codegen::Bytes};

use crate::journal::{CommitGate, Gated};

pub(super) use audience::{Audience, Reservation};
pub(super) use publisher::Publisher;

/// A message to a spectator: an update, or the refusal that ends the stream.
pub(super) type SpectatorMessage = Gated<Result<SharedUpdate, Status>>;

/// Receives the messages to one spectator.
pub(crate) type WatchReceiver = mpsc::Receiver<SpectatorMessage>;

/// An encoded `WatchMatchResponse` that all spectators share.
pub struct SharedUpdate {
    message: Bytes,
    /// The permit for the bytes of the update while it waits behind earlier updates.
    _permit: Option<Arc<Permit>>,
}

impl SharedUpdate {
    fn new(message: Bytes, permit: Option<Arc<Permit>>) -> Self {
        Self { message, _permit: permit }
    }

    /// Returns the encoded message.
    pub fn into_bytes(self) -> Bytes {
        self.message
    }
}

fn first_message(snapshot: &WatchMatchResponse, gate: Option<CommitGate>) -> SpectatorMessage {
    let message = snapshot.encode_to_vec().into();
    Gated::new(Ok(SharedUpdate::new(message, None)), gate)
}

/// Creates the only message to a spectator of a finished match.
pub(super) fn only_message(snapshot: &WatchMatchResponse) -> WatchReceiver {
    let (queue, receiver) = mpsc::channel(1);
    // The queue is new and has capacity.
    let _ = queue.try_send(first_message(snapshot, None));
    receiver
}
