//! The exporter, which keeps the replay folder complete: it writes the replay of every match that
//! ends, retries failed writes, and writes replays that an earlier server did not write.
//!
//! With a store, no replay is kept in memory while the disk is full. The exporter reads it from the
//! store again once there is space. A failed write does not delay other replays. A checkpoint in
//! the folder names matches up to which the folder is complete, so only matches that ended later
//! are checked. A replay that is not public yet is withheld, and the checkpoint also lists its
//! match.

use std::{collections::VecDeque, future::pending, mem, sync::Arc, time::Duration};

use bridgemaster_edge::{limits::MAX_UNWRITTEN_REPLAY_BYTES, metrics::Metrics};
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
    backfill::{Backfill, BackfillContext, BackfillError},
    folder::{MAX_BATCH, PendingReplay, ReplayFolder, ReplayWriteError, ReplayWriter},
    withheld::{WithheldSet, WithholdReason, WithholdingPolicy},
};
use crate::journal::{CommitGate, Gated};

/// The number of written replays after which the checkpoint is advanced. After a crash, at most
/// this number of replays is checked again.
const CHECKPOINT_INTERVAL: usize = 256;
/// The delay before the first retry after a failure. The delay doubles up to the maximum.
const MIN_RETRY_DELAY: Duration = Duration::from_secs(1);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);
/// The interval between checks of withheld replays. Each check looks up every withheld replay.
const WITHHELD_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Keeps a replay folder complete.
pub struct ReplayExporter {
    writer: ReplayWriter,
    /// The store that missing replays are read from; `None` on a server without a store.
    store: Option<Arc<dyn Store>>,
    queue: Mutex<ExportQueue>,
    withheld: WithheldSet,
    /// Notified when a replay is queued.
    queued: Notify,
    closing: CancellationToken,
}

/// A queued replay, and the reason to withhold it, if any.
type QueuedReplay = (PendingReplay, Option<WithholdReason>);

#[derive(Default)]
struct ExportQueue {
    replays: VecDeque<Gated<QueuedReplay>>,
    bytes: usize,
    /// Whether a replay was lost, or was skipped and has to be read from the store later.
    has_skipped: bool,
    /// Whether the folder contains all replays that were ever queued and all replays in the store.
    is_complete: bool,
}

/// Pending work besides the queued replays.
#[derive(Default)]
struct Backlog {
    /// Whether the folder might lack replays that are in the store.
    needs_backfill: bool,
    backfill: Backfill,
    /// Replays that could not be written, on a server without a store.
    failed: Vec<PendingReplay>,
    /// The number of replays that were written or withheld since the checkpoint was advanced.
    since_checkpoint: usize,
    /// The time at which withheld replays are checked next; `None` if the check is due now.
    check_at: Option<Instant>,
}

impl ReplayExporter {
    /// Creates an exporter to `folder`. Replays that the folder lacks are read from `store`.
    pub fn new(folder: ReplayFolder, metrics: Arc<Metrics>, store: Option<Arc<dyn Store>>) -> Self {
        Self {
            writer: ReplayWriter::new(folder, metrics),
            store,
            queue: Mutex::default(),
            withheld: WithheldSet::default(),
            queued: Notify::new(),
            closing: CancellationToken::new(),
        }
    }

    /// Queues the replay of a finished match, to be written once `gate` is open and the replay is
    /// public.
    pub(crate) fn enqueue(
        &self,
        match_id: MatchId,
        bytes: Arc<[u8]>,
        gate: Option<CommitGate>,
        withhold_reason: Option<WithholdReason>,
    ) {
        let mut queue = self.queue();
        queue.is_complete = false;
        if queue.bytes.saturating_add(bytes.len()) > MAX_UNWRITTEN_REPLAY_BYTES {
            let is_first = !mem::replace(&mut queue.has_skipped, true);
            drop(queue);
            if self.store.is_none() {
                self.writer.count_failure();
                if is_first {
                    error!(
                        %match_id,
                        "replay not written: the queue of unwritten replays is full; further \
                         losses are counted only in the metrics"
                    );
                }
            }
        } else {
            queue.bytes += bytes.len();
            let replay = PendingReplay { match_id, bytes };
            queue.replays.push_back(Gated::new((replay, withhold_reason), gate));
        }
        self.queued.notify_one();
    }

    /// Returns whether the folder has the replays of all matches whose ends are stored, except
    /// replays that are withheld and files that were removed.
    pub(crate) fn is_complete(&self) -> bool {
        self.queue().is_complete
    }

