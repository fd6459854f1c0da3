//! Implementation of [`LadderStore`] for [`PostgresStore`].

use async_trait::async_trait;

use super::{PostgresStore, ladder_rows};
use crate::{
    LadderId, LadderRows, LadderStore, StoreError, StoredLadder, StoredLadderMatch,
    StoredLadderVersion, limits::MAX_PAGE_LADDER_MATCHES,
};

#[async_trait]
impl LadderStore for PostgresStore {
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError> {
        let ladders = ladder_rows::all(&mut *self.reader().await?, self.store).await;
        ladders.map_err(|error| self.store_error(error))
    }

    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        let versions = ladder_rows::versions(&mut *self.reader().await?, self.store, id).await;
        versions.map_err(|error| self.store_error(error))
    }

    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_LADDER_MATCHES);
        let page =
            ladder_rows::matches(&mut *self.reader().await?, self.store, id, from, limit).await;
        page.map_err(|error| self.store_error(error))
    }

    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        let found =
            ladder_rows::get_match(&mut *self.reader().await?, self.store, id, number).await;
        found.map_err(|error| self.store_error(error))
    }
}
