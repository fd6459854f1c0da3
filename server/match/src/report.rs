//! Reports from streams about their seats, in order of time, and their conversion to the referee's
//! inputs.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, v1, v1::Decision};
use bridgemaster_referee::{Answer, Input, NoteBudget};

use crate::ServerTime;

/// A stream's number within its seat, from 1; 0 if the seat has had no stream yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamNumber(u64);

impl StreamNumber {
    /// The next stream's number.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// An event of a stream.
#[derive(Debug)]
pub enum SeatInput {
    /// A decision arrived on the stream.
    Decision(Decision),
    /// A request was handed to the transport. This has no visible effect, so it may wait in the
    /// inbox for the next call of the match.
    HandedOver {
        /// The request's number.
        request_id: u32,
    },
    /// A Ping was answered.
    RoundTrip {
        /// The round-trip time, in µs.
        elapsed_us: u64,
    },
    /// The bot resigned.
    Resign,
    /// A message arrived that the protocol does not expect at this point.
    Useless,
    /// Bytes arrived that are not a message.
    Garbage {
        /// Description of the decoding error.
        detail: String,
    },
    /// The stream ended without invalid bytes.
    Left,
}

/// A stream's report about its seat.
#[derive(Debug)]
pub struct Report {
    /// The time of the event. For a message, this is the time when it was decoded.
    pub moment: ServerTime,
    /// The seat that the stream belongs to.
    pub seat: Seat,
    /// The stream's number.
    pub stream: StreamNumber,
    /// The event to report.
    pub input: SeatInput,
}

/// The reports that the match has not handled yet, in order of time.
///
/// A report is added when the reported event occurs, even while the match is busy. A shell with
/// several threads therefore needs a separate lock for the inbox. The lock is held only to add or
/// drain reports, and the shell reads the clock while it holds the lock.
#[derive(Debug, Default)]
pub struct Inbox {
    reports: Vec<Report>,
}

impl Inbox {
    /// Adds a report. Its time must not precede the time of an earlier report, because the match
    /// handles reports in this order.
    pub fn put(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Moves all reports to the end of `reports`.
    pub fn drain_into(&mut self, reports: &mut Vec<Report>) {
        reports.append(&mut self.reports);
    }
}

/// Converts a report to the referee's input. Drops a note that exceeds the budget, so that the note
/// is not stored either.
pub(crate) fn referee_input<G: WireGame>(
    seat: Seat,
    input: SeatInput,
    budget: Option<NoteBudget>,
) -> Input<G> {
    match input {
        SeatInput::Decision(decision) => answer(seat, decision, budget),
        SeatInput::HandedOver { request_id } => Input::HandedOver { seat, request_id },
        SeatInput::RoundTrip { elapsed_us } => Input::RoundTrip { seat, round_trip_us: elapsed_us },
        SeatInput::Resign => Input::Resign { seat },
        SeatInput::Useless => Input::Useless { seat },
        SeatInput::Garbage { detail } => Input::Garbage { seat, detail },
        SeatInput::Left => Input::Disconnected { seat },
    }
}

fn answer<G: WireGame>(seat: Seat, decision: v1::Decision, budget: Option<NoteBudget>) -> Input<G> {
    let request_id = decision.request_id;
    let malformed =
        |field: String, detail: String| Input::BadAnswer { seat, request_id, field, detail };
    let answer = match decision.choice {
        Some(v1::decision::Choice::Index(index)) => Answer::Index(index),
        Some(v1::decision::Choice::Decision(decision)) => match G::decision_from_wire(&decision) {
            Ok(decision) => Answer::Decision(decision),
            Err(error) => {
                return malformed(format!("decision.{}", error.field), error.problem);
            }
        },
        None => {
            return malformed("choice".to_owned(), "neither index nor decision is set".to_owned());
        }
    };
    let note =
        Some(decision.note).filter(|note| budget.is_some_and(|budget| budget.has(note.len())));
    Input::Answer { seat, request_id, answer, note: note.unwrap_or_default() }
}
