//! Decides which replays are not public yet, so that they are not written to the replay folder.

use std::sync::Arc;

use async_trait::async_trait;
use bridgemaster_edge::{limits::MAX_CLOCK_DIFFERENCE, wall_clock::now_unix_ms};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{FinishedMatch, Records};

use super::{Groups, HostedMatch, Matches, StoredMatch, hosted_match::MatchFacts};
use crate::replays::{WithholdReason, WithholdReasonUnknown, WithholdingPolicy};

/// Determines which replays in a store are not public yet, without a running server.
pub struct WithheldReplays {
    groups: Arc<Groups>,
    is_all_read: bool,
}

impl WithheldReplays {
    /// Reads a store's match groups from its records.
    #[must_use]
    pub fn new(records: Records) -> Self {
        let groups = Arc::<Groups>::default();
        Self { is_all_read: groups.load_authoritative(records), groups }
    }

    /// Returns whether the replay of a finished match is not public yet. Returns `true` if the
    /// match's summary cannot be read.
    #[must_use]
    pub fn is_withheld(&self, finished: &FinishedMatch) -> bool {
        let Ok(stored) = StoredMatch::read(finished, &self.groups) else {
            return true;
        };
        let group = stored.facts().withheld_group.as_ref();
        let is_withheld = group.is_some_and(|key| !self.is_all_read || self.groups.is_open(key));
        let visible_at = stored.visible_at_unix_ms();
        is_withheld || visible_at.is_some_and(|until| now_unix_ms().unsigned_abs() < until)
    }
}

impl Matches {
    /// Returns the reason to withhold the replay of a finished match, if there is one: its group,
    /// or a delayed view. `visible_at_unix_ms` is the time at which the delayed view on another
    /// node ends; 0 for a delayed view on this node.
    pub(super) fn withhold_reason_of(
        &self,
        facts: &MatchFacts,
        visible_at_unix_ms: u64,
    ) -> Option<WithholdReason> {
        let (id, group) = (facts.id.clone(), facts.withheld_group.clone());
        let (groups, delayed) = (Arc::clone(&self.context.groups), Arc::clone(&self.delayed));
        let is_over = move || {
            group.iter().all(|group| groups.is_revealed(group))
                && delayed.get(&id).is_none()
                && now_unix_ms().unsigned_abs() >= visible_at_unix_ms
        };
        (!is_over()).then(|| Box::new(is_over) as _)
    }
}

#[async_trait]
impl WithholdingPolicy for Matches {
    async fn withhold_reason(
        &self,
        id: &MatchId,
    ) -> Result<Option<WithholdReason>, WithholdReasonUnknown> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let permit = self.read_limiter().acquire().await;
        let _permit = permit.map_err(|_| WithholdReasonUnknown)?;
        let stored = match self.load_summary(store, id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(None),
            Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => {
                // The replay might not be public yet.
                return Ok(Some(Box::new(|| false)));
            }
            Err(_) => return Err(WithholdReasonUnknown),
        };
        let is_shared = self.cluster().is_some_and(|cluster| cluster.is_shared());
        let margin_ms = if is_shared {
            u64::try_from(MAX_CLOCK_DIFFERENCE.as_millis()).unwrap_or(u64::MAX)
        } else {
            0
        };
        let visible_at = stored.visible_at_unix_ms();
        let visible_at = visible_at.map_or(0, |until| until.saturating_add(margin_ms));
        Ok(self.withhold_reason_of(stored.facts(), visible_at))
    }

    async fn reload_groups(&self) -> Result<(), WithholdReasonUnknown> {
        match self.store() {
            Some(store) => self.refresh_groups(store).await.map_err(|_| WithholdReasonUnknown),
            None => Ok(()),
        }
    }
}
