//! Drives a delayed view: reveals records when they are due, and finally the end.

use std::{
    future::{poll_fn, ready},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use bridgemaster_proto::v1::MatchState;
use tokio::{
    select,
    time::{Instant, sleep, sleep_until},
};

use super::{super::refusals::delayed_view_failed, DelayedMatch};
use crate::{journal::NotStored, refusal::Refusal};

/// Interval for polling whether a match that cannot be followed has ended; short compared with most
/// delays.
const END_POLL_INTERVAL: Duration = Duration::from_secs(1);

struct Panicked;

impl DelayedMatch {
    /// Reveals records as they become due, until the delay has ended or the server stops. `replay`
    /// returns the replay of the ended match, if there is one.
    pub(super) async fn drive(&self, replay: impl Future<Output = Option<Arc<[u8]>>>) {
        self.drive_with_fallback(self.follow(replay), self.follow(ready(None)))
            .await;
    }

    /// Drives the view with `first`, and after a panic with `then`.
    async fn drive_with_fallback(
        &self,
        first: impl Future<Output = Result<(), NotStored>>,
        then: impl Future<Output = Result<(), NotStored>>,
    ) {
        let stopping = self.context.lifecycle.stop_token();
        let followed = select! {
            biased;
            // The streams of spectators end anyway when the server stops.
            () = stopping.cancelled() => Ok(()),
            followed = self.follow_with_fallback(first, then) => followed,
        };
        if let Err(NotStored) = followed {
            self.view().close_streams(Refusal::storage_failed());
        }
        self.notify_changed();
    }

    /// Follows the match to its end. After a panic, follows the match without positions; after a
    /// second panic, only waits for the match to end. So the end of the match is still revealed,
    /// and not too early.
    async fn follow_with_fallback(
        &self,
        first: impl Future<Output = Result<(), NotStored>>,
        then: impl Future<Output = Result<(), NotStored>>,
    ) -> Result<(), NotStored> {
        if let Ok(followed) = catch_panic(first).await {
            return followed;
        }
        self.view().fail(&"internal error");
        self.notify_changed();
        if let Ok(followed) = catch_panic(then).await {
            return followed;
        }
        self.view().close_streams(delayed_view_failed());
        self.notify_changed();
        self.wait_out_delay().await;
        Ok(())
    }

    /// Waits until the delay has ended, by polling alone.
    async fn wait_out_delay(&self) {
        while !self.original.is_over() {
            sleep(END_POLL_INTERVAL).await;
        }
        let end_visible_at = *self
            .end_visible_at
            .get_or_init(|| Instant::now() + self.delay);
        sleep_until(end_visible_at).await;
        self.view().finish();
    }

    async fn follow(
        &self,
        replay: impl Future<Output = Option<Arc<[u8]>>>,
    ) -> Result<(), NotStored> {
        let ended_by = self.follow_play().await?;
        let end_visible_at = *self.end_visible_at.get_or_init(|| match self.elapsed() {
            Some(_) => ended_by + self.delay,
            // The match was cancelled before it started, so its view is not delayed.
            None => ended_by,
        });
        let replay = self.reveal_while(replay).await;
        let started_unix_ms = self.original.info().into_value().started_unix_ms;
        match replay {
            Some(replay) => self.view().add_rest(&replay, started_unix_ms),
            None => self.view().set_start(started_unix_ms),
        }
        self.reveal_and_notify();
        self.reveal_while(sleep_until(end_visible_at)).await;
        let info = self.original.info().committed().await?;
        self.view().reveal_end(info);
        Ok(())
    }

    /// Reveals records as they become due while the match is in play. Returns an instant after the
    /// end of the match.
    async fn follow_play(&self) -> Result<Instant, NotStored> {
        let Some(mut changes) = self.original.replay_source().changes() else {
            return Ok(Instant::now());
        };
        loop {
            // Changes are marked as seen before the read, so that later changes are noticed.
            changes.borrow_and_update();
            let from = self.view().received_bytes();
            let update = self.original.replay_source().updates_from(from);
            let (known_at, elapsed) = (Instant::now(), self.elapsed());
            let update = self.reveal_while(update.committed()).await?;
            let state = update.info.state();
            self.view()
                .add_update(update, self.original.replay_source(), elapsed);
            if matches!(state, MatchState::Ended | MatchState::Cancelled) {
                return Ok(known_at);
            }
            self.reveal_and_notify();
            // If the sender was dropped, the match is no longer in memory, and the next read finds
            // its end.
            let _ = self.reveal_while(changes.changed()).await;
        }
    }

    /// Awaits a future, and meanwhile reveals records as they become due. So committed records are
    /// revealed in time, however long a pending commit takes.
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

    /// Reveals all due records, and wakes callers that wait for the view to catch up.
    fn reveal_and_notify(&self) {
        self.reveal_due();
        if *self.changes.borrow() == 0 {
            self.notify_changed();
        }
    }

    /// Reveals all due records, and returns the time until the next records are due.
    fn reveal_due(&self) -> Option<Duration> {
        let elapsed = self.elapsed()?;
        let mut view = self.view();
        let has_changed = view.reveal_until(elapsed);
        let due_in = view.due_in(elapsed);
        drop(view);
        if has_changed {
            self.notify_changed();
        }
        due_in
    }

    /// Returns the time since the start of the match, or `None` before the start.
    fn elapsed(&self) -> Option<Duration> {
        self.original.elapsed()
    }
}

/// Returns the output of a future unless it panics.
async fn catch_panic<T>(future: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // After a panic the partial state of the future is not used.
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use bridgemaster_games::{GAME_IDS, with_game};
    use bridgemaster_match::{MatchId, SeatInput};
    use bridgemaster_proto::{
        games::WireGame as _,
        v1::{MatchConfig, SpectatorRules, WatchMatchResponse},
    };
    use bridgemaster_referee::BotIdentity;
    use prost::Message as _;
    use tokio::{join, time::timeout};

    use super::{
        super::super::{
            MatchOptions, MatchView as _, Matches, OfferTickets, RedeemedTicket, Ticket,
        },
        *,
    };
    use crate::{
        limits::Limits, live::spectators::WatchReceiver, metrics::Metrics, replays::signing_key,
    };
    use bridgemaster_traces::Traces;

    const DELAY: Duration = Duration::from_millis(300);

    fn matches() -> Arc<Matches> {
        Arc::new(Matches::new(
            Limits::default(),
            (Arc::new(Metrics::new()), Traces::disabled()),
            None,
            None,
            signing_key::generate(),
            OfferTickets::generate(),
        ))
    }

    /// Returns a match that has just ended, a spectator from before that, and a moment before it.
    async fn just_ended(matches: &Arc<Matches>) -> (Arc<DelayedMatch>, WatchReceiver, Instant) {
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
            let (seat, ..) = redeemed.join(BotIdentity::default(), None, None).unwrap();
            seat
        };
        let seats: Vec<_> = created
            .tickets
            .iter()
            .map(|one| join(&one.ticket))
            .collect();
        let id = MatchId::new(created.info.match_id).unwrap();
        let hosted = matches.in_memory(&id).unwrap();
        let spectator_delay = hosted.spectator_delay().unwrap();
        let delayed = Arc::new(DelayedMatch::new(
            hosted,
            spectator_delay,
            matches.context(),
        ));
        let updates = Arc::clone(&delayed).watch(None).unwrap();
        let before_end = Instant::now();
        for seat in &seats {
            seat.report(SeatInput::Resign);
        }
        (delayed, updates, before_end)
    }

    /// Returns the states that a spectator from before the view was driven has received.
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
        let (delayed, updates, _) = just_ended(&matches).await;
        let drive = timeout(Duration::from_secs(60), delayed.drive(async { None }));
        drive.await.unwrap();
        let expected = [MatchState::Waiting, MatchState::Running, MatchState::Ended];
        assert_eq!(received_states(updates).await, expected);
    }

    #[tokio::test]
    async fn after_two_panics_the_end_is_revealed_and_not_early() {
        let matches = matches();
        let (delayed, updates, ended_at) = just_ended(&matches).await;
        let drive =
            delayed.drive_with_fallback(async { panic!("planted") }, async { panic!("again") });
        timeout(Duration::from_secs(60), drive).await.unwrap();
        assert!(delayed.is_over() && ended_at.elapsed() >= DELAY);
        assert_eq!(delayed.info().into_value().state(), MatchState::Ended);
        assert_eq!(
            received_states(updates).await,
            [MatchState::Waiting],
            "and a refusal"
        );
    }

    #[tokio::test]
    async fn after_a_panic_only_the_end_is_revealed_and_in_time() {
        let matches = matches();
        let (delayed, updates, ended_at) = just_ended(&matches).await;
        let look = async {
            delayed.until_ready().await;
            assert!(!delayed.is_over());
            delayed.info().into_value()
        };
        let drive = delayed.drive(async { panic!("planted") });
        let both = async { join!(drive, look) };
        let ((), seen) = timeout(Duration::from_secs(60), both).await.unwrap();
        assert_eq!(seen.state(), MatchState::Waiting);
        assert!(ended_at.elapsed() >= DELAY);
        assert!(delayed.is_over());
        assert_eq!(
            received_states(updates).await,
            [MatchState::Waiting, MatchState::Ended]
        );
    }
}
