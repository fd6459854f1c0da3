//! Lists of matches. Matches in memory and matches in play on other nodes come first, and then the
//! finished matches that are only in the store.

use std::{collections::VecDeque, fmt, str::FromStr, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_store::{AdvertisedCursor, FinishedCursor, InvalidCursor, KeyName};
use tokio::task::yield_now;

use super::{
    MatchQuery, Matches, Reader, Viewer, Visibility,
    lookup::{storage_failed, store_failed},
};
use crate::{journal::Gated, limits::LISTED_MATCH_BYTES, refusal::Refusal, transport::Call};

/// The position at which a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageToken {
    /// A position within the matches in memory and the matches in play on other nodes.
    InPlay(InPlayCursor),
    /// A position after this cursor within the finished matches that are only in the store.
    Stored(Option<FinishedCursor>),
}

/// A position within the matches in memory and the matches in play on other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InPlayCursor {
    /// The list continues with matches in memory that are older than the match of this age.
    age: u64,
    /// The list continues after this cursor with matches on other nodes; `None` after the last such
    /// match.
    remote: Option<AdvertisedCursor>,
}

impl InPlayCursor {
    /// An age below that of every match.
    const OLDEST: u64 = 0;

    /// Returns the position before the newest match.
    fn first() -> Self {
        Self {
            age: u64::MAX,
            remote: Some(AdvertisedCursor::first()),
        }
    }
}

/// One page of the list.
#[derive(Default)]
pub(crate) struct MatchPage {
    pub(crate) matches: Vec<MatchInfo>,
    /// Matches that cannot be read.
    pub(crate) damaged: Vec<MatchId>,
    /// The position at which the list continues; `None` at its end.
    pub(crate) next: Option<PageToken>,
}

/// The maximum number of reads from the store per call. If a read returns only matches that are
/// already listed from memory, the call can return a short page.
pub(super) const MAX_READS: usize = 8;

/// The number of matches decoded between yields to other tasks.
const BATCH_SIZE: usize = 32;

/// The prefix of page tokens for the store.
const STORED_PREFIX: char = 's';

/// Separates the two positions in a page token.
const POSITION_SEPARATOR: char = '.';

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InPlay(InPlayCursor { age, remote }) => match remote {
                None => age.fmt(f),
                Some(place) => write!(f, "{age}{POSITION_SEPARATOR}{place}"),
            },
            Self::Stored(None) => STORED_PREFIX.fmt(f),
            Self::Stored(Some(cursor)) => write!(f, "{STORED_PREFIX}{cursor}"),
        }
    }
}

impl FromStr for PageToken {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        if let Some(cursor) = text.strip_prefix(STORED_PREFIX) {
            let place = (!cursor.is_empty()).then(|| cursor.parse());
            return Ok(Self::Stored(place.transpose().map_err(|_| InvalidCursor)?));
        }
        let (age, remote) = match text.split_once(POSITION_SEPARATOR) {
            None => (text, None),
            Some((age, place)) => (age, Some(place.parse()?)),
        };
        let age = age.parse().map_err(|_| InvalidCursor)?;
        Ok(Self::InPlay(InPlayCursor { age, remote }))
    }
}

/// One source of the merged list: matches with their positions, newest first, and the position at
/// which the source continues.
struct MergeSource<P> {
    matches: VecDeque<(P, MatchInfo)>,
    /// The position after the last consumed match.
    consumed_to: P,
    /// The position after the last match in `matches`.
    rest: P,
}

impl<P: Clone> MergeSource<P> {
    /// Returns the creation time of the next match, in ms since 1970 UTC.
    fn next_created(&self) -> Option<u64> {
        self.matches.front().map(|(_, info)| info.created_unix_ms)
    }

    fn pop(&mut self) -> Option<MatchInfo> {
        let (place, info) = self.matches.pop_front()?;
        self.consumed_to = place;
        Some(info)
    }

    /// Returns the position at which the source continues.
    fn next_position(self) -> P {
        if self.matches.is_empty() {
            self.rest
        } else {
            self.consumed_to
        }
    }
}

impl Matches {
    /// Lists at most `count` matches that satisfy the query and that the viewer may see. Matches in
    /// memory and in play on other nodes come first, from the newest. Finished matches that are
    /// only in the store follow, those that ended last first. A page can be short or even empty
    /// although more matches follow. Unreadable matches are listed in addition: matches in play on
    /// the first page, finished matches at their positions.
    pub(crate) async fn list(
        self: &Arc<Self>,
        query: &MatchQuery,
        before: Option<PageToken>,
        count: usize,
        viewer: &(dyn Viewer + Sync),
        reader: &Reader,
    ) -> Result<MatchPage, Refusal> {
        let _permit = self.read_limiter().admit(reader)?;
        // Matches on other nodes need the same amount of memory in addition.
        let parts = 1 + usize::from(self.lists_remote_matches());
        Call::reserve_answer(parts * count * LISTED_MATCH_BYTES).await?;
        let party = query.party();
        let of = match viewer.visible() {
            Visibility::All => party.as_ref(),
            Visibility::Of(name) => Some(name),
            Visibility::None => return Ok(MatchPage::default()),
        };
        let mut listed = MatchPage::default();
        if before.is_none() && query.includes_in_play() {
            let in_play = self.quarantine().in_play().into_iter();
            let visible = in_play.filter(|(_, maker)| viewer.sees_unreadable(maker.as_ref()));
            listed.damaged.extend(visible.map(|(id, _)| id));
        }
        let place = before.unwrap_or_else(|| PageToken::InPlay(InPlayCursor::first()));
        let after = match place {
            PageToken::Stored(after) => after,
            PageToken::InPlay(place) => {
                let of = (viewer, of);
                let next = self.list_in_play(query, place, count, of, &mut listed);
                if let Some(next) = next.await? {
                    listed.next = Some(PageToken::InPlay(next));
                    return Ok(listed);
                }
                None
            }
        };
        if query.includes_finished() {
            let stored = self.list_stored(query, after, count, (viewer, of), &mut listed);
            listed.next = stored.await?;
        }
        Ok(listed)
    }

