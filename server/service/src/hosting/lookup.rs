//! Finding matches: in memory, and the finished ones that only the store still has.

use std::{sync::Arc, time::Instant};

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{FinishedMatch, Store, StoreError};
use tokio::task::yield_now;
use tracing::error;

use super::{
    HostedMatch, MatchQuery, Matches, Reader, ReadingPlace, Seen, ShownMatch, StoredMatch, Viewer,
    groups::OPEN_NOTES, hosted_match::ReplayBytes, matches::MAX_LOOKS, set_aside::unreadable,
};
use crate::{journal::NotStored, metrics::DamagedValue, refusal::Refusal};

/// Matches that are looked at before others go on.
const AT_ONCE: usize = 32;

impl Matches {
    /// The match of this identifier as the viewer sees it, if there is one and he does, for `reader`.
    pub(crate) async fn find(
        self: &Arc<Self>,
        id: &MatchId,
        viewer: &(dyn Viewer + Sync),
        reader: &Reader,
    ) -> Result<Option<Arc<dyn ShownMatch>>, Refusal> {
        match self.find_itself(id, viewer, reader).await? {
            None => Ok(None),
            Some(hosted) => self.shown_to(hosted, viewer).await.map(Some),
        }
    }

    /// The match of this identifier, if there is one and the viewer sees it, for `reader`: to change
    /// it, since the viewer may see it late. One that he does not see is looked for as one that there
    /// is not, so that no limit tells the two apart.
    pub(crate) async fn find_itself(
        &self,
        id: &MatchId,
        viewer: &(dyn Viewer + Sync),
        reader: &Reader,
    ) -> Result<Option<Arc<dyn HostedMatch>>, Refusal> {
        let is_seen = |hosted: &dyn HostedMatch| match viewer.seen() {
            Seen::All => true,
            Seen::Of(name) => hosted.is_of(name),
            Seen::Nothing => false,
        };
        if let Some(held) = self.held(id).filter(|held| is_seen(&**held)) {
            return Ok(Some(held));
        }
        let aside = self.set_aside().maker_of(id);
        // What is here and not seen is not looked for at other nodes.
        let is_here = self.held(id).is_some() || aside.is_some();
        if aside.is_some_and(|maker| viewer.sees_unreadable(maker.as_ref())) {
            return Err(unreadable(id));
        }
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let _place = self.reading().begin(reader)?;
        let _turn = self.reading().turn().await?;
        // A viewer who may see single matches alone is told nothing of one that is elsewhere. Before
        // the look at what has ended: a match that ends meanwhile is found by one of the two.
        if !is_here && !matches!(viewer.seen(), Seen::Nothing) {
            self.check_is_nowhere_else(id).await?;
        }
        let read = match store.finished_match(id).await {
            Ok(None) => return Ok(None),
            Ok(Some(finished)) => {
                self.learn_groups(store).await?;
                self.read_finished(&finished)
            }
            Err(error) => Err(self.not_read(id, error)),
        };
        match read {
            Ok(stored) if is_seen(&stored) => Ok(Some(Arc::new(stored) as _)),
            Ok(_) if matches!(viewer.seen(), Seen::Nothing) => Ok(None),
            // As it was answered while it was played.
            Ok(stored) => self.check_is_shown_here(&stored).await.map(|()| None),
            Err(refusal) if refusal.reason() == RefusalReason::DataDamaged => {
                let is_party = match viewer.seen() {
                    Seen::All => true,
                    // Where not even that can be read, nobody is told of the match.
                    Seen::Of(name) => store.is_party(id, name).await.unwrap_or(false),
                    Seen::Nothing => false,
                };
                if is_party { Err(refusal) } else { Ok(None) }
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// A finished match of the store, whoever asks.
    pub(super) async fn stored_match(&self, id: &MatchId) -> Result<Option<StoredMatch>, Refusal> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let _turn = self.reading().turn().await?;
        match store.finished_match(id).await {
            Ok(finished) => {
                self.learn_groups(store).await?;
                finished.map(|one| self.read_finished(&one)).transpose()
            }
            Err(error) => Err(self.not_read(id, error)),
        }
    }

    /// The bytes of the replay file of a match that has ended, for `reader`.
    pub(crate) async fn replay(
        &self,
        hosted: &dyn ShownMatch,
        reader: &Reader,
    ) -> Result<Arc<[u8]>, Refusal> {
        self.bytes_of(hosted, hosted.replay(), Some(reader)).await
    }

    /// The same for one who has a place among those who read.
    pub(crate) async fn replay_for_place(
        &self,
        hosted: &dyn ShownMatch,
        _place: &ReadingPlace,
    ) -> Result<Arc<[u8]>, Refusal> {
        self.bytes_of(hosted, hosted.replay(), None).await
    }

    /// The same whatever is held back of it, to make what may be told from it.
    pub(crate) async fn whole_replay(
        &self,
        hosted: &dyn ShownMatch,
        reader: &Reader,
    ) -> Result<Arc<[u8]>, Refusal> {
        let replay = hosted.course().whole_replay();
        self.bytes_of(hosted, replay, Some(reader)).await
    }

    async fn bytes_of(
        &self,
        hosted: &dyn ShownMatch,
        replay: ReplayBytes,
        reader: Option<&Reader>,
    ) -> Result<Arc<[u8]>, Refusal> {
        match replay {
            ReplayBytes::Growing => Err(Refusal::new(
                RefusalReason::MatchRunning,
                "the match has not ended, and its replay shows what seats may not know",
            )),
            ReplayBytes::Never(refusal) => Err(match refusal.shown().await {
                Ok(refusal) => refusal,
                Err(not_stored) => storage_failed(not_stored),
            }),
            ReplayBytes::Here(bytes) => bytes.shown().await.map_err(storage_failed),
            ReplayBytes::InStore => {
                let store = self.store().ok_or_else(Refusal::storage_failed)?;
                let place = reader.map(|reader| self.reading().begin(reader));
                let _place = place.transpose()?;
                let turn = self.reading().turn().await?;
                let bytes = store.replay(hosted.id()).await;
                drop(turn);
                let bytes = bytes.map_err(|error| self.not_read(hosted.id(), error))?;
                bytes.map(Arc::from).ok_or_else(Refusal::storage_failed)
            }
        }
    }

    /// At most `count` of the `wanted` matches in play that the viewer sees, the newest first.
    pub(crate) async fn newest_in_play(
        self: &Arc<Self>,
        wanted: &MatchQuery,
        count: usize,
        viewer: &(dyn Viewer + Sync),
    ) -> Vec<Arc<dyn ShownMatch>> {
        let party = wanted.party();
        let of = match viewer.seen() {
            Seen::All => party.as_ref(),
            Seen::Of(name) => Some(name),
            Seen::Nothing => return Vec::new(),
        };
        let (mut newest, mut age) = (Vec::new(), u64::MAX);
        for _ in 0..MAX_LOOKS {
            let older = self.roster().before(age, of, AT_ONCE);
            let Some((last, _)) = older.last() else {
                break;
            };
            age = *last;
            for (_, hosted) in older {
                let Ok(shown) = self.shown_to(hosted, viewer).await else {
                    continue;
                };
                if !shown.is_over() && shown.info_if(wanted).is_some() {
                    newest.push(shown);
                }
                if newest.len() == count {
                    return newest;
                }
            }
            // Neither the lock nor the thread is kept for longer.
            yield_now().await;
        }
        newest
    }

    /// Where another server keeps the groups, reads which are not over: what they hold back is held
    /// back here too. To be called after finished matches are read: their groups are in the store
    /// by then.
    pub(super) async fn learn_groups(&self, store: &dyn Store) -> Result<(), Refusal> {
        if self.leads() {
            return Ok(());
        }
        let begun = Instant::now();
        let notes = store.notes(OPEN_NOTES).await.map_err(store_failed)?;
        match self.context().groups.read_again(notes, begun) {
            true => Ok(()),
            false => Err(Refusal::damaged("the note of a group cannot be read")),
        }
    }

    pub(super) fn read_finished(&self, finished: &FinishedMatch) -> Result<StoredMatch, Refusal> {
        StoredMatch::read(finished, &self.context().groups).map_err(|problem| {
            let id = &finished.match_id;
            let refusal = unreadable(id);
            let part = DamagedValue::Summary;
            self.set_aside().part_of_finished(id, part, &problem);
            refusal
        })
    }

    /// What is told of a match that the store does not give.
    fn not_read(&self, id: &MatchId, error: StoreError) -> Refusal {
        match error {
            StoreError::Damaged { damage, .. } => {
                self.set_aside().finished(&damage);
                unreadable(id)
            }
            StoreError::ReplayForgotten { .. } => Refusal::new(
                RefusalReason::ReplayForgotten,
                "this server keeps the replay no more; the result of the match stays",
            ),
            failure => store_failed(failure),
        }
    }

    /// The store, if there is one.
    pub(super) fn store(&self) -> Option<&dyn Store> {
        Some(&**self.journal()?.store())
    }
}

/// Whether a match is refused because another server has it.
pub(super) fn is_elsewhere(refusal: &Refusal) -> bool {
    matches!(
        refusal.reason(),
        RefusalReason::Moved | RefusalReason::NodeSuperseded
    )
}

pub(super) fn store_failed(error: StoreError) -> Refusal {
    error!(%error, "the store cannot be read");
    Refusal::storage_failed()
}

pub(super) fn storage_failed(_: NotStored) -> Refusal {
    Refusal::storage_failed()
}
