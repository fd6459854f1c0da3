//! Retention of replays in the store: the rule that the operator sets, and the task that applies
//! it. The task removes a few replays at a time, between the commits of matches. Matches and their
//! results are kept.

use std::{
    collections::HashMap,
    mem,
    num::NonZeroU64,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_edge::{limits::MAX_CLOCK_DIFFERENCE, metrics::Metrics, wall_clock::now_unix_ms};
use bridgemaster_store::{FinishedCursor, MatchId, ReplayMetadata, Store, StoreError, Write};
use tokio::time::sleep;
use tracing::{error, info};

use super::{ReplayExporter, WithholdingPolicy};

/// The interval between checks. The interval can be long, since replays are kept for days or in
/// thousands.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// The interval between checks while the folder still lacks replays that are due for removal.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number and total size, in bytes, of the replays that one commit removes. Both are
/// limited because matches wait for the commit.
const MAX_BATCH_REPLAYS: u32 = 16;
const MAX_BATCH_BYTES: u64 = 4 * 1024 * 1024;
/// The pause after a batch, as a multiple of the batch's duration, and the minimum pause.
const PAUSE_FACTOR: u32 = 4;
const MIN_PAUSE: Duration = Duration::from_millis(20);
/// The time that other nodes have to write a replay to their folders after it became public here.
/// It covers the difference between the nodes' clocks and the interval between their checks.
const REMOTE_WRITE_TIME: Duration = MAX_CLOCK_DIFFERENCE.saturating_add(Duration::from_secs(60));

/// The rule for replays of finished matches in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepReplays {
    /// Keeps all replays.
    #[default]
    All,
    /// Keeps at least this number of replays, for the matches that ended last.
    Last(NonZeroU64),
    /// Keeps each replay for this time after the end of its match.
    For(Duration),
}

/// Removes old replays from a store.
pub struct Retention {
    keep: KeepReplays,
    store: Arc<dyn Store>,
    /// The exporter; `None` without a folder. The exporter must have written a replay before the
    /// replay is removed.
    folder: Option<Arc<ReplayExporter>>,
    /// Decides which replays are withheld on this node or on other nodes.
    withholding: Arc<dyn WithholdingPolicy>,
    /// The time at which each due replay was last found withheld.
    withheld_at: HashMap<MatchId, Instant>,
    metrics: Arc<Metrics>,
}

impl Retention {
    /// Creates a task that removes replays beyond `keep` from `store`.
    pub fn new(
        keep: KeepReplays,
        store: Arc<dyn Store>,
        folder: Option<Arc<ReplayExporter>>,
        withholding: Arc<dyn WithholdingPolicy>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { keep, store, folder, withholding, withheld_at: HashMap::new(), metrics }
    }

    /// Removes due replays at intervals, until the store is closed. The future can be dropped at
    /// any time, since due replays are found again.
    pub async fn run(mut self) {
        let mut after = None;
        loop {
            let delay = match self.remove_due(&mut after).await {
                Ok(delay) => delay,
                Err(StoreError::Closed) => return,
                Err(error) => {
                    error!(%error, "cannot remove old replays; retrying");
                    CHECK_INTERVAL
                }
            };
            sleep(delay).await;
        }
    }

    /// Removes due replays. Returns the time until the next check. `after` is the position in the
    /// store, and never moves past a withheld replay.
    async fn remove_due(
        &mut self,
        after: &mut Option<FinishedCursor>,
    ) -> Result<Duration, StoreError> {
        let mut count: usize = 0;
        let (mut at, mut has_skipped) = (*after, false);
        let delay = loop {
            let started = Instant::now();
            let stored = self.store.stored_replays(at, MAX_BATCH_REPLAYS, self.min_kept());
            let mut due = self.select_due(stored.await?, now_unix_ms());
            let last = due.last().map(|replay| replay.cursor);
            let before = due.len();
            self.skip_withheld(&mut due).await;
            has_skipped |= due.len() < before;
            // The due replays are read before the folder is checked, because only then has every
            // due replay been queued for the folder.
            let folder = self.folder.as_ref();
            let is_in_folder = folder.is_none_or(|folder| folder.is_complete());
            let place = match last {
                None => break CHECK_INTERVAL,
                Some(_) if !is_in_folder => break RECHECK_INTERVAL,
                Some(last) => last,
            };
            let writes =
                due.iter().map(|replay| Write::ForgetReplay { match_id: replay.match_id.clone() });
            self.commit(writes.collect()).await?;
            at = Some(place);
            if !has_skipped {
                *after = at;
            }
            count += due.len();
            self.metrics.count_removed_replays(due.len());
            sleep((started.elapsed() * PAUSE_FACTOR).max(MIN_PAUSE)).await;
        };
        if count > 0 {
            info!(count, "removed old replays; the results of the matches are kept");
        }
        Ok(delay)
    }

    /// Removes from `due` the replays that a node withholds, might withhold, or has withheld
    /// recently.
    async fn skip_withheld(&mut self, due: &mut Vec<ReplayMetadata>) {
        let is_decidable = due.is_empty() || self.withholding.reload_groups().await.is_ok();
        let now = Instant::now();
        for replay in mem::take(due) {
            let id = &replay.match_id;
            let is_withheld = !is_decidable
                || self.folder.as_ref().is_some_and(|folder| folder.is_withheld(id))
                || !matches!(self.withholding.withhold_reason(id).await, Ok(None));
            if is_withheld {
                self.withheld_at.insert(id.clone(), now);
                continue;
            }
            match self.withheld_at.get(id) {
                Some(at) if now.duration_since(*at) < REMOTE_WRITE_TIME => continue,
                _ => {}
            }
            self.withheld_at.remove(id);
            due.push(replay);
        }
    }

    /// Commits a batch. If a match was dropped in the meantime, the store refuses the batch. The
    /// writes are then committed one by one.
    async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        match self.store.commit(writes.clone()).await {
            Err(StoreError::WriteRefused { .. }) => {}
            committed => return committed,
        }
        for write in writes {
            match self.store.commit(vec![write]).await {
                Ok(()) | Err(StoreError::WriteRefused { .. }) => {}
                failed => return failed,
            }
        }
        Ok(())
    }

    /// The number of newest matches whose replays are kept regardless of age.
    fn min_kept(&self) -> u64 {
        match self.keep {
            KeepReplays::All => u64::MAX,
            KeepReplays::Last(count) => count.get(),
            KeepReplays::For(_) => 0,
        }
    }

    /// Selects the due replays among the oldest stored replays, at most as many as one commit
    /// removes.
    fn select_due(&self, stored: Vec<ReplayMetadata>, now_unix_ms: i64) -> Vec<ReplayMetadata> {
        let is_due = |replay: &ReplayMetadata| match self.keep {
            KeepReplays::All => false,
            KeepReplays::Last(_) => true,
            KeepReplays::For(time) => {
                let age_ms = now_unix_ms.saturating_sub(replay.ended_at_unix_ms);
                u128::try_from(age_ms).is_ok_and(|age_ms| age_ms >= time.as_millis())
            }
        };
        let mut bytes: u64 = 0;
        let mut fits = |replay: &ReplayMetadata| {
            let is_first = bytes == 0;
            bytes = bytes.saturating_add(replay.bytes);
            is_first || bytes <= MAX_BATCH_BYTES
        };
        let due = stored.into_iter().take_while(is_due);
        due.take_while(|replay| fits(replay)).collect()
    }
}
