//! Finding matches: in memory, and the finished ones that only the store still has.

use std::{fmt, num::ParseIntError, str::FromStr, sync::Arc};

use bridgemaster_proto::v1::{MatchInfo, MatchState, RefusalReason};
use bridgemaster_store::{FinishedCursor, FinishedMatch, Store, StoreError};
use tracing::error;

use super::{HostedMatch, MatchId, Matches, StoredMatch, hosted_match::ReplayBytes};
use crate::{journal::NotStored, limits::MAX_REPEATED_CHARS, refusal::Refusal};

/// Where a listing goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before {
    /// At the matches in memory made before the one of this age.
    Made(u64),
    /// At the finished matches that only the store has, after this place.
    Stored(Option<FinishedCursor>),
}

/// Most times that one call reads from the store. A caller who sees few of the matches in it gets a
/// short page and goes on with the next: a call must not read a store of a million matches.
const MAX_READS: usize = 8;

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
    /// The match of this identifier.
    pub(crate) async fn find(&self, id: &MatchId) -> Result<Arc<dyn HostedMatch>, Refusal> {
        if let Some(held) = self.held(id) {
            return Ok(held);
        }
        let unknown = || {
            let shown: String = id.as_str().chars().take(MAX_REPEATED_CHARS).collect();
            Refusal::new(
                RefusalReason::MatchUnknown,
                format!("no match has the identifier {shown:?}"),
            )
        };
        let (store, stored_id) = self.stored(id).ok_or_else(unknown)?;
        let finished = store.finished_match(&stored_id).await;
        let finished = finished.map_err(unreadable)?.ok_or_else(unknown)?;
        Ok(Arc::new(read(&finished)?))
    }

    /// The bytes of the replay file of a match that has ended.
    pub(crate) async fn replay(&self, hosted: &dyn HostedMatch) -> Result<Arc<[u8]>, Refusal> {
        match hosted.replay() {
            ReplayBytes::Growing => Err(Refusal::new(
                RefusalReason::MatchRunning,
                "the match has not ended, and its replay shows what seats may not know",
            )),
            ReplayBytes::Here(bytes) => bytes.shown().await.map_err(storage_failed),
            ReplayBytes::InStore => {
                let stored = self.stored(hosted.id());
                let (store, stored_id) = stored.ok_or_else(Refusal::storage_failed)?;
                let bytes = store.replay(&stored_id).await.map_err(unreadable)?;
                bytes.map(Arc::from).ok_or_else(Refusal::storage_failed)
            }
        }
    }

    /// At most `count` matches in `state` that the caller sees, and where the list goes on: those in
    /// memory, the newest first, and then the finished ones that only the store has, the last to
    /// end first. There may be fewer, even none, and still more to come.
    pub(crate) async fn list(
        &self,
        state: MatchState,
        before: Option<Before>,
        count: usize,
        is_seen: &(dyn Fn(&dyn HostedMatch) -> bool + Sync),
    ) -> Result<(Vec<MatchInfo>, Option<Before>), Refusal> {
        let mut page = Vec::new();
        let mut after = match before.unwrap_or(Before::Made(u64::MAX)) {
            Before::Stored(after) => after,
            Before::Made(age) => {
                let (held, next) = self.held_before(state, age, count, is_seen);
                for info in held {
                    page.push(info.shown().await.map_err(storage_failed)?);
                }
                if next.is_some() {
                    return Ok((page, next.map(Before::Made)));
                }
                None
            }
        };
        let Some(journal) = self
            .journal()
            .filter(|_| matches!(state, MatchState::Unspecified | MatchState::Ended))
        else {
            return Ok((page, None));
        };
        for _ in 0..MAX_READS {
            // Without room one is asked for, to know whether there are more.
            let room = count - page.len();
            let limit = u32::try_from(room).unwrap_or(u32::MAX).max(1);
            let stored = journal.store().finished(after, limit, None).await;
            let stored = stored.map_err(unreadable)?;
            let only_stored = stored.matches.iter().filter(|finished| {
                self.held(&MatchId::from_store(&finished.match_id))
                    .is_none()
            });
            if room == 0 {
                let has_more = only_stored.count() > 0 || stored.next.is_some();
                return Ok((page, has_more.then_some(Before::Stored(after))));
            }
            for finished in only_stored {
                let finished = read(finished)?;
                if is_seen(&finished) {
                    page.push(finished.info().into_value());
                }
            }
            if stored.next.is_none() {
                return Ok((page, None));
            }
            after = stored.next;
        }
        Ok((page, Some(Before::Stored(after))))
    }

    /// The store, if there is one, and the identifier in it, if it can be one.
    fn stored(&self, id: &MatchId) -> Option<(&dyn Store, bridgemaster_store::MatchId)> {
        let stored_id = bridgemaster_store::MatchId::new(id.as_str()).ok()?;
        Some((&**self.journal()?.store(), stored_id))
    }
}

fn read(finished: &FinishedMatch) -> Result<StoredMatch, Refusal> {
    StoredMatch::read(finished).map_err(|problem| {
        error!(match_id = %finished.match_id, problem, "a finished match cannot be read");
        Refusal::storage_failed()
    })
}

fn unreadable(error: StoreError) -> Refusal {
    error!(%error, "the store cannot be read");
    Refusal::storage_failed()
}

fn storage_failed(_: NotStored) -> Refusal {
    Refusal::storage_failed()
}
