//! The records of a match, each shown so much later than everybody could know of it.

use std::{collections::VecDeque, ops::Range, time::Duration};

use bridgemaster_proto::v1::{Record, Replay, record};
use bridgemaster_replay::RecordPlace;
use prost::Message as _;

/// The records of a match, those that are due before those that are not. Times are since its start.
pub(super) struct Feed {
    delay: Duration,
    /// Each a field `records` of `Replay`.
    records: Vec<u8>,
    /// What became public together and is not due yet.
    parts: VecDeque<Part>,
    /// Bytes of `records` that are due.
    due_bytes: usize,
    /// Number of the next record.
    next_record: u32,
}

/// Records that became public together.
struct Part {
    /// Where they end.
    end: usize,
    public_at: Duration,
}

impl Feed {
    pub(super) fn new(delay: Duration) -> Self {
        Self {
            delay,
            records: Vec::new(),
            parts: VecDeque::new(),
            due_bytes: 0,
            next_record: 0,
        }
    }

    /// Bytes of all records, due or not.
    pub(super) fn bytes(&self) -> usize {
        self.records.len()
    }

    /// All records, due or not.
    pub(super) fn records(&self) -> &[u8] {
        &self.records
    }

    /// The records from this byte on that are due.
    pub(super) fn shown_from(&self, bytes: usize) -> &[u8] {
        let due = bytes.min(self.due_bytes)..self.due_bytes;
        &self.records[due]
    }

    /// Takes in records that follow, all of which are public by now.
    ///
    /// A decision or chance result with events is public by them, together with what was secret before
    /// it. That a bot comes or goes is public at once, unless something secret is before it. What is
    /// left at the end became public at some time until now, so it counts as public from now on.
    pub(super) fn take(&mut self, records: &[u8], now: Duration) {
        let begin = self.records.len();
        self.records.extend_from_slice(records);
        let mut place = RecordPlace::default();
        let (mut read, mut public) = (0, 0);
        // Bytes that are no records end what is shown of the match; the match itself tells of them.
        while let Ok(Some(record)) = place.next(records) {
            self.next_record = record.number + 1;
            let follows_public = read == public;
            read = place.bytes();
            if has_events(&record) || (is_of_seat(&record) && follows_public) {
                // Times of records are cut to milliseconds.
                let public_at = Duration::from_millis(record.at_ms + 1);
                self.add_part(begin + read, public_at);
                public = read;
            }
        }
        self.add_part(self.records.len(), now);
    }

    /// Takes in the records of the whole replay that have not come yet. The last of them, without
    /// events, are public with the end alone, after which all is shown.
    pub(super) fn take_rest(&mut self, replay: &[u8]) {
        let mut rest = Vec::new();
        let mut place = RecordPlace::default();
        while let Ok(Some(record)) = place.next(replay) {
            if record.number >= self.next_record {
                let field = Replay {
                    records: vec![record],
                    ..Replay::default()
                };
                rest.extend(field.encode_to_vec());
            }
        }
        self.take(&rest, Duration::MAX);
    }

    fn add_part(&mut self, end: usize, public_at: Duration) {
        let last = self.parts.back().map_or(self.due_bytes, |part| part.end);
        if end > last {
            self.parts.push_back(Part { end, public_at });
        }
    }

    /// The next records that are due and were not given yet.
    pub(super) fn next_due(&mut self, elapsed: Duration) -> Option<Range<usize>> {
        let part = self.parts.front()?;
        if self.left(part.public_at, elapsed) > Duration::ZERO {
            return None;
        }
        let due = self.due_bytes..part.end;
        self.parts.pop_front();
        self.due_bytes = due.end;
        Some(due)
    }

    /// Time until the start is due.
    pub(super) fn start_due_in(&self, elapsed: Duration) -> Duration {
        self.left(Duration::ZERO, elapsed)
    }

