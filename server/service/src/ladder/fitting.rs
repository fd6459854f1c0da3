//! Ratings are fitted beside the ladder, by one task, on a thread of its own: pairing, ends of
//! matches and readers go by the last fit meanwhile.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_ladder::{Fitted, Fitting};
use bridgemaster_store::StoreError;
use tokio::{task::spawn_blocking, time::sleep};
use tracing::warn;

use super::LiveLadder;

/// Time from one fit to the next, at least.
const EVERY: Duration = Duration::from_secs(1);
/// A fit takes one of so many parts of the time, at most: it must leave the processor to matches.
const PARTS: u32 = 5;

/// Begins a task that fits the ratings of a ladder when there are new results, until it is gone.
pub(super) fn begin(ladder: &Arc<LiveLadder>) {
    let mut news = ladder.follow_results();
    let ladder = Arc::downgrade(ladder);
    tokio::spawn(async move {
        while news.changed().await.is_ok() {
            let Some(ladder) = ladder.upgrade() else {
                return;
            };
            if ladder.is_fitted() {
                continue;
            }
            let began = Instant::now();
            ladder.fit().await;
            drop(ladder);
            sleep(EVERY.max(began.elapsed() * (PARTS - 1))).await;
        }
    });
}

impl LiveLadder {
    /// Fits the ratings to all results that there are now, and has everybody told.
    pub(super) async fn fit(self: &Arc<Self>) {
        let (fitting, results) = self.with(|known| {
            let results = known.ladder.counts().counted;
            (known.ladder.fitting(), results)
        });
        if let Some(fitted) = fitted(fitting).await {
            if !self.with(|known| known.ladder.take_fit(fitted)) {
                // It was read again meanwhile, with a fit of its own.
                return;
            }
            match self.note_points().await {
                // After a failure all is read again.
                Ok(()) | Err(StoreError::Closed) => {}
                Err(error) => warn!(ladder = %self.id(), %error, "ratings are not on record"),
            }
        }
        self.with(|known| known.fitted = known.fitted.max(results));
        // What is paired, and whether a closing round is over, may hang on it.
        self.wake();
        self.changed();
    }

    /// Whether the ratings of all results are fitted, or cannot be.
    pub(super) fn is_fitted(&self) -> bool {
        self.with(|known| known.fitted >= known.ladder.counts().counted)
    }
}

