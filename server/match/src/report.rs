//! Reports from streams about their seats, in order of time.

use bridgemaster_games::Seat;
use bridgemaster_proto::v1::Decision;

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
    /// A request was handed to the transport. It has no visible effect, so it may wait in the inbox
    /// for the next call of the match.
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
