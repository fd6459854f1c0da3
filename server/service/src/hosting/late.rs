//! A match as spectators see it whose maker lets them see it late.
//!
//! It shows what its records tell, once they are old enough, and nothing else: so whatever else comes
//! to be known of a match is not told early by mistake. Who sees it at once gets the match itself.

mod feed;
mod kept;
mod matches;
mod standing;

use std::{pin::pin, sync::Arc, time::Duration};

use bridgemaster_games::{Seat, SeatCount, Viewer};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, MatchState, WatchMatchResponse};
use bridgemaster_replay::{Disclosure, PositionError, Positions, RecordPlace, decode_head};
use bridgemaster_store::KeyName;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    select,
    sync::watch,
    time::{Instant, sleep_until},
};
use tracing::error;

pub(super) use self::kept::LateMatches;
use self::{
    feed::Feed,
    standing::{concealed, heard},
};
use super::{
    HostedMatch, MatchQuery, ShownMatch,
    closing::not_shown_yet,
    context::Context,
    hosted_match::{Course, CourseNews, Lateness, ReplayBytes},
    spectators::{Spectators, WatchReceiver},
};
use crate::{
    journal::{Gated, NotStored},
    refusal::Refusal,
    transport::Watcher,
};

/// A match as it was some time ago, for those who see it late.
pub(crate) struct LateMatch {
    itself: Arc<dyn HostedMatch>,
    delay: Duration,
    /// When nothing is late any more, of a match that had ended before; `None` for one in play.
    over_at: Option<Instant>,
    context: Arc<Context>,
    /// How often it changed; 0 before it was looked at first.
    changes: watch::Sender<u64>,
    shown: Mutex<Shown>,
}

/// What is shown of it.
struct Shown {
    feed: Feed,
    /// What its positions are played from, once that is known.
    head: Option<v1::Replay>,
    /// `None` before its start is shown, and once it is broken.
    positions: Option<Positions>,
    /// When it started, whether that is shown or not.
    started_unix_ms: u64,
    info: v1::MatchInfo,
    observation: Option<v1::GameObservation>,
    spectators: Spectators,
    /// What is stored of it cannot be played.
    is_broken: bool,
    /// Nothing is late any more.
    is_over: bool,
}

