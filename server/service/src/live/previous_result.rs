//! Finds the match that an earlier call with the same idempotency key created.

use std::sync::Arc;

use bridgemaster_match::MatchId;
use bridgemaster_proto::{internal::v1::RequestNote, v1::RefusalReason};
use bridgemaster_store::StoreError;
use prost::Message as _;

use super::{
    HostedMatch, Matches,
    quarantine::match_unreadable,
    requests::{IdempotentRequest, PreviousResult},
};
use crate::refusal::Refusal;

impl Matches {
    /// Returns the match that an earlier call with the same idempotency key created, if the match
    /// still exists.
    ///
    /// # Errors
    /// If the earlier call had different content, or the match cannot be read.
    pub(super) async fn previous_result(
        &self,
        request: &IdempotentRequest,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        let Some(previous) = self.stored_result(request).await? else {
            return Ok(None);
        };
        let Some(hosted) = self.get_or_load(&previous.id).await? else {
            return Ok(None);
        };
        if previous.content != request.content() {
            let message = format!(
                "idempotency_key: an earlier call with this key had different content and created \
                 the match {}; use a new key for each match",
                previous.id
            );
            return Err(Refusal::new(RefusalReason::IdempotencyKeyReused, message)
                .with("match_id", previous.id.to_string()));
        }
        Ok(Some(hosted))
    }

    async fn stored_result(
        &self,
        request: &IdempotentRequest,
    ) -> Result<Option<PreviousResult>, Refusal> {
        let Some(journal) = self.journal() else {
            return Ok(self.previous_result_by_name(request.name()));
        };
        let damaged = |problem: String| {
            Refusal::damaged(format!(
                "the stored record of this idempotency key: {problem}"
            ))
        };
        match journal.store().record(request.name()).await {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => {
                let record = RequestNote::decode(&*bytes);
                let record = record.map_err(|error| damaged(error.to_string()))?;
                let id = MatchId::new(record.match_id);
                Ok(Some(PreviousResult {
                    id: id.map_err(|error| damaged(error.to_string()))?,
                    content: record.request_sha256,
                }))
            }
            Err(StoreError::Damaged { damage, .. }) => Err(damaged(damage.detail)),
            Err(_) => Err(Refusal::storage_failed()),
        }
    }

    /// Returns a match from memory or from the store, without access checks.
    pub(crate) async fn get_or_load(
        &self,
        id: &MatchId,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        if let Some(hosted) = self.in_memory(id) {
            return Ok(Some(hosted));
        }
        if self.quarantine().maker_of(id).is_some() {
            return Err(match_unreadable(id));
        }
        // Ask the other nodes first, then read finished matches. Otherwise a match that ends
        // between the two reads would be missed.
        self.check_not_remote(id).await?;
        let stored = self.load_stored(id).await?;
        Ok(stored.map(|stored| Arc::new(stored) as _))
    }
}
