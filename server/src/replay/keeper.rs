//! Keeps the folder of replays complete: writes the replay of every match that ends, tries again
//! what could not be written, and writes what an earlier server left out.
//!
//! With a store nothing is held for a disk that is full: what is missing is read from the store when
//! there is room again. The folder has a mark, the match up to which everything is there, so that
//! only the matches that ended after it are looked at.

use std::{
    collections::VecDeque,
    mem,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bridgemaster_store::{MatchId, Store, StoreError};
use thiserror::Error;
use tokio::{select, sync::Notify, task::spawn_blocking, time::sleep};
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

    /// Takes the replay of a match that has ended, to be written when `gate` is open.
    pub(crate) fn take(&self, match_id: MatchId, bytes: Arc<[u8]>, gate: Option<Gate>) {
        let mut waiting = self.waiting();
        if waiting.bytes.saturating_add(bytes.len()) > MAX_UNWRITTEN_REPLAY_BYTES {
            let is_first = !mem::replace(&mut waiting.has_skipped, true);
            drop(waiting);
            if self.store.is_none() {
                self.metrics.replay_failed();
                if is_first {
                    error!(%match_id, "replays are lost: too many wait to be written");
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
        let mut pause = FIRST_PAUSE;
        // What an earlier server left out is in the store.
        let mut is_behind = self.store.is_some();
        let mut since_mark = 0;
        loop {
            let done = match self.write_waiting(&mut since_mark).await {
                Ok(has_skipped) => {
                    is_behind |= has_skipped || since_mark >= MARK_INTERVAL;
                    // At the end the mark is moved, so that the next server has nothing to do.
                    is_behind |= self.closing.is_cancelled() && since_mark > 0;
                    match &self.store {
                        Some(store) if is_behind => self.complete(&**store).await,
                        _ => Ok(()),
                    }
                }
                Err(failed) => {
                    is_behind = true;
                    Err(failed.into())
                }
            };
            match done {
                Ok(()) => {
                    if pause > FIRST_PAUSE {
                        info!("replays are written again");
                    }
                    if mem::take(&mut is_behind) {
                        since_mark = 0;
                    }
                    pause = FIRST_PAUSE;
                    if self.closing.is_cancelled() && self.waiting().replays.is_empty() {
                        return;
                    }
                    select! {
                        () = self.news.notified() => {}
                        () = self.closing.cancelled() => {}
                    }
                }
                Err(failed) => {
                    self.metrics.replay_failed();
                    error!(error = %failed, "replays cannot be written, and are tried again");
                    if self.closing.is_cancelled() {
                        let left_over = self.waiting().replays.len();
                        warn!(left_over, "the server ends, and replays are not written");
                        return;
                    }
                    select! {
                        () = sleep(pause) => {}
                        () = self.closing.cancelled() => {}
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    async fn remove_unfinished(&self) {
        let folder = self.folder.clone();
        match spawn_blocking(move || folder.remove_unfinished()).await {
            Ok(Ok(0)) | Err(_) => {}
            Ok(Ok(removed)) => warn!(
                removed,
                "replays that were not written to the end are removed"
            ),
            Ok(Err(error)) => warn!(%error, "the folder of replays cannot be looked through"),
        }
    }

    /// Writes what waits. Tells whether something was left to the store meanwhile.
    async fn write_waiting(&self, since_mark: &mut usize) -> Result<bool, NotWritten> {
        loop {
            let batch: Vec<_> = {
                let mut waiting = self.waiting();
                let count = waiting.replays.len().min(MAX_BATCH);
                waiting.replays.drain(..count).collect()
            };
            if batch.is_empty() {
                let mut waiting = self.waiting();
                return Ok(mem::take(&mut waiting.has_skipped));
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
            *since_mark += shown.len();
            let written = self.write(shown.clone()).await;
            let mut waiting = self.waiting();
            if let (Err(_), None) = (&written, &self.store) {
                for replay in shown.into_iter().rev() {
                    waiting.replays.push_front(Gated::new(replay, None));
                }
            } else {
                waiting.bytes -= shown.iter().map(|replay| replay.bytes.len()).sum::<usize>();
            }
            written?;
        }
    }

    async fn write(&self, replays: Vec<Unwritten>) -> Result<(), NotWritten> {
        let (folder, count) = (self.folder.clone(), replays.len());
        // A panic would be a defect, and the next attempt writes what is missing.
        if let Ok(written) = spawn_blocking(move || folder.write(&replays)).await {
            written?;
            self.metrics.replays_written(count);
        }
        Ok(())
    }

    /// Writes what the store has and the folder lacks of the matches that ended after the mark, and
    /// moves the mark.
    async fn complete(&self, store: &dyn Store) -> Result<(), Incomplete> {
        let folder = self.folder.clone();
        let mark = spawn_blocking(move || folder.mark()).await.unwrap_or(None);
        let mut newest = None;
        let mut after = None;
        loop {
            let page = store.finished(after, PAGE_MATCHES, None).await?;
            // What lists show of a match may be damaged, and its replay sound.
            let damaged = page.damaged.iter().filter_map(|of| of.value.match_id());
            let damaged: Vec<_> = damaged.cloned().collect();
            let ids = page.matches.into_iter().map(|of| of.match_id);
            let ids: Vec<_> = ids.chain(damaged).collect();
            newest = newest.or_else(|| ids.first().cloned());
            let marked = ids.iter().position(|id| Some(id) == mark.as_ref());
            let unmarked = &ids[..marked.unwrap_or(ids.len())];
            self.write_missing(store, unmarked.to_vec()).await?;
            after = page.next;
            if marked.is_some() || after.is_none() {
                break;
            }
        }
        if let Some(newest) = newest.filter(|newest| Some(newest) != mark.as_ref()) {
            let folder = self.folder.clone();
            if let Ok(set) = spawn_blocking(move || folder.set_mark(&newest)).await {
                set?;
            }
        }
        Ok(())
    }

    /// Writes the replays of those of these matches that the folder lacks.
    async fn write_missing(&self, store: &dyn Store, ids: Vec<MatchId>) -> Result<(), Incomplete> {
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
                self.write_found(mem::take(&mut replays)).await?;
                bytes = 0;
            }
        }
        self.write_found(replays).await
    }

    async fn write_found(&self, replays: Vec<Unwritten>) -> Result<(), Incomplete> {
        let count = replays.len();
        if count > 0 {
            self.write(replays).await?;
            info!(count, "replays that were missing are written");
        }
        Ok(())
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that holds the lock can leave it half changed.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