/// Fits ratings; `None` if the results fix none.
pub(super) async fn fitted(fitting: Fitting) -> Option<Fitted> {
    match spawn_blocking(move || fitting.fit()).await {
        Ok(Ok(fitted)) => Some(fitted),
        Ok(Err(error)) => {
            warn!(%error, "the ratings cannot be fitted");
            None
        }
        // The server is going down.
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_ladder::{BotVersion, End, Presence, SeatEnd};
    use bridgemaster_proto::v1::{self, LadderBotRef};
    use bridgemaster_store::{LadderId, LadderStore as _, MemoryStore};

    use super::*;
    use crate::{
        ladder::{Attending, entering::AllVersions, outcome::Outcome, rows::Description},
        metrics::Metrics,
    };

    fn presence(name: &str, version: &str) -> Presence {
        Presence {
            bot: BotVersion::new(name, version),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        }
    }

    async fn ladder(store: &Arc<MemoryStore>) -> Arc<LiveLadder> {
        let description = Description::of_two_house_bots();
        let store: Arc<MemoryStore> = Arc::clone(store);
        let id = LadderId::new("league").unwrap();
        let made = LiveLadder::make(id, description, store, AllVersions::default());
        let ladder = made.await.unwrap();
        begin(&ladder);
        let there = [presence("ada", "1"), presence("bob", "1")];
        ladder.enter(there.to_vec()).await.unwrap();
        ladder.attend(&there);
        ladder
    }

    fn ends() -> Vec<SeatEnd> {
        let end = |place| SeatEnd {
            place,
            score: 0,
            forfeited: false,
        };
        vec![end(1), end(2)]
    }

    /// Waits until the ratings of all results are fitted.
    async fn until_fitted(ladder: &LiveLadder) {
        let (mut changes, _) = ladder.follow();
        while !ladder.is_fitted() {
            changes.changed().await.unwrap();
        }
    }

    #[tokio::test]
    async fn readers_have_the_last_fit_while_results_come_and_the_next_one_soon() {
        let store = Arc::new(MemoryStore::new());
        let ladder = ladder(&store).await;
        let mut seen = 0;
        for number in 0..200 {
            let (paired, _) = ladder.pair().await.unwrap().expect("both are free");
            assert_eq!(paired, number);
            ladder
                .end(paired, Outcome::of(End::Played(ends())))
                .await
                .unwrap();
            let shown = ladder.shown();
            assert_eq!(shown.matches, number + 1, "a result is known at once");
            let of = ladder.with(|known| known.ladder.table().results());
            assert!(
                of >= seen && of as u64 <= shown.matches,
                "{of} after {seen}"
            );
            seen = of;
        }
        until_fitted(&ladder).await;
        let standings = ladder.standings(&Attending::new(), false);
        let matches = standings.iter().map(|one| one.rating.unwrap().matches);
        assert_eq!(matches.collect::<Vec<_>>(), [200, 200]);
        let points = ladder.bot("ada", &Attending::new())[0].history.len();
        assert!(points > 0);
        // As another server finds it.
        let stored = store.ladders().await.unwrap().kept.remove(0);
        let store: Arc<MemoryStore> = Arc::clone(&store);
        let metrics = Metrics::new();
        let again = LiveLadder::recover(stored, store, &metrics, AllVersions::default());
        let again = again.await;
        let again = again.unwrap().expect("its rules can be read");
        assert!(again.is_fitted());
        assert_eq!(again.standings(&Attending::new(), false), standings);
    }

    #[tokio::test]
    async fn the_match_that_is_played_instead_of_an_annulled_one_is_known_after_it() {
        let store = Arc::new(MemoryStore::new());
        let ladder = ladder(&store).await;
        let id = |text| bridgemaster_match::MatchId::new(text).unwrap();
        let replaced_by = |ladder: &LiveLadder| ladder.with(|known| known.replaced_by(0));
        let (first, _) = ladder.pair().await.unwrap().unwrap();
        ladder.is_made(first, &id("first"));
        ladder
            .end(first, Outcome::of(End::Annulled(ends())))
            .await
            .unwrap();
        assert_eq!(replaced_by(&ladder), None);
        let (second, row) = ladder.pair().await.unwrap().unwrap();
        assert_eq!(row.pairing.replaces, Some(first));
        ladder.is_made(second, &id("second"));
        assert_eq!(replaced_by(&ladder).as_deref(), Some("second"));
        ladder
            .end(second, Outcome::of(End::Played(ends())))
            .await
            .unwrap();
        assert_eq!(replaced_by(&ladder).as_deref(), Some("second"));
        let stored = store.ladders().await.unwrap().kept.remove(0);
        let metrics = Metrics::new();
        let again = LiveLadder::recover(stored, store, &metrics, AllVersions::default());
        let again = again.await;
        let again = again.unwrap().expect("its rules can be read");
        assert_eq!(replaced_by(&again).as_deref(), Some("second"));
    }

    #[tokio::test]
    async fn the_version_that_attends_is_meant_where_none_is_named() {
        let ladder = ladder(&Arc::new(MemoryStore::new())).await;
        let second = presence("ada", "2");
        ladder.enter(vec![second]).await.unwrap();
        let meant = |bot_version: &str, attends: Option<&str>| {
            let attendance = |version: &str| v1::Attendance {
                bot_version: version.to_owned(),
                ..v1::Attendance::default()
            };
            let attending = attends.map(|version| ("ada".to_owned(), attendance(version)));
            let bot = LadderBotRef {
                bot_name: "ada".to_owned(),
                bot_version: bot_version.to_owned(),
            };
            let version = ladder.version(&bot, &attending.into_iter().collect());
            version.map(|bot| bot.version)
        };
        assert_eq!(meant("", Some("1")).as_deref(), Some("1"));
        assert_eq!(meant("", None).as_deref(), Some("2"), "the newest");
        assert_eq!(
            meant("", Some("3")).as_deref(),
            Some("2"),
            "it has not entered"
        );
        assert_eq!(meant("2", Some("1")).as_deref(), Some("2"));
        assert_eq!(meant("3", Some("1")), None);
    }
}
