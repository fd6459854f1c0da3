//! The trace of a match, one line per event. Repeated runs of a seed must have the same trace.

use std::fmt::{self, Write as _};

use bridgemaster_games::Game;
use bridgemaster_referee::{DecisionRequest, Output, RecordEntry, SeatMessage, Time};

/// The lines of one match.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    text: String,
}

impl Trace {
    /// Adds a line. Times are in µs since the creation of the match.
    pub(crate) fn line(&mut self, at: Time, what: fmt::Arguments<'_>) {
        // Writing to a `String` does not fail.
        let _ = writeln!(self.text, "{:>12}  {what}", at.0);
    }

    /// Returns the text from an earlier length on.
    pub(crate) fn since(&self, length: usize) -> &str {
        &self.text[length..]
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the last `count` lines.
    pub(crate) fn tail(&self, count: usize) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }
}

/// Adds a line for each output.
pub(crate) fn write_outputs<G: Game>(at: Time, outputs: &[Output<G>], trace: &mut Trace) {
    for output in outputs {
        trace.line(at, format_args!("  {}", Short(output)));
    }
}

/// Formats an output in one line, without observations and lists.
struct Short<'a, G: Game>(&'a Output<G>);

impl<G: Game> fmt::Display for Short<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Output::Send { seat, sequence, message } => {
                write!(f, "to {seat} number {sequence}: ")?;
                match message {
                    SeatMessage::Started(_) => f.write_str("started"),
                    SeatMessage::Request(DecisionRequest { request_id, content, clock }) => {
                        write!(f, "request {request_id}, {} legal, {clock:?}", content.legal.len())
                    }
                    SeatMessage::Rejected(rejection) => write!(f, "{rejection:?}"),
                    SeatMessage::SeatStatus(status) => write!(f, "{status:?}"),
                    SeatMessage::Ended(_) => f.write_str("ended"),
                }
            }
            Output::Close { seat, reason } => write!(f, "close {seat}: {reason:?}"),
            Output::Record(record) => {
                write!(f, "record {}: ", record.number)?;
                match &record.entry {
                    RecordEntry::Decision(record) => write!(
                        f,
                        "{} {:?} for request {}: {} -> {}, {:?}",
                        record.seat,
                        record.decided_by,
                        record.request_id,
                        record.decision,
                        record.digest,
                        record.charge
                    ),
                    RecordEntry::Chance(record) => {
                        write!(f, "chance {} -> {}", record.stream, record.digest)
                    }
                    RecordEntry::Fault { seat, fault } => write!(f, "{seat} {fault:?}"),
                    RecordEntry::Seat(info) => write!(f, "{info:?}"),
                }
            }
            Output::Ended => f.write_str("the match is over"),
            Output::Cancelled => f.write_str("the match is cancelled"),
        }
    }
}
