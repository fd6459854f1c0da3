//! The link between a seat and its current stream, and how it ends.

use bridgemaster_proto::v1::{PlayResponse, RefusalReason};
use bridgemaster_referee::{CloseReason, FaultReason};

use super::{
    outbound::{self, Closing, Outbound, OutboundSender, QueueFull},
    seat_stream::StreamNumber,
};
use crate::refusal::Refusal;

/// A seat's current stream.
#[derive(Default)]
pub(super) struct Link {
    newest: StreamNumber,
    sender: Option<OutboundSender>,
}

impl Link {
    /// Links a new stream, whose queue has room for so many messages; an older stream ends.
    pub(super) fn renew(&mut self, queue_limit: usize) -> (StreamNumber, Outbound) {
        self.close(Closing::Refused(Refusal::new(
            RefusalReason::Superseded,
            "a newer stream of this seat took over",
        )));
        let (sender, outbound) = outbound::channel(queue_limit);
        self.newest = self.newest.next();
        self.sender = Some(sender);
        (self.newest, outbound)
    }

    /// Whether the stream of this number is linked: neither superseded nor closed by the match.
    pub(super) fn holds(&self, number: StreamNumber) -> bool {
        self.newest == number && self.sender.is_some()
    }

    /// The stream ended by itself.
    pub(super) fn lose(&mut self) {
        self.sender = None;
    }

    /// Sends to the stream, if there is one. A stream whose queue is full ends.
    pub(super) fn send(&mut self, message: impl FnOnce() -> PlayResponse) -> Result<(), QueueFull> {
        let Some(sender) = &self.sender else {
            return Ok(());
        };
        sender.send(message()).inspect_err(|QueueFull { limit }| {
            self.close(Closing::Refused(Refusal::new(
                RefusalReason::SlowConsumer,
                format!("{limit} messages were waiting to be read"),
            )));
        })
    }

    /// Ends the stream after what is queued, if there is one.
    pub(super) fn close(&mut self, closing: Closing) {
        if let Some(sender) = self.sender.take() {
            sender.close(closing);
        }
    }
}

/// The refusal of a seat that is forfeited.
pub(super) fn forfeited(fault: FaultReason) -> Refusal {
    Refusal::new(
        RefusalReason::SeatClosed,
        format!("the seat is forfeited for the fault {fault}"),
    )
    .with("fault", fault.to_string())
}

/// The refusal of a seat that the bot of another key holds.
pub(super) fn of_another_key() -> Refusal {
    Refusal::new(
        RefusalReason::SeatOfAnotherKey,
        "the bot of another API key holds the seat",
    )
}

/// How the stream ends that the referee wants closed.
pub(super) fn closing(reason: CloseReason) -> Closing {
    match reason {
        CloseReason::MatchEnded => Closing::MatchOver,
        CloseReason::Forfeited(fault) => Closing::Refused(forfeited(fault)),
        CloseReason::Garbage => Closing::Refused(Refusal::new(
            RefusalReason::MalformedMessage,
            "the stream carried bytes that are no message",
        )),
    }
}
