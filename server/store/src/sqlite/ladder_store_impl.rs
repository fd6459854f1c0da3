//! Implementation of [`LadderStore`] for [`SqliteStore`].

use async_trait::async_trait;

use super::{SqliteStore, ladder_rows};
use crate::{
    LadderId, LadderRows, LadderStore, StoreError, StoredLadder, StoredLadderMatch,
    StoredLadderVersion, limits::MAX_PAGE_LADDER_MATCHES,
};

#[async_trait]
impl LadderStore for SqliteStore {
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError> {
        self.read(ladder_rows::all).await
    }

    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        let id = id.clone();
        self.read(move |connection, store| ladder_rows::versions(connection, store, &id))
            .await
    }

    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        let id = id.clone();
        let limit = limit.clamp(1, MAX_PAGE_LADDER_MATCHES);
        self.read(move |connection, store| {
            ladder_rows::matches(connection, store, &id, from, limit)
        })
        .await
    }

    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        let id = id.clone();
        self.read(move |connection, store| ladder_rows::get_match(connection, store, &id, number))
            .await
    }
}