    /// Returns whether the replay of a match is withheld. Must be called before
    /// [`is_complete`](Self::is_complete): a replay that is released in between then makes the
    /// folder incomplete, instead of being missed by both calls.
    pub(crate) fn is_withheld(&self, id: &MatchId) -> bool {
        self.withheld.contains(id)
    }

    /// Requests that the exporter stop. Queued replays are still written, unless a write fails.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Writes replays until the exporter is closed. `withholding` decides which replays are
    /// withheld.
    pub async fn run(&self, withholding: &dyn WithholdingPolicy) {
        self.writer.remove_unfinished().await;
        let mut backlog = Backlog {
            // Replays that an earlier server has not written are in the store.
            needs_backfill: self.store.is_some(),
            ..Backlog::default()
        };
        let mut delay = MIN_RETRY_DELAY;
        let mut retry_at: Option<Instant> = None;
        loop {
            let is_closing = self.closing.is_cancelled();
            let is_due = |at: Instant| is_closing || at <= Instant::now();
            if backlog.check_at.is_none_or(is_due) {
                self.release(withholding, &mut backlog).await;
            }
            let failed = match self.write_queued(&mut backlog).await {
                Err(failed) => Some(failed.into()),
                Ok(()) if !self.needs_catch_up(&backlog, is_closing) => None,
                Ok(()) if !retry_at.is_none_or(is_due) => None,
                Ok(()) => match self.catch_up(withholding, &mut backlog).await {
                    Ok(()) => {
                        if retry_at.take().is_some() {
                            info!("replays can be written again");
                        }
                        delay = MIN_RETRY_DELAY;
                        None
                    }
                    Err(failed) => {
                        retry_at = None;
                        Some(failed)
                    }
                },
            };
            if let Some(failed) = &failed {
                self.writer.count_failure();
                log_failure(failed);
                if retry_at.is_none() {
                    retry_at = Some(Instant::now() + delay);
                    delay = (delay * 2).min(MAX_RETRY_DELAY);
                }
            }
            if is_closing && (failed.is_some() || self.queue().replays.is_empty()) {
                return self.finish(failed.is_some()).await;
            }
            self.update_completeness(
                failed.is_none() && retry_at.is_none() && !backlog.needs_backfill,
            );
            let check_at = backlog.check_at.filter(|_| !self.withheld.is_empty());
            select! {
                () = self.queued.notified() => {}
                () = wait_until(retry_at) => {}
                () = wait_until(check_at) => {}
                () = self.closing.cancelled() => {}
            }
        }
    }

    /// Writes withheld replays that exist only in memory, with access for the server's
    /// operating-system user only, since no later server could write them. Logs replays that remain
    /// unwritten.
    async fn finish(&self, has_failed: bool) {
        if has_failed {
            warn!("stopping before all replays are written");
        }
        let withheld = self.withheld.take_unstored();
        let count = withheld.len();
        if count == 0 {
            return;
        }
        let failed = self.writer.with_private_files().write(withheld).await;
        if let Some((_, error)) = failed.first() {
            failed.iter().for_each(|_| self.writer.count_failure());
            let (lost, error): (_, &dyn std::error::Error) = (failed.len(), error);
            error!(lost, error, "replays lost: cannot write them, and there is no store");
        }
        let written = count - failed.len();
        info!(written, "wrote withheld replays with mode 0600");
    }

    /// Releases withheld replays that have become public.
    async fn release(&self, withholding: &dyn WithholdingPolicy, backlog: &mut Backlog) {
        backlog.check_at = Some(Instant::now() + WITHHELD_CHECK_INTERVAL);
        // If the groups cannot be read, the next check retries.
        if self.withheld.is_empty() || withholding.reload_groups().await.is_err() {
            return;
        }
        // The folder is marked as incomplete before replays are released, as callers of
        // `is_withheld` rely on.
        self.queue().is_complete = false;
        let (stored, in_memory) = self.withheld.take_released();
        backlog.needs_backfill |= !stored.is_empty();
        backlog.backfill.add_released(stored);
        let mut queue = self.queue();
        for replay in in_memory {
            queue.bytes += replay.bytes.len();
            queue.replays.push_back(Gated::new((replay, None), None));
        }
    }

    /// Updates whether the folder is complete. `all_is_written` is true if no write failed.
    fn update_completeness(&self, all_is_written: bool) {
        let mut queue = self.queue();
        queue.is_complete = all_is_written && queue.replays.is_empty() && !queue.has_skipped;
    }

