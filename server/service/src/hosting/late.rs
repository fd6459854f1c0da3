//! A match as spectators see it whose maker lets them see it late.
//!
//! It shows what its records tell, once they are old enough, and nothing else: so whatever else comes
//! to be known of a match is not told early by mistake. Who sees it at once gets the match itself.

mod changing;
mod driving;
mod feed;
mod kept;
mod matches;
pub(super) mod noted;
mod places;
mod restoring;
mod shown;
mod standing;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, WatchMatchResponse};
use bridgemaster_store::KeyName;
use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::watch, time::Instant};

use self::shown::Shown;
pub(super) use self::{kept::LateMatches, places::LatePlace};
use super::{
    HostedMatch, MatchQuery, ShownMatch,
    closing::not_shown_yet,
    context::Context,
    hosted_match::{Course, CourseNews, Lateness, ReplayBytes, UntilOver},
    relay::Relay,
    spectators::{Audience, Teller, WatchReceiver},
};
use crate::{journal::Gated, refusal::Refusal, transport::Watcher};

/// A match as it was some time ago, for those who see it late.
pub(crate) struct LateMatch {
    itself: Arc<dyn HostedMatch>,
    delay: Duration,
    /// When nothing is late any more: known once it has ended.
    over_at: OnceLock<Instant>,
    context: Arc<Context>,
    /// How often it changed; 0 before it was looked at first.
    changes: watch::Sender<u64>,
    audience: Arc<Audience>,
    relay: Relay,
    shown: Mutex<Shown>,
}

impl LateMatch {
    pub(super) fn new(
        itself: Arc<dyn HostedMatch>,
        lateness: Lateness,
        context: &Arc<Context>,
    ) -> Self {
        let info = itself.info().into_value();
        let audience = Arc::<Audience>::default();
        let teller = Teller::new(&audience, &context.limits, &context.watcher_queue_bytes);
        let Lateness { delay, over_in } = lateness;
        Self {
            delay,
            over_at: over_in.map_or_else(OnceLock::new, |left| (Instant::now() + left).into()),
            context: Arc::clone(context),
            changes: watch::Sender::new(0),
            audience,
            relay: Relay::default(),
            shown: Mutex::new(Shown::new(info, delay, teller)),
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
        match shown.is_over() {
            true => self.itself.info(),
            false => Gated::new(shown.info().clone(), None),
        }
    }

    fn info_without_config(&self) -> Gated<v1::MatchInfo> {
        let shown = self.shown();
        if shown.is_over() {
            return self.itself.info_without_config();
        }
        let info = v1::MatchInfo {
            config: None,
            ..shown.info().clone()
        };
        Gated::new(info, None)
    }

    fn info_if(&self, wanted: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        let shown = self.shown();
        if shown.is_over() {
            return self.itself.info_if(wanted);
        }
        let is_wanted = wanted.wants(self.itself.game_id(), shown.info());
        is_wanted.then(|| Gated::new(shown.info().clone(), None))
    }

    fn is_over(&self) -> bool {
        self.shown().is_over()
    }

    fn change_count(&self) -> u64 {
        *self.changes.borrow()
    }

    fn until_over(&self) -> UntilOver<'_> {
        let mut changes = self.changes.subscribe();
        Box::pin(async move {
            // The sender is its own.
            while !self.is_over() && changes.changed().await.is_ok() {}
        })
    }

    fn glance(&self, known: Option<u64>) -> Option<(u64, Gated<WatchMatchResponse>)> {
        let shown = self.shown();
        let changes = *self.changes.borrow();
        let glance = || (changes, Gated::new(shown.snapshot(), None));
        (known != Some(changes)).then(glance)
    }

    fn watch(self: Arc<Self>, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        let entrant = self.audience.enter(watcher.clone(), &self.context.limits)?;
        let mut shown = self.shown();
        if shown.is_over() {
            return Arc::clone(&self.itself).watch(watcher);
        }
        Ok(shown.watch(entrant))
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
        if shown.is_over() {
            return self.itself.course().news(from_bytes);
        }
        let standing = v1::MatchInfo {
            config: None,
            seed_commitment: String::new(),
            ..shown.info().clone()
        };
        let records = shown.records_from(from_bytes).to_vec();
        Gated::new(CourseNews { standing, records }, None)
    }

    fn head(&self) -> Option<v1::Replay> {
        self.shown().head().cloned()
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

    fn relay(&self) -> Option<&Relay> {
        Some(&self.relay)
    }
}
