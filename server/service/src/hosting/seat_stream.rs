//! One stream's hold on a seat. The newest stream of a seat holds it; what older ones say is
//! dropped by the match.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, SeatInput, StreamNumber};

use super::{HostedMatch, Matches};
use crate::journal::Gate;

/// A stream's hold on a seat, given up when it is dropped.
pub(crate) struct SeatStream {
    matches: Arc<Matches>,
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
    number: StreamNumber,
}

impl SeatStream {
    pub(super) fn new(
        matches: Arc<Matches>,
        hosted: Arc<dyn HostedMatch>,
        seat: Seat,
        number: StreamNumber,
    ) -> Self {
        Self {
            matches,
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
        let reported = self.hosted.report(self.seat, self.number, input);
        self.matches.note_end(reported)
    }
}

impl Drop for SeatStream {
    fn drop(&mut self) {
        self.report(SeatInput::Left);
    }
}
