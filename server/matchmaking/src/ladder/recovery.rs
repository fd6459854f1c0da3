//! Recovers a ladder from its stored rows, after a restart or a failed commit.

use std::sync::Arc;

use bridgemaster_edge::metrics::{DamagedValue, Metrics};
use bridgemaster_ladder::Ladder;
use bridgemaster_live::Matches;
use bridgemaster_store::{
    DamagedValue as StoredValue, LadderChange, LadderId, Store, StoreError, StoredLadder, Write,
    limits::MAX_PAGE_LADDER_MATCHES,
};
use tracing::{error, info};

use super::{
    LiveLadder, MatchesInPlay,
    capacity::ServerVersionCount,
    fitting::fitted_ratings,
    model::{LadderModel, OpenMatch},
    rows::{LadderDescription, MatchRow, VersionRow},
};

impl LiveLadder {
    /// Loads a stored ladder in a new term, so that this server leads it. Unreadable rows are
    /// logged and skipped. Returns `None` if the ladder's description is unreadable.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn recover(
        stored: StoredLadder,
        store: Arc<dyn Store>,
        metrics: &Metrics,
        version_count: ServerVersionCount,
    ) -> Result<Option<Arc<Self>>, StoreError> {
        let id = stored.ladder_id;
        let description = match LadderDescription::read(&stored.value) {
            Ok(description) => description,
            Err(problem) => {
                unreadable(&id, "its rules", &problem, metrics);
                return Ok(None);
            }
        };
        let term = stored.term + 1;
        let lead =
            Write::ChangeLadder { ladder_id: id.clone(), change: LadderChange::StartTerm { term } };
        store.commit(vec![lead]).await?;
        let model = LadderModel::read(&id, description, &*store, metrics).await?;
        Ok(Some(Self::from_model(id, term, store, model, version_count)))
    }

    /// Reloads the ladder from the store. Matches that were created but not recorded are found by
    /// their numbers.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn reload(self: &Arc<Self>, matches: &Arc<Matches>) -> Result<(), StoreError> {
        let matches = Arc::clone(matches);
        self.change(|ladder| async move {
            let (id, metrics) = (ladder.id(), matches.metrics());
            let all = ladder.store.ladders().await?;
            let mut ladders = all.intact.into_iter();
            let stored = ladders.find(|stored| stored.ladder_id == *id);
            let description = stored.and_then(|stored| LadderDescription::read(&stored.value).ok());
            // If the stored description is unreadable, the loaded one stays in force.
            let description =
                description.unwrap_or_else(|| ladder.with_model(|model| model.description.clone()));
            let read = LadderModel::read(id, description, &*ladder.store, metrics).await?;
            let (after, before) = ladder.with_model(|model| {
                let before = std::mem::replace(model, read);
                (model.versions.len(), before.versions.len())
            });
            ladder.version_count.add(after);
            ladder.version_count.release(before);
            ladder.with_in_play(|in_play| *in_play = MatchesInPlay::default());
            ladder.set_needs_reload(false);
            // A fit in progress is based on the previous model, so another one is needed.
            ladder.notify_fitting();
            ladder.notify_watchers();
            Ok(())
        })
        .await
    }
}

impl LadderModel {
    /// Reads a ladder's rows. Unreadable rows are logged and skipped.
    async fn read(
        id: &LadderId,
        description: LadderDescription,
        store: &dyn Store,
        metrics: &Metrics,
    ) -> Result<Self, StoreError> {
        let ladder = Ladder::new(description.rules(), description.state());
        let mut model = Self::new(description, ladder);
        model.read_versions(id, store, metrics).await?;
        model.read_matches(id, store, metrics).await?;
        if let Some(fitted) = fitted_ratings(model.ladder.fit_job()).await {
            model.ladder.apply_fit(fitted);
        }
        let counts = model.ladder.counts();
        model.fitted_results = counts.counted;
        info!(
            ladder = %id,
            matches = counts.counted,
            open = counts.open,
            bots = model.versions.len(),
            "loaded a ladder"
        );
        Ok(model)
    }