    /// Returns whether there is work other than the replays in the queue.
    fn needs_catch_up(&self, backlog: &Backlog, is_closing: bool) -> bool {
        // When the exporter closes, the checkpoint is advanced, so that the next server has nothing
        // to check.
        let is_mark_old = backlog.since_checkpoint >= CHECKPOINT_INTERVAL
            || (is_closing && backlog.since_checkpoint > 0);
        match self.store {
            Some(_) => backlog.needs_backfill || is_mark_old,
            None => !backlog.failed.is_empty(),
        }
    }

    /// Retries failed writes, and writes replays that the folder lacks for other reasons.
    async fn catch_up(
        &self,
        withholding: &dyn WithholdingPolicy,
        backlog: &mut Backlog,
    ) -> Result<(), BackfillError> {
        match &self.store {
            Some(store) => {
                let context = BackfillContext {
                    store: &**store,
                    writer: &self.writer,
                    withholding,
                    withheld: &self.withheld,
                };
                backlog.backfill.run(context).await?;
                (backlog.needs_backfill, backlog.since_checkpoint) = (false, 0);
                Ok(())
            }
            None => Ok(self.write_dequeued(mem::take(&mut backlog.failed), backlog).await?),
        }
    }

    /// Writes the queued replays. A failed write does not delay other replays.
    ///
    /// # Errors
    /// Returns the first failure.
    async fn write_queued(&self, backlog: &mut Backlog) -> Result<(), ReplayWriteError> {
        let mut written = Ok(());
        loop {
            let batch: Vec<_> = {
                let mut queue = self.queue();
                let count = queue.replays.len().min(MAX_BATCH);
                queue.replays.drain(..count).collect()
            };
            if batch.is_empty() {
                backlog.needs_backfill |= mem::take(&mut self.queue().has_skipped);
                return written;
            }
            let mut public = Vec::with_capacity(batch.len());
            for gated in batch {
                let bytes = gated.value().0.bytes.len();
                let Ok((replay, withhold_reason)) = gated.committed().await else {
                    // The commit failed, so the match has not ended and its replay is not written.
                    self.queue().bytes -= bytes;
                    continue;
                };
                backlog.since_checkpoint += 1;
                match withhold_reason.filter(|is_over| !is_over()) {
                    Some(withhold_reason) => self.withhold(replay, withhold_reason, backlog),
                    None => public.push(replay),
                }
            }
            written = written.and(self.write_dequeued(public, backlog).await);
        }
    }

    /// Withholds a replay that was removed from the queue. If too many are withheld, the replay is
    /// read from the store later; without a store, it is lost.
    fn withhold(
        &self,
        replay: PendingReplay,
        withhold_reason: WithholdReason,
        backlog: &mut Backlog,
    ) {
        let PendingReplay { match_id, bytes } = replay;
        self.queue().bytes -= bytes.len();
        let is_stored = self.store.is_some();
        let bytes = Some(bytes).filter(|_| !is_stored);
        if let Err(problem) = self.withheld.add(match_id, withhold_reason, bytes) {
            backlog.needs_backfill |= is_stored;
            if !is_stored {
                self.writer.count_failure();
                error!(%problem, "replay lost");
            }
        }
    }

    /// Writes replays that were removed from the queue. Failed replays are read from the store
    /// later; without a store, they are added to the backlog.
    async fn write_dequeued(
        &self,
        replays: Vec<PendingReplay>,
        backlog: &mut Backlog,
    ) -> Result<(), ReplayWriteError> {
        let mut bytes: usize = replays.iter().map(|replay| replay.bytes.len()).sum();
        let (unwritten, failures): (Vec<_>, Vec<_>) =
            self.writer.write(replays).await.into_iter().unzip();
        if self.store.is_some() {
            backlog.needs_backfill |= !unwritten.is_empty();
        } else {
            bytes -= unwritten.iter().map(|replay| replay.bytes.len()).sum::<usize>();
            backlog.failed.extend(unwritten);
        }
        self.queue().bytes -= bytes;
        failures.into_iter().next().map_or(Ok(()), Err)
    }

    fn queue(&self) -> MutexGuard<'_, ExportQueue> {
        self.queue.lock()
    }
}

/// Completes at `moment`, or never if `moment` is `None`.
async fn wait_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// Logs a failure with its sources.
fn log_failure(failed: &BackfillError) {
    let error: &dyn std::error::Error = failed;
    error!(error, "cannot write replays; retrying");
}
