//! The store as a node among those that share the database.

use std::sync::Arc;

use async_trait::async_trait;

use super::{PostgresStore, node_rows, opened, told_rows};
use crate::{
    IsLed, KeyName, MatchId, NodeStanding, Nodes, StoreError, StoredNode, ToldCursor, ToldMatch,
    ToldPage, detached::detached, limits::MAX_PAGE_MATCHES,
};

#[async_trait]
impl Nodes for PostgresStore {
    async fn renew_lease(&self, standing: NodeStanding) -> Result<(), StoreError> {
        let renewed = self.pulse.renew(standing).await;
        renewed.map_err(|fault| self.told(fault))
    }

    async fn lead(&self) -> Result<bool, StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move { opened(&mut *writer.lock().await)?.lead().await })
            .await
            .map_err(|fault| self.told(fault))
    }

    async fn take_orphans(&self, is_led: IsLed) -> Result<Vec<MatchId>, StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move {
            opened(&mut *writer.lock().await)?
                .take_orphans(is_led)
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<StoredNode>, StoreError> {
        let node = node_rows::of_match(&self.readers.matches, id).await;
        node.map_err(|fault| self.told(fault))
    }

    async fn tell(&self, matches: &[ToldMatch]) -> Result<(), StoreError> {
        let (readers, node) = (&self.readers.matches, self.pulse.node());
        let told = told_rows::tell(readers, self.store, node, matches).await;
        told.map_err(|fault| self.told(fault))
    }

    async fn told_elsewhere(
        &self,
        after: &ToldCursor,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<ToldPage, StoreError> {
        let (readers, node) = (&self.readers.matches, self.pulse.node());
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let page = told_rows::page_elsewhere(readers, self.store, node, after, limit, of).await;
        page.map_err(|fault| self.told(fault))
    }

    async fn sweep_told(&self) -> Result<(), StoreError> {
        let swept = told_rows::sweep(&self.readers.matches).await;
        swept.map_err(|fault| self.told(fault))
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        let nodes = node_rows::all(&self.readers.matches).await;
        nodes.map_err(|fault| self.told(fault))
    }
}
