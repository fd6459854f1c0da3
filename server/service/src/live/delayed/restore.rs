//! Restores the delayed views of matches that ended before this server started, or on another
//! server.

use std::{collections::HashSet, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_store::StoreError;
use tracing::info;

use super::{
    super::{HostedMatch as _, MatchView as _, Matches, StoredMatch},
    delay_records::{self, DELAY_RECORD_PREFIX, DelayRecord},
};
use crate::journal::{Journal, NotStored};

/// The ended matches that are still delayed when a server starts.
pub(in super::super) struct DelayedAtStart {
    /// Matches whose delayed view this server serves, in the order in which they ended.
    pub(in super::super) local: Vec<StoredMatch>,
    /// Matches whose delayed view other nodes serve.
    pub(in super::super) remote: HashSet<MatchId>,
}

impl Matches {
    /// Reads the ended matches that spectators still see with a delay. Spectators still see these
    /// matches in play. So these matches stay in memory, however many other matches have ended
    /// since. Unreadable matches are reported when they are requested.
    ///
    /// # Errors
    /// If the store fails.
    pub(in super::super) async fn read_delayed(
        &self,
        journal: &Journal,
    ) -> Result<DelayedAtStart, StoreError> {
        let records =
            delay_records::parse_records(journal.store().records(DELAY_RECORD_PREFIX).await?);
        let is_alone = self.cluster().is_none_or(|cluster| !cluster.is_shared());
        let is_local = |record: &DelayRecord| is_alone || record.node == self.context().node_name();
        let (local, remote): (Vec<_>, Vec<_>) = records.into_iter().partition(is_local);
        Ok(DelayedAtStart {
            local: self.filter_delayed(journal, local).await?,
            remote: remote.into_iter().map(|record| record.id).collect(),
        })
    }

    /// Takes over the delayed views of these dead nodes.
    ///
    /// # Errors
    /// If the store fails; the call can be retried.
    pub(crate) async fn take_over_delayed_views(
        self: &Arc<Self>,
        journal: &Journal,
        dead_nodes: &HashSet<String>,
    ) -> Result<(), StoreError> {
        let records =
            delay_records::parse_records(journal.store().records(DELAY_RECORD_PREFIX).await?);
        let records = records
            .into_iter()
            .filter(|record| dead_nodes.contains(&record.node));
        let delayed = self.filter_delayed(journal, records.collect()).await?;
        if delayed.is_empty() {
            return Ok(());
        }
        let node = self.context().node_name();
        let records = delayed
            .iter()
            .map(|stored| delay_records::put_record(stored.id(), node));
        let stored = journal.queue_records(records.collect()).wait().await;
        stored.map_err(|NotStored| StoreError::Closed)?;
        info!(
            matches = delayed.len(),
            "took over the delayed views of a dead node"
        );
        for stored in delayed {
            self.remember_finished(stored, true);
        }
        Ok(())
    }

    /// Returns the recorded matches that are still delayed, in the order in which they ended.
    /// Removes the records of all other matches.
    async fn filter_delayed(
        &self,
        journal: &Journal,
        records: Vec<DelayRecord>,
    ) -> Result<Vec<StoredMatch>, StoreError> {
        let (mut delayed, mut over) = (Vec::new(), Vec::new());
        for DelayRecord { id, .. } in records {
            let finished = match journal.store().finished_match(&id).await {
                Ok(finished) => finished,
                Err(StoreError::Damaged { .. }) => None,
                Err(failure) => return Err(failure),
            };
            let read = |one| StoredMatch::read(&one, &self.context().groups).ok();
            match finished.and_then(read) {
                Some(stored) if stored.spectator_delay().is_some() => delayed.push(stored),
                _ => over.push(delay_records::remove_record(&id)),
            }
        }
        if !over.is_empty() {
            journal.queue_records(over);
        }
        delayed.sort_by_key(StoredMatch::ended_unix_ms);
        Ok(delayed)
    }
}
