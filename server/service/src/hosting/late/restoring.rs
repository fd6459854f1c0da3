//! The matches that ended before this server had them, and that spectators still see late.

use std::{collections::HashSet, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_store::StoreError;
use tracing::info;

use super::{
    super::{HostedMatch as _, Matches, ShownMatch as _, StoredMatch},
    noted::{self, LATE_NOTES, Noted},
};
use crate::journal::{Journal, NotStored};

/// The matches that have ended and are still seen late, when a server starts.
pub(in super::super) struct StillLate {
    /// Those that it shows, the last one to end last.
    pub(in super::super) here: Vec<StoredMatch>,
    /// Those that other servers show.
    pub(in super::super) elsewhere: HashSet<MatchId>,
}

impl Matches {
    /// The finished matches that spectators still see late: to them they have not ended, so they are
    /// kept however many ended after them. What cannot be read is told to whoever asks for it.
    ///
    /// # Errors
    /// When the store fails.
    pub(in super::super) async fn read_late(
        &self,
        journal: &Journal,
    ) -> Result<StillLate, StoreError> {
        let noted = noted::read(journal.store().notes(LATE_NOTES).await?);
        let is_alone = self.cluster().is_none_or(|cluster| !cluster.is_shared());
        let is_here = |noted: &Noted| is_alone || noted.node == self.context().node();
        let (here, elsewhere): (Vec<_>, Vec<_>) = noted.into_iter().partition(is_here);
        Ok(StillLate {
            here: self.still_late(journal, here).await?,
            elsewhere: elsewhere.into_iter().map(|noted| noted.id).collect(),
        })
    }

    /// Shows from now on what servers showed late that are gone, whose names are `of`.
    ///
    /// # Errors
    /// When the store fails: then it can be tried again.
    pub(crate) async fn take_in_late(
        self: &Arc<Self>,
        journal: &Journal,
        of: &HashSet<String>,
    ) -> Result<(), StoreError> {
        let noted = noted::read(journal.store().notes(LATE_NOTES).await?);
        let noted = noted.into_iter().filter(|noted| of.contains(&noted.node));
        let late = self.still_late(journal, noted.collect()).await?;
        if late.is_empty() {
            return Ok(());
        }
        let node = self.context().node();
        let notes = late.iter().map(|stored| noted::note(stored.id(), node));
        let stored = journal.note(notes.collect()).wait().await;
        stored.map_err(|NotStored| StoreError::Closed)?;
        info!(
            matches = late.len(),
            "what a server showed late that is gone is shown here"
        );
        for stored in late {
            self.remember(stored, true);
        }
        Ok(())
    }

    /// Those of the noted matches that are still seen late, the last one to end last. The notes of
    /// the others go.
    async fn still_late(
        &self,
        journal: &Journal,
        noted: Vec<Noted>,
    ) -> Result<Vec<StoredMatch>, StoreError> {
        let (mut late, mut over) = (Vec::new(), Vec::new());
        for Noted { id, .. } in noted {
            let finished = match journal.store().finished_match(&id).await {
                Ok(finished) => finished,
                Err(StoreError::Damaged { .. }) => None,
                Err(failure) => return Err(failure),
            };
            let read = |one| StoredMatch::read(&one, &self.context().groups).ok();
            match finished.and_then(read) {
                Some(stored) if stored.lateness().is_some() => late.push(stored),
                _ => over.push(noted::dropped(&id)),
            }
        }
        if !over.is_empty() {
            journal.note(over);
        }
        late.sort_by_key(StoredMatch::ended_unix_ms);
        Ok(late)
    }
}