    /// Time until the next records are due, if there are any.
    pub(super) fn due_in(&self, elapsed: Duration) -> Option<Duration> {
        let part = self.parts.front()?;
        // Those that are public with the end are shown with it.
        (part.public_at < Duration::MAX).then(|| self.left(part.public_at, elapsed))
    }

    /// Time until that is due which was public at this time; none at the end of all time.
    fn left(&self, public_at: Duration, elapsed: Duration) -> Duration {
        let due_at = public_at.saturating_add(self.delay);
        due_at.saturating_sub(elapsed)
    }
}

/// Whether everybody learns of a record by its events.
fn has_events(record: &Record) -> bool {
    match &record.record {
        Some(record::Record::Decision(decision)) => !decision.events.is_empty(),
        Some(record::Record::Chance(chance)) => !chance.events.is_empty(),
        Some(record::Record::Fault(_) | record::Record::Seat(_)) | None => false,
    }
}

/// Whether a record tells that a bot came or went.
fn is_of_seat(record: &Record) -> bool {
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
        let decision = DecisionRecord {
            events,
            ..DecisionRecord::default()
        };
        let record = Record {
            number,
            at_ms,
            record: Some(record::Record::Decision(decision)),
        };
        let records = vec![record];
        let replay = Replay {
            records,
            ..Replay::default()
        };
        replay.encode_to_vec()
    }

    /// The numbers of the records that are due by a time and were not due before.
    fn due(feed: &mut Feed, elapsed: Duration) -> Vec<u32> {
        let mut numbers = Vec::new();
        while let Some(part) = feed.next_due(elapsed) {
            let (records, mut place) = (feed.records()[part].to_vec(), RecordPlace::default());
            while let Some(record) = place.next(&records).unwrap() {
                numbers.push(record.number);
            }
        }
        numbers
    }

    #[test]
    fn a_record_is_shown_when_it_is_as_old_as_the_delay_and_no_earlier() {
        let mut feed = Feed::new(DELAY);
        feed.take(&decision(0, 10, true), ms(11));
        feed.take(&decision(1, 500, true), ms(501));
        assert_eq!(due(&mut feed, ms(1_010)), [0; 0]);
        assert_eq!(feed.due_in(ms(1_010)), Some(ms(1)));
        assert!(feed.shown_from(0).is_empty());
        assert_eq!(due(&mut feed, ms(1_011)), [0]);
        assert_eq!(feed.shown_from(0).len(), decision(0, 10, true).len());
        assert_eq!(due(&mut feed, ms(9_999)), [1]);
        assert_eq!(feed.due_in(ms(9_999)), None);
    }

    #[test]
    fn what_was_secret_is_shown_with_what_made_it_public() {
        let mut feed = Feed::new(DELAY);
        let both = [decision(0, 10, false), decision(1, 700, true)].concat();
        feed.take(&both, ms(700));
        assert_eq!(due(&mut feed, ms(1_600)), [0; 0]);
        assert_eq!(due(&mut feed, ms(1_701)), [0, 1]);
    }

    #[test]
    fn what_nothing_made_public_counts_from_when_it_was_seen() {
        let mut feed = Feed::new(DELAY);
        feed.take(&decision(0, 10, false), ms(300));
        assert_eq!(due(&mut feed, ms(1_299)), [0; 0]);
        assert_eq!(due(&mut feed, ms(1_300)), [0]);
    }

    #[test]
    fn the_rest_of_a_replay_is_shown_at_its_times_and_its_end_with_the_end() {
        let mut feed = Feed::new(DELAY);
        feed.take(&decision(0, 10, true), ms(10));
        let replay = [
            decision(0, 10, true),
            decision(1, 20, true),
            decision(2, 30, false),
        ];
        feed.take_rest(&replay.concat());
        assert_eq!(due(&mut feed, ms(1_021)), [0, 1]);
        assert_eq!(feed.due_in(ms(1_021)), None);
        assert_eq!(due(&mut feed, Duration::MAX), [2]);
    }
}
