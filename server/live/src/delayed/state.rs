//! A match as delayed spectators see it: its start and the records that are due, and nothing later.

use std::{fmt::Display, ops::Range, time::Duration};

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::Viewer;
use bridgemaster_match::SpectatorUpdate;
use bridgemaster_proto::v1::{
    self, FaultAction, MatchInfo, MatchState, Record, SeatInfo, SeatState, WatchMatchResponse,
    record,
};
use bridgemaster_replay::{Disclosure, Positions, RecordCursor, decode_head};
use tracing::error;

use super::{
    super::{
        HostedMatch, ReplayUpdate,
        spectators::{Publisher, Reservation, WatchReceiver},
    },
    record_feed::RecordFeed,
};

/// The part of a match that delayed viewers see.
pub(crate) struct VisibleState {
    feed: RecordFeed,
    /// The replay head from which positions are computed; `None` until it was read.
    head: Option<v1::Replay>,
    /// The positions up to the last revealed record; `None` before the start and after a failure.
    positions: Option<Positions>,
    /// The start time of the match, visible or not, in ms since 1970 UTC.
    started_unix_ms: u64,
    /// Whether the start time was read. It can be read before the replay head is.
    is_start_known: bool,
    info: v1::MatchInfo,
    observation: Option<v1::GameObservation>,
    publisher: Publisher,
    /// Whether the view has failed, because the match cannot be replayed.
    has_failed: bool,
    /// Whether the delay has ended.
    is_delay_over: bool,
}

impl VisibleState {
    /// Creates a view that shows only that the match was created.
    pub(super) fn new(info: v1::MatchInfo, delay: Duration, publisher: Publisher) -> Self {
        Self {
            feed: RecordFeed::new(delay),
            head: None,
            positions: None,
            started_unix_ms: info.started_unix_ms,
            is_start_known: false,
            info: initial_info(info),
            observation: None,
            publisher,
            has_failed: false,
            is_delay_over: false,
        }
    }

    pub(crate) fn info(&self) -> &v1::MatchInfo {
        &self.info
    }

    /// Returns whether the delay has ended.
    pub(crate) fn is_delay_over(&self) -> bool {
        self.is_delay_over
    }

    /// Returns the number of bytes of all received records, visible or not.
    pub(super) fn received_bytes(&self) -> usize {
        self.feed.records.len()
    }

    /// Returns the visible records from this byte offset on.
    pub(crate) fn records_from(&self, bytes: usize) -> &[u8] {
        let due = bytes.min(self.feed.due_bytes)..self.feed.due_bytes;
        &self.feed.records[due]
    }

    /// Returns the replay head while delayed positions are visible.
    pub(crate) fn head(&self) -> Option<&v1::Replay> {
        let is_playing = self.positions.is_some() && !self.is_delay_over;
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
        source: &dyn HostedMatch,
        elapsed: Option<Duration>,
    ) {
        if self.has_failed {
            return;
        }
        self.started_unix_ms = update.info.started_unix_ms;
        // The update is committed, so the start of a running match can be revealed.
        if self.head.is_none() && update.info.state() == MatchState::Running {
            self.head = source.replay_head();
        }
        self.feed.add(&update.records, elapsed.unwrap_or_default());
    }

    /// Adds the records that are still missing, from the replay of the finished match.
    pub(super) fn add_missing_records(&mut self, replay: &[u8], started_unix_ms: u64) {
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
        self.feed.add_missing_records(replay);
    }

    /// Sets the start time of a finished match without a replay.
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
            Some(self.feed.remaining(Duration::ZERO, elapsed))
        } else {
            self.positions.as_ref().and(self.feed.due_in(elapsed))
        }
    }

    /// Reveals everything that is due, and returns whether anything was revealed.
    pub(super) fn reveal_until(&mut self, elapsed: Duration) -> bool {
        let mut has_changed = false;
        if self.is_start_pending() && self.feed.remaining(Duration::ZERO, elapsed).is_zero() {
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
        let records = self.feed.records[batch].to_vec();
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
        error!(
            %problem,
            "the delayed view of the match failed; it reveals nothing more until the match ends"
        );
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

    /// Publishes the visible state with these events.
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
        self.publisher.publish(SpectatorUpdate::new(move || message.clone()), None);
    }

    /// Reveals the remaining records and the end of the match, and ends the delay.
    pub(super) fn reveal_end(&mut self, info: v1::MatchInfo) {
        self.reveal_until(Duration::MAX);
        let message = WatchMatchResponse {
            r#match: Some(info),
            observation: self.observation.take(),
            events: Vec::new(),
        };
        self.publisher.publish(SpectatorUpdate::new(move || message.clone()), None);
        // From now on, viewers see the match itself.
        self.is_delay_over = true;
        self.publisher.finish();
    }

    /// Closes all spectator streams with a refusal.
    pub(super) fn close_streams(&mut self, why: Refusal) {
        self.publisher.close_with(why);
    }

    /// Returns the first message to a spectator.
    pub(crate) fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.info.clone()),
            observation: self.observation.clone(),
            events: Vec::new(),
        }
    }
}

/// The state of a match right after its creation, before any bot joined.
fn initial_info(info: MatchInfo) -> MatchInfo {
    let seats = info.seats.into_iter().map(|seat| SeatInfo {
        seat: seat.seat,
        state: SeatState::Vacant.into(),
        reserved_for: seat.reserved_for,
        ..SeatInfo::default()
    });
    MatchInfo {
        match_id: info.match_id,
        state: MatchState::Waiting.into(),
        config: info.config.map(|mut config| {
            config.seed = None;
            config
        }),
        seats: seats.collect(),
        seed_commitment: info.seed_commitment,
        rules_version: info.rules_version,
        labels: info.labels,
        maker: info.maker,
        created_unix_ms: info.created_unix_ms,
        fork: info.fork,
        decisions: 0,
        result: None,
        seed_salt: String::new(),
        started_unix_ms: 0,
        ended_unix_ms: 0,
        cancellation: None,
        annulment: None,
    }
}

/// Applies a record to the seats.
fn apply_record(info: &mut MatchInfo, record: &Record) {
    match &record.record {
        Some(record::Record::Seat(change)) => {
            let Some(recorded) = &change.seat else { return };
            if let Some(seat) = seat_of(info, recorded.seat) {
                seat.state = recorded.state;
                seat.bot_name.clone_from(&recorded.bot_name);
                seat.bot_version.clone_from(&recorded.bot_version);
            }
        }
        Some(record::Record::Fault(fault)) => {
            let Some(seat) = seat_of(info, fault.seat) else {
                return;
            };
            let action = fault.fault.as_ref().map(|fault| fault.action());
            match action {
                Some(FaultAction::Strike) => seat.strikes += 1,
                Some(FaultAction::Forfeit) => seat.set_state(SeatState::Forfeited),
                _ => {}
            }
        }
        Some(record::Record::Decision(_) | record::Record::Chance(_)) | None => {}
    }
}

fn seat_of(info: &mut MatchInfo, number: u32) -> Option<&mut SeatInfo> {
    info.seats.iter_mut().find(|seat| seat.seat == number)
}
