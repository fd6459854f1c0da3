//! Sessions of streams that hold a seat. Only a seat's newest stream holds the seat; the match
//! drops messages from older streams.

use std::{sync::Arc, time::SystemTime};

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, SeatInput, StreamNumber, Verdict};
use bridgemaster_traces::Span;
use tokio::runtime::Handle;

use super::{HostedMatch, Matches};
use crate::{
    journal::{Gate, Gated},
    spans::SEAT,
    transport::ForwardingNode,
};

/// A stream that holds a seat, until it is dropped.
pub(crate) struct SeatSession {
    handle: SeatHandle,
    /// The node that forwards the stream, if any.
    node: Option<Arc<ForwardingNode>>,
}

/// A handle to a seat session. After the stream has lost the seat, calls have no effect.
#[derive(Clone)]
pub(crate) struct SeatHandle {
    matches: Arc<Matches>,
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
    number: StreamNumber,
}

impl SeatSession {
    pub(super) fn new(
        matches: Arc<Matches>,
        hosted: Arc<dyn HostedMatch>,
        seat: Seat,
        number: StreamNumber,
        node: Option<Arc<ForwardingNode>>,
    ) -> Self {
        Self {
            node,
            handle: SeatHandle {
                matches,
                hosted,
                seat,
                number,
            },
        }
    }

    pub(crate) fn match_id(&self) -> &MatchId {
        self.handle.hosted.id()
    }

    pub(crate) fn seat(&self) -> Seat {
        self.handle.seat
    }

    /// Returns the node that forwards the stream, if any.
    pub(crate) fn forwarding_node(&self) -> Option<&Arc<ForwardingNode>> {
        self.node.as_ref()
    }

    /// Reports an input to the match. If the call returns a gate, do not read from the stream until
    /// the gate is open.
    pub(crate) fn report(&self, input: SeatInput) -> Option<Gate> {
        let SeatHandle {
            matches,
            hosted,
            seat,
            number,
        } = &self.handle;
        matches.record_end(hosted.report(*seat, *number, input))
    }

    /// Ends the stream for a reason that is the server's fault. The time until the bot reconnects
    /// is not charged to any bot.
    pub(crate) fn end_by_server(&self) {
        self.report(SeatInput::Left);
        self.handle.record_loss();
    }

    /// Records that a request is passed to the transport now.
    pub(crate) fn record_handover(&self, request_id: u32) {
        if self.node.is_some() {
            // Lag before the hand-over is not part of the time for the decision, so the match has
            // to read the lag now.
            self.report(SeatInput::HandedOver { request_id });
            return;
        }
        let SeatHandle {
            hosted,
            seat,
            number,
            ..
        } = &self.handle;
        hosted.record_handover(*seat, *number, request_id);
    }

    pub(crate) fn handle(&self) -> SeatHandle {
        self.handle.clone()
    }
}

impl SeatHandle {
    /// Returns whether the other stream of the same seat is newer.
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        self.number < other.number
    }

    /// Records that the server caused the loss of the stream, so that the seat's clocks are paused
    /// until the bot reconnects. Has no effect if the seat has had a newer stream.
    fn record_loss(&self) {
        let lost = Some(self.number);
        self.matches
            .record_end(self.hosted.record_rejection(self.seat, lost));
    }

    /// Creates a trace span for the seat. The span ends now.
    pub(crate) fn span_since(&self, started: SystemTime, name: &'static str) -> Span {
        let seat = u32::from(self.seat.number());
        self.hosted
            .match_spans()
            .span(started, name)
            .with(SEAT, seat)
    }

    /// Passes an answer to the match and returns the verdict, or `None` if the stream no longer
    /// holds the seat or the match is parked. Pass a stream's answers one at a time.
    pub(crate) fn answer(&self, input: SeatInput) -> Option<Gated<Verdict>> {
        let answered = self.hosted.answer(self.seat, self.number, input);
        self.matches.record_end(answered)
    }
}

impl Drop for SeatSession {
    fn drop(&mut self) {
        self.report(SeatInput::Left);
        if let Some((node, runtime)) = self.node.take().zip(Handle::try_current().ok()) {
            let (handle, ended_us) = (self.handle.clone(), node.now_us());
            runtime.spawn(async move {
                if node.was_lost_at(ended_us).await {
                    handle.record_loss();
                }
            });
        }
    }
}
