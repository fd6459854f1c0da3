//! Finds matches by identifier, in memory and in the store, and reads their replays.

use std::{sync::Arc, time::Instant};

use bridgemaster_edge::{
    identity::{Caller, Visibility},
    metrics::DamagedValue,
    refusal::Refusal,
};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{FinishedMatch, Store, StoreError};
use tokio::task::yield_now;
use tracing::error;

use super::{
    HostedMatch, MatchQuery, MatchView, Matches, ReadPermit, Reader, StoredMatch,
    groups::OPEN_RECORD_PREFIX, hosted_match::ReplayBytes, matches::MAX_BATCHES,
    quarantine::match_unreadable,
};

/// The number of matches examined between yields to other tasks.
const BATCH_SIZE: usize = 32;

impl Matches {
    /// Finds a match by its identifier, as the viewer sees it. Returns `None` if the match does not
    /// exist or the viewer may not see it.
    pub async fn find(
        self: &Arc<Self>,
        id: &MatchId,
        viewer: &Caller,
        reader: &Reader,
    ) -> Result<Option<MatchView>, Refusal> {
        match self.find_undelayed(id, viewer, reader).await? {
            None => Ok(None),
            Some(hosted) => self.view_for(hosted, viewer).await.map(Some),
        }
    }

    /// Finds a match by its identifier, without a delay, in order to change it. A match that the
    /// viewer may not see is handled exactly like a nonexistent match. In particular, both count
    /// against the same limits.
    pub async fn find_undelayed(
        &self,
        id: &MatchId,
        viewer: &Caller,
        reader: &Reader,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        let is_visible = |hosted: &dyn HostedMatch| match viewer.visible() {
            Visibility::All => true,
            Visibility::Of(name) => hosted.belongs_to(name),
            Visibility::None => false,
        };
        if let Some(found) = self.in_memory(id).filter(|found| is_visible(&**found)) {
            return Ok(Some(found));
        }
        let quarantined = self.quarantined().maker_of(id);
        // A match on this node that the viewer may not see is not looked up on other nodes.
        let is_here = self.in_memory(id).is_some() || quarantined.is_some();
        if quarantined.is_some_and(|maker| viewer.may_list_unreadable(maker.as_ref())) {
            return Err(match_unreadable(id));
        }
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let _admission = self.read_limiter().admit(reader)?;
        let _permit = self.read_limiter().acquire().await?;
        // For a viewer who may see only individual matches, the other nodes are not queried, so
        // nothing about them is revealed. The query must precede the read of finished matches. In
        // the reverse order, a match that ends between the two reads would be missed.
        if !is_here && !matches!(viewer.visible(), Visibility::None) {
            self.check_not_remote(id).await?;
        }
        let read = match store.finished_match(id).await {
            Ok(None) => return Ok(None),
            Ok(Some(finished)) => {
                self.refresh_groups(store).await?;
                self.decode_finished(&finished)
            }
            Err(error) => Err(self.read_failed(id, error)),
        };
        match read {
            Ok(stored) if is_visible(&stored) => Ok(Some(Arc::new(stored) as _)),
            Ok(_) if matches!(viewer.visible(), Visibility::None) => Ok(None),
            // The call is forwarded to the node of the delayed view, as for a match in play.
            Ok(stored) => self.check_view_is_local(&stored).await.map(|()| None),
            Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => {
                let is_party = match viewer.visible() {
                    Visibility::All => true,
                    // If the match's parties are unreadable too, the match is not reported at all.
                    Visibility::Of(name) => store.is_party(id, name).await.unwrap_or(false),
                    Visibility::None => false,
                };
                if is_party { Err(refusal) } else { Ok(None) }
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Loads a finished match from the store, without access checks.
    pub(super) async fn load_stored(&self, id: &MatchId) -> Result<Option<StoredMatch>, Refusal> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let _permit = self.read_limiter().acquire().await?;
        let stored = self.load_summary(store, id).await?;
        self.refresh_groups(store).await?;
        Ok(stored)
    }

    /// Loads a finished match without refreshing the groups.
    pub(super) async fn load_summary(
        &self,
        store: &dyn Store,
        id: &MatchId,
    ) -> Result<Option<StoredMatch>, Refusal> {
        let finished = store.finished_match(id).await;
        let finished = finished.map_err(|error| self.read_failed(id, error))?;
        finished.map(|one| self.decode_finished(&one)).transpose()
    }

    /// Returns the replay file of a finished match.
    pub async fn replay(&self, hosted: &MatchView, reader: &Reader) -> Result<Arc<[u8]>, Refusal> {
        self.replay_bytes(hosted, hosted.replay(), Some(reader)).await
    }

    /// Returns the replay file for a caller that already has a read permit.
    pub async fn replay_with_permit(
        &self,
        hosted: &MatchView,
        _permit: &ReadPermit,
    ) -> Result<Arc<[u8]>, Refusal> {
        self.replay_bytes(hosted, hosted.replay(), None).await
    }

    /// Returns the replay file, including withheld parts. The public parts are computed from this
    /// file.
    pub async fn full_replay(
        &self,
        hosted: &MatchView,
        reader: &Reader,
    ) -> Result<Arc<[u8]>, Refusal> {
        let replay = hosted.full_replay();
        self.replay_bytes(hosted, replay, Some(reader)).await
    }

    async fn replay_bytes(
        &self,
        hosted: &MatchView,
        replay: ReplayBytes,
        reader: Option<&Reader>,
    ) -> Result<Arc<[u8]>, Refusal> {
        match replay {
            ReplayBytes::InProgress => Err(Refusal::new(
                RefusalReason::MatchRunning,
                "the match has not ended, and its replay contains hidden information",
            )),
            ReplayBytes::Unavailable(refusal) => Err(refusal.committed().await?),
            ReplayBytes::InMemory(bytes) => Ok(bytes.committed().await?),
            ReplayBytes::InStore => {
                let store = self.store().ok_or_else(Refusal::storage_failed)?;
                let admission = reader.map(|reader| self.read_limiter().admit(reader));
                let _admission = admission.transpose()?;
                let permit = self.read_limiter().acquire().await?;
                let bytes = store.replay(hosted.id()).await;
                drop(permit);
                let bytes = bytes.map_err(|error| self.read_failed(hosted.id(), error))?;
                bytes.map(Arc::from).ok_or_else(Refusal::storage_failed)
            }
        }
    }

    /// Returns at most `count` matches in play that satisfy the query and that the viewer may see,
    /// newest first.
    pub async fn newest_in_play(
        self: &Arc<Self>,
        query: &MatchQuery,
        count: usize,
        viewer: &Caller,
    ) -> Vec<MatchView> {
        let party = query.party();
        let of = match viewer.visible() {
            Visibility::All => party.as_ref(),
            Visibility::Of(name) => Some(name),
            Visibility::None => return Vec::new(),
        };
        let (mut newest, mut before) = (Vec::new(), None);
        for _ in 0..MAX_BATCHES {
            let older = self.match_index().list_before(before.as_ref(), of, BATCH_SIZE);
            let Some(last) = older.last() else {
                break;
            };
            before = Some(last.id().clone());
            for hosted in older {
                let Ok(view) = self.view_for(hosted, viewer).await else {
                    continue;
                };
                if !view.is_over() && view.info_if_matching(query).is_some() {
                    newest.push(view);
                }
                if newest.len() == count {
                    return newest;
                }
            }
            // Yields to other tasks while the lock is not held.
            yield_now().await;
        }
        newest
    }

    /// Reads from the store which groups are open, unless this node owns the groups. Call this
    /// after reading finished matches, since their groups are in the store by then.
    pub(super) async fn refresh_groups(&self, store: &dyn Store) -> Result<(), Refusal> {
        if self.is_leader() {
            return Ok(());
        }
        let started = Instant::now();
        let records = store.records(OPEN_RECORD_PREFIX).await.map_err(store_failed)?;
        if self.context.groups.load_replica(records, started) {
            Ok(())
        } else {
            Err(Refusal::damaged("the stored record of a group cannot be read; see the server log"))
        }
    }

    pub(super) fn decode_finished(&self, finished: &FinishedMatch) -> Result<StoredMatch, Refusal> {
        StoredMatch::read(finished, &self.context.groups).map_err(|problem| {
            let id = &finished.match_id;
            let refusal = match_unreadable(id);
            let part = DamagedValue::Summary;
            self.quarantined().report_damaged_part(id, part, &problem);
            refusal
        })
    }

    /// Converts an error that occurred while a match was read into a refusal.
    fn read_failed(&self, id: &MatchId, error: StoreError) -> Refusal {
        match error {
            StoreError::Damaged { damage, .. } => {
                self.quarantined().report_damage(&damage);
                match_unreadable(id)
            }
            StoreError::ReplayForgotten { .. } => Refusal::new(
                RefusalReason::ReplayForgotten,
                "the replay was deleted by the retention policy; the result of the match is still \
                 available",
            ),
            failure => store_failed(failure),
        }
    }

    pub(super) fn store(&self) -> Option<&dyn Store> {
        Some(&**self.journal()?.store())
    }
}

pub(super) fn store_failed(error: StoreError) -> Refusal {
    error!(%error, "cannot read from the store");
    Refusal::storage_failed()
}
