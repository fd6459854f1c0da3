//! How the matches of a server come to a stop: when none is left, and when no stream may go on.

use bridgemaster_store::StoreError;
use tokio::select;

use super::Matches;
use crate::refusal::Refusal;

impl Matches {
    /// Completes when no match waits or runs.
    pub(crate) async fn emptied(&self) {
        loop {
            let emptied = self.emptied.notified();
            tokio::pin!(emptied);
            emptied.as_mut().enable();
            if self.roster().is_empty() {
                return;
            }
            emptied.await;
        }
    }

    /// Why nothing is taken any more, once the server stops.
    pub(crate) fn stop_refusal(&self) -> Refusal {
        let failure = self.journal().and_then(|journal| journal.failure());
        match failure.as_deref() {
            Some(StoreError::EpochOver { .. }) if self.cluster().is_some() => {
                Refusal::node_superseded()
            }
            Some(_) => Refusal::storage_failed(),
            None => Refusal::stopping(),
        }
    }

    /// Completes when no stream may go on: the server stops, or others may have its matches.
    pub(crate) async fn interrupted(&self) -> Refusal {
        let stopping = self.lifecycle().stopping();
        let lapsed = async {
            match self.cluster() {
                Some(cluster) => cluster.lapsed().await,
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
