//! Waits until all matches have ended, or until streams must end.

use bridgemaster_store::StoreError;
use tokio::select;

use super::Matches;
use crate::refusal::Refusal;

impl Matches {
    /// Completes when no match is open.
    pub(crate) async fn until_idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            if self.roster().is_empty() {
                return;
            }
            idle.await;
        }
    }

    /// Returns the refusal for calls that arrive once the server stops.
    pub(crate) fn stop_refusal(&self) -> Refusal {
        let failure = self.journal().and_then(|journal| journal.failure());
        match failure.as_deref() {
            Some(StoreError::EpochEnded { .. }) if self.cluster().is_some() => {
                Refusal::node_superseded()
            }
            Some(_) => Refusal::storage_failed(),
            None => Refusal::stopping(),
        }
    }

    /// Completes when streams must end, because the server stops or its lease has lapsed.
    pub(crate) async fn until_interrupted(&self) -> Refusal {
        let stopping = self.lifecycle().stop_token();
        let lapsed = async {
            match self.cluster() {
                Some(cluster) => cluster.lease_lapsed().await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            () = stopping.cancelled() => self.stop_refusal(),
            refusal = lapsed => refusal,
        }
    }
}
