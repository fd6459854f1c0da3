//! Lists of matches. Matches in memory and matches in play on other nodes come first, and then the
//! finished matches that are only in the store.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    str::FromStr,
    sync::Arc,
};

use bridgemaster_match::MatchId;
use bridgemaster_proto::{
    internal::v1::{ListOwnMatchesResponse, OwnMatch},
    v1::{MatchInfo, MatchState, RefusalReason},
};
use bridgemaster_store::{FinishedCursor, KeyName, NodeName};
use tokio::task::yield_now;
use tonic::Status;

use super::{MatchQuery, Matches, ReadPermit, Reader, Viewer, Visibility, lookup::store_failed};
use crate::{
    journal::Gated,
    limits::LISTED_MATCH_BYTES,
    refusal::{FORWARD_TO_HEADER, Refusal},
    transport::Call,
};

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
    /// For each node that has further matches, the age of the match before which its part
    /// continues. The node's name is `None` if the server is in no cluster. Since all nodes have
    /// names, the list can continue at any node.
    ages: BTreeMap<Option<NodeName>, u64>,
}

/// An age above that of every match.
const NEWEST: u64 = u64::MAX;
/// An age below that of every match.
const OLDEST: u64 = 0;

/// The parts of a page that other nodes know, by node.
#[derive(Default)]
pub(crate) struct RemotePages {
    pub(crate) pages: BTreeMap<NodeName, ListOwnMatchesResponse>,
    /// Whether a node that has matches in play did not answer.
    pub(crate) is_incomplete: bool,
}

/// One page of the list.
#[derive(Default)]
pub(crate) struct MatchPage {
    pub(crate) matches: Vec<MatchInfo>,
    /// Matches that cannot be read.
    pub(crate) damaged: Vec<String>,
    /// The position at which the list continues; `None` at its end.
    pub(crate) next: Option<PageToken>,
    /// Whether matches may be missing, because no node that answers has them.
    pub(crate) is_incomplete: bool,
}

/// The text is not a valid page token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid page token")]
pub(crate) struct InvalidPageToken;

/// The maximum number of reads from the store per call. If a read returns only matches that are
/// already listed from memory, the call can return a short page.
pub(super) const MAX_READS: usize = 8;

/// The number of matches decoded between yields to other tasks.
const BATCH_SIZE: usize = 32;

/// The prefix of page tokens for the store.
const STORED_PREFIX: char = 's';

/// Separates the positions in a page token.
const POSITION_SEPARATOR: char = '~';

/// Separates a node's name from its position.
const NAME_SEPARATOR: char = '=';

impl PageToken {
    /// Returns the age before which another node's part continues; `None` if the page does not
    /// include further matches of that node.
    pub(crate) fn age_on(before: Option<&Self>, node: &NodeName) -> Option<u64> {
        match before {
            None => Some(NEWEST),
            Some(Self::InPlay(place)) => place.age_on(Some(node)),
            Some(Self::Stored(_)) => None,
        }
    }
}

impl InPlayCursor {
    /// Returns the age before which a node's part continues, if it continues.
    fn age_on(&self, node: Option<&NodeName>) -> Option<u64> {
        self.ages.get(&node.cloned()).copied()
    }

    /// Returns whether the list continues at a node that is neither this one nor has answered.
    fn has_missing_part(&self, own_name: Option<&NodeName>, remote: &RemotePages) -> bool {
        self.ages.keys().any(|node| {
            let node = node.as_ref();
            node != own_name && node.is_none_or(|node| !remote.pages.contains_key(node))
        })
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InPlay(place) => {
                for (node, age) in &place.ages {
                    match node {
                        None => age.fmt(f)?,
                        // The separator also precedes the first name, since a name can begin with
                        // the other prefix.
                        Some(node) => write!(f, "{POSITION_SEPARATOR}{node}{NAME_SEPARATOR}{age}")?,
                    }
                }
                Ok(())
            }
            Self::Stored(None) => STORED_PREFIX.fmt(f),
            Self::Stored(Some(cursor)) => write!(f, "{STORED_PREFIX}{cursor}"),
        }
    }
}

impl FromStr for PageToken {
    type Err = InvalidPageToken;

