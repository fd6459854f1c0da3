//! Does the work on the folder of replays where it holds no other task up, and counts it.

use std::sync::Arc;

use bridgemaster_store::MatchId;
use tokio::task::spawn_blocking;
use tracing::warn;

use super::folder::{Mark, NotWritten, ReplayFolder, Unwritten};
use crate::metrics::Metrics;

/// Most replays that are written together: they share one wait for the names in the folder.
pub(super) const MAX_BATCH: usize = 32;

/// Writes to the folder of replays. What is asked of it in a task that panics is not done: that
/// would be a defect, and what is missing is looked for again.
#[derive(Clone)]
pub(super) struct ReplayWriter {
    folder: ReplayFolder,
    metrics: Arc<Metrics>,
}

impl ReplayWriter {
    pub(super) fn new(folder: ReplayFolder, metrics: Arc<Metrics>) -> Self {
        Self { folder, metrics }
    }

    /// Writes replays. Gives those that cannot be written, with the reasons.
    pub(super) async fn write(&self, replays: Vec<Unwritten>) -> Vec<(Unwritten, NotWritten)> {
        let (folder, count) = (self.folder.clone(), replays.len());
        let written = spawn_blocking(move || folder.write(replays));
        let left = written.await.unwrap_or_default();
        self.metrics.replays_written(count - left.len());
        left
    }

    /// Counts a replay that cannot be written.
    pub(super) fn failed(&self) {
        self.metrics.replay_failed();
    }

    /// Those of these matches whose replays are not there.
    pub(super) async fn lacking(&self, ids: Vec<MatchId>) -> Vec<MatchId> {
        let folder = self.folder.clone();
        let lacking = spawn_blocking(move || {
            let lacks = |id: &MatchId| !folder.has(id);
            ids.into_iter().filter(lacks).collect()
        });
        lacking.await.unwrap_or_default()
    }

    pub(super) async fn mark(&self) -> Option<Mark> {
        let folder = self.folder.clone();
        spawn_blocking(move || folder.mark()).await.unwrap_or(None)
    }

    pub(super) async fn set_mark(&self, mark: Mark) -> Result<(), NotWritten> {
        let folder = self.folder.clone();
        let set = spawn_blocking(move || folder.set_mark(&mark)).await;
        set.unwrap_or(Ok(()))
    }

    /// Removes the files that an earlier server began and did not finish.
    pub(super) async fn remove_unfinished(&self) {
        let folder = self.folder.clone();
        match spawn_blocking(move || folder.remove_unfinished()).await {
            Ok(Ok(0)) | Err(_) => {}
            Ok(Ok(removed)) => warn!(removed, "incomplete replay files are removed"),
            Ok(Err(error)) => warn!(%error, "the folder of replays cannot be listed"),
        }
    }
}