    /// Lists matches in memory and matches in play on other nodes, newest first, up to `count`.
    /// Returns the position at which the list continues.
    async fn list_in_play(
        self: &Arc<Self>,
        query: &MatchQuery,
        place: InPlayCursor,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
        listed: &mut MatchPage,
    ) -> Result<Option<InPlayCursor>, Refusal> {
        let in_memory = self.list_in_memory(query, place.age, count, (viewer, of));
        let (in_memory, rest) = in_memory.await;
        let mut local = MergeSource {
            matches: VecDeque::with_capacity(in_memory.len()),
            consumed_to: place.age,
            rest: rest.unwrap_or(InPlayCursor::OLDEST),
        };
        for (age, info) in in_memory {
            let view = info.committed().await?;
            local.matches.push_back((age, view));
        }
        let page = self.remote_matches(query, place.remote.clone(), count, (viewer, of));
        let page = page.await?;
        // The owner of an unreadable advertisement is unknown too.
        if viewer.sees_unreadable(None) {
            listed.damaged.extend(page.damaged);
        }
        let mut remote = MergeSource {
            matches: page.matches,
            consumed_to: place.remote,
            rest: page.next,
        };
        while listed.matches.len() < count {
            let next = if local.next_created() >= remote.next_created() {
                local.pop()
            } else {
                remote.pop()
            };
            match next {
                Some(info) => listed.matches.push(info),
                None => break,
            }
        }
        let (age, remote) = (local.next_position(), remote.next_position());
        let has_more = age != InPlayCursor::OLDEST || remote.is_some();
        Ok(has_more.then_some(InPlayCursor { age, remote }))
    }

    /// Adds finished matches that are only in the store, from this position on, until there are
    /// `count` matches. Returns the position at which the list continues.
    async fn list_stored(
        self: &Arc<Self>,
        query: &MatchQuery,
        mut after: Option<FinishedCursor>,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
        listed: &mut MatchPage,
    ) -> Result<Option<PageToken>, Refusal> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        for _ in 0..MAX_READS {
            // If the page is full, one more match is read to determine whether the list continues.
            let remaining = count - listed.matches.len();
            let limit = u32::try_from(remaining).unwrap_or(u32::MAX).max(1);
            let permit = self.read_limiter().acquire().await?;
            let stored = store.finished(after, limit, of).await;
            drop(permit);
            let stored = stored.map_err(store_failed)?;
            self.refresh_groups(store).await?;
            let only_stored = stored
                .matches
                .iter()
                .filter(|finished| self.in_memory(&finished.match_id).is_none());
            if remaining == 0 {
                let has_more = only_stored.count() > 0 || stored.next.is_some();
                return Ok(has_more.then_some(PageToken::Stored(after)));
            }
            for (number, finished) in only_stored.enumerate() {
                match self.decode_finished(finished) {
                    Ok(read) => match self.view_for(Arc::new(read), viewer).await {
                        Ok(view) => {
                            let info = view.info_if_matching(query).map(Gated::into_value);
                            listed.matches.extend(info);
                        }
                        // The match is listed by the node that serves its delayed view.
                        Err(refusal) if refusal.reason() == RefusalReason::NodeSuperseded => {}
                        Err(refusal) => return Err(refusal),
                    },
                    Err(_) => listed.damaged.push(finished.match_id.clone()),
                }
                if number % BATCH_SIZE == BATCH_SIZE - 1 {
                    yield_now().await;
                }
            }
            for damage in &stored.damaged {
                self.quarantine().report_damage(damage);
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
        Ok(Some(PageToken::Stored(after)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_token_round_trips_as_text() {
        let local = InPlayCursor {
            age: 7,
            remote: None,
        };
        for place in [
            PageToken::InPlay(InPlayCursor::first()),
            PageToken::InPlay(local),
            PageToken::Stored(None),
        ] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in ["", "x", "7.", "7.8", "7.x.a", "sx"] {
            assert_eq!(text.parse::<PageToken>(), Err(InvalidCursor), "{text}");
        }
    }

    #[test]
    fn a_source_continues_after_the_last_consumed_match() {
        let info = |created_unix_ms| MatchInfo {
            created_unix_ms,
            ..MatchInfo::default()
        };
        let mut source = MergeSource {
            matches: VecDeque::from([(9, info(90)), (8, info(80))]),
            consumed_to: 10,
            rest: 5,
        };
        assert_eq!(source.next_created(), Some(90));
        assert_eq!(source.pop().map(|info| info.created_unix_ms), Some(90));
        assert_eq!(source.consumed_to, 9);
        source.pop();
        assert_eq!(source.next_position(), 5);
    }
}
