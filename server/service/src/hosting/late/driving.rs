//! Shows a match in time: what is due of it, and its end.

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

use super::{super::closing::not_shown_any_more, LateMatch};
use crate::{journal::NotStored, refusal::Refusal};

/// Time between two looks for the end of a match that cannot be followed: short against most delays.
const LOOK_FOR_END: Duration = Duration::from_secs(1);

/// What was awaited has panicked.
struct Panicked;

impl LateMatch {
    /// Shows what comes to be due, until nothing is late any more or the server stops. `replay` gives
    /// its replay once it has ended, if it has one.
    pub(super) async fn drive(&self, replay: impl Future<Output = Option<Arc<[u8]>>>) {
        self.drive_by(self.follow(replay), self.follow(ready(None)))
            .await;
    }

    /// The same by what follows it to its end, and what does so after a defect in that.
    async fn drive_by(
        &self,
        first: impl Future<Output = Result<(), NotStored>>,
        then: impl Future<Output = Result<(), NotStored>>,
    ) {
        let stopping = self.context.lifecycle.stopping();
        let followed = select! {
            biased;
            // Those who watch are told by their own streams.
            () = stopping.cancelled() => Ok(()),
            followed = self.follow_in_any_case(first, then) => followed,
        };
        if let Err(NotStored) = followed {
            self.shown().let_go(Refusal::storage_failed());
        }
        self.changed();
    }

    /// Follows it to its end. After a defect it is followed without being shown, and after one more
    /// it is waited for: so its end still comes, and not early.
    async fn follow_in_any_case(
        &self,
        first: impl Future<Output = Result<(), NotStored>>,
        then: impl Future<Output = Result<(), NotStored>>,
    ) -> Result<(), NotStored> {
        if let Ok(followed) = unless_it_panics(first).await {
            return followed;
        }
        self.shown().broken(&"it failed by a defect of the server");
        self.changed();
        if let Ok(followed) = unless_it_panics(then).await {
            return followed;
        }
        self.shown().let_go(not_shown_any_more());
        self.changed();
        self.outlast().await;
        Ok(())
    }

    /// Waits until nothing of it is late any more, with as little as that takes.
    async fn outlast(&self) {
        while !self.itself.is_over() {
            sleep(LOOK_FOR_END).await;
        }
        let over_at = *self.over_at.get_or_init(|| Instant::now() + self.delay);
        sleep_until(over_at).await;
        self.shown().is_shown_as_it_is();
    }

    async fn follow(
        &self,
        replay: impl Future<Output = Option<Arc<[u8]>>>,
    ) -> Result<(), NotStored> {
        let ended_by = self.follow_play().await?;
        let over_at = *self.over_at.get_or_init(|| match self.elapsed() {
            Some(_) => ended_by + self.delay,
            // It was cancelled before it started, so nothing of it is late.
            None => ended_by,
        });
        let replay = self.show_during(replay).await;
        let started_unix_ms = self.itself.info().into_value().started_unix_ms;
        match replay {
            Some(replay) => self.shown().take_rest(&replay, started_unix_ms),
            None => self.shown().take_start(started_unix_ms),
        }
        self.look();
        self.show_during(sleep_until(over_at)).await;
        let info = self.itself.info().shown().await?;
        self.shown().end(info);
        Ok(())
    }

    /// Shows what comes to be due while it is played. Gives a moment by which it had ended.
    async fn follow_play(&self) -> Result<Instant, NotStored> {
        let Some(mut changes) = self.itself.course().changes() else {
            return Ok(Instant::now());
        };
        loop {
            // Before the look, so that what changes after it is noticed.
            changes.borrow_and_update();
            let from = self.shown().taken_bytes();
            let news = self.itself.course().news(from);
            let (known_at, elapsed) = (Instant::now(), self.elapsed());
            let news = self.show_during(news.shown()).await?;
            let state = news.standing.state();
            self.shown().take(news, self.itself.course(), elapsed);
            if matches!(state, MatchState::Ended | MatchState::Cancelled) {
                return Ok(known_at);
            }
            self.look();
            // Without a sender it is gone from memory, and the next look finds its end.
            let _ = self.show_during(changes.changed()).await;
        }
    }

