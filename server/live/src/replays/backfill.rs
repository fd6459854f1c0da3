//! Backfill: writes the replays that are in the store but not in the folder.

use std::{collections::BTreeSet, mem};

use bridgemaster_store::{FinishedPage, MatchId, Store, StoreError};
use thiserror::Error;
use tracing::{error, info, warn};

use super::{
    folder::{
        CHECKPOINT_MATCHES, Checkpoint, FolderProgress, MAX_BATCH, PendingReplay, ReplayWriteError,
        ReplayWriter,
    },
    withheld::{TooManyWithheld, WithheldSet, WithholdReasonUnknown, WithholdingPolicy},
};

/// The total size of replays in memory, in bytes, at which they are written before more are read.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// The number of finished matches in one store read.
const PAGE_MATCHES: u32 = 100;
/// The number of consecutive failures after which the folder itself is considered unwritable.
const MAX_CONSECUTIVE_FAILURES: usize = 32;
/// The maximum number of replays that are retried individually. Beyond this number, all matches
/// after the checkpoint are checked again.
const MAX_RETRIED: usize = MAX_CONSECUTIVE_FAILURES - 1;

/// The reason why a folder is incomplete.
#[derive(Debug, Error)]
pub(super) enum BackfillError {
    #[error(transparent)]
    ReplayWriteError(#[from] ReplayWriteError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    WithholdReasonUnknown(#[from] WithholdReasonUnknown),
    #[error(transparent)]
    TooManyWithheld(#[from] TooManyWithheld),
}

/// The source and the destination of a backfill.
#[derive(Clone, Copy)]
pub(super) struct BackfillContext<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) writer: &'a ReplayWriter,
    /// Decides which replays are withheld.
    pub(super) withholding: &'a dyn WithholdingPolicy,
    pub(super) withheld: &'a WithheldSet,
}

/// The state of the backfill between its runs.
#[derive(Default)]
pub(super) struct Backfill {
    /// The checkpoint up to which this server has checked. It can be ahead of the checkpoint in the
    /// folder, which is not advanced while a write fails, so that the next server checks these
    /// matches again.
    checked_up_to: Option<Checkpoint>,
    /// Matches before the checkpoint whose replays are public but not written, because a write
    /// failed or because they were withheld.
    retried: BTreeSet<MatchId>,
}

/// The result of one backfill run.
#[derive(Default)]
struct BackfillResult {
    /// The first failure.
    failure: Option<ReplayWriteError>,
    failed: BTreeSet<MatchId>,
    failed_since_success: usize,
    /// The number of replays that retention removed from the store.
    forgotten: usize,
}

/// A page of finished matches, starting with the match that ended last.
struct EndedPage {
    /// The checkpoint at the newest settled matches of the page; `None` if there are none.
    newest: Option<Checkpoint>,
    /// The matches that ended after the checkpoint.
    after_checkpoint: Vec<MatchId>,
    has_checkpoint: bool,
}

impl EndedPage {
    fn new(page: FinishedPage, checkpoint: Option<&Checkpoint>) -> Self {
        let mut after_checkpoint: Vec<_> = page.matches.into_iter().map(|of| of.match_id).collect();
        // A match with a damaged summary can have an intact replay. Its position in the list is
        // unknown, so it is searched for on both sides of the checkpoint.
        let damaged = page.damaged.iter().filter_map(|of| of.value.match_id());
        let damaged: Vec<_> = damaged.cloned().collect();
        let newest = if after_checkpoint.is_empty() {
            &damaged[..]
        } else {
            // Matches that are still being committed can appear behind an unsettled match.
            after_checkpoint.get(page.unsettled..).unwrap_or_default()
        };
        let newest = newest.iter().take(CHECKPOINT_MATCHES).cloned();
        let newest = Checkpoint::new(newest.collect());
        let is_in_checkpoint =
            |id: &MatchId| checkpoint.is_some_and(|checkpoint| checkpoint.contains(id));
        let position = after_checkpoint.iter().position(is_in_checkpoint);
        after_checkpoint.truncate(position.unwrap_or(after_checkpoint.len()));
        let has_checkpoint = position.is_some() || damaged.iter().any(is_in_checkpoint);
        after_checkpoint.extend(damaged);
        Self { newest, after_checkpoint, has_checkpoint }
    }
}

impl Backfill {
    /// Adds matches whose replays are no longer withheld.
    pub(super) fn add_released(&mut self, ids: Vec<MatchId>) {
        self.retried.extend(ids);
    }

