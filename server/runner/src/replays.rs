//! Downloads a contest's replays to its folder. The server withholds a group's replays until the
//! group has ended. Fetched files are written in batches.

use std::{
    mem,
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use crate::{
    FolderError, GroupNumber, MatchRow, RunError,
    folder::ReplayFile,
    withheld_replays::{FetchError, ReplayFetcher, WithheldReplays},
};

/// The maximum number of replays in a batch when all replays are fetched. Such a batch takes a few
/// MB.
const MAX_STORE_BATCH: usize = 256;

/// The number of fetched replays that triggers a write before [`STORE_INTERVAL`] has passed.
const STORE_BATCH: usize = 64;
/// The interval between writes of smaller batches. Syncing many files takes little longer than
/// syncing one file.
const STORE_INTERVAL: Duration = Duration::from_millis(250);

/// The replays that are not in the folder yet.
pub(crate) struct Replays {
    pub(crate) fetcher: ReplayFetcher,
    withheld: WithheldReplays,
    fetching: JoinSet<Vec<ReplayFile>>,
    /// Replays that have been fetched and are not being written yet.
    fetched: Vec<ReplayFile>,
    /// The task that writes files, of which at most one runs. The next task writes all files that
    /// arrive during this task, so the folder is synced once for many files.
    storing: JoinSet<Result<(), FolderError>>,
    /// The time at which the last writing task was started.
    stored_at: Option<Instant>,
}

impl Replays {
    pub(crate) fn new(fetcher: ReplayFetcher, withheld: WithheldReplays) -> Self {
        Self {
            fetcher,
            withheld,
            fetching: JoinSet::new(),
            fetched: Vec::new(),
            storing: JoinSet::new(),
            stored_at: None,
        }
    }

    /// Adds a match's replay, if it has one.
    pub(crate) fn add(&mut self, row: &MatchRow) {
        self.withheld.add(row);
    }

    /// Starts fetching the replays of finished groups, and storing the replays that were fetched.
    pub(crate) fn poll(&mut self, is_over: impl Fn(GroupNumber) -> bool) -> Result<(), RunError> {
        for withheld in self.withheld.extract_over(is_over) {
            self.fetching
                .spawn(self.fetcher.clone().fetch_group(withheld));
        }
        while let Some(files) = self.fetching.try_join_next() {
            self.fetched.extend(files?);
        }
        while let Some(stored) = self.storing.try_join_next() {
            stored??;
        }
        let is_due = |at: Instant| at.elapsed() >= STORE_INTERVAL;
        let is_time = self.fetched.len() >= STORE_BATCH || self.stored_at.is_none_or(is_due);
        if self.storing.is_empty() && !self.fetched.is_empty() && is_time {
            self.stored_at = Some(Instant::now());
            let (fetcher, files) = (self.fetcher.clone(), mem::take(&mut self.fetched));
            self.storing
                .spawn(async move { fetcher.store(files).await });
        }
        Ok(())
    }

    /// Waits until all fetched replays are stored. If `is_over` is true, fetches the remaining
    /// replays first.
    pub(crate) async fn finish(&mut self, is_over: bool) -> Result<(), FetchError> {
        if is_over {
            self.fetcher.close_cancelled_groups().await?;
            for withheld in self.withheld.extract_over(|_| true) {
                let files = self.fetcher.clone().fetch_group(withheld).await;
                self.fetched.extend(files);
                if self.fetched.len() >= MAX_STORE_BATCH {
                    self.fetcher.store(mem::take(&mut self.fetched)).await?;
                }
            }
        }
        // A task fails only if it is aborted.
        while let Some(files) = self.fetching.join_next().await {
            self.fetched.extend(files.unwrap_or_default());
        }
        while let Some(stored) = self.storing.join_next().await {
            stored.unwrap_or(Ok(()))?;
        }
        Ok(self.fetcher.store(mem::take(&mut self.fetched)).await?)
    }
}
