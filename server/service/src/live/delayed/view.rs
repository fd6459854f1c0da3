//! The visible state of a delayed match, computed from its start and its due records.

use std::{fmt::Display, ops::Range, time::Duration};

use bridgemaster_games::Viewer;
use bridgemaster_match::SpectatorUpdate;
use bridgemaster_proto::v1::{self, MatchState, WatchMatchResponse};
use bridgemaster_replay::{Disclosure, Positions, RecordCursor, decode_head};
use tracing::error;

use super::{
    super::{
        hosted_match::{ReplaySource, ReplayUpdate},
        spectators::{Publisher, Reservation, WatchReceiver},
    },
    feed::Feed,
    seats::{apply_record, initial_info},
};
use crate::refusal::Refusal;

pub(super) struct DelayedView {
    feed: Feed,
    /// The replay head from which positions are computed, once it is known.
    head: Option<v1::Replay>,
    /// The positions up to the last revealed record; `None` before the start and after a failure.
    positions: Option<Positions>,
    /// The start time of the match, visible or not, in ms since 1970 UTC.
    started_unix_ms: u64,
    /// Whether the start time is known, even if the replay head is not.
    is_start_known: bool,
    info: v1::MatchInfo,
    observation: Option<v1::GameObservation>,
    publisher: Publisher,
    /// Whether the view has failed, because the match cannot be replayed.
    has_failed: bool,
    /// Whether the delay has ended.
    is_over: bool,
}

impl DelayedView {
    /// Creates a view that shows only that the match was created.
    pub(super) fn new(info: v1::MatchInfo, delay: Duration, publisher: Publisher) -> Self {
        Self {
            feed: Feed::new(delay),
            head: None,
            positions: None,
            started_unix_ms: info.started_unix_ms,
            is_start_known: false,
            info: initial_info(info),
            observation: None,
            publisher,
            has_failed: false,
            is_over: false,
        }
    }

    pub(super) fn info(&self) -> &v1::MatchInfo {
        &self.info
    }

    /// Returns whether the delay has ended.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the number of bytes of all received records, visible or not.
    pub(super) fn received_bytes(&self) -> usize {
        self.feed.bytes()
    }

    /// Returns the visible records from this byte offset on.
    pub(super) fn records_from(&self, bytes: usize) -> &[u8] {
        self.feed.visible_from(bytes)
    }

    /// Returns the replay head while delayed positions are visible.
    pub(super) fn head(&self) -> Option<&v1::Replay> {
        let is_playing = self.positions.is_some() && !self.is_over;
        self.head.as_ref().filter(|_| is_playing)
    }

    pub(super) fn watch(&mut self, reservation: Reservation) -> WatchReceiver {
        let snapshot = self.snapshot();
        self.publisher.subscribe(reservation, &snapshot, None)
    }

    /// Adds a committed update from a match in play. The update was read when `elapsed` had passed
    /// since the start of the match.
    pub(super) fn add_update(
        &mut self,
        update: ReplayUpdate,
        source: &dyn ReplaySource,
        elapsed: Option<Duration>,
    ) {
        if self.has_failed {
            return;
        }
        self.started_unix_ms = update.info.started_unix_ms;
        // The update is committed, so the start of a running match can be revealed.
        if self.head.is_none() && update.info.state() == MatchState::Running {
            self.head = source.head();
        }
        self.feed.add(&update.records, elapsed.unwrap_or_default());
    }

    /// Adds the missing records from the replay of the ended match.
    pub(super) fn add_rest(&mut self, replay: &[u8], started_unix_ms: u64) {
        if self.has_failed {
            return;
        }
        self.started_unix_ms = started_unix_ms;
        if self.head.is_none() {
            match decode_head(replay) {
                Ok(head) => self.head = Some(head),
                Err(problem) => return self.fail(&problem),
            }
        }
        self.feed.add_rest(replay);
    }

    /// Sets the start time of an ended match without a replay.
    pub(super) fn set_start(&mut self, started_unix_ms: u64) {
        self.started_unix_ms = started_unix_ms;
        self.is_start_known = !self.has_failed && started_unix_ms != 0;
    }

    /// Returns whether the match has started but its start is not visible yet.
    fn is_start_pending(&self) -> bool {
        let is_start_known = self.head.is_some() || self.is_start_known;
        is_start_known && self.info.state() == MatchState::Waiting
    }

