//! The spectators' delay: a cursor over the records of a match, which advances once a record is
//! older than the delay.
//!
//! A delayed viewer's responses are built only from the records before the cursor, so they cannot
//! reveal later information by mistake. Viewers without a delay see the match itself.

mod commands;
pub(super) mod delay_records;
mod record_feed;
mod registry;
mod state;

use std::{
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bridgemaster_edge::{refusal::Refusal, transport::Watcher};
use bridgemaster_proto::v1::MatchState;
use futures_util::FutureExt as _;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    select,
    sync::watch,
    time::{Instant, sleep_until},
};

pub(super) use self::{
    registry::{DelayedMatchPermit, DelayedMatches},
    state::VisibleState,
};
use super::{
    HostedMatch,
    context::Context,
    hosted_match::SpectatorDelay,
    relay::Relay,
    spectators::{Audience, Publisher, WatchReceiver},
};
use crate::journal::NotStored;

/// The position up to which delayed viewers see a match.
pub(crate) struct VisibilityCursor {
    original: Arc<dyn HostedMatch>,
    delay: Duration,
    /// The time at which the delay ends; set once the match has ended.
    end_visible_at: OnceLock<Instant>,
    context: Arc<Context>,
    /// The number of changes; 0 until the cursor has caught up for the first time.
    changes: watch::Sender<u64>,
    audience: Arc<Audience>,
    relay: Relay,
    state: Mutex<VisibleState>,
}

impl VisibilityCursor {
    pub(super) fn new(
        original: Arc<dyn HostedMatch>,
        spectator_delay: SpectatorDelay,
        context: &Arc<Context>,
    ) -> Self {
        let info = original.info().into_value();
        let audience = Arc::<Audience>::default();
        let publisher = Publisher::new(&audience, &context.limits, &context.watcher_queue_bytes);
        let SpectatorDelay { delay, end_visible_in } = spectator_delay;
        Self {
            delay,
            end_visible_at: end_visible_in
                .map_or_else(OnceLock::new, |left| (Instant::now() + left).into()),
            context: Arc::clone(context),
            changes: watch::Sender::new(0),
            audience,
            relay: Relay::default(),
            state: Mutex::new(VisibleState::new(info, delay, publisher)),
            original,
        }
    }

    pub(super) fn delay(&self) -> Duration {
        self.delay
    }

    pub(super) fn relay(&self) -> &Relay {
        &self.relay
    }

