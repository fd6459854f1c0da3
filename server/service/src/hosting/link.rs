//! The link between a seat and its current stream, and how it ends.

use std::fmt::Display;

use bridgemaster_proto::v1::{PlayResponse, RefusalReason};
use bridgemaster_referee::{CloseReason, Time};

use super::{
    outbound::{self, Closing, Outbound, OutboundSender, QueueFull},
    seat_stream::StreamNumber,
};
use crate::{journal::Gate, refusal::Refusal};

/// A seat's current stream.
#[derive(Default)]
pub(super) struct Link {
    newest: StreamNumber,
    sender: Option<OutboundSender>,
    /// Of the last report of the stream that had an effect.
    reported: Option<Gate>,
    /// When it was told last that the bot was turned away, since it had a stream.
    turned_away_at: Option<Time>,
}

/// Least time between two tellings that a bot was turned away, in µs.
const TURNED_AWAY_INTERVAL_US: u64 = 1_000_000;

impl Link {
    /// Links a new stream, whose queue has room for so many messages; an older stream ends.
    pub(super) fn renew(&mut self, queue_limit: usize) -> (StreamNumber, Outbound) {
        let superseded = Closing::Refused(Refusal::new(
            RefusalReason::Superseded,
            "a newer stream of this seat took over",
        ));
        // That is so whether it is stored or not.
        self.close(superseded, None);
        self.reported = None;
        self.turned_away_at = None;
        let (sender, outbound) = outbound::channel(queue_limit);
        self.newest = self.newest.next();
        self.sender = Some(sender);
        (self.newest, outbound)
    }

    /// The bot is turned away. Tells whether that is to be told now.
    pub(super) fn is_turned_away(&mut self, now: Time) -> bool {
        let told_at = self.turned_away_at;
        let is_due = told_at.is_none_or(|at| now.us_since(at) >= TURNED_AWAY_INTERVAL_US);
        if is_due {
            self.turned_away_at = Some(now);
        }
        is_due
    }

    /// Whether the stream of this number is linked: neither superseded nor closed by the match.
    pub(super) fn holds(&self, number: StreamNumber) -> bool {
        self.newest == number && self.sender.is_some()
    }

    /// The stream ended by itself.
    pub(super) fn lose(&mut self) {
        self.sender = None;
    }

    /// Sends to the stream, if there is one, when `gate` is open. A stream whose queue is full
    /// ends.
    pub(super) fn send(
        &mut self,
        message: impl FnOnce() -> PlayResponse,
        gate: Option<&Gate>,
    ) -> Result<(), QueueFull> {
        let Some(sender) = &self.sender else {
            return Ok(());
        };
        let sent = sender.send(message(), gate.cloned());
        sent.inspect_err(|QueueFull { messages }| {
            let slow = Closing::Refused(Refusal::new(
                RefusalReason::SlowConsumer,
                format!("{messages} messages were waiting to be read"),
            ));
            self.close(slow, gate);
        })
    }

    /// Ends the stream after what is queued, if there is one, when `gate` is open.
    pub(super) fn close(&mut self, closing: Closing, gate: Option<&Gate>) {
        if let Some(sender) = self.sender.take() {
            sender.close(closing, gate.cloned());
        }
    }

    /// A report of the stream had an effect, which waits for this gate.
    pub(super) fn note(&mut self, gate: Option<&Gate>) {
        if let Some(gate) = gate {
            self.reported = Some(gate.clone());
        }
    }

    /// The gate that the last report of the stream of this number waits for, if it does.
    pub(super) fn unsettled(&self, number: StreamNumber) -> Option<Gate> {
        let reported = self.reported.as_ref().filter(|_| self.newest == number);
        reported.filter(|gate| !gate.is_open()).cloned()
    }
}

/// The refusal of a seat that is forfeited.
pub(super) fn forfeited(fault: &dyn Display) -> Refusal {
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
        CloseReason::Forfeited(fault) => Closing::Refused(forfeited(&fault)),
        CloseReason::Garbage => Closing::Refused(Refusal::new(
            RefusalReason::MalformedMessage,
            "the stream carried bytes that are no message",
        )),
    }
}