impl LateMatch {
    pub(super) fn new(
        itself: Arc<dyn HostedMatch>,
        lateness: Lateness,
        context: &Arc<Context>,
    ) -> Self {
        let info = itself.info().into_value();
        Self {
            delay: lateness.delay,
            over_at: lateness.over_in.map(|left| Instant::now() + left),
            context: Arc::clone(context),
            changes: watch::Sender::new(0),
            shown: Mutex::new(Shown {
                feed: Feed::new(lateness.delay),
                head: None,
                positions: None,
                started_unix_ms: info.started_unix_ms,
                info: concealed(info),
                observation: None,
                spectators: Spectators::default(),
                is_broken: false,
                is_over: false,
            }),
            itself,
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock()
    }

    /// Completes when it shows what there is to be shown.
    pub(super) async fn looked_at(&self) {
        // The sender is its own.
        let _ = self.changes.subscribe().wait_for(|count| *count > 0).await;
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Shows what comes to be due, until nothing is late any more or the server stops. `replay` gives
    /// its replay once it has ended, if it has one.
    pub(super) async fn drive(&self, replay: impl Future<Output = Option<Arc<[u8]>>>) {
        let stopping = self.context.lifecycle.stopping();
        select! {
            biased;
            () = stopping.cancelled() => {}
            // What cannot be stored is never shown, and the server stops.
            _ = self.follow(replay) => {}
        }
        self.changed();
    }

    async fn follow(
        &self,
        replay: impl Future<Output = Option<Arc<[u8]>>>,
    ) -> Result<(), NotStored> {
        self.follow_play().await?;
        let over_at = self.over_at.unwrap_or_else(|| Instant::now() + self.delay);
        if let Some(replay) = pin!(replay).await {
            self.shown().take_rest(&replay);
        }
        loop {
            let due_in = self.show_due(self.elapsed());
            let due_at = due_in.map_or(over_at, |due_in| Instant::now() + due_in);
            if Instant::now() >= over_at {
                break;
            }
            sleep_until(due_at.min(over_at)).await;
        }
        let info = self.itself.info().shown().await?;
        self.shown().end(info, &self.context);
        Ok(())
    }

    /// Shows what comes to be due while it is played.
    async fn follow_play(&self) -> Result<(), NotStored> {
        let Some(mut changes) = self.itself.course().changes() else {
            return Ok(());
        };
        loop {
            // Before the look, so that what changes after it is noticed.
            changes.borrow_and_update();
            let from = self.shown().feed.bytes();
            let news = self.itself.course().news(from).shown().await?;
            if matches!(
                news.standing.state(),
                MatchState::Ended | MatchState::Cancelled
            ) {
                return Ok(());
            }
            let elapsed = self.elapsed();
            self.shown().take(news, self.itself.course(), elapsed);
            let due_in = self.show_due(elapsed);
            let due = async {
                match due_in {
                    Some(due_in) => sleep_until(Instant::now() + due_in).await,
                    None => std::future::pending().await,
                }
            };
            select! {
                // Without a sender it is gone from memory, and the next look finds its end.
                _ = changes.changed() => {}
                () = due => {}
            }
        }
    }

    /// Time since it started; `None` before.
    fn elapsed(&self) -> Option<Duration> {
        self.itself.elapsed()
    }

    /// Shows all that is due, and tells when more will be.
    fn show_due(&self, elapsed: Option<Duration>) -> Option<Duration> {
        let mut shown = self.shown();
        let has_changed = elapsed.is_some_and(|elapsed| shown.show_until(elapsed, &self.context));
        let due_in = elapsed.and_then(|elapsed| shown.due_in(elapsed));
        drop(shown);
        if has_changed || *self.changes.borrow() == 0 {
            self.changed();
        }
        due_in
    }
}

impl Shown {
    /// Takes in news of a match in play.
    fn take(&mut self, news: CourseNews, course: &dyn Course, elapsed: Option<Duration>) {
        self.started_unix_ms = news.standing.started_unix_ms;
        if self.head.is_none() && !self.is_broken && elapsed.is_some() {
            self.head = course.head();
        }
        self.feed.take(&news.records, elapsed.unwrap_or_default());
    }

    /// Takes in what its replay has besides.
    fn take_rest(&mut self, replay: &[u8]) {
        if self.head.is_none() && !self.is_broken {
            self.head = decode_head(replay).ok();
        }
        self.feed.take_rest(replay);
    }

    /// When more is due than is shown.
    fn due_in(&self, elapsed: Duration) -> Option<Duration> {
        match (&self.positions, &self.head) {
            (Some(_), _) => self.feed.due_in(elapsed),
            (None, Some(_)) => Some(self.feed.start_due_in(elapsed)),
            (None, None) => None,
        }
    }

    /// Shows what is due by then, and tells whether it was anything.
    fn show_until(&mut self, elapsed: Duration, context: &Context) -> bool {
        let mut has_changed = false;
        if self.positions.is_none() && self.feed.start_due_in(elapsed).is_zero() {
            has_changed |= self.begin(context);
        }
        while self.positions.is_some()
            && let Some(part) = self.feed.next_due(elapsed)
        {
            self.show(part, context);
            has_changed = true;
        }
        has_changed
    }

    /// Shows its start, if what it is played from is known.
    fn begin(&mut self, context: &Context) -> bool {
        let Some(head) = &self.head else {
            return false;
        };
        let opened = Positions::open(head, &[Viewer::Spectator], 0, Disclosure::Public);
        let mut positions = match opened {
            Ok(positions) => positions,
            Err(problem) => {
                self.broken(&problem);
                return false;
            }
        };
        let first = positions.first();
        self.positions = Some(positions);
        self.info.set_state(MatchState::Running);
        self.info.started_unix_ms = self.started_unix_ms;
        let mut events = Vec::new();
        self.see(first, &mut events);
        self.tell(events, context);
        true
    }

    /// Shows a part of its records.
    fn show(&mut self, part: std::ops::Range<usize>, context: &Context) {
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
        self.tell(events, context);
    }

    /// What is stored of it cannot be played: no more is shown before its end.
    fn broken(&mut self, problem: &PositionError) {
        error!(%problem, "the match cannot be shown late");
        (self.positions, self.head) = (None, None);
        self.is_broken = true;
    }

    fn see(&mut self, position: Option<v1::Position>, events: &mut Vec<v1::GameEvent>) {
        if let Some(mut position) = position {
            self.info.decisions = position.number;
            self.observation = position.observations.pop();
            events.append(&mut position.events);
        }
    }

    /// Tells those who follow it how it stands.
    fn tell(&mut self, events: Vec<v1::GameEvent>, context: &Context) {
        if self.spectators.is_empty() {
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
        let bytes = &context.watcher_queue_bytes;
        self.spectators.tell(news, None, bytes);
    }

    /// Shows the rest: from now on it is shown as it is.
    fn end(&mut self, info: v1::MatchInfo, context: &Context) {
        self.show_until(Duration::MAX, context);
        self.is_over = true;
        let news = WatchMatchResponse {
            r#match: Some(info),
            observation: self.observation.take(),
            events: Vec::new(),
        };
        let bytes = &context.watcher_queue_bytes;
        self.spectators.tell(news, None, bytes);
        self.spectators.dismiss();
    }

    fn snapshot(&self) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.info.clone()),
            observation: self.observation.clone(),
            events: Vec::new(),
        }
    }
}