    fn from_str(text: &str) -> Result<Self, InvalidPageToken> {
        if let Some(cursor) = text.strip_prefix(STORED_PREFIX) {
            let place = (!cursor.is_empty()).then(|| cursor.parse());
            let place = place.transpose().map_err(|_| InvalidPageToken)?;
            return Ok(Self::Stored(place));
        }
        let age = |text: &str| text.parse::<u64>().map_err(|_| InvalidPageToken);
        let mut positions = text.split(POSITION_SEPARATOR);
        let unnamed = positions.next().filter(|text| !text.is_empty());
        let unnamed = unnamed.map(|text| Ok::<_, InvalidPageToken>((None, age(text)?)));
        let named = positions.map(|position| {
            let (node, text) = position
                .split_once(NAME_SEPARATOR)
                .ok_or(InvalidPageToken)?;
            let node = NodeName::new(node).map_err(|_| InvalidPageToken)?;
            Ok((Some(node), age(text)?))
        });
        let ages = unnamed.into_iter().chain(named);
        let ages = ages.collect::<Result<BTreeMap<_, _>, InvalidPageToken>>()?;
        if ages.is_empty() {
            return Err(InvalidPageToken);
        }
        Ok(Self::InPlay(InPlayCursor { ages }))
    }
}

/// One node's part of the merged list: matches with their ages, newest first, and the age before
/// which the part continues.
struct MergeSource {
    /// `None` for a server in no cluster.
    node: Option<NodeName>,
    matches: VecDeque<(u64, MatchInfo)>,
    /// The age of the last consumed match.
    consumed_to: u64,
    /// The age of the last match in `matches`, or [`OLDEST`] at the end.
    rest: u64,
}

impl MergeSource {
    /// Returns the creation time of the next match, in ms since 1970 UTC.
    fn next_created(&self) -> Option<u64> {
        self.matches.front().map(|(_, info)| info.created_unix_ms)
    }

    /// Returns whether the next match is unknown: the part continues, but no match is left here.
    fn is_exhausted(&self) -> bool {
        self.matches.is_empty() && self.rest != OLDEST
    }

    fn pop(&mut self) -> Option<MatchInfo> {
        let (age, info) = self.matches.pop_front()?;
        self.consumed_to = age;
        Some(info)
    }

    /// Returns the age before which the part continues.
    fn next_age(&self) -> u64 {
        if self.matches.is_empty() {
            self.rest
        } else {
            self.consumed_to
        }
    }
}

/// Merges the parts of a list, newest first, until there are `count` matches or a part has to be
/// continued. Returns the position at which the list continues.
fn merge(
    mut sources: Vec<MergeSource>,
    count: usize,
    matches: &mut Vec<MatchInfo>,
) -> Option<InPlayCursor> {
    while matches.len() < count && !sources.iter().any(MergeSource::is_exhausted) {
        // Of matches with the same time, that of the first source comes first.
        let newest = sources
            .iter_mut()
            .rev()
            .max_by_key(|source| source.next_created());
        let Some(info) = newest.and_then(MergeSource::pop) else {
            break;
        };
        matches.push(info);
    }
    let mut ages = BTreeMap::new();
    for source in sources {
        let next = source.next_age();
        if next != OLDEST {
            ages.insert(source.node, next);
        }
    }
    (!ages.is_empty()).then_some(InPlayCursor { ages })
}

impl MatchPage {
    /// Leaves out a match whose delayed view is on another node. That node lists the match, unless
    /// a takeover of the node is in progress.
    ///
    /// # Errors
    /// The refusal of the view, if it has another reason.
    fn omit(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        if refusal.reason() != RefusalReason::NodeSuperseded {
            return Err(refusal);
        }
        let status = Status::from(refusal);
        self.is_incomplete |= !status.metadata().contains_key(FORWARD_TO_HEADER);
        Ok(())
    }
}

/// Returns the key whose matches a list is limited to, if any; or `None` if the viewer sees none.
fn listed_party<'a>(
    viewer: &'a (dyn Viewer + Sync),
    party: Option<&'a KeyName>,
) -> Option<Option<&'a KeyName>> {
    match viewer.visible() {
        Visibility::All => Some(party),
        Visibility::Of(name) => Some(Some(name)),
        Visibility::None => None,
    }
}

