//! What is shown of a match that spectators see late: its start and its records that are due, played
//! into positions, and how the match stands by them.

use std::{fmt::Display, ops::Range, time::Duration};

use bridgemaster_games::Viewer;
use bridgemaster_match::News;
use bridgemaster_proto::v1::{self, MatchState, WatchMatchResponse};
use bridgemaster_replay::{Disclosure, Positions, RecordPlace, decode_head};
use tracing::error;

use super::{
    super::{
        hosted_match::{Course, CourseNews},
        spectators::{Entrant, Teller, WatchReceiver},
    },
    feed::Feed,
    standing::{concealed, heard},
};
use crate::refusal::Refusal;

/// What is shown of it.
pub(super) struct Shown {
    feed: Feed,
    /// What its positions are played from, once that is known.
    head: Option<v1::Replay>,
    /// `None` before its start is shown, and once it is broken.
    positions: Option<Positions>,
    /// When it started, whether that is shown or not.
    started_unix_ms: u64,
    /// That it has started is known, whatever else is.
    is_known: bool,
    info: v1::MatchInfo,
    observation: Option<v1::GameObservation>,
    teller: Teller,
    /// It cannot be played.
    is_broken: bool,
    /// Nothing is late any more.
    is_over: bool,
}

impl Shown {
    /// Nothing is shown yet of a match that stands so, besides that it was made.
    pub(super) fn new(info: v1::MatchInfo, delay: Duration, teller: Teller) -> Self {
        Self {
            feed: Feed::new(delay),
            head: None,
            positions: None,
            started_unix_ms: info.started_unix_ms,
            is_known: false,
            info: concealed(info),
            observation: None,
            teller,
            is_broken: false,
            is_over: false,
        }
    }

    /// How it stands, as far as that is shown.
    pub(super) fn info(&self) -> &v1::MatchInfo {
        &self.info
    }

    /// Whether nothing is late any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Bytes of all records that came, shown or not.
    pub(super) fn taken_bytes(&self) -> usize {
        self.feed.bytes()
    }

    /// The records from this byte on that are shown.
    pub(super) fn records_from(&self, bytes: usize) -> &[u8] {
        self.feed.shown_from(bytes)
    }

    /// What its positions are played from, while they are shown late.
    pub(super) fn head(&self) -> Option<&v1::Replay> {
        let has_begun = self.positions.is_some() && !self.is_over;
        self.head.as_ref().filter(|_| has_begun)
    }

    /// Begins to tell somebody.
    pub(super) fn watch(&mut self, entrant: Entrant) -> WatchReceiver {
        let snapshot = self.snapshot();
        self.teller.begin(entrant, &snapshot, None)
    }

    /// Takes in news of a match in play that are stored, and were asked for when so much time had
    /// `elapsed` since its start.
    pub(super) fn take(
        &mut self,
        news: CourseNews,
        course: &dyn Course,
        elapsed: Option<Duration>,
    ) {
        if self.is_broken {
            return;
        }
        self.started_unix_ms = news.standing.started_unix_ms;
        // That it runs is stored by then, so that its start may be shown.
        if self.head.is_none() && news.standing.state() == MatchState::Running {
            self.head = course.head();
        }
        self.feed.take(&news.records, elapsed.unwrap_or_default());
    }

    /// Takes in what the replay of a match that started then has besides.
    pub(super) fn take_rest(&mut self, replay: &[u8], started_unix_ms: u64) {
        if self.is_broken {
            return;
        }
        self.started_unix_ms = started_unix_ms;
        if self.head.is_none() {
            match decode_head(replay) {
                Ok(head) => self.head = Some(head),
                Err(problem) => return self.broken(&problem),
            }
        }
        self.feed.take_rest(replay);
    }

    /// Takes in when a match started of which nothing else is known besides what came.
    pub(super) fn take_start(&mut self, started_unix_ms: u64) {
        self.started_unix_ms = started_unix_ms;
        self.is_known = !self.is_broken && started_unix_ms != 0;
    }

    /// Whether it has started, and that is not shown yet.
    fn waits_for_start(&self) -> bool {
        let is_known = self.head.is_some() || self.is_known;
        is_known && self.info.state() == MatchState::Waiting
    }

