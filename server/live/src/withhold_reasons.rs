//! Decides which replays are not public yet, so that they are not written to the replay folder.

use std::sync::Arc;

use async_trait::async_trait;
use bridgemaster_edge::{limits::MAX_CLOCK_DIFFERENCE, wall_clock::now_unix_ms};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{FinishedMatch, Records};

use super::{
    Groups, HostedMatch, Matches, StoredMatch, delayed::DelayedMatches, groups::GroupKey,
    hosted_match::MatchFacts,
};
use crate::replays::{WithholdReason, WithholdReasonUnknown, WithholdingPolicy};

/// The reason to withhold the replay of an ended match: its group, or a delayed view.
struct MatchWithholdReason {
    id: MatchId,
    group: Option<GroupKey>,
    /// The time at which the delayed view on another node ends, in ms since 1970 UTC; 0 for a
    /// delayed view on this node.
    visible_at_unix_ms: u64,
    groups: Arc<Groups>,
    delayed: Arc<DelayedMatches>,
}

impl MatchWithholdReason {
    /// Returns this reason, or `None` if the reason no longer applies.
    fn unless_over(self) -> Option<Box<dyn WithholdReason>> {
        (!self.is_over()).then(|| Box::new(self) as _)
    }
}

impl WithholdReason for MatchWithholdReason {
    fn is_over(&self) -> bool {
        let mut group = self.group.iter();
        group.all(|group| self.groups.is_revealed(group))
            && self.delayed.get(&self.id).is_none()
            && now_unix_ms().unsigned_abs() >= self.visible_at_unix_ms
    }
}

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

/// The reason to withhold the replay of a match whose summary cannot be read. The replay might not
/// be public yet.
struct UnreadableSummary;

impl WithholdReason for UnreadableSummary {
    fn is_over(&self) -> bool {
        false
    }
}

impl Matches {
    /// Returns the reason to withhold the replay of a match that has just ended here, if there is
    /// one.
    pub(super) fn withhold_reason_of_ended(
        &self,
        hosted: &dyn HostedMatch,
    ) -> Option<Box<dyn WithholdReason>> {
        self.match_withhold_reason(hosted.facts(), 0).unless_over()
    }

    fn match_withhold_reason(
        &self,
        facts: &MatchFacts,
        visible_at_unix_ms: u64,
    ) -> MatchWithholdReason {
        MatchWithholdReason {
            id: facts.id.clone(),
            group: facts.withheld_group.clone(),
            visible_at_unix_ms,
            groups: Arc::clone(&self.context().groups),
            delayed: Arc::clone(self.delayed()),
        }
    }
}

#[async_trait]
impl WithholdingPolicy for Matches {
    async fn withhold_reason(
        &self,
        id: &MatchId,
    ) -> Result<Option<Box<dyn WithholdReason>>, WithholdReasonUnknown> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let permit = self.read_limiter().acquire().await;
        let _permit = permit.map_err(|_| WithholdReasonUnknown)?;
        let stored = match self.load_summary(store, id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(None),
            Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => {
                return Ok(Some(Box::new(UnreadableSummary)));
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
        Ok(self.match_withhold_reason(stored.facts(), visible_at).unless_over())
    }

    async fn reload_groups(&self) -> Result<(), WithholdReasonUnknown> {
        match self.store() {
            Some(store) => self.refresh_groups(store).await.map_err(|_| WithholdReasonUnknown),
            None => Ok(()),
        }
    }
}
