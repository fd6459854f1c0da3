//! One stream's hold on a seat. The newest stream of a seat holds it; what older ones say is
//! dropped by the match.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::Decision;

use super::{HostedMatch, MatchId};
use crate::journal::Gate;

/// Counts the streams of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamNumber(u64);

impl StreamNumber {
    pub(super) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Something a stream reports about its seat.
#[derive(Debug)]
pub(crate) enum SeatInput {
    /// A decision came in.
    Decision(Decision),
    /// A request went to the transport.
    HandedOver { request_id: u32 },
    /// A Ping was answered after this many microseconds.
    RoundTrip { elapsed_us: u64 },
    /// The bot gave the match up that has this identifier.
    Resign { match_id: String },
    /// A message that has no place in the conversation.
    Useless,
    /// Bytes that are no message.
    Garbage { detail: String },
    /// The stream ended.
    Left,
}

/// A stream's hold on a seat, given up when it is dropped.
pub(crate) struct SeatStream {
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
    number: StreamNumber,
}

impl SeatStream {
    pub(super) fn new(hosted: Arc<dyn HostedMatch>, seat: Seat, number: StreamNumber) -> Self {
        Self {
            hosted,
            seat,
            number,
        }
    }

    pub(crate) fn match_id(&self) -> &MatchId {
        self.hosted.id()
    }

    pub(crate) fn seat(&self) -> Seat {
        self.seat
    }

    /// Reports to the match. Nothing more is to be read from the stream before the gate that is
    /// given, if one is.
    pub(crate) fn report(&self, input: SeatInput) -> Option<Gate> {
        self.hosted.report(self.seat, self.number, input)
    }
}

impl Drop for SeatStream {
    fn drop(&mut self) {
        self.report(SeatInput::Left);
    }
}
