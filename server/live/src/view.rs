//! Matches as their viewers see them: a match itself, or only what its visibility cursor has
//! passed.

use std::{sync::Arc, time::Duration};

use bridgemaster_edge::{identity::Caller, refusal::Refusal, transport::Watcher};
use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, MatchInfo, RefusalReason, WatchMatchResponse};
use bridgemaster_store::KeyName;
use parking_lot::MutexGuard;
use tokio::{sync::watch, time::sleep};
use tracing::{Instrument as _, error};

use super::{
    HostedMatch, MatchFacts, MatchQuery, Matches, Reader,
    delayed::{DelayedMatchPermit, VisibilityCursor, VisibleState},
    hosted_match::{ReplayBytes, ReplayUpdate, SpectatorDelay, without_config},
    refusals::not_visible_yet,
    relay::Relay,
    spectators::WatchReceiver,
};
use crate::journal::Gated;

/// The pause before a replay is read again, after a refusal because of too many concurrent reads.
const READ_RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// A match of any game, in play or ended, as a viewer sees it.
#[derive(Clone)]
pub struct MatchView {
    hosted: Arc<dyn HostedMatch>,
    /// The position up to which the viewer sees the match; `None` without a delay.
    cursor: Option<Arc<VisibilityCursor>>,
}

impl MatchView {
    /// Returns the identifier of the match.
    pub fn id(&self) -> &MatchId {
        self.hosted.id()
    }

    /// Returns the properties that never change.
    pub fn facts(&self) -> &MatchFacts {
        self.hosted.facts()
    }

    /// See [`HostedMatch::belongs_to`].
    pub fn belongs_to(&self, key: &KeyName) -> bool {
        self.hosted.belongs_to(key)
    }

    /// See [`HostedMatch::is_held_by`].
    pub fn is_held_by(&self, seat: Seat, name: &KeyName) -> bool {
        self.hosted.is_held_by(seat, name)
    }