    /// When more is due than is shown.
    pub(super) fn due_in(&self, elapsed: Duration) -> Option<Duration> {
        match self.waits_for_start() {
            true => Some(self.feed.start_due_in(elapsed)),
            false => self.positions.as_ref().and(self.feed.due_in(elapsed)),
        }
    }

    /// Shows what is due by then, and tells whether it was anything.
    pub(super) fn show_until(&mut self, elapsed: Duration) -> bool {
        let mut has_changed = false;
        if self.waits_for_start() && self.feed.start_due_in(elapsed).is_zero() {
            has_changed |= self.begin();
        }
        while self.positions.is_some()
            && let Some(part) = self.feed.next_due(elapsed)
        {
            self.show(part);
            has_changed = true;
        }
        has_changed
    }

    /// Shows its start, with the first position if what that is played from is known.
    fn begin(&mut self) -> bool {
        let opened = self.head.as_ref().map(|head| {
            let viewers = [Viewer::Spectator];
            Positions::open(head, &viewers, 0, Disclosure::Public)
        });
        let mut events = Vec::new();
        match opened.transpose() {
            Ok(Some(mut positions)) => {
                let first = positions.first();
                self.positions = Some(positions);
                self.see(first, &mut events);
            }
            Ok(None) => {}
            Err(problem) => {
                self.broken(&problem);
                return false;
            }
        }
        self.info.set_state(MatchState::Running);
        self.info.started_unix_ms = self.started_unix_ms;
        self.tell(events);
        true
    }

    /// Shows a part of its records.
    fn show(&mut self, part: Range<usize>) {
        let records = self.feed.records()[part].to_vec();
        let mut events = Vec::new();
        let mut place = RecordPlace::default();
        // Records were read before they came here.
        while let Ok(Some(record)) = place.next(&records) {
            heard(&mut self.info, &record);
            let played = self.positions.as_mut().map(|played| played.after(&record));
            match played {
                Some(Ok(position)) => self.see(position, &mut events),
                Some(Err(problem)) => return self.broken(&problem),
                None => return,
            }
        }
        self.tell(events);
    }

    /// It cannot be played: no more is shown before its end.
    pub(super) fn broken(&mut self, problem: &dyn Display) {
        error!(%problem, "the match cannot be shown late");
        (self.positions, self.head) = (None, None);
        (self.is_broken, self.is_known) = (true, false);
    }

    fn see(&mut self, position: Option<v1::Position>, events: &mut Vec<v1::GameEvent>) {
        if let Some(mut position) = position {
            self.info.decisions = position.number;
            self.observation = position.observations.pop();
            events.append(&mut position.events);
        }
    }

    /// Tells those who follow it how it stands.
    fn tell(&mut self, events: Vec<v1::GameEvent>) {
        if !self.teller.is_watched() {
            return;
        }
        let news = WatchMatchResponse {
            r#match: Some(v1::MatchInfo {
                // The first message had them.
                config: None,
                seed_commitment: String::new(),
                ..self.info.clone()
            }),
            observation: self.observation.clone(),
            events,
        };
        self.teller.tell(News::new(move || news.clone()), None);
    }

    /// Shows the rest: from now on it is shown as it is.
    pub(super) fn end(&mut self, info: v1::MatchInfo) {
        self.show_until(Duration::MAX);
        let news = WatchMatchResponse {
            r#match: Some(info),
            observation: self.observation.take(),
            events: Vec::new(),
        };
        self.teller.tell(News::new(move || news.clone()), None);
        self.is_shown_as_it_is();
    }

    /// Has it shown as it is from now on, to whoever asks then.
    pub(super) fn is_shown_as_it_is(&mut self) {
        self.is_over = true;
        self.teller.dismiss();
    }

    /// Lets those go who watch it, for this reason: no more is shown.
    pub(super) fn let_go(&mut self, why: Refusal) {
        self.teller.let_go(why);
    }

    /// What somebody is shown first.
    pub(super) fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.info.clone()),
            observation: self.observation.clone(),
            events: Vec::new(),
        }
    }
}
