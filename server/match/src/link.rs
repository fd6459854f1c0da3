//! Which stream holds a seat: the newest, until it ends.

use bridgemaster_referee::Time;

use crate::{Entries, StreamNumber, Verdict};

/// Least time between two tellings that a bot was turned away, in µs: a bot that tries without a
/// pause must not fill the journal.
const TURNED_AWAY_INTERVAL_US: u64 = 1_000_000;

/// A seat's current stream.
#[derive(Debug, Default)]
pub(crate) struct Link {
    newest: StreamNumber,
    is_open: bool,
    /// What the last report of the stream that had an effect waits for.
    reported: Entries,
    /// What became of the last answer of the stream, if nobody has asked for it.
    verdict: Option<Verdict>,
    /// When it was told last that the bot was turned away, since it had a stream.
    turned_away_at: Option<Time>,
}

impl Link {
    /// A new stream takes the seat.
    pub(crate) fn open(&mut self) -> StreamNumber {
        *self = Self {
            newest: self.newest.next(),
            is_open: true,
            ..Self::default()
        };
        self.newest
    }

    /// The stream is gone, or was closed. Tells whether there was one.
    pub(crate) fn end(&mut self) -> bool {
        std::mem::replace(&mut self.is_open, false)
    }

    /// Whether the seat has a stream.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether the stream of this number holds the seat: it was neither superseded nor closed.
    pub(crate) fn holds(&self, number: StreamNumber) -> bool {
        self.newest == number && self.is_open
    }

    /// The bot is turned away. Tells whether that is to be told now.
    pub(crate) fn is_turned_away(&mut self, now: Time) -> bool {
        let told_at = self.turned_away_at;
        let is_due = told_at.is_none_or(|at| now.us_since(at) >= TURNED_AWAY_INTERVAL_US);
        if is_due {
            self.turned_away_at = Some(now);
        }
        is_due
    }

    /// A report of the stream had an effect, which waits for this.
    pub(crate) fn note(&mut self, after: Entries) {
        self.reported = self.reported.max(after);
    }

    /// An answer of the stream was handled.
    pub(crate) fn judged(&mut self, verdict: Verdict) {
        self.verdict = Some(verdict);
    }

    /// What became of the last answer of the stream of this number, once.
    pub(crate) fn take_verdict(&mut self, number: StreamNumber) -> Option<Verdict> {
        self.verdict.take_if(|_| self.newest == number)
    }

    /// What the last report of the stream of this number waits for.
    pub(crate) fn reported(&self, number: StreamNumber) -> Entries {
        match self.newest == number {
            true => self.reported,
            false => Entries::NONE,
        }
    }
}