    /// Waits for something, and shows what comes to be due meanwhile: what is stored is shown in time,
    /// however long that takes which is not stored yet.
    async fn show_during<T>(&self, awaited: impl Future<Output = T>) -> T {
        let mut awaited = pin!(awaited);
        loop {
            let due_in = self.show_due();
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

    /// Shows all that is due of what there is, and lets those go on who wait for a first look.
    fn look(&self) {
        self.show_due();
        if *self.changes.borrow() == 0 {
            self.changed();
        }
    }

    /// Shows all that is due, and tells when more will be.
    fn show_due(&self) -> Option<Duration> {
        let elapsed = self.elapsed()?;
        let mut shown = self.shown();
        let has_changed = shown.show_until(elapsed);
        let due_in = shown.due_in(elapsed);
        drop(shown);
        if has_changed {
            self.changed();
        }
        due_in
    }

    /// Time since it started; `None` before.
    fn elapsed(&self) -> Option<Duration> {
        self.itself.elapsed()
    }
}

/// What a future gives, unless it panics.
async fn unless_it_panics<T>(future: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // What it leaves half done is not used any more.
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
        super::super::{Making, Matches, OfferTickets, SeatKey, ShownMatch as _, Ticket},
        *,
    };
    use crate::{
        hosting::spectators::WatchReceiver, limits::Limits, metrics::Metrics, replays::signing_key,
    };
    use bridgemaster_traces::Traces;

    const DELAY: Duration = Duration::from_millis(300);

    fn matches() -> Arc<Matches> {
        Arc::new(Matches::new(
            Limits::default(),
            (Arc::new(Metrics::new()), Traces::off()),
            None,
            None,
            signing_key::draw(),
            OfferTickets::draw(),
        ))
    }

    /// A match that has ended just now, one who watched it from before that, and a moment before it.
    async fn just_ended(matches: &Arc<Matches>) -> (Arc<LateMatch>, WatchReceiver, Instant) {
        let config = MatchConfig {
            game: with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default())),
            seats: 2,
            ..MatchConfig::default()
        };
        let making = Making {
            spectators: Some(SpectatorRules {
                delay_ms: DELAY.as_millis() as u32,
                ..SpectatorRules::default()
            }),
            ..Making::default()
        };
        let made = matches.create(&config, making).await.unwrap();
        let join = |ticket: &str| {
            let key = SeatKey::redeem(matches, &Ticket::from_client(ticket)).unwrap();
            let (seat, ..) = key.join(BotIdentity::default(), None, None).unwrap();
            seat
        };
        let seats: Vec<_> = made.tickets.iter().map(|one| join(&one.ticket)).collect();
        let id = MatchId::new(made.info.match_id).unwrap();
        let hosted = matches.held(&id).unwrap();
        let lateness = hosted.lateness().unwrap();
        let late = Arc::new(LateMatch::new(hosted, lateness, matches.context()));
        let news = Arc::clone(&late).watch(None).unwrap();
        let before_end = Instant::now();
        for seat in &seats {
            seat.report(SeatInput::Resign);
        }
        (late, news, before_end)
    }

    /// How a match stood by all that those were told who watched it from before it was driven on.
    async fn told_by(mut news: WatchReceiver) -> Vec<MatchState> {
        let mut told = Vec::new();
        while let Some(news) = news.recv().await
            && let Ok(news) = news.into_value()
        {
            let message = WatchMatchResponse::decode(news.into_bytes()).unwrap();
            told.push(message.r#match.unwrap().state());
        }
        told
    }

    #[tokio::test]
    async fn of_a_match_whose_replay_cannot_be_read_it_is_shown_that_it_started() {
        let matches = matches();
        let (late, news, _) = just_ended(&matches).await;
        let drive = timeout(Duration::from_secs(60), late.drive(async { None }));
        drive.await.unwrap();
        let shown = [MatchState::Waiting, MatchState::Running, MatchState::Ended];
        assert_eq!(told_by(news).await, shown);
    }

    #[tokio::test]
    async fn after_two_defects_the_end_is_shown_nevertheless_and_not_early() {
        let matches = matches();
        let (late, news, ended_at) = just_ended(&matches).await;
        let drive = late.drive_by(async { panic!("planted") }, async { panic!("again") });
        timeout(Duration::from_secs(60), drive).await.unwrap();
        assert!(late.is_over() && ended_at.elapsed() >= DELAY);
        assert_eq!(late.info().into_value().state(), MatchState::Ended);
        assert_eq!(told_by(news).await, [MatchState::Waiting], "and a refusal");
    }

    #[tokio::test]
    async fn after_a_defect_nothing_is_shown_before_the_end_and_that_is_in_time() {
        let matches = matches();
        let (late, news, ended_at) = just_ended(&matches).await;
        let look = async {
            late.looked_at().await;
            assert!(!late.is_over());
            late.info().into_value()
        };
        let drive = late.drive(async { panic!("planted") });
        let both = async { join!(drive, look) };
        let ((), seen) = timeout(Duration::from_secs(60), both).await.unwrap();
        assert_eq!(seen.state(), MatchState::Waiting);
        assert!(ended_at.elapsed() >= DELAY);
        assert!(late.is_over());
        assert_eq!(
            told_by(news).await,
            [MatchState::Waiting, MatchState::Ended]
        );
    }
}
