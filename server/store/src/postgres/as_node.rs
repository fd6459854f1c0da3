//! The store as a node among those that share the database.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::time::sleep;

use super::{PostgresStore, node_rows, opened, released_rows, told_rows};
use crate::{
    IsLed, KeyName, MatchId, NodeOfMatch, NodeStanding, Nodes, OpenMatch, StoreError, StoredNode,
    ToldCursor, ToldMatch, ToldPage,
    detached::detached,
    limits::{MAX_PAGE_MATCHES, TAKING_PAUSE, TAKING_TRIES},
};

#[async_trait]
impl Nodes for PostgresStore {
    async fn renew_lease(&self, standing: NodeStanding) -> Result<(), StoreError> {
        let renewed = self.pulse.renew(standing).await;
        renewed.map_err(|fault| self.told(fault))
    }

    async fn withdraw(&self) -> Result<(), StoreError> {
        let withdrawn = node_rows::withdraw(&self.readers.matches, self.pulse.held()).await;
        withdrawn.map_err(|fault| self.told(fault))
    }

    async fn lead(&self) -> Result<bool, StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move { opened(&mut *writer.lock().await)?.lead().await })
            .await
            .map_err(|fault| self.told(fault))
    }

    async fn take_orphans(&self, is_led: IsLed) -> Result<Vec<OpenMatch>, StoreError> {
        let (orphans, writer) = (Arc::clone(&self.orphans), Arc::clone(&self.writer));
        let (readers, store) = (self.readers.matches.clone(), self.store);
        let node = self.pulse.node();
        detached(async move {
            let mut orphans = orphans.lock().await;
            for _ in 0..TAKING_TRIES {
                // Without the writer: matches of this node go on meanwhile.
                orphans.look(&readers, store, node, is_led).await?;
                let Some(left) = orphans.found() else {
                    break;
                };
                let mut writer = writer.lock().await;
                if let Some(taken) = opened(&mut writer)?.take_orphans(left, is_led).await? {
                    return Ok(taken);
                }
                drop(writer);
                sleep(TAKING_PAUSE).await;
            }
            Ok(Vec::new())
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn release(&self, ids: &[MatchId]) -> Result<(), StoreError> {
        let (writer, ids) = (Arc::clone(&self.writer), ids.to_vec());
        detached(async move { opened(&mut *writer.lock().await)?.release(&ids).await })
            .await
            .map_err(|fault| self.told(fault))
    }

    async fn released(&self) -> Result<u64, StoreError> {
        let count = released_rows::count(&self.readers.matches, self.pulse.node()).await;
        count.map_err(|fault| self.told(fault))
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<NodeOfMatch>, StoreError> {
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
