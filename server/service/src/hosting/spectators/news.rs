//! What one spectator is told.

use std::sync::Arc;

use bridgemaster_proto::v1::WatchMatchResponse;
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::{Status, codegen::Bytes};

use crate::{
    journal::{Gate, Gated},
    tally::Taken,
};

/// Something for one spectator: news, or why there are no more.
pub(in super::super) type ToSpectator = Gated<Result<SharedNews, Status>>;

/// News for one spectator.
pub(crate) type WatchReceiver = mpsc::Receiver<ToSpectator>;

/// News that all spectators share: an encoded `WatchMatchResponse`.
pub(crate) struct SharedNews {
    message: Bytes,
    /// Where they wait behind others.
    _counted: Option<Arc<Taken>>,
}

impl SharedNews {
    pub(super) fn new(message: Bytes, counted: Option<Arc<Taken>>) -> Self {
        Self {
            message,
            _counted: counted,
        }
    }

    /// The bytes of the message.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.message
    }
}

/// What one spectator is told alone, at first.
pub(super) fn first(snapshot: &WatchMatchResponse, gate: Option<Gate>) -> ToSpectator {
    let message = snapshot.encode_to_vec().into();
    Gated::new(Ok(SharedNews::new(message, None)), gate)
}

/// All that a spectator is told of a match that has no more news.
pub(in super::super) fn only(snapshot: &WatchMatchResponse) -> WatchReceiver {
    let (queue, receiver) = mpsc::channel(1);
    // The queue is new and has room.
    let _ = queue.try_send(first(snapshot, None));
    receiver
}
