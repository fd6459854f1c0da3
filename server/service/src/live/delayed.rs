//! The delayed view of a match shows only records that are older than the delay.
//!
//! Since the view contains nothing else, no other information can be revealed early by mistake.
//! Viewers without a delay see the match itself.

mod commands;
pub(super) mod delay_records;
mod driver;
mod feed;
mod quota;
mod registry;
mod restore;
mod seats;
mod view;
mod visibility;

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

use self::view::DelayedView;
pub(super) use self::{quota::DelayedMatchPermit, registry::DelayedMatches};
use super::{
    HostedMatch, MatchQuery, MatchView,
    context::Context,
    hosted_match::{MatchFuture, ReplayBytes, ReplaySource, ReplayUpdate, SpectatorDelay},
    refusals::not_visible_yet,
    relay::Relay,
    spectators::{Audience, Publisher, WatchReceiver},
};
use crate::{journal::Gated, refusal::Refusal, transport::Watcher};

/// A match as viewers with a delay see it.
pub(crate) struct DelayedMatch {
    original: Arc<dyn HostedMatch>,
    delay: Duration,
    /// The time at which the delay ends, known once the match has ended.
    end_visible_at: OnceLock<Instant>,
    context: Arc<Context>,
    /// The number of changes; 0 until the view has caught up for the first time.
    changes: watch::Sender<u64>,
    audience: Arc<Audience>,
    relay: Relay,
    view: Mutex<DelayedView>,
}

impl DelayedMatch {
    pub(super) fn new(
        original: Arc<dyn HostedMatch>,
        spectator_delay: SpectatorDelay,
        context: &Arc<Context>,
    ) -> Self {
        let info = original.info().into_value();
        let audience = Arc::<Audience>::default();
        let publisher = Publisher::new(&audience, &context.limits, &context.watcher_queue_bytes);
        let SpectatorDelay {
            delay,
            end_visible_in,
        } = spectator_delay;
        Self {
            delay,
            end_visible_at: end_visible_in
                .map_or_else(OnceLock::new, |left| (Instant::now() + left).into()),
            context: Arc::clone(context),
            changes: watch::Sender::new(0),
            audience,
            relay: Relay::default(),
            view: Mutex::new(DelayedView::new(info, delay, publisher)),
            original,
        }
    }

    fn view(&self) -> MutexGuard<'_, DelayedView> {
        self.view.lock()
    }

    /// Completes once the view shows everything that is due.
    pub(super) async fn until_ready(&self) {
        // `self` owns the sender, so the wait cannot fail.
        let _ = self.changes.subscribe().wait_for(|count| *count > 0).await;
    }

    fn notify_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

impl MatchView for DelayedMatch {
    fn id(&self) -> &MatchId {
        self.original.id()
    }

    fn belongs_to(&self, key: &KeyName) -> bool {
        self.original.belongs_to(key)
    }

    fn seats(&self) -> SeatCount {
        self.original.seats()
    }

    fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        self.original.is_held_by(seat, name)
    }

    fn info(&self) -> Gated<v1::MatchInfo> {
        let view = self.view();
        if view.is_over() {
            self.original.info()
        } else {
            Gated::new(view.info().clone(), None)
        }
    }

    fn info_without_config(&self) -> Gated<v1::MatchInfo> {
        let view = self.view();
        if view.is_over() {
            return self.original.info_without_config();
        }
        let info = v1::MatchInfo {
            config: None,
            ..view.info().clone()
        };
        Gated::new(info, None)
    }

    fn info_if_matching(&self, query: &MatchQuery) -> Option<Gated<v1::MatchInfo>> {
        let view = self.view();
        if view.is_over() {
            return self.original.info_if_matching(query);
        }
        let is_match = query.matches(self.original.game_id(), view.info());
        is_match.then(|| Gated::new(view.info().clone(), None))
    }

    fn is_over(&self) -> bool {
        self.view().is_over()
    }

    fn change_count(&self) -> u64 {
        *self.changes.borrow()
    }

    fn until_over(&self) -> MatchFuture<'_> {
        let mut changes = self.changes.subscribe();
        Box::pin(async move {
            // `self` owns the sender, so the wait cannot fail.
            while !self.is_over() && changes.changed().await.is_ok() {}
        })
    }

    fn snapshot_since(
        &self,
        change_count: Option<u64>,
    ) -> Option<(u64, Gated<WatchMatchResponse>)> {
        let view = self.view();
        let changes = *self.changes.borrow();
        let snapshot = || (changes, Gated::new(view.snapshot(), None));
        (change_count != Some(changes)).then(snapshot)
    }

    fn watch(self: Arc<Self>, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        let reservation = self
            .audience
            .reserve(watcher.clone(), &self.context.limits)?;
        let mut view = self.view();
        if view.is_over() {
            return Arc::clone(&self.original).watch(watcher);
        }
        Ok(view.watch(reservation))
    }

    fn replay(&self) -> ReplayBytes {
        if self.is_over() {
            self.original.replay()
        } else {
            ReplayBytes::Unavailable(Gated::new(not_visible_yet(self.delay), None))
        }
    }

    fn replay_source(&self) -> &dyn ReplaySource {
        self
    }
}

impl ReplaySource for DelayedMatch {
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        (!self.is_over()).then(|| self.changes.subscribe())
    }

    fn updates_from(&self, from_bytes: usize) -> Gated<ReplayUpdate> {
        let view = self.view();
        if view.is_over() {
            return self.original.replay_source().updates_from(from_bytes);
        }
        let info = v1::MatchInfo {
            config: None,
            seed_commitment: String::new(),
            ..view.info().clone()
        };
        let records = view.records_from(from_bytes).to_vec();
        Gated::new(ReplayUpdate { info, records }, None)
    }

    fn head(&self) -> Option<v1::Replay> {
        self.view().head().cloned()
    }

    fn full_replay(&self) -> ReplayBytes {
        if self.is_over() {
            self.original.replay_source().full_replay()
        } else {
            self.replay()
        }
    }

    fn withheld_reason(&self) -> Option<Refusal> {
        if self.is_over() {
            self.original.replay_source().withheld_reason()
        } else {
            Some(not_visible_yet(self.delay))
        }
    }

    fn relay(&self) -> Option<&Relay> {
        Some(&self.relay)
    }
}
