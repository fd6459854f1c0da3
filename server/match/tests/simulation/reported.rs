//! Reports of streams in three forms: as sent by bots, as passed to the match, and as inputs of the
//! referee.

use bridgemaster_match::SeatInput;
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, decision::Choice},
};
use bridgemaster_referee::{Answer, Input};

/// A report of a stream.
#[derive(Debug)]
pub(crate) enum Report<D> {
    Answer {
        request_id: u32,
        answer: Answer<D>,
        /// Length of the note, in bytes.
        note_bytes: usize,
    },
    BadAnswer {
        request_id: u32,
    },
    HandedOver {
        request_id: u32,
    },
    RoundTrip {
        elapsed_us: u64,
    },
    Resign,
    Useless,
    Garbage,
    Left,
}

impl<D> Report<D> {
    /// Returns whether the stream ends with this report.
    pub(crate) fn ends_stream(&self) -> bool {
        matches!(self, Self::Garbage | Self::Left)
    }

    /// Converts the report to the form that the match receives.
    pub(crate) fn seat_input<G: WireGame<Decision = D>>(&self) -> SeatInput {
        let decision = |request_id, choice, note_bytes| {
            SeatInput::Decision(v1::Decision { request_id, choice, note: "n".repeat(note_bytes) })
        };
        match self {
            Self::Answer { request_id, answer, note_bytes } => {
                let choice = match answer {
                    Answer::Index(index) => Choice::Index(*index),
                    Answer::Decision(decision) => Choice::Decision(G::decision_to_wire(decision)),
                };
                decision(*request_id, Some(choice), *note_bytes)
            }
            Self::BadAnswer { request_id } => decision(*request_id, None, 0),
            Self::HandedOver { request_id } => SeatInput::HandedOver { request_id: *request_id },
            Self::RoundTrip { elapsed_us } => SeatInput::RoundTrip { elapsed_us: *elapsed_us },
            Self::Resign => SeatInput::Resign,
            Self::Useless => SeatInput::Useless,
            Self::Garbage => {
                SeatInput::Garbage { detail: "bytes that are not a message".to_owned() }
            }
            Self::Left => SeatInput::Left,
        }
    }

    /// Returns whether an input of the referee corresponds to this report.
    pub(crate) fn is<G: WireGame<Decision = D>>(&self, input: &Input<G>) -> bool
    where
        D: PartialEq,
    {
        match (self, input) {
            (
                Self::Answer { request_id, answer, note_bytes },
                Input::Answer { request_id: named, answer: given, note, .. },
            ) => {
                // The referee need not receive a note that exceeds the budget.
                let is_note = note.len() == *note_bytes || note.is_empty() && *note_bytes >= 1024;
                request_id == named && answer == given && is_note
            }
            (Self::BadAnswer { request_id }, Input::BadAnswer { request_id: named, .. }) => {
                request_id == named
            }
            (Self::HandedOver { request_id }, Input::HandedOver { request_id: id, .. }) => {
                request_id == id
            }
            (Self::RoundTrip { elapsed_us }, Input::RoundTrip { round_trip_us, .. }) => {
                elapsed_us == round_trip_us
            }
            (Self::Resign, Input::Resign { .. })
            | (Self::Useless, Input::Useless { .. })
            | (Self::Garbage, Input::Garbage { .. })
            | (Self::Left, Input::Disconnected { .. }) => true,
            _ => false,
        }
    }
}