    /// Returns the visible state, if the viewer sees less than the whole match.
    fn delayed_state(&self) -> Option<MutexGuard<'_, VisibleState>> {
        self.cursor.as_ref()?.delayed_state()
    }

    /// Returns the refusal of data that the viewer may not see yet, if the delay has not ended.
    fn delay_refusal(&self) -> Option<Refusal> {
        let cursor = self.cursor.as_ref()?;
        let delayed = cursor.delayed_state();
        delayed.map(|_| not_visible_yet(cursor.delay()))
    }

    /// Returns the current state of the match.
    pub fn info(&self) -> Gated<MatchInfo> {
        match self.delayed_state() {
            Some(state) => Gated::new(state.info().clone(), None),
            None => self.hosted.info(),
        }
    }

    /// Returns the current state without the config, which is the largest part for games with
    /// edition data.
    pub fn info_without_config(&self) -> Gated<MatchInfo> {
        match self.delayed_state() {
            Some(state) => Gated::new(without_config(state.info().clone()), None),
            None => self.hosted.info_without_config(),
        }
    }

    /// Returns the current state if the match satisfies the query.
    pub fn info_if_matching(&self, query: &MatchQuery) -> Option<Gated<MatchInfo>> {
        let Some(state) = self.delayed_state() else {
            return self.hosted.info_if_matching(query);
        };
        let is_match = query.matches(self.facts().game_id, state.info());
        is_match.then(|| Gated::new(state.info().clone(), None))
    }

    /// Returns whether the viewer sees that the match has ended or was cancelled.
    pub fn is_over(&self) -> bool {
        self.delayed_state().is_none() && self.hosted.is_over()
    }

    /// Completes when the end of the match is visible.
    pub async fn until_over(&self) {
        match &self.cursor {
            Some(cursor) => cursor.until_over().await,
            None => self.hosted.over().cancelled().await,
        }
    }

    /// Completes when another node continues the match while this server still runs.
    pub async fn until_moved(&self) {
        match self.hosted.moved() {
            Some(moved) => moved.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// See [`HostedMatch::snapshot_since`].
    pub fn snapshot_since(
        &self,
        change_count: Option<u64>,
    ) -> Option<(u64, Gated<WatchMatchResponse>)> {
        let Some(cursor) = &self.cursor else {
            return self.hosted.snapshot_since(change_count);
        };
        let state = cursor.state();
        let changes = cursor.change_count();
        let snapshot = || (changes, Gated::new(state.snapshot(), None));
        (change_count != Some(changes)).then(snapshot)
    }

    /// Subscribes this watcher to updates.
    pub fn watch(&self, watcher: Option<Watcher>) -> Result<WatchReceiver, Refusal> {
        if let Some(cursor) = &self.cursor
            && let Some(delayed) = cursor.watch(watcher.clone())?
        {
            return Ok(delayed);
        }
        Arc::clone(&self.hosted).watch(watcher)
    }

    /// See [`HostedMatch::changes`].
    pub fn changes(&self) -> Option<watch::Receiver<u64>> {
        match (&self.cursor, self.delayed_state()) {
            (Some(cursor), Some(_)) => Some(cursor.subscribe()),
            _ => self.hosted.changes(),
        }
    }

    /// See [`HostedMatch::updates_from`].
    pub fn updates_from(&self, from_bytes: usize) -> Gated<ReplayUpdate> {
        let Some(state) = self.delayed_state() else {
            return self.hosted.updates_from(from_bytes);
        };
        let info =
            MatchInfo { config: None, seed_commitment: String::new(), ..state.info().clone() };
        let records = state.records_from(from_bytes).to_vec();
        Gated::new(ReplayUpdate { info, records }, None)
    }

    /// See [`HostedMatch::replay_head`].
    pub fn replay_head(&self) -> Option<v1::Replay> {
        match self.delayed_state() {
            Some(state) => state.head().cloned(),
            None => self.hosted.replay_head(),
        }
    }

    /// See [`HostedMatch::replay`].
    pub fn replay(&self) -> ReplayBytes {
        self.unless_delayed(|hosted| hosted.replay())
    }

    /// See [`HostedMatch::full_replay`].
    pub fn full_replay(&self) -> ReplayBytes {
        self.unless_delayed(|hosted| hosted.full_replay())
    }

    fn unless_delayed(&self, replay: impl FnOnce(&dyn HostedMatch) -> ReplayBytes) -> ReplayBytes {
        match self.delay_refusal() {
            Some(refusal) => ReplayBytes::Unavailable(Gated::new(refusal, None)),
            None => replay(&*self.hosted),
        }
    }

    /// See [`HostedMatch::withheld_reason`].
    pub fn withheld_reason(&self) -> Option<Refusal> {
        self.delay_refusal().or_else(|| self.hosted.withheld_reason())
    }

    /// See [`HostedMatch::relay`].
    pub fn relay(&self) -> Option<&Relay> {
        match &self.cursor {
            Some(cursor) => Some(cursor.relay()),
            None => self.hosted.relay(),
        }
    }
}

impl Matches {
    /// Returns a match as `viewer` sees it, with or without a delay.
    ///
    /// # Errors
    /// Returns an error if another node serves the delayed view, or the serving node cannot be
    /// determined.
    pub async fn view_for(
        self: &Arc<Self>,
        hosted: Arc<dyn HostedMatch>,
        viewer: &Caller,
    ) -> Result<MatchView, Refusal> {
        let cursor = self.cursor_for(&hosted, viewer).await?;
        Ok(MatchView { hosted, cursor })
    }

    /// Returns the cursor of a match, once it has caught up, if `viewer` sees the match with a
    /// delay.
    ///
    /// # Errors
    /// Returns an error if another node serves the delayed view, or the serving node cannot be
    /// determined.
    pub(super) async fn cursor_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &Caller,
    ) -> Result<Option<Arc<VisibilityCursor>>, Refusal> {
        if viewer.sees_undelayed(|name| hosted.belongs_to(name)) {
            return Ok(None);
        }
        let cursor = match self.delayed.get(hosted.id()) {
            Some(cursor) => cursor,
            None => {
                self.check_view_is_local(&**hosted).await?;
                // Only a match that ended before this server started has this delay.
                let Some(delay) = hosted.spectator_delay() else {
                    return Ok(None);
                };
                self.start_cursor(hosted, delay, None)
            }
        };
        cursor.until_ready().await;
        Ok(Some(cursor))
    }

    /// Starts the visibility cursor of a match. The cursor holds `permit` until the delay ends.
    /// Without `permit`, acquires a permit regardless of the limits.
    pub(super) fn start_cursor(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        spectator_delay: SpectatorDelay,
        permit: Option<DelayedMatchPermit>,
    ) -> Arc<VisibilityCursor> {
        let original = Arc::clone(hosted);
        let cursor = VisibilityCursor::new(original, spectator_delay, &self.context);
        let cursor = Arc::new(cursor);
        if let Err(existing) = self.delayed.add(hosted.id(), &cursor) {
            return existing;
        }
        let maker = hosted.facts().maker.as_ref();
        let permit = permit.unwrap_or_else(|| self.delayed.acquire_unlimited(maker));
        let (matches, original) = (Arc::downgrade(self), Arc::clone(hosted));
        let driven = Arc::clone(&cursor);
        let drive = async move {
            // The permit is held until this task ends, even by a panic.
            let _permit = permit;
            let replay = async { matches.upgrade()?.replay_for_cursor(&original).await };
            driven.drive(replay).await;
            // If the server stops, the delay has not ended.
            if driven.delayed_state().is_none()
                && let Some(matches) = matches.upgrade()
            {
                matches.end_delay(original.id());
            }
        };
        tokio::spawn(drive.instrument(hosted.span()));
        cursor
    }

    /// Returns the replay of a finished match, or `None` if no replay can be read. The remaining
    /// records are revealed from the replay.
    async fn replay_for_cursor(&self, original: &Arc<dyn HostedMatch>) -> Option<Arc<[u8]>> {
        let whole = MatchView { hosted: Arc::clone(original), cursor: None };
        loop {
            match self.full_replay(&whole, &Reader::default()).await {
                Ok(replay) => return Some(replay),
                // Too many reads are in progress.
                Err(refusal) if refusal.reason() == RefusalReason::LimitReached => {
                    sleep(READ_RETRY_INTERVAL).await;
                }
                Err(refusal) => {
                    match refusal.reason() {
                        // The match has no replay, or its replay was deleted.
                        RefusalReason::MatchCancelled | RefusalReason::ReplayForgotten => {}
                        _ => error!(
                            problem = refusal.message(),
                            "cannot read the replay of the match; its delayed view shows no \
                             positions until the delay ends"
                        ),
                    }
                    return None;
                }
            }
        }
    }
}
