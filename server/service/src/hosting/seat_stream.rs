//! One stream's hold on a seat. The newest stream of a seat holds it; what older ones say is
//! dropped by the match.

use std::{sync::Arc, time::SystemTime};

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, SeatInput, StreamNumber, Verdict};
use bridgemaster_traces::Span;

use super::{HostedMatch, Matches};
use crate::{
    journal::{Gate, Gated},
    spans::SEAT,
};

/// A stream's hold on a seat, given up when it is dropped.
pub(crate) struct SeatStream {
    voice: SeatVoice,
}

/// What speaks for a stream of a seat, and for no longer than it holds the seat.
#[derive(Clone)]
pub(crate) struct SeatVoice {
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
            voice: SeatVoice {
                matches,
                hosted,
                seat,
                number,
            },
        }
    }

    pub(crate) fn match_id(&self) -> &MatchId {
        self.voice.hosted.id()
    }

    pub(crate) fn seat(&self) -> Seat {
        self.voice.seat
    }

    /// Reports to the match. Nothing more is to be read from the stream before the gate that is
    /// given, if one is.
    pub(crate) fn report(&self, input: SeatInput) -> Option<Gate> {
        let SeatVoice {
            matches,
            hosted,
            seat,
            number,
        } = &self.voice;
        matches.note_end(hosted.report(*seat, *number, input))
    }

    /// The server ends the stream for a reason of its own: until the bot is back, its time is
    /// nobody's.
    pub(crate) fn is_taken_away(&self) {
        self.report(SeatInput::Left);
        let SeatVoice {
            matches,
            hosted,
            seat,
            ..
        } = &self.voice;
        matches.note_end(hosted.turned_away(*seat));
    }

    /// A request goes to the transport now.
    pub(crate) fn handed_over(&self, request_id: u32) {
        let SeatVoice {
            hosted,
            seat,
            number,
            ..
        } = &self.voice;
        hosted.handed_over(*seat, *number, request_id);
    }

    /// What speaks for it besides itself.
    pub(crate) fn voice(&self) -> SeatVoice {
        self.voice.clone()
    }
}

impl SeatVoice {
    /// Whether the stream of another of the same seat is newer.
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        self.number < other.number
    }

    /// A span of the seat that ends now.
    pub(crate) fn span(&self, begun: SystemTime, name: &'static str) -> Span {
        let seat = u32::from(self.seat.number());
        self.hosted.of_match().span(begun, name).with(SEAT, seat)
    }

    /// Gives an answer to the match, and tells what became of it; `None` if the stream does not
    /// hold the seat any more, or the match stands still. One answer at a time is to be given for a
    /// stream.
    pub(crate) fn answer(&self, input: SeatInput) -> Option<Gated<Verdict>> {
        let answered = self.hosted.answer(self.seat, self.number, input);
        self.matches.note_end(answered)
    }
}

impl Drop for SeatStream {
    fn drop(&mut self) {
        self.report(SeatInput::Left);
    }
}