    /// Applies the versions of bots, in the order in which they entered.
    async fn read_versions(
        &mut self,
        id: &LadderId,
        store: &dyn Store,
        metrics: &Metrics,
    ) -> Result<(), StoreError> {
        let rows = store.ladder_versions(id).await?;
        for damage in rows.damaged {
            unreadable(id, "a version", &damage.to_string(), metrics);
        }
        let mut versions = Vec::new();
        for stored in rows.intact {
            match VersionRow::read(stored) {
                Ok(version) => versions.push(version),
                Err(problem) => unreadable(id, "a version", &problem, metrics),
            }
        }
        versions.sort_by_key(|version| version.place);
        for version in versions {
            self.apply_version(version);
        }
        Ok(())
    }

    /// Applies the matches, in ascending order.
    async fn read_matches(
        &mut self,
        id: &LadderId,
        store: &dyn Store,
        metrics: &Metrics,
    ) -> Result<(), StoreError> {
        let mut from = Some(0);
        while let Some(number) = from {
            let rows = store.ladder_matches(id, number, MAX_PAGE_LADDER_MATCHES);
            let rows = rows.await?;
            from = rows.next;
            for stored in rows.intact {
                match MatchRow::read(&stored) {
                    Ok(row) => self.apply_stored_match(stored.number, row),
                    Err(problem) => {
                        unreadable(id, "a match", &problem, metrics);
                        self.ladder.skip_to(stored.number + 1);
                    }
                }
            }
            for damage in rows.damaged {
                unreadable(id, "a match", &damage.to_string(), metrics);
                if let StoredValue::LadderMatch { number, .. } = damage.value {
                    // An unreadable match still occupies its number.
                    self.ladder.skip_to(number + 1);
                }
            }
        }
        Ok(())
    }

    /// Applies a stored match, which might have ended.
    fn apply_stored_match(&mut self, number: u64, row: MatchRow) {
        self.ladder.skip_to(number);
        self.apply_pairing(number, &row);
        self.apply_end(number, &row);
        if row.over.is_none() {
            let match_id = None;
            self.open.insert(number, OpenMatch { row, match_id });
        }
    }
}

fn unreadable(id: &LadderId, what: &str, problem: &str, metrics: &Metrics) {
    error!(ladder = %id, what, problem, "cannot read a stored part of the ladder");
    metrics.count_damaged(DamagedValue::Ladder);
}

#[cfg(test)]
mod tests {
    use bridgemaster_ladder::{AttendingBot, BotVersion};
    use bridgemaster_store::{LadderStore as _, MemoryStore};

    use super::*;

    #[tokio::test]
    async fn a_ladder_whose_newest_match_is_unreadable_continues_after_it() {
        let id = LadderId::new("league").unwrap();
        let description = LadderDescription::with_two_house_bots();
        let store = Arc::new(MemoryStore::new());
        let changes = [
            LadderChange::Open { value: description.to_bytes() },
            LadderChange::StartTerm { term: 1 },
            LadderChange::Pair { term: 1, number: 0, value: vec![0xff] },
        ];
        let writes = changes.map(|change| Write::ChangeLadder { ladder_id: id.clone(), change });
        store.commit(writes.to_vec()).await.unwrap();
        let mut stored = store.ladders().await.unwrap().intact;
        let metrics = Metrics::for_node(None);
        let recovered =
            LiveLadder::recover(stored.remove(0), store, &metrics, ServerVersionCount::default());
        let recovered = recovered.await;
        let ladder = recovered.unwrap().expect("readable rules");
        let present = ["ada", "bob"].map(|name| AttendingBot {
            bot: BotVersion::new(name, "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        });
        ladder.enter_versions(present.to_vec()).await.unwrap();
        ladder.set_present(&present);
        let (number, _) = ladder.pair_next_match().await.unwrap().expect("both are present");
        assert_eq!(number, 1);
    }
}