impl ShownMatch for LateMatch {
    fn id(&self) -> &MatchId {
        self.itself.id()
    }

    fn is_of(&self, key: &KeyName) -> bool {
        self.itself.is_of(key)
    }

    fn seats(&self) -> SeatCount {
        self.itself.seats()
    }

    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        self.itself.is_held_by(seat, name)
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        let shown = self.shown();
        match shown.is_over {
            true => self.itself.info(),
            false => Gated::new(shown.info.clone(), None),
        }
    }

    fn info_if(&self, wanted: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        let shown = self.shown();
        if shown.is_over {
            return self.itself.info_if(wanted);
        }
        let is_wanted = wanted.wants(self.itself.game_id(), &shown.info);
        is_wanted.then(|| Gated::new(shown.info.clone(), None))
    }

    fn is_over(&self) -> bool {
        self.shown().is_over
    }

    fn glance(&self, known: Option<u64>) -> Option<(u64, Gated<WatchMatchResponse>)> {
        let shown = self.shown();
        let changes = *self.changes.borrow();
        let glance = || (changes, Gated::new(shown.snapshot(), None));
        (known != Some(changes)).then(glance)
    }

    fn watch(&self, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        let mut shown = self.shown();
        if shown.is_over {
            return self.itself.watch(watcher);
        }
        let snapshot = shown.snapshot();
        let limits = &self.context.limits;
        shown.spectators.add(watcher, snapshot, None, limits)
    }

    fn replay(&self) -> ReplayBytes {
        match self.is_over() {
            true => self.itself.replay(),
            false => ReplayBytes::Never(Gated::new(not_shown_yet(self.delay), None)),
        }
    }

    fn course(&self) -> &dyn Course {
        self
    }
}

impl Course for LateMatch {
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        (!self.is_over()).then(|| self.changes.subscribe())
    }

    fn news(&self, from_bytes: usize) -> Gated<CourseNews> {
        let shown = self.shown();
        if shown.is_over {
            return self.itself.course().news(from_bytes);
        }
        let standing = v1::MatchInfo {
            config: None,
            seed_commitment: String::new(),
            ..shown.info.clone()
        };
        let records = shown.feed.shown_from(from_bytes).to_vec();
        Gated::new(CourseNews { standing, records }, None)
    }

    fn head(&self) -> Option<v1::Replay> {
        let shown = self.shown();
        let has_begun = shown.positions.is_some() && !shown.is_over;
        shown.head.as_ref().filter(|_| has_begun).cloned()
    }

    fn whole_replay(&self) -> ReplayBytes {
        match self.is_over() {
            true => self.itself.course().whole_replay(),
            false => self.replay(),
        }
    }

    fn is_secret_for(&self) -> Option<Refusal> {
        match self.is_over() {
            true => self.itself.course().is_secret_for(),
            false => Some(not_shown_yet(self.delay)),
        }
    }
}
