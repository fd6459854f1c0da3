//! Waits until all matches have ended, or until streams must end.

use std::sync::Arc;

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_match::MatchId;
use bridgemaster_store::{Nodes, StoreError};
use tokio::{select, task::yield_now};

use super::{super::HostedMatch, Matches};
use crate::journal::Journal;

impl Matches {
    /// Completes when no match is open.
    pub async fn until_idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            if self.match_index().is_empty() {
                return;
            }
            idle.await;
        }
    }

    /// Completes when streams must end, because the server stops or its lease has lapsed.
    pub async fn until_interrupted(&self) -> Refusal {
        let stopping = self.lifecycle().stop_token();
        let lapsed = async {
            match self.cluster() {
                Some(cluster) => cluster.lease_lapsed().await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            () = stopping.cancelled() => self.lifecycle().stop_refusal(),
            refusal = lapsed => refusal,
        }
    }
}

/// The number of matches examined between yields to other tasks.
const BATCH_SIZE: usize = 64;

impl Matches {
    /// Returns at most `count` matches that another node can continue, newest first.
    pub async fn movable_matches(&self, count: usize) -> Vec<Arc<dyn HostedMatch>> {
        let (mut some, mut before) = (Vec::new(), None);
        loop {
            let older = self.match_index().list_before(before.as_ref(), None, BATCH_SIZE);
            let Some(last) = older.last() else {
                return some;
            };
            before = Some(last.id().clone());
            some.extend(older.into_iter().filter(|hosted| hosted.is_movable()));
            if some.len() >= count {
                some.truncate(count);
                return some;
            }
            // Yields to other tasks while the lock is not held.
            yield_now().await;
        }
    }

    /// Releases matches to other nodes, and then closes their streams. Returns the number of
    /// released matches, not counting matches that have ended in the meantime.
    ///
    /// # Errors
    /// If the store fails; the matches stay parked.
    pub async fn release(
        &self,
        some: Vec<Arc<dyn HostedMatch>>,
        journal: &Journal,
        nodes: &dyn Nodes,
    ) -> Result<usize, StoreError> {
        let leaving: Vec<_> = some.into_iter().filter(|one| one.park()).collect();
        // All inputs are committed before the matches are released.
        journal.flush().await;
        let ids: Vec<MatchId> = leaving.iter().map(|one| one.id().clone()).collect();
        nodes.release(&ids).await?;
        for one in &leaving {
            let released = self.match_index().remove(one.id());
            // The released match is dropped outside the lock.
            drop(released);
            one.hand_off();
            self.release_slot(one.facts().maker.as_ref());
        }
        Ok(leaving.len())
    }
}
