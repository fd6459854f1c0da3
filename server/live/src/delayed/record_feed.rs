//! The records of a match in the order in which delayed spectators see them, and when each is due.

use std::{collections::VecDeque, ops::Range, time::Duration};

use bridgemaster_proto::v1::{Record, Replay, record};
use bridgemaster_replay::RecordCursor;
use prost::Message as _;

/// The records of a match, and the number of their bytes that are due. Times are relative to the
/// start of the match.
#[derive(Default)]
pub(super) struct RecordFeed {
    delay: Duration,
    /// Concatenated `records` fields of a `Replay` message.
    pub(super) records: Vec<u8>,
    /// Records that are public in the match but not yet due for delayed spectators. A batch
    /// contains the records that became public together.
    batches: VecDeque<RecordBatch>,
    /// The number of bytes of `records` that are due.
    pub(super) due_bytes: usize,
    /// The number of the next record to append.
    next_record: u32,
}

/// Records that became public together.
struct RecordBatch {
    /// The byte offset at which the records end.
    end: usize,
    public_at: Duration,
}

impl RecordFeed {
    /// Creates a feed without records, each of which is due `delay` after it became public.
    pub(super) fn new(delay: Duration) -> Self {
        Self { delay, ..Self::default() }
    }

    /// Appends records that are public by now.
    ///
    /// A record with events becomes public at its own time, together with the secret records before
    /// it. A record that a bot joined or left is public at once, unless a secret record precedes
    /// it. For records after the last public record the time is unknown, so they count as public
    /// from `now` on.
    pub(super) fn add(&mut self, records: &[u8], now: Duration) {
        let begin = self.records.len();
        self.records.extend_from_slice(records);
        let mut cursor = RecordCursor::default();
        let (mut read, mut public) = (0, 0);
        // An invalid record ends the delayed view. The match itself reports the invalid record.
        while let Ok(Some(record)) = cursor.next(records) {
            self.next_record = record.number + 1;
            let follows_public = read == public;
            read = cursor.bytes();
            if has_events(&record) || (is_seat_record(&record) && follows_public) {
                // Record times are truncated to milliseconds.
                let public_at = Duration::from_millis(record.at_ms + 1);
                self.add_batch(begin + read, public_at);
                public = read;
            }
        }
        self.add_batch(self.records.len(), now);
    }

    /// Appends the records of the full replay that are still missing. The last records have no
    /// events, and become public only when the match ends.
    pub(super) fn add_missing_records(&mut self, replay: &[u8]) {
        let mut rest = Vec::new();
        let mut cursor = RecordCursor::default();
        while let Ok(Some(record)) = cursor.next(replay) {
            if record.number >= self.next_record {
                let field = Replay { records: vec![record], ..Replay::default() };
                rest.extend(field.encode_to_vec());
            }
        }
        self.add(&rest, Duration::MAX);
    }

    fn add_batch(&mut self, end: usize, public_at: Duration) {
        let last = self.batches.back().map_or(self.due_bytes, |batch| batch.end);
        if end > last {
            self.batches.push_back(RecordBatch { end, public_at });
        }
    }

    /// Returns the next due records, each only once.
    pub(super) fn next_due(&mut self, elapsed: Duration) -> Option<Range<usize>> {
        let batch = self.batches.front()?;
        if self.remaining(batch.public_at, elapsed) > Duration::ZERO {
            return None;
        }
        let due = self.due_bytes..batch.end;
        self.batches.pop_front();
        self.due_bytes = due.end;
        Some(due)
    }

    /// Returns the time until the next records are due, if there are any.
    pub(super) fn due_in(&self, elapsed: Duration) -> Option<Duration> {
        let batch = self.batches.front()?;
        // Records that become public only at the end have no due time; they are revealed with the
        // end.
        (batch.public_at < Duration::MAX).then(|| self.remaining(batch.public_at, elapsed))
    }

