//! Fits the ratings of a ladder, on a blocking thread and with one task per ladder. During a fit,
//! the results of the previous fit stay in use.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_ladder::{FitJob, FitResult};
use bridgemaster_store::StoreError;
use tokio::{task::spawn_blocking, time::sleep};
use tracing::warn;

use super::LiveLadder;

/// The minimum interval between two fits.
const FIT_INTERVAL: Duration = Duration::from_secs(1);
/// The divisor for the time spent on fits: at most one fifth, so that matches get the rest of the
/// CPU time.
const FIT_TIME_DIVISOR: u32 = 5;

/// Spawns a task that fits the ratings of a ladder after new results, until the ladder is dropped.
pub(super) fn spawn(ladder: &Arc<LiveLadder>) {
    let mut results = ladder.results.subscribe();
    let ladder = Arc::downgrade(ladder);
    tokio::spawn(async move {
        while results.changed().await.is_ok() {
            let Some(ladder) = ladder.upgrade() else {
                return;
            };
            if ladder.is_fitted() {
                continue;
            }
            let began = Instant::now();
            ladder.fit_ratings().await;
            drop(ladder);
            sleep(FIT_INTERVAL.max(began.elapsed() * (FIT_TIME_DIVISOR - 1))).await;
        }
    });
}

impl LiveLadder {
    /// Fits the ratings to the present results, and notifies watchers.
    pub(super) async fn fit_ratings(self: &Arc<Self>) {
        let (fitting, results) = self.with_model(|model| {
            let results = model.ladder.counts().counted;
            (model.ladder.fit_job(), results)
        });
        if let Some(fitted) = fitted_ratings(fitting).await {
            if !self.with_model(|model| model.ladder.apply_fit(fitted)) {
                // The ladder was reloaded during the fit, so another fit is already scheduled.
                return;
            }
            match self.record_rating_points().await {
                // A failure leads to a reload of the ladder, so it needs no handling here.
                Ok(()) | Err(StoreError::Closed) => {}
                Err(error) => {
                    warn!(ladder = %self.id(), %error, "cannot store the history of ratings")
                }
            }
        }
        self.with_model(|model| model.fitted_results = model.fitted_results.max(results));
        // Pairing and the end of a closing round depend on ratings.
        self.notify_runner();
        self.notify_watchers();
    }

    /// Returns whether the ratings include all results, or cannot be fitted.
    pub(super) fn is_fitted(&self) -> bool {
        self.with_model(|model| model.fitted_results >= model.ladder.counts().counted)
    }
}

