//! The replays of a contest on their way to its folder: held back at the server until their group is
//! over, then fetched, and kept, as many together as have come.

use std::{
    mem,
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use crate::{
    FolderError, GroupNumber, MatchRow, RunError,
    folder::ReplayFile,
    held_back::{HeldBack, Vault, VaultError},
};

/// Replays that are kept together at most where all are fetched: a few MB.
const KEPT_TOGETHER: usize = 256;

/// Replays that are kept at once however many others come.
const KEPT_AT_ONCE: usize = 64;
/// Time between two writings of fewer: to bring a file to the disk costs more than to write it, and
/// many cost little more than one.
const KEEPING_INTERVAL: Duration = Duration::from_millis(250);

/// The replays that the folder does not have yet.
pub(crate) struct Replays {
    pub(crate) vault: Vault,
    held: HeldBack,
    fetching: JoinSet<Vec<ReplayFile>>,
    /// They have come, and are not being written.
    fetched: Vec<ReplayFile>,
    /// One task at most. What comes meanwhile is written by the next, all of it: so the folder is
    /// brought to the disk once for many files.
    keeping: JoinSet<Result<(), FolderError>>,
    /// When the last of these tasks began.
    kept_at: Option<Instant>,
}

impl Replays {
    pub(crate) fn new(vault: Vault, held: HeldBack) -> Self {
        Self {
            vault,
            held,
            fetching: JoinSet::new(),
            fetched: Vec::new(),
            keeping: JoinSet::new(),
            kept_at: None,
        }
    }

    /// Adds the replay of a match, if it has one.
    pub(crate) fn add(&mut self, row: &MatchRow) {
        self.held.add(row);
    }

    /// Begins to fetch those of groups that are over, and to keep those that have come.
    pub(crate) fn go_on(&mut self, is_over: impl Fn(GroupNumber) -> bool) -> Result<(), RunError> {
        for held in self.held.extract_over(is_over) {
            self.fetching.spawn(self.vault.clone().open(held));
        }
        while let Some(files) = self.fetching.try_join_next() {
            self.fetched.extend(files?);
        }
        while let Some(kept) = self.keeping.try_join_next() {
            kept??;
        }
        let is_due = |at: Instant| at.elapsed() >= KEEPING_INTERVAL;
        let is_time = self.fetched.len() >= KEPT_AT_ONCE || self.kept_at.is_none_or(is_due);
        if self.keeping.is_empty() && !self.fetched.is_empty() && is_time {
            self.kept_at = Some(Instant::now());
            let (vault, files) = (self.vault.clone(), mem::take(&mut self.fetched));
            self.keeping.spawn(async move { vault.keep(files).await });
        }
        Ok(())
    }

    /// Waits until what is being fetched is kept, and where nothing more is played fetches the rest
    /// too.
    pub(crate) async fn finish(&mut self, is_over: bool) -> Result<(), VaultError> {
        if is_over {
            self.vault.close_cancelled().await?;
            for held in self.held.extract_over(|_| true) {
                let files = self.vault.clone().open(held).await;
                self.fetched.extend(files);
                if self.fetched.len() >= KEPT_TOGETHER {
                    self.vault.keep(mem::take(&mut self.fetched)).await?;
                }
            }
        }
        // A task ends otherwise only when it is aborted.
        while let Some(files) = self.fetching.join_next().await {
            self.fetched.extend(files.unwrap_or_default());
        }
        while let Some(kept) = self.keeping.join_next().await {
            kept.unwrap_or(Ok(()))?;
        }
        Ok(self.vault.keep(mem::take(&mut self.fetched)).await?)
    }
}
