//! Finding matches: in memory, and the finished ones that only the store still has.

use std::{fmt, num::ParseIntError, str::FromStr, sync::Arc, time::Instant};

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_store::{FinishedCursor, FinishedMatch, KeyName, Store, StoreError};
use tokio::task::yield_now;
use tracing::error;

use super::{
    HostedMatch, MatchQuery, Matches, Reader, ReadingPlace, Seen, ShownMatch, StoredMatch, Viewer,
    groups::OPEN_NOTES, hosted_match::ReplayBytes, matches::MAX_LOOKS, set_aside::unreadable,
};
use crate::{
    journal::{Gated, NotStored},
    limits::LISTED_MATCH_BYTES,
    metrics::DamagedValue,
    refusal::Refusal,
    transport::Call,
};

/// Where a listing goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before {
    /// At the matches in memory made before the one of this age.
    Made(u64),
    /// At the finished matches that only the store has, after this place.
    Stored(Option<FinishedCursor>),
}

/// A part of the list.
#[derive(Default)]
pub(crate) struct Listed {
    pub(crate) matches: Vec<MatchInfo>,
    /// Matches that cannot be read.
    pub(crate) damaged: Vec<MatchId>,
    /// Where the list goes on; `None` at its end.
    pub(crate) next: Option<Before>,
}

/// Most times that one call reads from the store: what it reads may be in memory too, and told
/// already. It then gives a short page, and the caller goes on with the next.
const MAX_READS: usize = 8;

/// Matches that are looked at, or read from their bytes, before others go on.
const AT_ONCE: usize = 32;

/// What a page token of the store's part begins with.
const STORED: char = 's';

impl fmt::Display for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made(age) => age.fmt(f),
            Self::Stored(None) => STORED.fmt(f),
            Self::Stored(Some(cursor)) => write!(f, "{STORED}{cursor}"),
        }
    }
}

impl FromStr for Before {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        match text.strip_prefix(STORED) {
            None => text.parse().map(Self::Made),
            Some("") => Ok(Self::Stored(None)),
            Some(cursor) => cursor.parse().map(|cursor| Self::Stored(Some(cursor))),
        }
    }
}

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
            Some(hosted) => Ok(Some(self.shown_to(hosted, viewer).await)),
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
            Ok(_) => Ok(None),
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

    /// At most `count` of the `wanted` matches that the viewer sees, for `reader`, and where the list
    /// goes on: those in memory, the newest first, and then the finished ones that only the store
    /// has, the last to end first. There may be fewer, even none, and still more to come. Those
    /// that cannot be read come on top: the ones in play on the first page, the finished ones in
    /// their places.
    pub(crate) async fn list(
        self: &Arc<Self>,
        wanted: &MatchQuery,
        before: Option<Before>,
        count: usize,
        viewer: &(dyn Viewer + Sync),
        reader: &Reader,
    ) -> Result<Listed, Refusal> {
        let _place = self.reading().begin(reader)?;
        Call::room_for_answer(count * LISTED_MATCH_BYTES).await?;
        let party = wanted.party();
        let of = match viewer.seen() {
            Seen::All => party.as_ref(),
            Seen::Of(name) => Some(name),
            Seen::Nothing => return Ok(Listed::default()),
        };
        let mut listed = Listed::default();
        if before.is_none() && wanted.wants_in_play() {
            let in_play = self.set_aside().in_play().into_iter();
            let seen = in_play.filter(|(_, maker)| viewer.sees_unreadable(maker.as_ref()));
            listed.damaged.extend(seen.map(|(id, _)| id));
        }
        let after = match before.unwrap_or(Before::Made(u64::MAX)) {
            Before::Stored(after) => after,
            Before::Made(age) => {
                let held = self.held_before(wanted, age, count, (viewer, of));
                let (held, next) = held.await;
                for info in held {
                    let shown = info.shown().await.map_err(storage_failed)?;
                    listed.matches.push(shown);
                }
                if next.is_some() {
                    listed.next = next.map(Before::Made);
                    return Ok(listed);
                }
                None
            }
        };
        if wanted.wants_finished() {
            let stored = self.list_stored(wanted, after, count, (viewer, of), &mut listed);
            listed.next = stored.await?;
        }
        Ok(listed)
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
                let shown = self.shown_to(hosted, viewer).await;
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

    /// Adds the finished matches that only the store has, from this place on, until there are
    /// `count` matches. Gives where the list goes on.
    async fn list_stored(
        self: &Arc<Self>,
        wanted: &MatchQuery,
        mut after: Option<FinishedCursor>,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
        listed: &mut Listed,
    ) -> Result<Option<Before>, Refusal> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        for _ in 0..MAX_READS {
            // Without room one is asked for, to know whether there are more.
            let room = count - listed.matches.len();
            let limit = u32::try_from(room).unwrap_or(u32::MAX).max(1);
            let turn = self.reading().turn().await?;
            let stored = store.finished(after, limit, of).await;
            drop(turn);
            let stored = stored.map_err(store_failed)?;
            self.learn_groups(store).await?;
            let only_stored = stored
                .matches
                .iter()
                .filter(|finished| self.held(&finished.match_id).is_none());
            if room == 0 {
                let has_more = only_stored.count() > 0 || stored.next.is_some();
                return Ok(has_more.then_some(Before::Stored(after)));
            }
            for (number, finished) in only_stored.enumerate() {
                match self.read_finished(finished) {
                    Ok(read) => {
                        let shown = self.shown_to(Arc::new(read), viewer).await;
                        let info = shown.info_if(wanted).map(Gated::into_value);
                        listed.matches.extend(info);
                    }
                    Err(_) => listed.damaged.push(finished.match_id.clone()),
                }
                if number % AT_ONCE == AT_ONCE - 1 {
                    yield_now().await;
                }
            }
            for damage in &stored.damaged {
                self.set_aside().finished(damage);
                listed.damaged.extend(damage.value.match_id().cloned());
            }
            if stored.next.is_none() {
                return Ok(None);
            }
            after = stored.next;
            if listed.matches.len() == count {
                break;
            }
        }
        Ok(Some(Before::Stored(after)))
    }

    /// Where another server keeps the groups, reads which are not over: what they hold back is held
    /// back here too. To be called after finished matches are read: their groups are in the store
    /// by then.
    async fn learn_groups(&self, store: &dyn Store) -> Result<(), Refusal> {
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
    fn store(&self) -> Option<&dyn Store> {
        Some(&**self.journal()?.store())
    }
}

fn store_failed(error: StoreError) -> Refusal {
    error!(%error, "the store cannot be read");
    Refusal::storage_failed()
}

fn storage_failed(_: NotStored) -> Refusal {
    Refusal::storage_failed()
}