/// Fits ratings; `None` if the results do not determine ratings.
pub(super) async fn fitted_ratings(fitting: FitJob) -> Option<FitResult> {
    match spawn_blocking(move || fitting.fit()).await {
        Ok(Ok(fitted)) => Some(fitted),
        Ok(Err(error)) => {
            warn!(%error, "cannot fit the ratings");
            None
        }
        // The task was cancelled, because the runtime is shutting down.
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_edge::metrics::Metrics;
    use bridgemaster_ladder::{AttendingBot, BotVersion, End, SeatEnd};
    use bridgemaster_proto::v1::{self, LadderBotRef};
    use bridgemaster_store::{LadderId, LadderStore as _, MemoryStore};

    use super::*;
    use crate::ladder::{
        Attendances, capacity::ServerVersionCount, outcome::Outcome, rows::LadderDescription,
    };

    fn attending_bot(name: &str, version: &str) -> AttendingBot {
        AttendingBot {
            bot: BotVersion::new(name, version),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        }
    }

    async fn ladder(store: &Arc<MemoryStore>) -> Arc<LiveLadder> {
        let description = LadderDescription::with_two_house_bots();
        let store: Arc<MemoryStore> = Arc::clone(store);
        let id = LadderId::new("league").unwrap();
        let created = LiveLadder::create(id, description, store, ServerVersionCount::default());
        let ladder = created.await.unwrap();
        spawn(&ladder);
        let present = [attending_bot("ada", "1"), attending_bot("bob", "1")];
        ladder.enter_versions(present.to_vec()).await.unwrap();
        ladder.set_present(&present);
        ladder
    }

    fn ends() -> Vec<SeatEnd> {
        let end = |place| SeatEnd { place, score: 0, forfeited: false };
        vec![end(1), end(2)]
    }

    /// Waits until the ratings include all results.
    async fn until_fitted(ladder: &LiveLadder) {
        let (mut changes, _) = ladder.subscribe();
        while !ladder.is_fitted() {
            changes.changed().await.unwrap();
        }
    }

    #[tokio::test]
    async fn readers_see_the_last_fit_until_the_next_one_is_applied() {
        let store = Arc::new(MemoryStore::new());
        let ladder = ladder(&store).await;
        let mut seen = 0;
        for number in 0..200 {
            let (paired, _) = ladder.pair_next_match().await.unwrap().expect("both are free");
            assert_eq!(paired, number);
            ladder.end_match(paired, Outcome::without_faults(End::Played(ends()))).await.unwrap();
            let message = ladder.to_wire();
            assert_eq!(message.matches, number + 1, "a result counts at once");
            let of = ladder.with_model(|model| model.ladder.table().results());
            assert!(of >= seen && of as u64 <= message.matches, "{of} after {seen}");
            seen = of;
        }
        until_fitted(&ladder).await;
        let standings = ladder.standings(&Attendances::new(), false);
        let matches = standings.iter().map(|one| one.rating.unwrap().matches);
        assert_eq!(matches.collect::<Vec<_>>(), [200, 200]);
        let points = ladder.bot("ada", &Attendances::new())[0].history.len();
        assert!(points > 0);
        // Loads the stored ladder as after a restart.
        let stored = store.ladders().await.unwrap().intact.remove(0);
        let store: Arc<MemoryStore> = Arc::clone(&store);
        let metrics = Metrics::for_node(None);
        let again = LiveLadder::recover(stored, store, &metrics, ServerVersionCount::default());
        let again = again.await;
        let again = again.unwrap().expect("readable rules");
        assert!(again.is_fitted());
        assert_eq!(again.standings(&Attendances::new(), false), standings);
    }

    #[tokio::test]
    async fn the_rematch_of_an_annulled_match_survives_a_restart() {
        let store = Arc::new(MemoryStore::new());
        let ladder = ladder(&store).await;
        let id = |text| bridgemaster_match::MatchId::new(text).unwrap();
        let replaced_by = |ladder: &LiveLadder| ladder.with_model(|model| model.replaced_by(0));
        let (first, _) = ladder.pair_next_match().await.unwrap().unwrap();
        ladder.mark_created(first, &id("first"));
        ladder.end_match(first, Outcome::without_faults(End::Annulled(ends()))).await.unwrap();
        assert_eq!(replaced_by(&ladder), None);
        let (second, row) = ladder.pair_next_match().await.unwrap().unwrap();
        assert_eq!(row.pairing.replaces, Some(first));
        ladder.mark_created(second, &id("second"));
        assert_eq!(replaced_by(&ladder).as_deref(), Some("second"));
        ladder.end_match(second, Outcome::without_faults(End::Played(ends()))).await.unwrap();
        assert_eq!(replaced_by(&ladder).as_deref(), Some("second"));
        let stored = store.ladders().await.unwrap().intact.remove(0);
        let metrics = Metrics::for_node(None);
        let again = LiveLadder::recover(stored, store, &metrics, ServerVersionCount::default());
        let again = again.await;
        let again = again.unwrap().expect("readable rules");
        assert_eq!(replaced_by(&again).as_deref(), Some("second"));
    }

    #[tokio::test]
    async fn a_bot_without_a_version_is_the_version_that_attends() {
        let ladder = ladder(&Arc::new(MemoryStore::new())).await;
        let second = attending_bot("ada", "2");
        ladder.enter_versions(vec![second]).await.unwrap();
        let resolve = |bot_version: &str, attends: Option<&str>| {
            let attendance = |version: &str| v1::Attendance {
                bot_version: version.to_owned(),
                ..v1::Attendance::default()
            };
            let attendances = attends.map(|version| ("ada".to_owned(), attendance(version)));
            let bot =
                LadderBotRef { bot_name: "ada".to_owned(), bot_version: bot_version.to_owned() };
            let version = ladder.version(&bot, &attendances.into_iter().collect());
            version.map(|bot| bot.version)
        };
        assert_eq!(resolve("", Some("1")).as_deref(), Some("1"));
        assert_eq!(resolve("", None).as_deref(), Some("2"), "the newest");
        assert_eq!(resolve("", Some("3")).as_deref(), Some("2"), "it has not entered");
        assert_eq!(resolve("2", Some("1")).as_deref(), Some("2"));
        assert_eq!(resolve("3", Some("1")), None);
    }
}
