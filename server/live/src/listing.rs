//! Lists of matches. Matches in memory and matches in play on other nodes come first, and then the
//! finished matches that are only in the store.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use bridgemaster_cluster::match_list::{InPlayCursor, NEWEST, OLDEST, PageToken, RemotePages};
use bridgemaster_edge::{
    identity::{Caller, Visibility},
    limits::LISTED_MATCH_BYTES,
    refusal::{FORWARD_TO_HEADER, Refusal},
    transport::Call,
};
use bridgemaster_match::MatchId;
use bridgemaster_proto::{
    internal::v1::{ListOwnMatchesResponse, OwnMatch},
    v1::{MatchInfo, MatchState, RefusalReason},
};
use bridgemaster_store::{FinishedCursor, KeyName, NodeName};
use tokio::task::yield_now;
use tonic::Status;

use super::{MatchQuery, Matches, ReadPermit, Reader, lookup::store_failed};
use crate::journal::Gated;

/// One page of the list.
#[derive(Default)]
pub struct MatchPage {
    /// The matches, in the order of the list.
    pub matches: Vec<MatchInfo>,
    /// Matches that cannot be read.
    pub damaged: Vec<String>,
    /// The position at which the list continues; `None` at its end.
    pub next: Option<PageToken>,
    /// Whether matches may be missing, because no node that answers has them.
    pub is_incomplete: bool,
}

/// The maximum number of reads from the store per call. If a read returns only matches that are
/// already listed from memory, the call can return a short page.
pub(super) const MAX_READS: usize = 8;

/// The number of matches decoded between yields to other tasks.
const BATCH_SIZE: usize = 32;

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
fn listed_party<'a>(viewer: &'a Caller, party: Option<&'a KeyName>) -> Option<Option<&'a KeyName>> {
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
    pub async fn list(
        self: &Arc<Self>,
        query: &MatchQuery,
        (before, remote): (Option<PageToken>, RemotePages),
        count: usize,
        viewer: &Caller,
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
        of: (&Caller, Option<&KeyName>),
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
    pub async fn list_own(
        self: &Arc<Self>,
        query: &MatchQuery,
        before_age: u64,
        count: usize,
        viewer: &Caller,
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
    fn damaged_in_play(&self, viewer: &Caller) -> Vec<String> {
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
        (viewer, of): (&Caller, Option<&KeyName>),
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
    fn a_page_without_a_match_that_no_live_node_lists_is_incomplete() {
        let mut page = MatchPage::default();
        let address = NodeAddress::new("other.example:1").unwrap();
        page.omit(Refusal::forward_to(address)).unwrap();
        assert!(!page.is_incomplete, "the other node lists it");
        page.omit(Refusal::node_lost()).unwrap();
        assert!(page.is_incomplete);
        page.omit(Refusal::storage_failed()).unwrap_err();
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
