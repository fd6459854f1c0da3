//! The store as a node among those that share the database.

use std::sync::Arc;

use async_trait::async_trait;

use super::{PostgresStore, node_rows, opened};
use crate::{IsLed, MatchId, Nodes, StoreError, StoredNode, detached::detached};

#[async_trait]
impl Nodes for PostgresStore {
    async fn renew_lease(&self, draining: bool) -> Result<(), StoreError> {
        let renewed = self.pulse.renew(draining).await;
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

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        let nodes = node_rows::all(&self.readers.matches).await;
        nodes.map_err(|fault| self.told(fault))
    }
}
