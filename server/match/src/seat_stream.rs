//! A seat's current stream: its newest stream, until this stream ends.

use bridgemaster_referee::Time;

use crate::{ClientStream, Entries, StreamNumber, Verdict};

/// Minimum interval between two recorded refusals of a bot's connection, in µs. Without it, a bot
/// that retries without a pause would fill the journal.
const REFUSAL_REPORT_INTERVAL_US: u64 = 1_000_000;

/// The current stream of a seat.
#[derive(Debug, Default)]
pub(crate) struct SeatStream {
    newest: StreamNumber,
    is_open: bool,
    /// The client's identification of the newest stream, if it has one.
    client: Option<ClientStream>,
    /// The journal position of the stream's last report that had an effect.
    reported: Entries,
    /// The outcome of the stream's last answer; `None` once it was returned to the caller.
    verdict: Option<Verdict>,
    /// Lag of the node that forwards the stream, in µs, which was not reported to the referee yet.
    forwarding_lag_us: u64,
    /// The time until which this lag was measured.
    lag_measured_until: Time,
    /// The time of the last recorded refusal; `None` if none was recorded since the stream opened.
    last_refusal_at: Option<Time>,
}

impl SeatStream {
    /// Replaces the stream with a new one, which the client identifies so.
    pub(crate) fn open(&mut self, client: Option<ClientStream>) -> StreamNumber {
        *self = Self { newest: self.newest.next(), is_open: true, client, ..Self::default() };
        self.newest
    }

    /// Returns whether the client has opened the newest stream after the stream `client`.
    pub(crate) fn is_newer_than(&self, client: Option<&ClientStream>) -> bool {
        client
            .zip(self.client.as_ref())
            .is_some_and(|(client, newest)| client.is_older_than(newest))
    }

    /// Ends the stream. Returns whether the seat had a stream.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::replace(&mut self.is_open, false)
    }

    /// Returns whether the seat has a stream.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns whether this stream is current: neither superseded nor closed.
    pub(crate) fn holds(&self, number: StreamNumber) -> bool {
        self.newest == number && self.is_open
    }

    /// Returns whether this stream is closed and the seat has had no newer stream.
    pub(crate) fn has_lost(&self, number: StreamNumber) -> bool {
        self.newest == number && !self.is_open
    }

    /// Returns whether a refused connection must be recorded now. If so, remembers the time.
    pub(crate) fn record_refusal(&mut self, now: Time) -> bool {
        let last_at = self.last_refusal_at;
        let is_due = last_at.is_none_or(|at| now.us_since(at) >= REFUSAL_REPORT_INTERVAL_US);
        if is_due {
            self.last_refusal_at = Some(now);
        }
        is_due
    }

    /// Adds lag of the node that forwards the stream, in µs, which was measured until this time.
    pub(crate) fn add_forwarding_lag(&mut self, lag_us: u64, until: Time) {
        self.forwarding_lag_us = self.forwarding_lag_us.saturating_add(lag_us);
        self.lag_measured_until = until;
    }

    /// Makes all added lag count as lag before a report of the stream at `moment`.
    pub(crate) fn date_forwarding_lag_before(&mut self, moment: Time) {
        self.lag_measured_until = self.lag_measured_until.min(moment);
    }

    /// Removes and returns the added lag without the part that may be later than `moment`, in µs.
    pub(crate) fn take_forwarding_lag(&mut self, moment: Time) -> u64 {
        let later_us = self.lag_measured_until.us_since(moment);
        let taken_us = self.forwarding_lag_us.saturating_sub(later_us);
        self.forwarding_lag_us -= taken_us;
        taken_us
    }

    /// Remembers the journal position that a report's effect waits for.
    pub(crate) fn record_effect(&mut self, after: Entries) {
        self.reported = self.reported.max(after);
    }

    /// Stores the outcome of an answer that arrived on the stream.
    pub(crate) fn set_verdict(&mut self, verdict: Verdict) {
        self.verdict = Some(verdict);
    }

    /// Removes and returns the outcome of this stream's last answer.
    pub(crate) fn take_verdict(&mut self, number: StreamNumber) -> Option<Verdict> {
        self.verdict.take_if(|_| self.newest == number)
    }

    /// The journal position that this stream's last report waits for.
    pub(crate) fn reported(&self, number: StreamNumber) -> Entries {
        if self.newest == number { self.reported } else { Entries::NONE }
    }
}
