//! Implementation of [`Nodes`] for [`PostgresStore`].

use std::sync::{Arc, atomic::Ordering};

use async_trait::async_trait;
use tokio::time::sleep;

use super::{
    PostgresStore,
    nodes::{all_nodes, node_of_match, read_figures},
    open_writer, orphans,
};
use crate::{
    CrashedNode, DatabaseFigures, IsLeaderOnly, MatchId, MatchLocation, NodeStatus, Nodes,
    OpenMatch, StoreError, StoredNode,
    detached::run_detached,
    limits::{MAX_TAKEOVER_TRIES, TAKEOVER_RETRY_INTERVAL},
};

#[async_trait]
impl Nodes for PostgresStore {
    async fn renew_lease(&self, status: NodeStatus) -> Result<(), StoreError> {
        self.at(self.lease_renewer.renew(&status)).await
    }

    async fn check_session(&self) -> Result<Vec<CrashedNode>, StoreError> {
        self.at(self.lease_renewer.check_session()).await
    }

    async fn end_lease(&self, crashed: &CrashedNode) -> Result<bool, StoreError> {
        self.at(self.lease_renewer.end_lease(crashed)).await
    }

    fn clock_skew_ms(&self) -> i64 {
        self.lease_renewer.clock_skew_ms()
    }

    fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    async fn database_figures(&self) -> Result<DatabaseFigures, StoreError> {
        self.at(async {
            let (sessions, xmin_age) = read_figures(&mut *self.reader().await?).await?;
            Ok(DatabaseFigures { sessions, xmin_age })
        })
        .await
    }

    async fn acquire_leadership(&self) -> Result<bool, StoreError> {
        let writer = Arc::clone(&self.writer);
        self.at(run_detached(async move {
            open_writer(&mut *writer.lock().await)?.acquire_leadership().await
        }))
        .await
    }

    async fn take_over_orphans(
        &self,
        is_leader_only: IsLeaderOnly,
    ) -> Result<Vec<OpenMatch>, StoreError> {
        let (orphans, writer) = (Arc::clone(&self.orphans), Arc::clone(&self.writer));
        let (readers, store) = (Arc::clone(&self.readers.matches), self.store);
        let (node, retries) = (self.lease_renewer.node(), Arc::clone(&self.retries));
        self.at(run_detached(async move {
            let mut orphans = orphans.lock().await;
            for _ in 0..MAX_TAKEOVER_TRIES {
                // The writer is not locked during the search, so that commits of this node
                // continue.
                let retries = Arc::clone(&retries);
                orphans.find(&readers, store, node, is_leader_only, retries).await?;
                let Some(found) = orphans.found() else {
                    break;
                };
                let mut writer = writer.lock().await;
                if let Some(taken_over) =
                    open_writer(&mut writer)?.take_over_orphans(found, is_leader_only).await?
                {
                    return Ok(taken_over);
                }
                drop(writer);
                sleep(TAKEOVER_RETRY_INTERVAL).await;
            }
            Ok(Vec::new())
        }))
        .await
    }

    async fn release(&self, ids: &[MatchId]) -> Result<(), StoreError> {
        let (writer, ids) = (Arc::clone(&self.writer), ids.to_vec());
        self.at(run_detached(
            async move { open_writer(&mut *writer.lock().await)?.release(&ids).await },
        ))
        .await
    }

    async fn released_count(&self) -> Result<u64, StoreError> {
        let node = self.lease_renewer.node();
        self.at(async { orphans::count_released(&mut *self.reader().await?, node).await }).await
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<MatchLocation>, StoreError> {
        self.at(async { node_of_match(&mut *self.reader().await?, id).await }).await
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        self.at(async { all_nodes(&mut *self.reader().await?).await }).await
    }
}
