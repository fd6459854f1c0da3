//! Which replays the store keeps: a rule of the operator, and the task that has the store forget the
//! others, a few at a time beside the commits of matches. The matches and their results stay.

use std::{
    num::NonZeroU64,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_store::{FinishedCursor, KeptReplay, Store, StoreError, Write};
use tokio::time::sleep;
use tracing::{error, info};

use super::ReplayKeeper;
use crate::{metrics::Metrics, wall_clock::now_unix_ms};

/// Time between two looks at what is due: replays are kept for days or by the thousand.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// The same while something is due that the folder of replays does not have yet.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Most replays that one commit forgets, and bytes from which on no more are added: matches wait
/// for it, and it frees the pages of each replay.
const BATCH_REPLAYS: u32 = 16;
const BATCH_BYTES: u64 = 4 * 1024 * 1024;
/// The store is left to matches for so many times as long as a batch took, and at least for so long.
const REST_TIMES: u32 = 4;
const LEAST_REST: Duration = Duration::from_millis(20);

/// Which replays of matches that have ended are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepReplays {
    /// All.
    #[default]
    All,
    /// Those of the last matches that ended, so many.
    Last(NonZeroU64),
    /// For so long after the match has ended.
    For(Duration),
}

/// Has a store forget the replays that are not to be kept.
pub(crate) struct Retention {
    keep: KeepReplays,
    store: Arc<dyn Store>,
    /// Of the folder that comes to have every replay; `None` without one.
    folder: Option<Arc<ReplayKeeper>>,
    metrics: Arc<Metrics>,
}

impl Retention {
    pub(crate) fn new(
        keep: KeepReplays,
        store: Arc<dyn Store>,
        folder: Option<Arc<ReplayKeeper>>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            keep,
            store,
            folder,
            metrics,
        }
    }

    /// Looks again and again, until the store is closed. Dropping it loses nothing: what is due is
    /// found again.
    pub(crate) async fn run(self) {
        let mut after = None;
        loop {
            let look_again = match self.forget_all_due(&mut after).await {
                Ok(look_again) => look_again,
                Err(StoreError::Closed) => return,
                Err(error) => {
                    error!(%error, "old replays cannot be forgotten, which is tried again");
                    LOOK_EVERY
                }
            };
            sleep(look_again).await;
        }
    }

    /// Forgets what is due, and gives the time until there may be more. `after` is where it got to.
    async fn forget_all_due(
        &self,
        after: &mut Option<FinishedCursor>,
    ) -> Result<Duration, StoreError> {
        let mut count: usize = 0;
        let look_again = loop {
            let begun = Instant::now();
            let kept = self
                .store
                .kept_replays(*after, BATCH_REPLAYS, self.spared());
            let due = self.due(kept.await?, now_unix_ms());
            // Asked after they are known to be due: their files were queued before.
            let is_in_folder = self
                .folder
                .as_ref()
                .is_none_or(|folder| folder.is_complete());
            let place = match due.last() {
                None => break LOOK_EVERY,
                Some(_) if !is_in_folder => break LOOK_AGAIN,
                Some(last) => last.place,
            };
            let writes = due.iter().map(|kept| Write::ForgetReplay {
                match_id: kept.match_id.clone(),
            });
            self.forget(writes.collect()).await?;
            *after = Some(place);
            count += due.len();
            self.metrics.replays_forgotten(due.len());
            sleep((begun.elapsed() * REST_TIMES).max(LEAST_REST)).await;
        };
        if count > 0 {
            info!(count, "old replays are kept no more; the results stay");
        }
        Ok(look_again)
    }

    /// Commits a batch. A match that was dropped meanwhile refuses all of it: then one by one.
    async fn forget(&self, writes: Vec<Write>) -> Result<(), StoreError> {
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

    /// Matches whose replays are kept whatever their age.
    fn spared(&self) -> u64 {
        match self.keep {
            KeepReplays::All => u64::MAX,
            KeepReplays::Last(count) => count.get(),
            KeepReplays::For(_) => 0,
        }
    }

    /// Of these replays, the first ones that are not to be kept, as many as one commit forgets.
    fn due(&self, kept: Vec<KeptReplay>, now_unix_ms: i64) -> Vec<KeptReplay> {
        let is_over = |kept: &KeptReplay| match self.keep {
            KeepReplays::All => false,
            KeepReplays::Last(_) => true,
            KeepReplays::For(time) => {
                let age_ms = now_unix_ms.saturating_sub(kept.ended_at_unix_ms);
                u128::try_from(age_ms).is_ok_and(|age_ms| age_ms >= time.as_millis())
            }
        };
        let mut bytes: u64 = 0;
        let mut has_room = |kept: &KeptReplay| {
            let is_first = bytes == 0;
            bytes = bytes.saturating_add(kept.bytes);
            is_first || bytes <= BATCH_BYTES
        };
        let over = kept.into_iter().take_while(is_over);
        over.take_while(|kept| has_room(kept)).collect()
    }
}