impl Matches {
    /// Lists at most `count` matches that satisfy the query and that the viewer may see. Matches in
    /// memory and in play on other nodes come first, from the newest. Finished matches that are
    /// only in the store follow, those that ended last first. A page can be short or even empty
    /// although more matches follow. Unreadable matches are listed in addition: matches in play on
    /// the first page, finished matches at their positions. The caller has budget for the response.
    pub(crate) async fn list(
        self: &Arc<Self>,
        query: &MatchQuery,
        (before, remote): (Option<PageToken>, RemotePages),
        count: usize,
        viewer: &(dyn Viewer + Sync),
        _permit: &ReadPermit,
    ) -> Result<MatchPage, Refusal> {
        let party = query.party();
        let Some(of) = listed_party(viewer, party.as_ref()) else {
            return Ok(MatchPage::default());
        };
        let mut listed = MatchPage {
            is_incomplete: remote.is_incomplete,
            ..MatchPage::default()
        };
        if before.is_none() && query.includes_in_play() {
            listed.damaged = self.damaged_in_play(viewer);
        }
        let first = PageToken::InPlay(InPlayCursor {
            ages: BTreeMap::from([(self.node_name(), NEWEST)]),
        });
        let after = match before.unwrap_or(first) {
            PageToken::Stored(after) => after,
            PageToken::InPlay(place) => {
                let parts = (place, remote);
                let next = self.list_in_play(query, parts, count, (viewer, of), &mut listed);
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

    /// Returns this node's name; `None` if this server is in no cluster.
    fn node_name(&self) -> Option<NodeName> {
        self.cluster().map(|cluster| cluster.name().clone())
    }

    /// Lists matches in memory and matches in play on other nodes, newest first, up to `count`.
    /// Returns the position at which the list continues.
    async fn list_in_play(
        self: &Arc<Self>,
        query: &MatchQuery,
        (place, remote): (InPlayCursor, RemotePages),
        count: usize,
        of: (&(dyn Viewer + Sync), Option<&KeyName>),
        listed: &mut MatchPage,
    ) -> Result<Option<InPlayCursor>, Refusal> {
        let own_name = self.node_name();
        listed.is_incomplete |= place.has_missing_part(own_name.as_ref(), &remote);
        let age = place.age_on(own_name.as_ref()).unwrap_or(OLDEST);
        let (in_memory, rest) = self.list_in_memory(query, age, count, of).await;
        let mut local = MergeSource {
            node: own_name,
            matches: VecDeque::with_capacity(in_memory.len()),
            consumed_to: age,
            rest: rest.unwrap_or(OLDEST),
        };
        for (age, info) in in_memory {
            let view = info.committed().await?;
            local.matches.push_back((age, view));
        }
        let mut sources = vec![local];
        for (node, page) in remote.pages {
            listed.damaged.extend(page.damaged_match_ids);
            let matches = page.matches.into_iter().filter_map(|own| {
                let info = own.r#match?;
                // A match that was just taken over is listed locally. An ended match in memory may
                // have a delayed view on the other node.
                let id = MatchId::new(info.match_id.as_str()).ok()?;
                let is_here = self.in_memory(&id).is_some_and(|hosted| !hosted.is_over());
                (!is_here).then_some((own.age, info))
            });
            sources.push(MergeSource {
                matches: matches.collect(),
                consumed_to: place.age_on(Some(&node)).unwrap_or(NEWEST),
                rest: page.next_age,
                node: Some(node),
            });
        }
        Ok(merge(sources, count, &mut listed.matches))
    }

    /// Lists at most `count` matches in play on this node for a list of another node, before the
    /// match of this age. Every node reads ended matches from the store itself.
    pub(crate) async fn list_own(
        self: &Arc<Self>,
        query: &MatchQuery,
        before_age: u64,
        count: usize,
        viewer: &(dyn Viewer + Sync),
        reader: &Reader,
    ) -> Result<ListOwnMatchesResponse, Refusal> {
        let _permit = self.read_limiter().admit(reader)?;
        Call::reserve_answer(count * LISTED_MATCH_BYTES).await?;
        let mut own = ListOwnMatchesResponse::default();
        let party = query.party();
        let Some(of) = listed_party(viewer, party.as_ref()) else {
            return Ok(own);
        };
        if before_age == NEWEST {
            own.damaged_match_ids = self.damaged_in_play(viewer);
        }
        let in_memory = self.list_in_memory(query, before_age, count, (viewer, of));
        let (in_memory, rest) = in_memory.await;
        for (age, info) in in_memory {
            let info = info.committed().await?;
            if !matches!(info.state(), MatchState::Ended | MatchState::Cancelled) {
                let r#match = Some(info);
                own.matches.push(OwnMatch { age, r#match });
            }
        }
        own.next_age = rest.unwrap_or(OLDEST);
        Ok(own)
    }

    /// Returns the identifiers of unreadable matches in play on this node that lists may show.
    fn damaged_in_play(&self, viewer: &(dyn Viewer + Sync)) -> Vec<String> {
        let in_play = self.quarantine().in_play().into_iter();
        let visible = in_play.filter(|(_, maker)| viewer.sees_unreadable(maker.as_ref()));
        visible.map(|(id, _)| id.to_string()).collect()
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
                        Err(refusal) => listed.omit(refusal)?,
                    },
                    Err(_) => listed.damaged.push(finished.match_id.to_string()),
                }
                if number % BATCH_SIZE == BATCH_SIZE - 1 {
                    yield_now().await;
                }
            }
            for damage in &stored.damaged {
                self.quarantine().report_damage(damage);
                let id = damage.value.match_id();
                listed.damaged.extend(id.map(MatchId::to_string));
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
    use bridgemaster_store::NodeAddress;

    use super::*;

    fn node(name: &str) -> NodeName {
        NodeName::new(name).unwrap()
    }

    fn cursor(ages: &[(Option<&str>, u64)]) -> InPlayCursor {
        let ages = ages.iter().map(|(name, age)| (name.map(node), *age));
        InPlayCursor {
            ages: ages.collect(),
        }
    }

    #[test]
    fn a_page_that_continues_at_a_node_without_an_answer_is_incomplete() {
        let (one, two) = (node("one"), node("two"));
        let place = cursor(&[(Some("one"), 8), (Some("two"), 9)]);
        let mut remote = RemotePages::default();
        assert!(place.has_missing_part(Some(&one), &remote));
        remote
            .pages
            .insert(two.clone(), ListOwnMatchesResponse::default());
        assert!(!place.has_missing_part(Some(&one), &remote));
        assert!(
            place.has_missing_part(None, &remote),
            "of a server in no cluster"
        );
        assert_eq!(place.age_on(Some(&one)), Some(8));
        assert_eq!(place.age_on(None), None);
        let token = PageToken::InPlay(place);
        assert_eq!(PageToken::age_on(Some(&token), &two), Some(9));
    }

    #[test]
    fn a_page_without_a_match_that_no_live_node_lists_is_incomplete() {
        let mut page = MatchPage::default();
        let address = NodeAddress::new("other.example:1").unwrap();
        page.omit(Refusal::forward_to(address)).unwrap();
        assert!(!page.is_incomplete, "the other node lists it");
        page.omit(Refusal::node_lost()).unwrap();
        assert!(page.is_incomplete);
        page.omit(Refusal::storage_failed()).unwrap_err();
    }

    #[test]
    fn a_page_token_round_trips_as_text() {
        for place in [
            PageToken::InPlay(cursor(&[(None, 7)])),
            PageToken::InPlay(cursor(&[(Some("one"), 8), (Some("two.example-2_b"), 9)])),
            PageToken::InPlay(cursor(&[(Some("s1"), 8)])),
            PageToken::Stored(None),
        ] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in [
            "", "~", "x", "7~", "7~8", "~one=", "~o ne=8", "~one=x", "sx",
        ] {
            assert_eq!(text.parse::<PageToken>(), Err(InvalidPageToken), "{text}");
        }
    }

    /// Returns a source of matches with these ages and creation times.
    fn source(name: Option<&str>, matches: &[(u64, u64)], rest: u64) -> MergeSource {
        let info = |created_unix_ms| MatchInfo {
            created_unix_ms,
            ..MatchInfo::default()
        };
        let matches = matches.iter().map(|(age, created)| (*age, info(*created)));
        MergeSource {
            node: name.map(node),
            matches: matches.collect(),
            consumed_to: NEWEST,
            rest,
        }
    }

    fn merged(sources: Vec<MergeSource>, count: usize) -> (Vec<u64>, Option<InPlayCursor>) {
        let mut matches = Vec::new();
        let next = merge(sources, count, &mut matches);
        let created = matches.iter().map(|info| info.created_unix_ms);
        (created.collect(), next)
    }

    #[test]
    fn parts_are_merged_newest_first_up_to_the_count() {
        let sources = || {
            vec![
                source(None, &[(9, 90), (8, 60)], OLDEST),
                source(Some("one"), &[(5, 80), (4, 70)], 4),
                source(Some("two"), &[], OLDEST),
            ]
        };
        let (created, next) = merged(sources(), 2);
        assert_eq!(created, [90, 80]);
        assert_eq!(next, Some(cursor(&[(None, 9), (Some("one"), 5)])));
        // A part that continues ends the page, since its next match could be the newest.
        let (created, next) = merged(sources(), 9);
        assert_eq!(created, [90, 80, 70]);
        assert_eq!(next, Some(cursor(&[(None, 9), (Some("one"), 4)])));
    }

    #[test]
    fn the_end_of_all_parts_is_the_end() {
        let sources = vec![
            source(None, &[(1, 10)], OLDEST),
            source(Some("one"), &[(1, 10), (2, 5)], OLDEST),
        ];
        assert_eq!(merged(sources, 9), (vec![10, 10, 5], None));
    }
}
