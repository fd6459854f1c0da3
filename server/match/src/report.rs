//! What streams report about their seats, in the order of the moments at which they did.

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::Decision;

use crate::Moment;

/// Counts the streams of a seat, from 1; 0 is before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamNumber(u64);

impl StreamNumber {
    /// That of the next stream.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Something that a stream reports about its seat.
#[derive(Debug)]
pub enum SeatInput {
    /// A decision came in.
    Decision(Decision),
    /// A request went to the transport. Nobody is told of it, so it may wait in the inbox for
    /// whatever the match is given next.
    HandedOver {
        /// The request.
        request_id: u32,
    },
    /// A Ping was answered.
    RoundTrip {
        /// The round trip, in µs.
        elapsed_us: u64,
    },
    /// The bot gave the match up.
    Resign,
    /// A message that has no place in the conversation.
    Useless,
    /// Bytes that are no message.
    Garbage {
        /// What is wrong with them.
        detail: String,
    },
    /// The stream ended.
    Left,
}

/// A report of a stream.
#[derive(Debug)]
pub struct Report {
    /// When it was made: of a message, when it was decoded.
    pub moment: Moment,
    /// The seat of the stream.
    pub seat: Seat,
    /// The stream.
    pub stream: StreamNumber,
    /// What is reported.
    pub input: SeatInput,
}

/// Reports that the match has not handled yet, in the order of their moments.
///
/// A report is put here at the moment at which it is made, however long the match is busy. So
/// whoever shares it between threads has a lock for it alone, reads the clock under that lock, and
/// holds it only to put and to take.
#[derive(Debug, Default)]
pub struct Inbox {
    reports: Vec<Report>,
}

impl Inbox {
    /// Adds a report. Its moment must not be before that of an earlier one: the match handles them
    /// in the order in which they come.
    pub fn put(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Moves all reports into `reports`.
    pub fn drain_into(&mut self, reports: &mut Vec<Report>) {
        reports.append(&mut self.reports);
    }
}
