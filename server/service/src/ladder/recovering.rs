//! A ladder as an earlier server left it.

use std::sync::Arc;

use bridgemaster_ladder::Ladder;
use bridgemaster_store::{
    DamagedValue as StoredValue, LadderChange, LadderId, Store, StoreError, StoredLadder, Write,
    limits::MAX_PAGE_LADDER_MATCHES,
};
use tracing::{error, info};

use super::{
    LiveLadder,
    entering::AllVersions,
    fitting::fitted,
    in_play::InPlay,
    known::{Known, OpenMatch},
    rows::{Description, MatchRow, Version},
};
use crate::{
    hosting::Matches,
    metrics::{DamagedValue, Metrics},
};

impl LiveLadder {
    /// Takes the lead of a ladder, and reads what it was. What cannot be read of it is told, and
    /// the rest goes on; `None` if not even its rules can be.
    ///
    /// # Errors
    /// A failure of the store.
    pub(super) async fn recover(
        stored: StoredLadder,
        store: Arc<dyn Store>,
        metrics: &Metrics,
        all_versions: AllVersions,
    ) -> Result<Option<Arc<Self>>, StoreError> {
        let id = stored.ladder_id;
        let description = match Description::read(&stored.value) {
            Ok(description) => description,
            Err(problem) => {
                unreadable(&id, "its rules", &problem, metrics);
                return Ok(None);
            }
        };
        let term = stored.term + 1;
        let lead = Write::ChangeLadder {
            ladder_id: id.clone(),
            change: LadderChange::Lead { term },
        };
        store.commit(vec![lead]).await?;
        let known = Known::read(&id, description, &*store, metrics).await?;
        Ok(Some(Self::lead(id, term, store, known, all_versions)))
    }

    /// Reads what is stored again, and takes it for what is known: matches that were made are found
    /// again by their numbers.
    ///
    /// # Errors
    /// A failure of the store.
    pub(super) async fn read_again(
        self: &Arc<Self>,
        matches: &Arc<Matches>,
    ) -> Result<(), StoreError> {
        let (ladder, matches) = (Arc::clone(self), Arc::clone(matches));
        let change = async move {
            let (id, metrics) = (ladder.id(), matches.metrics());
            let all = ladder.store().ladders().await?;
            let mut kept = all.kept.into_iter();
            let stored = kept.find(|stored| stored.ladder_id == *id);
            let description = stored.and_then(|stored| Description::read(&stored.value).ok());
            // As it was read before, if it cannot be read any more.
            let description =
                description.unwrap_or_else(|| ladder.with(|known| known.description.clone()));
            let read = Known::read(id, description, &**ladder.store(), metrics).await?;
            let (after, before) = ladder.with(|known| {
                let before = std::mem::replace(known, read);
                (known.versions.len(), before.versions.len())
            });
            ladder.all_versions.add(after);
            ladder.all_versions.give_back(before);
            ladder.in_play(|in_play| *in_play = InPlay::default());
            ladder.set_behind(false);
            // A fit that is under way is of what was known before.
            ladder.results_changed();
            ladder.changed();
            Ok(())
        };
        self.turns.take(change).await
    }
}

impl Known {
    /// Reads what is stored of a ladder. What cannot be read is told, and the rest goes on.
    async fn read(
        id: &LadderId,
        description: Description,
        store: &dyn Store,
        metrics: &Metrics,
    ) -> Result<Self, StoreError> {
        let ladder = Ladder::new(description.rules(), description.state());
        let mut known = Self::new(description, ladder);
        known.read_versions(id, store, metrics).await?;
        known.read_matches(id, store, metrics).await?;
        if let Some(fitted) = fitted(known.ladder.fitting()).await {
            known.ladder.take_fit(fitted);
        }
        let counts = known.ladder.counts();
        known.fitted = counts.counted;
        info!(
            ladder = %id,
            matches = counts.counted,
            open = counts.open,
            bots = known.versions.len(),
            "a ladder goes on"
        );
        Ok(known)
    }

    /// Takes in the versions of bots, in the order in which they entered.
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
        for stored in rows.kept {
            match Version::read(stored) {
                Ok(version) => versions.push(version),
                Err(problem) => unreadable(id, "a version", &problem, metrics),
            }
        }
        versions.sort_by_key(|version| version.place);
        for version in versions {
            self.keep(version);
        }
        Ok(())
    }

    /// Takes in the matches, from the first.
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
            for stored in rows.kept {
                match MatchRow::read(&stored) {
                    Ok(row) => self.has_had(stored.number, row),
                    Err(problem) => {
                        unreadable(id, "a match", &problem, metrics);
                        self.ladder.skip_to(stored.number + 1);
                    }
                }
            }
            for damage in rows.damaged {
                unreadable(id, "a match", &damage.to_string(), metrics);
                if let StoredValue::LadderMatch { number, .. } = damage.value {
                    // The next one is paired after it.
                    self.ladder.skip_to(number + 1);
                }
            }
        }
        Ok(())
    }

    /// Takes in a match that an earlier server paired, and perhaps ended.
    fn has_had(&mut self, number: u64, row: MatchRow) {
        self.ladder.skip_to(number);
        self.paired(number, &row);
        self.ended(number, &row);
        if row.over.is_none() {
            let match_id = None;
            self.open.insert(number, OpenMatch { row, match_id });
        }
    }
}

fn unreadable(id: &LadderId, what: &str, problem: &str, metrics: &Metrics) {
    error!(ladder = %id, what, problem, "a ladder cannot be read in full");
    metrics.damaged(DamagedValue::Ladder);
}

#[cfg(test)]
mod tests {
    use bridgemaster_ladder::{BotVersion, Presence};
    use bridgemaster_store::{LadderStore as _, MemoryStore};

    use super::*;

    #[tokio::test]
    async fn a_ladder_whose_newest_match_cannot_be_read_goes_on_after_it() {
        let id = LadderId::new("league").unwrap();
        let description = Description::of_two_house_bots();
        let store = Arc::new(MemoryStore::new());
        let changes = [
            LadderChange::Open {
                value: description.to_bytes(),
            },
            LadderChange::Lead { term: 1 },
            LadderChange::Pair {
                term: 1,
                number: 0,
                value: vec![0xff],
            },
        ];
        let writes = changes.map(|change| Write::ChangeLadder {
            ladder_id: id.clone(),
            change,
        });
        store.commit(writes.to_vec()).await.unwrap();
        let mut stored = store.ladders().await.unwrap().kept;
        let metrics = Metrics::new();
        let recovered =
            LiveLadder::recover(stored.remove(0), store, &metrics, AllVersions::default());
        let recovered = recovered.await;
        let ladder = recovered.unwrap().expect("its rules can be read");
        let there = ["ada", "bob"].map(|name| Presence {
            bot: BotVersion::new(name, "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        });
        ladder.enter(there.to_vec()).await.unwrap();
        ladder.attend(&there);
        let (number, _) = ladder.pair().await.unwrap().expect("both are there");
        assert_eq!(number, 1);
    }
}