    pub(super) fn state(&self) -> MutexGuard<'_, VisibleState> {
        self.state.lock()
    }

    /// Returns the visible state, or `None` once the delay has ended.
    pub(super) fn delayed_state(&self) -> Option<MutexGuard<'_, VisibleState>> {
        let state = self.state();
        (!state.is_delay_over()).then_some(state)
    }

    pub(super) fn change_count(&self) -> u64 {
        *self.changes.borrow()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Completes once the cursor has revealed all records that are due.
    pub(super) async fn until_ready(&self) {
        // `self` owns the sender, so the wait cannot fail.
        let _ = self.subscribe().wait_for(|count| *count > 0).await;
    }

    /// Completes once the delay has ended.
    pub(super) async fn until_over(&self) {
        let mut changes = self.subscribe();
        // `self` owns the sender, so the wait cannot fail.
        while !self.state().is_delay_over() && changes.changed().await.is_ok() {}
    }

    /// Subscribes this watcher to updates. Returns `None` once the delay has ended.
    pub(super) fn watch(&self, watcher: Option<Watcher>) -> Result<Option<WatchReceiver>, Refusal> {
        let reservation = self.audience.reserve(watcher, &self.context.limits)?;
        let state = self.delayed_state();
        Ok(state.map(|mut state| state.watch(reservation)))
    }

    fn notify_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Advances the cursor until the delay has ended or the server stops. `replay` returns the
    /// replay of the finished match, if there is one.
    pub(super) async fn drive(&self, replay: impl Future<Output = Option<Arc<[u8]>>>) {
        let stopping = self.context.lifecycle.stop_token();
        let followed = select! {
            biased;
            // The streams of spectators end anyway when the server stops.
            () = stopping.cancelled() => Ok(()),
            followed = self.follow_or_wait(replay) => followed,
        };
        if let Err(not_stored) = followed {
            self.state().close_streams(not_stored.into());
        }
        self.notify_changed();
    }

    /// Reveals the records of the match until its end. If this panics, for example in the game's
    /// rules, reveals only the end of the match, at the time at which it becomes visible.
    async fn follow_or_wait(
        &self,
        replay: impl Future<Output = Option<Arc<[u8]>>>,
    ) -> Result<(), NotStored> {
        // After a panic, the partial state of the future is not used again.
        match AssertUnwindSafe(self.follow(replay)).catch_unwind().await {
            Ok(followed) => followed,
            Err(_) => {
                self.state().fail(&"internal error");
                self.notify_changed();
                self.reveal_end().await
            }
        }
    }

    async fn follow(
        &self,
        replay: impl Future<Output = Option<Arc<[u8]>>>,
    ) -> Result<(), NotStored> {
        let ended_by = self.follow_play().await?;
        self.end_visible_at.get_or_init(|| match self.original.elapsed() {
            Some(_) => ended_by + self.delay,
            // The match was cancelled before it started, so it is not delayed.
            None => ended_by,
        });
        let replay = self.reveal_while(replay).await;
        let started_unix_ms = self.original.info().into_value().started_unix_ms;
        match replay {
            Some(replay) => self.state().add_missing_records(&replay, started_unix_ms),
            None => self.state().set_start(started_unix_ms),
        }
        self.reveal_and_notify();
        self.reveal_while(self.reveal_end()).await
    }

    /// Reveals the end of the match once it is visible.
    async fn reveal_end(&self) -> Result<(), NotStored> {
        self.original.over().cancelled().await;
        let ended = || Instant::now() + self.delay;
        sleep_until(*self.end_visible_at.get_or_init(ended)).await;
        let info = self.original.info().committed().await?;
        self.state().reveal_end(info);
        Ok(())
    }

    /// Reveals records as they become due while the match is in play. Returns an instant after the
    /// end of the match.
    async fn follow_play(&self) -> Result<Instant, NotStored> {
        let Some(mut changes) = self.original.changes() else {
            return Ok(Instant::now());
        };
        loop {
            // Changes are marked as seen before the read, so that later changes are noticed.
            changes.borrow_and_update();
            let from = self.state().received_bytes();
            let update = self.original.updates_from(from);
            let (known_at, elapsed) = (Instant::now(), self.original.elapsed());
            let update = self.reveal_while(update.committed()).await?;
            let match_state = update.info.state();
            self.state().add_update(update, &*self.original, elapsed);
            if matches!(match_state, MatchState::Ended | MatchState::Cancelled) {
                return Ok(known_at);
            }
            self.reveal_and_notify();
            // If the sender was dropped, the match is no longer in memory, and the next iteration
            // finds its end.
            let _ = self.reveal_while(changes.changed()).await;
        }
    }

    /// Awaits a future while revealing records as they become due, so that a pending commit does
    /// not delay the visibility of committed records.
    async fn reveal_while<T>(&self, awaited: impl Future<Output = T>) -> T {
        let mut awaited = pin!(awaited);
        loop {
            let due_in = self.reveal_due();
            let due = async {
                match due_in {
                    Some(due_in) => sleep_until(Instant::now() + due_in).await,
                    None => std::future::pending().await,
                }
            };
            select! {
                biased;
                output = &mut awaited => return output,
                () = due => {}
            }
        }
    }

    /// Reveals all due records, and wakes callers that wait for the cursor to catch up.
    fn reveal_and_notify(&self) {
        self.reveal_due();
        if self.change_count() == 0 {
            self.notify_changed();
        }
    }

    /// Reveals all due records, and returns the time until the next records are due.
    fn reveal_due(&self) -> Option<Duration> {
        let elapsed = self.original.elapsed()?;
        let mut state = self.state();
        let has_changed = state.reveal_until(elapsed);
        let due_in = state.due_in(elapsed);
        drop(state);
        if has_changed {
            self.notify_changed();
        }
        due_in
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_edge::{limits::Limits, metrics::Metrics};
    use bridgemaster_games::{GAME_IDS, with_game};
    use bridgemaster_match::{JoinRequest, MatchId, SeatInput};
    use bridgemaster_proto::{
        games::WireGame as _,
        v1::{MatchConfig, SpectatorRules, WatchMatchResponse},
    };
    use prost::Message as _;
    use tokio::{join, time::timeout};

    use super::{
        super::{MatchOptions, Matches, OfferTickets, RedeemedTicket, Ticket},
        *,
    };
    use crate::replays::generate_signing_key;
    use bridgemaster_traces::SpanRecorder;

    const DELAY: Duration = Duration::from_millis(300);

    fn matches() -> Arc<Matches> {
        Arc::new(Matches::new(
            Limits::default(),
            (Arc::new(Metrics::for_node(None)), SpanRecorder::disabled()),
            None,
            None,
            generate_signing_key(),
            OfferTickets::generate(),
        ))
    }

    /// Returns the cursor of a match that has just ended, a spectator that subscribed before the
    /// end, and an instant before the end.
    async fn just_ended_match(
        matches: &Arc<Matches>,
    ) -> (Arc<VisibilityCursor>, WatchReceiver, Instant) {
        let config = MatchConfig {
            game: with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default())),
            seats: 2,
            ..MatchConfig::default()
        };
        let options = MatchOptions {
            spectators: Some(SpectatorRules {
                delay_ms: DELAY.as_millis() as u32,
                ..SpectatorRules::default()
            }),
            ..MatchOptions::default()
        };
        let created = matches.create(&config, options).await.unwrap();
        let join = |ticket: &str| {
            let redeemed = RedeemedTicket::redeem(matches, &Ticket::from_client(ticket)).unwrap();
            let (seat, ..) = redeemed.join(JoinRequest::default()).unwrap();
            seat
        };
        let seats: Vec<_> = created.tickets.iter().map(|one| join(&one.ticket)).collect();
        let id = MatchId::new(created.info.match_id).unwrap();
        let hosted = matches.in_memory(&id).unwrap();
        let spectator_delay = hosted.spectator_delay().unwrap();
        let delayed = Arc::new(VisibilityCursor::new(hosted, spectator_delay, &matches.context));
        let updates = delayed.watch(None).unwrap().expect("the match is delayed");
        let before_end = Instant::now();
        for seat in &seats {
            seat.report(SeatInput::Resign);
        }
        (delayed, updates, before_end)
    }

    /// Returns the states that were sent to a spectator that subscribed before the cursor was
    /// started.
    async fn received_states(mut updates: WatchReceiver) -> Vec<MatchState> {
        let mut states = Vec::new();
        while let Some(message) = updates.recv().await
            && let Ok(update) = message.into_value()
        {
            let message = WatchMatchResponse::decode(update.into_bytes()).unwrap();
            states.push(message.r#match.unwrap().state());
        }
        states
    }

    #[tokio::test]
    async fn without_a_readable_replay_the_start_is_still_revealed() {
        let matches = matches();
        let (delayed, updates, _) = just_ended_match(&matches).await;
        let drive = timeout(Duration::from_secs(60), delayed.drive(async { None }));
        drive.await.unwrap();
        let expected = [MatchState::Waiting, MatchState::Running, MatchState::Ended];
        assert_eq!(received_states(updates).await, expected);
    }

    #[tokio::test]
    async fn after_a_panic_only_the_end_is_revealed_on_time() {
        let matches = matches();
        let (delayed, updates, ended_at) = just_ended_match(&matches).await;
        let look = async {
            delayed.until_ready().await;
            assert!(!delayed.state().is_delay_over());
            delayed.state().info().clone()
        };
        let drive = delayed.drive(async { panic!("planted") });
        let both = async { join!(drive, look) };
        let ((), seen) = timeout(Duration::from_secs(60), both).await.unwrap();
        assert_eq!(seen.state(), MatchState::Waiting);
        assert!(ended_at.elapsed() >= DELAY);
        assert!(delayed.state().is_delay_over());
        assert_eq!(received_states(updates).await, [MatchState::Waiting, MatchState::Ended]);
    }
}
