//! The match that an earlier call with the same idempotency key made.

use std::sync::Arc;

use bridgemaster_match::MatchId;
use bridgemaster_proto::{internal::v1::RequestNote, v1::RefusalReason};
use bridgemaster_store::StoreError;
use prost::Message as _;

use super::{
    HostedMatch, Matches,
    requests::{MadeBefore, RepeatableRequest},
    set_aside::unreadable,
};
use crate::refusal::Refusal;

impl Matches {
    /// The match that an earlier call with the same key made, if the server still knows it.
    ///
    /// # Errors
    /// When that call asked for something else; or when it cannot be told.
    pub(super) async fn made_before(
        &self,
        request: &RepeatableRequest,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        let Some(made) = self.noted(request).await? else {
            return Ok(None);
        };
        let Some(hosted) = self.known(&made.id).await? else {
            return Ok(None);
        };
        if made.content != request.content() {
            let message = format!(
                "idempotency_key: an earlier call with this key asked for something else, and made \
                 the match {}; draw a new key for each match",
                made.id
            );
            return Err(Refusal::new(RefusalReason::IdempotencyKeyReused, message)
                .with("match_id", made.id.to_string()));
        }
        Ok(Some(hosted))
    }

    async fn noted(&self, request: &RepeatableRequest) -> Result<Option<MadeBefore>, Refusal> {
        let Some(journal) = self.journal() else {
            return Ok(self.requested(request.name()));
        };
        let damaged = |problem: String| {
            Refusal::damaged(format!("the note of this idempotency key: {problem}"))
        };
        match journal.store().note(request.name()).await {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => {
                let note = RequestNote::decode(&*bytes);
                let note = note.map_err(|error| damaged(error.to_string()))?;
                let id = MatchId::new(note.match_id);
                Ok(Some(MadeBefore {
                    id: id.map_err(|error| damaged(error.to_string()))?,
                    content: note.request_sha256,
                }))
            }
            Err(StoreError::Damaged { damage, .. }) => Err(damaged(damage.detail)),
            Err(_) => Err(Refusal::storage_failed()),
        }
    }

    /// A match in memory or in the store, whoever asks.
    pub(crate) async fn known(
        &self,
        id: &MatchId,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        if let Some(held) = self.held(id) {
            return Ok(Some(held));
        }
        if self.set_aside().maker_of(id).is_some() {
            return Err(unreadable(id));
        }
        // Before the look at what has ended: a match that ends meanwhile is found by one of the two.
        self.check_is_nowhere_else(id).await?;
        let stored = self.stored_match(id).await?;
        Ok(stored.map(|stored| Arc::new(stored) as _))
    }
}
