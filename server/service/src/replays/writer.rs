//! Writes to the replay folder on blocking threads, and counts results in metrics.

use std::sync::Arc;

use bridgemaster_store::MatchId;
use tokio::task::spawn_blocking;
use tracing::warn;

use super::folder::{FolderProgress, PendingReplay, ReplayFolder, ReplayWriteError};
use crate::metrics::Metrics;

/// The maximum number of replays in a batch. Each batch needs one sync of the folder.
pub(super) const MAX_BATCH: usize = 32;

/// Writes to the replay folder. Writes that a panic lost are detected and retried.
#[derive(Clone)]
pub(super) struct ReplayWriter {
    folder: ReplayFolder,
    metrics: Arc<Metrics>,
}

impl ReplayWriter {
    pub(super) fn new(folder: ReplayFolder, metrics: Arc<Metrics>) -> Self {
        Self { folder, metrics }
    }

    /// Writes replays. Returns the replays that failed, with the errors.
    pub(super) async fn write(
        &self,
        replays: Vec<PendingReplay>,
    ) -> Vec<(PendingReplay, ReplayWriteError)> {
        let (folder, count) = (self.folder.clone(), replays.len());
        let written = spawn_blocking(move || folder.write(replays));
        let failed = written.await.unwrap_or_default();
        self.metrics.count_written_replays(count - failed.len());
        failed
    }

    /// Returns a writer to the same folder, for files that only their owner can read.
    pub(super) fn with_private_files(&self) -> Self {
        Self::new(self.folder.with_private_files(), Arc::clone(&self.metrics))
    }

    /// Counts a replay that cannot be written.
    pub(super) fn count_failure(&self) {
        self.metrics.count_failed_replay();
    }

    /// Returns the matches, out of this list, whose replays are missing.
    pub(super) async fn missing(&self, ids: Vec<MatchId>) -> Vec<MatchId> {
        let folder = self.folder.clone();
        let missing = spawn_blocking(move || {
            let is_missing = |id: &MatchId| !folder.contains(id);
            ids.into_iter().filter(is_missing).collect()
        });
        missing.await.unwrap_or_default()
    }

    pub(super) async fn read_progress(&self) -> Option<FolderProgress> {
        let folder = self.folder.clone();
        let complete = spawn_blocking(move || folder.read_progress()).await;
        complete.unwrap_or(None)
    }

    pub(super) async fn write_progress(
        &self,
        complete: FolderProgress,
    ) -> Result<(), ReplayWriteError> {
        let folder = self.folder.clone();
        let set = spawn_blocking(move || folder.write_progress(&complete)).await;
        set.unwrap_or(Ok(()))
    }

    /// Removes files that an earlier server did not finish writing.
    pub(super) async fn remove_unfinished(&self) {
        let folder = self.folder.clone();
        match spawn_blocking(move || folder.remove_unfinished()).await {
            Ok(Ok(0)) | Err(_) => {}
            Ok(Ok(removed)) => warn!(removed, "removed incomplete replay files"),
            Ok(Err(error)) => warn!(%error, "cannot list the folder of replays"),
        }
    }
}
