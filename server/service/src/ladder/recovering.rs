//! A ladder as an earlier server left it.

use std::sync::Arc;

use bridgemaster_ladder::Ladder;
use bridgemaster_store::{
    LadderChange, LadderId, Store, StoreError, StoredLadder, Write, limits::MAX_PAGE_LADDER_MATCHES,
};
use tracing::{error, info};

use super::{
    LiveLadder,
    known::{Known, OpenMatch},
    rows::{Description, MatchRow, Version},
};
use crate::metrics::{DamagedValue, Metrics};

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
        let ladder = Ladder::new(description.rules(), description.state());
        let mut known = Known::new(description, ladder);
        known.read_versions(&id, &*store, metrics).await?;
        known.read_matches(&id, &*store, metrics).await?;
        let counts = known.ladder.counts();
        info!(
            ladder = %id,
            matches = counts.counted,
            open = counts.open,
            bots = known.versions.len(),
            "a ladder goes on"
        );
        Ok(Some(Self::lead(id, term, store, known)))
    }
}

impl Known {
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
            for damage in rows.damaged {
                unreadable(id, "a match", &damage.to_string(), metrics);
            }
            for stored in rows.kept {
                match MatchRow::read(&stored) {
                    Ok(row) => self.has_had(stored.number, row),
                    Err(problem) => unreadable(id, "a match", &problem, metrics),
                }
            }
        }
        Ok(())
    }

    /// Takes in a match that an earlier server paired, and perhaps ended.
    fn has_had(&mut self, number: u64, row: MatchRow) {
        self.ladder.skip_to(number);
        self.ladder.paired(&row.pairing);
        if let Some(replaced) = row.pairing.replaces {
            self.replaced.insert(replaced, number);
        }
        match &row.over {
            Some(over) => self.ladder.ended(number, &over.end),
            None => {
                let match_id = None;
                self.open.insert(number, OpenMatch { row, match_id });
            }
        }
    }
}

fn unreadable(id: &LadderId, what: &str, problem: &str, metrics: &Metrics) {
    error!(ladder = %id, what, problem, "a ladder cannot be read in full");
    metrics.damaged(DamagedValue::Ladder);
}
