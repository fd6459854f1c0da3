//! Keeps the folder of replays complete: writes the replay of every match that ends, tries again
//! what could not be written, and writes what an earlier server left out.
//!
//! With a store nothing is held for a disk that is full: what is missing is read from the store when
//! there is room again. What cannot be written holds nothing else up. The folder has a mark, the match up to which everything is there, so that
//! only the matches that ended after it are looked at.

use std::{collections::VecDeque, future::pending, mem, path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_store::{FinishedPage, MatchId, Store, StoreError};
use parking_lot::{Mutex, MutexGuard};
use thiserror::Error;
use tokio::{
    select,
    sync::Notify,
    task::spawn_blocking,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::folder::{NotWritten, ReplayFolder, Unwritten};
use crate::{
    journal::{Gate, Gated},
    limits::MAX_UNWRITTEN_REPLAY_BYTES,
    metrics::Metrics,
};

/// Most replays that are written together: they share one wait for the names in the folder.
const MAX_BATCH: usize = 32;
/// Bytes of replays from the store from which on they are written before more are read.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Finished matches that are read from the store at a time.
const PAGE_MATCHES: u32 = 100;
/// Replays that are written before the mark is moved: as many are looked at again after a kill.
const MARK_INTERVAL: usize = 256;
/// After so many replays in a row that cannot be written it is the folder, and no more are tried.
const MAX_FAILED: usize = 32;
/// Time between a failure and the next attempt; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Keeps a folder of replays complete.
pub(crate) struct ReplayKeeper {
    folder: ReplayFolder,
    metrics: Arc<Metrics>,
    /// Has the replays of all finished matches; `None` on a server that keeps nothing.
    store: Option<Arc<dyn Store>>,
    waiting: Mutex<Waiting>,
    /// Notified when a replay waits.
    news: Notify,
    closing: CancellationToken,
}

#[derive(Default)]
struct Waiting {
    replays: VecDeque<Gated<Unwritten>>,
    bytes: usize,
    /// Whether one was left to the store, or given up.
    has_skipped: bool,
}

/// What is to be done besides writing what waits.
#[derive(Default)]
struct Backlog {
    /// Whether the folder may lack what the store has.
    is_behind: bool,
    /// Without a store: what could not be written.
    failed: Vec<Unwritten>,
    /// Replays that were written since the mark was moved.
    since_mark: usize,
}

/// What came of a search for missing replays.
#[derive(Default)]
struct Found {
    /// Of the first that could not be written.
    failure: Option<NotWritten>,
    failed_since_success: usize,
}

/// The matches of a page of those that ended.
struct EndedPage {
    newest: Option<MatchId>,
    /// Those that ended after the mark.
    unmarked: Vec<MatchId>,
    has_mark: bool,
}

impl EndedPage {
    fn new(page: FinishedPage, mark: Option<&MatchId>) -> Self {
        let mut unmarked: Vec<_> = page.matches.into_iter().map(|of| of.match_id).collect();
        // What lists show of a match may be damaged, and its replay sound. It is not told where in
        // the order it is, so the match is looked for on both sides of the mark.
        let damaged = page.damaged.iter().filter_map(|of| of.value.match_id());
        let damaged: Vec<_> = damaged.cloned().collect();
        let newest = unmarked.first().or(damaged.first()).cloned();
        let is_mark = |id: &MatchId| Some(id) == mark;
        let marked = unmarked.iter().position(is_mark);
        unmarked.truncate(marked.unwrap_or(unmarked.len()));
        let has_mark = marked.is_some() || damaged.iter().any(is_mark);
        unmarked.extend(damaged);
        Self {
            newest,
            unmarked,
            has_mark,
        }
    }
}

/// Why a folder is not complete.
#[derive(Debug, Error)]
enum Incomplete {
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ReplayKeeper {
    pub(crate) fn new(
        folder: PathBuf,
        metrics: Arc<Metrics>,
        store: Option<Arc<dyn Store>>,
    ) -> Self {
        Self {
            folder: ReplayFolder::new(folder),
            metrics,
            store,
            waiting: Mutex::default(),
            news: Notify::new(),
            closing: CancellationToken::new(),
        }
    }

    /// Queues the replay of an ended match, to be written when `gate` is open.
    pub(crate) fn enqueue(&self, match_id: MatchId, bytes: Arc<[u8]>, gate: Option<Gate>) {
        let mut waiting = self.waiting();
        if waiting.bytes.saturating_add(bytes.len()) > MAX_UNWRITTEN_REPLAY_BYTES {
            let is_first = !mem::replace(&mut waiting.has_skipped, true);
            drop(waiting);
            if self.store.is_none() {
                self.metrics.replay_failed();
                if is_first {
                    error!(%match_id, "replays are lost: too many are queued");
                }
            }
        } else {
            waiting.bytes += bytes.len();
            let replay = Unwritten { match_id, bytes };
            waiting.replays.push_back(Gated::new(replay, gate));
        }
        self.news.notify_one();
    }

    /// Asks for an end: what waits is still written, if the disk takes it at once.
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    /// Writes replays until it is asked to end.
    pub(crate) async fn keep(&self) {
        self.remove_unfinished().await;
        let mut backlog = Backlog {
            // What an earlier server left out is in the store.
            is_behind: self.store.is_some(),
            ..Backlog::default()
        };
        let mut pause = FIRST_PAUSE;
        let mut retry_at: Option<Instant> = None;
        loop {
            let is_closing = self.closing.is_cancelled();
            let is_due = |at: Instant| is_closing || at <= Instant::now();
            let failed = match self.write_waiting(&mut backlog).await {
                Err(failed) => Some(failed.into()),
                Ok(()) if !self.is_to_catch_up(&backlog, is_closing) => None,
                Ok(()) if !retry_at.is_none_or(is_due) => None,
                Ok(()) => match self.catch_up(&mut backlog).await {
                    Ok(()) => {
                        if retry_at.take().is_some() {
                            info!("replays are written again");
                        }
                        pause = FIRST_PAUSE;
                        None
                    }
                    Err(failed) => {
                        retry_at = None;
                        Some(failed)
                    }
                },
            };
            if let Some(failed) = &failed {
                self.metrics.replay_failed();
                log_failure(failed);
                if retry_at.is_none() {
                    retry_at = Some(Instant::now() + pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
            if is_closing && (failed.is_some() || self.waiting().replays.is_empty()) {
                if failed.is_some() {
                    warn!("the server ends with replays that are not written");
                }
                return;
            }
            let retry = async {
                match retry_at {
                    Some(at) => sleep_until(at).await,
                    None => pending().await,
                }
            };
            select! {
                () = self.news.notified() => {}
                () = retry => {}
                () = self.closing.cancelled() => {}
            }
        }
    }

    /// Whether there is something to do besides writing what waits.
    fn is_to_catch_up(&self, backlog: &Backlog, is_closing: bool) -> bool {
        // At the end the mark is moved, so that the next server has nothing to do.
        let is_mark_old =
            backlog.since_mark >= MARK_INTERVAL || (is_closing && backlog.since_mark > 0);
        match self.store {
            Some(_) => backlog.is_behind || is_mark_old,
            None => !backlog.failed.is_empty(),
        }
    }

    /// Writes what could not be written before, or is missing for another reason.
    async fn catch_up(&self, backlog: &mut Backlog) -> Result<(), Incomplete> {
        match &self.store {
            Some(store) => {
                self.complete(&**store).await?;
                (backlog.is_behind, backlog.since_mark) = (false, 0);
                Ok(())
            }
            None => Ok(self
                .write_taken(mem::take(&mut backlog.failed), backlog)
                .await?),
        }
    }

    async fn remove_unfinished(&self) {
        let folder = self.folder.clone();
        match spawn_blocking(move || folder.remove_unfinished()).await {
            Ok(Ok(0)) | Err(_) => {}
            Ok(Ok(removed)) => warn!(removed, "incomplete replay files are removed"),
            Ok(Err(error)) => warn!(%error, "the folder of replays cannot be listed"),
        }
    }

    /// Writes what waits. What cannot be written holds nothing else up.
    ///
    /// # Errors
    /// The first failure.
    async fn write_waiting(&self, backlog: &mut Backlog) -> Result<(), NotWritten> {
        let mut written = Ok(());
        loop {
            let batch: Vec<_> = {
                let mut waiting = self.waiting();
                let count = waiting.replays.len().min(MAX_BATCH);
                waiting.replays.drain(..count).collect()
            };
            if batch.is_empty() {
                backlog.is_behind |= mem::take(&mut self.waiting().has_skipped);
                return written;
            }
            let mut shown = Vec::with_capacity(batch.len());
            for gated in batch {
                let bytes = gated.value().bytes.len();
                match gated.shown().await {
                    Ok(replay) => shown.push(replay),
                    // Nobody may see it: its end is not stored.
                    Err(_) => self.waiting().bytes -= bytes,
                }
            }
            backlog.since_mark += shown.len();
            written = written.and(self.write_taken(shown, backlog).await);
        }
    }

    /// Writes replays that were taken, and leaves what cannot be written to the store, or without
    /// one in the backlog.
    async fn write_taken(
        &self,
        replays: Vec<Unwritten>,
        backlog: &mut Backlog,
    ) -> Result<(), NotWritten> {
        let mut bytes: usize = replays.iter().map(|replay| replay.bytes.len()).sum();
        let (left, failures): (Vec<_>, Vec<_>) = self.write(replays).await.into_iter().unzip();
        if self.store.is_some() {
            backlog.is_behind |= !left.is_empty();
        } else {
            bytes -= left.iter().map(|replay| replay.bytes.len()).sum::<usize>();
            backlog.failed.extend(left);
        }
        self.waiting().bytes -= bytes;
        failures.into_iter().next().map_or(Ok(()), Err)
    }

    /// Writes replays together, or if one is in the way of the others, each by itself. Gives those
    /// that cannot be written, with the reasons.
    async fn write(&self, replays: Vec<Unwritten>) -> Vec<(Unwritten, NotWritten)> {
        let (folder, count) = (self.folder.clone(), replays.len());
        let written = spawn_blocking(move || {
            if folder.write(&replays).is_ok() {
                return Vec::new();
            }
            let by_itself = |replay: Unwritten| {
                let failed = folder.write(std::slice::from_ref(&replay)).err()?;
                Some((replay, failed))
            };
            replays.into_iter().filter_map(by_itself).collect()
        });
        // A panic would be a defect, and the next attempt writes what is missing.
        let left = written.await.unwrap_or_default();
        self.metrics.replays_written(count - left.len());
        left
    }

    /// Writes what the store has and the folder lacks of the matches that ended after the mark, and
    /// moves the mark if all of it is there.
    async fn complete(&self, store: &dyn Store) -> Result<(), Incomplete> {
        let folder = self.folder.clone();
        let mark = spawn_blocking(move || folder.mark()).await.unwrap_or(None);
        let mut newest = None;
        let mut after = None;
        let mut found = Found::default();
        loop {
            let page = store.finished(after, PAGE_MATCHES, None).await?;
            after = page.next;
            let ended = EndedPage::new(page, mark.as_ref());
            newest = newest.or(ended.newest);
            self.write_missing(store, ended.unmarked, &mut found)
                .await?;
            if ended.has_mark || after.is_none() {
                break;
            }
        }
        found.failure.map_or(Ok(()), Err)?;
        if let Some(newest) = newest.filter(|newest| Some(newest) != mark.as_ref()) {
            let folder = self.folder.clone();
            if let Ok(set) = spawn_blocking(move || folder.set_mark(&newest)).await {
                set?;
            }
        }
        Ok(())
    }

    /// Writes the replays of those of these matches that the folder lacks. Goes on after one that
    /// cannot be written, and ends with an error where nothing can.
    async fn write_missing(
        &self,
        store: &dyn Store,
        ids: Vec<MatchId>,
        found: &mut Found,
    ) -> Result<(), Incomplete> {
        let folder = self.folder.clone();
        let missing = spawn_blocking(move || {
            let lacks = |id: &MatchId| !folder.has(id);
            ids.into_iter().filter(lacks).collect::<Vec<_>>()
        });
        let (mut replays, mut bytes) = (Vec::new(), 0);
        for match_id in missing.await.unwrap_or_default() {
            let replay = match store.replay(&match_id).await {
                Ok(Some(replay)) => replay,
                // One that was dropped meanwhile is not missing any more.
                Ok(None) => continue,
                Err(damaged @ StoreError::Damaged { .. }) => {
                    self.metrics.replay_failed();
                    error!(%match_id, error = %damaged, "a replay is lost");
                    continue;
                }
                Err(failed) => return Err(failed.into()),
            };
            bytes += replay.len();
            replays.push(Unwritten {
                match_id,
                bytes: replay.into(),
            });
            if replays.len() >= MAX_BATCH || bytes >= MAX_BATCH_BYTES {
                self.write_found(mem::take(&mut replays), found).await?;
                bytes = 0;
            }
        }
        Ok(self.write_found(replays, found).await?)
    }

    async fn write_found(
        &self,
        replays: Vec<Unwritten>,
        found: &mut Found,
    ) -> Result<(), NotWritten> {
        let tried = replays.len();
        let left = self.write(replays).await;
        let count = tried - left.len();
        if count > 0 {
            info!(count, "missing replays are written");
            found.failed_since_success = 0;
        }
        found.failed_since_success += left.len();
        for (_, failure) in left {
            if found.failed_since_success >= MAX_FAILED {
                return Err(failure);
            }
            found.failure.get_or_insert(failure);
        }
        Ok(())
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock()
    }
}

/// Logs a failure with what the system says of it.
fn log_failure(failed: &Incomplete) {
    let error: &dyn std::error::Error = failed;
    error!(error, "replays cannot be written, and are tried again");
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::{Damage, DamagedValue, FinishedMatch};

    use super::*;

    fn id(text: &str) -> MatchId {
        MatchId::new(text).unwrap()
    }

    #[test]
    fn a_damaged_summary_beside_the_mark_hides_no_missing_replay() {
        let of = |mark: &str| {
            let finished = |text| FinishedMatch {
                match_id: id(text),
                opened_at_unix_ms: 0,
                ended_at_unix_ms: 0,
                summary: Vec::new(),
            };
            let page = FinishedPage {
                matches: ["d4", "b2", "a1"].map(finished).into(),
                damaged: vec![Damage {
                    value: DamagedValue::Summary(id("c3")),
                    detail: String::new(),
                }],
                next: None,
            };
            let page = EndedPage::new(page, Some(&id(mark)));
            assert_eq!(page.newest, Some(id("d4")));
            (page.unmarked, page.has_mark)
        };
        assert_eq!(of("b2"), (vec![id("d4"), id("c3")], true));
        let all = vec![id("d4"), id("b2"), id("a1"), id("c3")];
        assert_eq!(of("c3"), (all.clone(), true));
        assert_eq!(of("e5"), (all, false));
    }
}
