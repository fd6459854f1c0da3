//! Lists of matches: those in play, here and at other nodes, and then the finished ones that only the
//! store has.

use std::{collections::VecDeque, fmt, str::FromStr, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::MatchInfo;
use bridgemaster_store::{FinishedCursor, KeyName, NoPlace, ToldCursor};
use tokio::task::yield_now;

use super::{
    MatchQuery, Matches, Reader, Seen, Viewer,
    lookup::{is_elsewhere, storage_failed, store_failed},
};
use crate::{journal::Gated, limits::LISTED_MATCH_BYTES, refusal::Refusal, transport::Call};

/// Where a listing goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// At the matches in memory and those in play at other nodes.
    InPlay(InPlayPlace),
    /// At the finished matches that only the store has, after this place.
    Stored(Option<FinishedCursor>),
}

/// A place among the matches in memory and those in play at other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InPlayPlace {
    /// At the matches in memory made before the one of this age.
    age: u64,
    /// At those of other nodes after this place; `None` after all.
    elsewhere: Option<ToldCursor>,
}

impl InPlayPlace {
    /// The age before which no match was made.
    const NO_AGE: u64 = 0;

    /// Before the newest.
    fn first() -> Self {
        Self {
            age: u64::MAX,
            elsewhere: Some(ToldCursor::first()),
        }
    }
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
pub(super) const MAX_READS: usize = 8;

/// Matches that are read from their bytes before others go on.
const AT_ONCE: usize = 32;

/// What a page token of the store's part begins with.
const STORED: char = 's';

/// What parts the two places of a page token.
const PART: char = '.';

impl fmt::Display for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InPlay(InPlayPlace { age, elsewhere }) => match elsewhere {
                None => age.fmt(f),
                Some(place) => write!(f, "{age}{PART}{place}"),
            },
            Self::Stored(None) => STORED.fmt(f),
            Self::Stored(Some(cursor)) => write!(f, "{STORED}{cursor}"),
        }
    }
}

impl FromStr for Before {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        if let Some(cursor) = text.strip_prefix(STORED) {
            let place = (!cursor.is_empty()).then(|| cursor.parse());
            return Ok(Self::Stored(place.transpose().map_err(|_| NoPlace)?));
        }
        let (age, elsewhere) = match text.split_once(PART) {
            None => (text, None),
            Some((age, place)) => (age, Some(place.parse()?)),
        };
        let age = age.parse().map_err(|_| NoPlace)?;
        Ok(Self::InPlay(InPlayPlace { age, elsewhere }))
    }
}

/// Matches of one part of the list, the newest first, each with the place before which it is, and
/// the place where the part goes on.
struct Run<P> {
    matches: VecDeque<(P, MatchInfo)>,
    /// After those that were taken.
    taken_to: P,
    /// After all of them.
    rest: P,
}

impl<P: Clone> Run<P> {
    /// When the next one was made.
    fn next_created(&self) -> Option<u64> {
        self.matches.front().map(|(_, info)| info.created_unix_ms)
    }

    fn take(&mut self) -> Option<MatchInfo> {
        let (place, info) = self.matches.pop_front()?;
        self.taken_to = place;
        Some(info)
    }

    /// Where the part goes on.
    fn goes_on_at(self) -> P {
        match self.matches.is_empty() {
            true => self.rest,
            false => self.taken_to,
        }
    }
}

impl Matches {
    /// At most `count` of the `wanted` matches that the viewer sees, for `reader`, and where the list
    /// goes on: those in memory and in play at other nodes, the newest first, and then the finished
    /// ones that only the store has, the last to end first. There may be fewer, even none, and still more to come. Those
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
        // What other nodes tell is at hand beside what is here.
        let parts = 1 + usize::from(self.lists_elsewhere());
        Call::room_for_answer(parts * count * LISTED_MATCH_BYTES).await?;
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
        let place = before.unwrap_or_else(|| Before::InPlay(InPlayPlace::first()));
        let after = match place {
            Before::Stored(after) => after,
            Before::InPlay(place) => {
                let of = (viewer, of);
                let next = self.list_in_play(wanted, place, count, of, &mut listed);
                if let Some(next) = next.await? {
                    listed.next = Some(Before::InPlay(next));
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

    /// The matches in memory and those in play at other nodes, together the newest first, until there
    /// are `count`. Gives where they go on.
    async fn list_in_play(
        self: &Arc<Self>,
        wanted: &MatchQuery,
        place: InPlayPlace,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
        listed: &mut Listed,
    ) -> Result<Option<InPlayPlace>, Refusal> {
        let held = self.held_before(wanted, place.age, count, (viewer, of));
        let (held, rest) = held.await;
        let mut here = Run {
            matches: VecDeque::with_capacity(held.len()),
            taken_to: place.age,
            rest: rest.unwrap_or(InPlayPlace::NO_AGE),
        };
        for (age, info) in held {
            let shown = info.shown().await.map_err(storage_failed)?;
            here.matches.push_back((age, shown));
        }
        let told = self.told_elsewhere(wanted, place.elsewhere.clone(), count, (viewer, of));
        let told = told.await?;
        // Whose they are cannot be read either.
        if viewer.sees_unreadable(None) {
            listed.damaged.extend(told.damaged);
        }
        let mut elsewhere = Run {
            matches: told.matches,
            taken_to: place.elsewhere,
            rest: told.next,
        };
        while listed.matches.len() < count {
            let next = match here.next_created() >= elsewhere.next_created() {
                true => here.take(),
                false => elsewhere.take(),
            };
            match next {
                Some(info) => listed.matches.push(info),
                None => break,
            }
        }
        let (age, elsewhere) = (here.goes_on_at(), elsewhere.goes_on_at());
        let has_more = age != InPlayPlace::NO_AGE || elsewhere.is_some();
        Ok(has_more.then_some(InPlayPlace { age, elsewhere }))
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
                    Ok(read) => match self.shown_to(Arc::new(read), viewer).await {
                        Ok(shown) => {
                            let info = shown.info_if(wanted).map(Gated::into_value);
                            listed.matches.extend(info);
                        }
                        // It is in the list of the server that shows it late.
                        Err(refusal) if is_elsewhere(&refusal) => {}
                        Err(refusal) => return Err(refusal),
                    },
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_after_it_travelled_as_a_page_token() {
        let here = InPlayPlace {
            age: 7,
            elsewhere: None,
        };
        for place in [
            Before::InPlay(InPlayPlace::first()),
            Before::InPlay(here),
            Before::Stored(None),
        ] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in ["", "x", "7.", "7.8", "7.x.a", "sx"] {
            assert_eq!(text.parse::<Before>(), Err(NoPlace), "{text}");
        }
    }

    #[test]
    fn a_run_goes_on_after_the_last_that_was_taken() {
        let info = |created_unix_ms| MatchInfo {
            created_unix_ms,
            ..MatchInfo::default()
        };
        let mut run = Run {
            matches: VecDeque::from([(9, info(90)), (8, info(80))]),
            taken_to: 10,
            rest: 5,
        };
        assert_eq!(run.next_created(), Some(90));
        assert_eq!(run.take().map(|info| info.created_unix_ms), Some(90));
        assert_eq!(run.taken_to, 9);
        run.take();
        assert_eq!(run.goes_on_at(), 5);
    }
}