    /// Returns the remaining delay of a record that became public at this time.
    pub(super) fn remaining(&self, public_at: Duration, elapsed: Duration) -> Duration {
        let due_at = public_at.saturating_add(self.delay);
        due_at.saturating_sub(elapsed)
    }
}

/// Returns whether a record becomes public through its events.
fn has_events(record: &Record) -> bool {
    match &record.record {
        Some(record::Record::Decision(decision)) => !decision.events.is_empty(),
        Some(record::Record::Chance(chance)) => !chance.events.is_empty(),
        Some(record::Record::Fault(_) | record::Record::Seat(_)) | None => false,
    }
}

/// Returns whether a record describes that a bot joined or left.
fn is_seat_record(record: &Record) -> bool {
    matches!(record.record, Some(record::Record::Seat(_)))
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{DecisionRecord, GameEvent};

    use super::*;

    const DELAY: Duration = Duration::from_millis(1_000);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn decision(number: u32, at_ms: u64, is_public: bool) -> Vec<u8> {
        let events = vec![GameEvent::default(); usize::from(is_public)];
        let decision = DecisionRecord { events, ..DecisionRecord::default() };
        let record = Record { number, at_ms, record: Some(record::Record::Decision(decision)) };
        let records = vec![record];
        let replay = Replay { records, ..Replay::default() };
        replay.encode_to_vec()
    }

    /// Returns the numbers of the records that become due by a time.
    fn due(feed: &mut RecordFeed, elapsed: Duration) -> Vec<u32> {
        let mut numbers = Vec::new();
        while let Some(batch) = feed.next_due(elapsed) {
            let (records, mut cursor) = (feed.records[batch].to_vec(), RecordCursor::default());
            while let Some(record) = cursor.next(&records).unwrap() {
                numbers.push(record.number);
            }
        }
        numbers
    }

    #[test]
    fn a_record_is_due_exactly_after_the_delay() {
        let mut feed = RecordFeed::new(DELAY);
        feed.add(&decision(0, 10, true), ms(11));
        feed.add(&decision(1, 500, true), ms(501));
        assert_eq!(due(&mut feed, ms(1_010)), [0; 0]);
        assert_eq!(feed.due_in(ms(1_010)), Some(ms(1)));
        assert_eq!(feed.due_bytes, 0);
        assert_eq!(due(&mut feed, ms(1_011)), [0]);
        assert_eq!(feed.due_bytes, decision(0, 10, true).len());
        assert_eq!(due(&mut feed, ms(9_999)), [1]);
        assert_eq!(feed.due_in(ms(9_999)), None);
    }

    #[test]
    fn a_secret_record_is_due_with_the_record_that_makes_it_public() {
        let mut feed = RecordFeed::new(DELAY);
        let both = [decision(0, 10, false), decision(1, 700, true)].concat();
        feed.add(&both, ms(700));
        assert_eq!(due(&mut feed, ms(1_600)), [0; 0]);
        assert_eq!(due(&mut feed, ms(1_701)), [0, 1]);
    }

    #[test]
    fn a_record_without_events_is_due_a_delay_after_it_was_added() {
        let mut feed = RecordFeed::new(DELAY);
        feed.add(&decision(0, 10, false), ms(300));
        assert_eq!(due(&mut feed, ms(1_299)), [0; 0]);
        assert_eq!(due(&mut feed, ms(1_300)), [0]);
    }

    #[test]
    fn the_missing_records_of_a_replay_are_due_at_their_times() {
        let mut feed = RecordFeed::new(DELAY);
        feed.add(&decision(0, 10, true), ms(10));
        let replay = [decision(0, 10, true), decision(1, 20, true), decision(2, 30, false)];
        feed.add_missing_records(&replay.concat());
        assert_eq!(due(&mut feed, ms(1_021)), [0, 1]);
        assert_eq!(feed.due_in(ms(1_021)), None);
        assert_eq!(due(&mut feed, Duration::MAX), [2]);
    }
}