    /// Writes the missing replays of matches that ended after the checkpoint, or after the last
    /// check, and retries earlier failures. Advances the checkpoint if the folder is complete apart
    /// from withheld replays.
    pub(super) async fn run(&mut self, context: BackfillContext<'_>) -> Result<(), BackfillError> {
        let BackfillContext { store, writer, withheld, .. } = context;
        let complete = writer.read_progress().await;
        let checkpoint = complete.as_ref().map(|complete| &complete.checkpoint);
        let checked = self.checked_up_to.as_ref().or(checkpoint);
        let mut new = BackfillResult::default();
        let mut newest = None;
        let mut after = None;
        loop {
            let page = store.finished(after, PAGE_MATCHES).await?;
            after = page.next;
            let ended = EndedPage::new(page, checked);
            newest = newest.or(ended.newest);
            new.write_public(context, ended.after_checkpoint).await?;
            if ended.has_checkpoint || after.is_none() {
                break;
            }
        }
        let newest = newest.or_else(|| checked.cloned());
        let mut retried = BackfillResult::default();
        if let (None, Some(complete)) = (&self.checked_up_to, &complete) {
            let exceptions = complete.exceptions.iter().cloned().collect();
            retried.write_public(context, exceptions).await?;
        }
        let retry = self.retried.iter().cloned().collect();
        let retry = writer.missing(retry).await;
        retried.write_from_store(context, retry).await?;
        if retried.forgotten > 0 {
            let count = retried.forgotten;
            warn!(
                count,
                "retention removed replays from the store before they were written to the folder"
            );
        }
        self.checked_up_to = newest.clone();
        self.retried = new.failed;
        self.retried.extend(retried.failed);
        if self.retried.len() > MAX_RETRIED {
            *self = Self::default();
        }
        if let Some(failure) = new.failure.or(retried.failure) {
            return Err(failure.into());
        }
        let exceptions = withheld.ids();
        let now = newest.map(|checkpoint| FolderProgress { checkpoint, exceptions });
        match now.filter(|now| Some(now) != complete.as_ref()) {
            Some(now) => Ok(writer.write_progress(now).await?),
            None => Ok(()),
        }
    }
}

impl BackfillResult {
    /// Writes the missing replays of these matches, except withheld replays.
    async fn write_public(
        &mut self,
        context: BackfillContext<'_>,
        ids: Vec<MatchId>,
    ) -> Result<(), BackfillError> {
        let mut public = Vec::new();
        let decided = withhold(context, ids, &mut public).await;
        // Replays that are known to be public are written, even if the check of other replays
        // failed.
        self.write_from_store(context, public).await?;
        decided
    }

    /// Writes the replays of these matches, and records individual failures. Returns an error only
    /// if no replay can be written.
    async fn write_from_store(
        &mut self,
        BackfillContext { store, writer, .. }: BackfillContext<'_>,
        ids: Vec<MatchId>,
    ) -> Result<(), BackfillError> {
        let (mut replays, mut bytes) = (Vec::new(), 0);
        for match_id in ids {
            let replay = match store.replay(&match_id).await {
                // A cancelled match has an empty replay.
                Ok(Some(replay)) if replay.is_empty() => continue,
                Ok(Some(replay)) => replay,
                // The match was dropped in the meantime.
                Ok(None) => continue,
                Err(StoreError::ReplayForgotten { .. }) => {
                    self.forgotten += 1;
                    continue;
                }
                Err(damaged @ StoreError::Damaged { .. }) => {
                    writer.count_failure();
                    error!(%match_id, error = %damaged, "replay lost");
                    continue;
                }
                Err(failed) => return Err(failed.into()),
            };
            bytes += replay.len();
            replays.push(PendingReplay { match_id, bytes: replay.into() });
            if replays.len() >= MAX_BATCH || bytes >= MAX_BATCH_BYTES {
                self.write(writer, mem::take(&mut replays)).await?;
                bytes = 0;
            }
        }
        Ok(self.write(writer, replays).await?)
    }

    async fn write(
        &mut self,
        writer: &ReplayWriter,
        replays: Vec<PendingReplay>,
    ) -> Result<(), ReplayWriteError> {
        let count = replays.len();
        let failed = writer.write(replays).await;
        let written = count - failed.len();
        if written > 0 {
            info!(count = written, "wrote missing replays");
            self.failed_since_success = 0;
        }
        self.failed_since_success += failed.len();
        for (replay, failure) in failed {
            if self.failed_since_success >= MAX_CONSECUTIVE_FAILURES {
                return Err(failure);
            }
            self.failed.insert(replay.match_id);
            self.failure.get_or_insert(failure);
        }
        Ok(())
    }
}

/// Withholds the missing replays of these matches if they are not public. Adds the public ones to
/// `public`, even on an error.
async fn withhold(
    context: BackfillContext<'_>,
    mut ids: Vec<MatchId>,
    public: &mut Vec<MatchId>,
) -> Result<(), BackfillError> {
    let BackfillContext { writer, withholding, withheld, .. } = context;
    ids.retain(|id| !withheld.contains(id));
    let missing = writer.missing(ids).await;
    if !missing.is_empty() {
        withholding.reload_groups().await?;
    }
    for match_id in missing {
        match withholding.withhold_reason(&match_id).await? {
            Some(withhold_reason) => withheld.add(match_id, withhold_reason, None)?,
            None => public.push(match_id),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