    /// Returns the time until the start or the next records are due.
    pub(super) fn due_in(&self, elapsed: Duration) -> Option<Duration> {
        if self.is_start_pending() {
            Some(self.feed.start_due_in(elapsed))
        } else {
            self.positions.as_ref().and(self.feed.due_in(elapsed))
        }
    }

    /// Reveals everything that is due, and returns whether anything was revealed.
    pub(super) fn reveal_until(&mut self, elapsed: Duration) -> bool {
        let mut has_changed = false;
        if self.is_start_pending() && self.feed.start_due_in(elapsed).is_zero() {
            has_changed |= self.reveal_start();
        }
        while self.positions.is_some()
            && let Some(batch) = self.feed.next_due(elapsed)
        {
            self.reveal_records(batch);
            has_changed = true;
        }
        has_changed
    }

    /// Reveals the start, with the first position if the replay head is known.
    fn reveal_start(&mut self) -> bool {
        let opened = self.head.as_ref().map(|head| {
            let viewers = [Viewer::Spectator];
            Positions::open(head, &viewers, 0, Disclosure::Public)
        });
        let mut events = Vec::new();
        match opened.transpose() {
            Ok(Some(mut positions)) => {
                let first = positions.first();
                self.positions = Some(positions);
                self.apply_position(first, &mut events);
            }
            Ok(None) => {}
            Err(problem) => {
                self.fail(&problem);
                return false;
            }
        }
        self.info.set_state(MatchState::Running);
        self.info.started_unix_ms = self.started_unix_ms;
        self.publish(events);
        true
    }

    /// Reveals a batch of records, given by its byte range.
    fn reveal_records(&mut self, batch: Range<usize>) {
        let records = self.feed.records()[batch].to_vec();
        let mut events = Vec::new();
        let mut cursor = RecordCursor::default();
        // Records were validated when they were added.
        while let Ok(Some(record)) = cursor.next(&records) {
            apply_record(&mut self.info, &record);
            let played = self.positions.as_mut().map(|played| played.after(&record));
            match played {
                Some(Ok(position)) => self.apply_position(position, &mut events),
                Some(Err(problem)) => return self.fail(&problem),
                None => return,
            }
        }
        self.publish(events);
    }

    /// Marks the delayed view as failed, so that it reveals nothing more until the match ends.
    pub(super) fn fail(&mut self, problem: &dyn Display) {
        error!(%problem, "the delayed view of the match failed");
        (self.positions, self.head) = (None, None);
        (self.has_failed, self.is_start_known) = (true, false);
    }

    fn apply_position(&mut self, position: Option<v1::Position>, events: &mut Vec<v1::GameEvent>) {
        if let Some(mut position) = position {
            self.info.decisions = position.number;
            self.observation = position.observations.pop();
            events.append(&mut position.events);
        }
    }

    /// Sends the visible state to spectators.
    fn publish(&mut self, events: Vec<v1::GameEvent>) {
        if !self.publisher.is_watched() {
            return;
        }
        let message = WatchMatchResponse {
            r#match: Some(v1::MatchInfo {
                // The two fields are omitted, since the first message to each spectator contained
                // them.
                config: None,
                seed_commitment: String::new(),
                ..self.info.clone()
            }),
            observation: self.observation.clone(),
            events,
        };
        self.publisher
            .publish(SpectatorUpdate::new(move || message.clone()), None);
    }

    /// Reveals the remaining records and the end of the match, and ends the delay.
    pub(super) fn reveal_end(&mut self, info: v1::MatchInfo) {
        self.reveal_until(Duration::MAX);
        let message = WatchMatchResponse {
            r#match: Some(info),
            observation: self.observation.take(),
            events: Vec::new(),
        };
        self.publisher
            .publish(SpectatorUpdate::new(move || message.clone()), None);
        self.finish();
    }

    /// Ends the delay, so that viewers see the match itself from now on.
    pub(super) fn finish(&mut self) {
        self.is_over = true;
        self.publisher.finish();
    }

    /// Closes all spectator streams with a refusal.
    pub(super) fn close_streams(&mut self, why: Refusal) {
        self.publisher.close(why);
    }

    /// Returns the first message to a spectator.
    pub(super) fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.info.clone()),
            observation: self.observation.clone(),
            events: Vec::new(),
        }
    }
}
