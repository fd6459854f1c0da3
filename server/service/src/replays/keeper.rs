//! Keeps the folder of replays complete: writes the replay of every match that ends, tries again
//! what could not be written, and writes what an earlier server left out.
//!
//! With a store nothing is held for a disk that is full: what is missing is read from the store when
//! there is room again. What cannot be written holds nothing else up. The folder has a mark up to
//! which everything is there, so that only the matches that ended after it are looked at.

use std::{collections::VecDeque, future::pending, mem, path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_store::{MatchId, Store};
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    select,
    sync::Notify,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::{
    folder::{NotWritten, ReplayFolder, Unwritten},
    missing::{Incomplete, Missing},
    writer::{MAX_BATCH, ReplayWriter},
};
use crate::{
    journal::{Gate, Gated},
    limits::MAX_UNWRITTEN_REPLAY_BYTES,
    metrics::Metrics,
};

/// Replays that are written before the mark is moved: as many are looked at again after a kill.
const MARK_INTERVAL: usize = 256;
/// Time between a failure and the next attempt; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Keeps a folder of replays complete.
pub(crate) struct ReplayKeeper {
    writer: ReplayWriter,
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
    /// Whether the folder has every replay that ever waited, and all that the store has.
    is_complete: bool,
}

/// What is to be done besides writing what waits.
#[derive(Default)]
struct Backlog {
    /// Whether the folder may lack what the store has.
    is_behind: bool,
    /// What is known of that.
    missing: Missing,
    /// Without a store: what could not be written.
    failed: Vec<Unwritten>,
    /// Replays that were written since the mark was moved.
    since_mark: usize,
}

impl ReplayKeeper {
    pub(crate) fn new(
        folder: PathBuf,
        metrics: Arc<Metrics>,
        store: Option<Arc<dyn Store>>,
    ) -> Self {
        Self {
            writer: ReplayWriter::new(ReplayFolder::new(folder), metrics),
            store,
            waiting: Mutex::default(),
            news: Notify::new(),
            closing: CancellationToken::new(),
        }
    }

    /// Queues the replay of an ended match, to be written when `gate` is open.
    pub(crate) fn enqueue(&self, match_id: MatchId, bytes: Arc<[u8]>, gate: Option<Gate>) {
        let mut waiting = self.waiting();
        waiting.is_complete = false;
        if waiting.bytes.saturating_add(bytes.len()) > MAX_UNWRITTEN_REPLAY_BYTES {
            let is_first = !mem::replace(&mut waiting.has_skipped, true);
            drop(waiting);
            if self.store.is_none() {
                self.writer.failed();
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

    /// Whether the folder has the replays of all matches whose end is stored, as far as they were
    /// not removed from it.
    pub(crate) fn is_complete(&self) -> bool {
        self.waiting().is_complete
    }

    /// Asks for an end: what waits is still written, if the disk takes it at once.
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    /// Writes replays until it is asked to end.
    pub(crate) async fn keep(&self) {
        self.writer.remove_unfinished().await;
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
                self.writer.failed();
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
            self.note_whether_complete(
                failed.is_none() && retry_at.is_none() && !backlog.is_behind,
            );
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

    /// Takes note of whether the folder is complete, if all is written that was tried.
    fn note_whether_complete(&self, all_is_written: bool) {
        let mut waiting = self.waiting();
        waiting.is_complete = all_is_written && waiting.replays.is_empty() && !waiting.has_skipped;
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
                backlog.missing.write(&**store, &self.writer).await?;
                (backlog.is_behind, backlog.since_mark) = (false, 0);
                Ok(())
            }
            None => Ok(self
                .write_dequeued(mem::take(&mut backlog.failed), backlog)
                .await?),
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
            written = written.and(self.write_dequeued(shown, backlog).await);
        }
    }

    /// Writes replays that have left the queue, and leaves what cannot be written to the store, or without
    /// one in the backlog.
    async fn write_dequeued(
        &self,
        replays: Vec<Unwritten>,
        backlog: &mut Backlog,
    ) -> Result<(), NotWritten> {
        let mut bytes: usize = replays.iter().map(|replay| replay.bytes.len()).sum();
        let (left, failures): (Vec<_>, Vec<_>) =
            self.writer.write(replays).await.into_iter().unzip();
        if self.store.is_some() {
            backlog.is_behind |= !left.is_empty();
        } else {
            bytes -= left.iter().map(|replay| replay.bytes.len()).sum::<usize>();
            backlog.failed.extend(left);
        }
        self.waiting().bytes -= bytes;
        failures.into_iter().next().map_or(Ok(()), Err)
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
