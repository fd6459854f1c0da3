//! Lists of matches, ordered by identifier. Matches in memory, matches in play on other nodes and
//! finished matches in the store are merged.
//!
//! Matches in play are read first, so a match that ends in the meantime is found in the store.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_cluster::match_list::{PageToken, RemotePages};
use bridgemaster_edge::{
    identity::{Caller, Visibility},
    limits::LISTED_MATCH_BYTES,
    refusal::{FORWARD_TO_HEADER, Refusal},
    transport::Call,
};
use bridgemaster_match::MatchId;
use bridgemaster_proto::{
    internal::v1::ListOwnMatchesResponse,
    v1::{MatchInfo, MatchState, RefusalReason},
};
use bridgemaster_store::{DamageReport, KeyName};
use tokio::task::yield_now;
use tonic::Status;

use super::{MatchQuery, Matches, ReadPermit, Reader, lookup::store_failed};

/// One page of the list.
#[derive(Default)]
pub struct MatchPage {
    /// The matches, highest identifier first.
    pub matches: Vec<MatchInfo>,
    /// Matches that cannot be read.
    pub damaged: Vec<String>,
    /// The position at which the list continues; `None` at its end.
    pub next: Option<PageToken>,
    /// Whether the list may lack matches, because they are on a node that does not answer.
    pub is_incomplete: bool,
}

/// The maximum number of reads from the store per call. If few stored matches satisfy the query,
/// the call can return a short page.
const MAX_READS: usize = 8;

/// The minimum number of matches per read from the store. With fewer, a short page could show that
/// a match whose end is not visible yet was skipped.
const MIN_READ_MATCHES: usize = 32;

/// The number of matches decoded between yields to other tasks.
const BATCH_SIZE: usize = 32;

/// The parts of a page: matches in memory, matches on other nodes, and stored matches.
#[derive(Default)]
struct PageParts {
    /// The matches of all parts; `None` for unreadable ones. A match that has just ended or moved
    /// can be in several parts, of which the last counts.
    matches: BTreeMap<MatchId, Option<MatchInfo>>,
    /// The identifier down to which every part is complete; `None` if all are complete to the end.
    complete_to: Option<MatchId>,
}

impl PageParts {
    /// Records that a part continues below this identifier.
    fn continue_below(&mut self, id: Option<MatchId>) {
        // `None` is less than any identifier.
        self.complete_to = self.complete_to.take().max(id);
    }

    /// Adds a match that cannot be read from the store, unless it is in memory.
    fn insert_damaged(&mut self, id: MatchId) {
        self.matches.entry(id).or_default();
    }

    /// Moves the first `count` matches to a page. Unreadable matches do not count. Returns the
    /// identifier below which the list continues.
    fn fill(self, count: usize, page: &mut MatchPage) -> Option<MatchId> {
        let mut last = None;
        for (id, info) in self.matches.into_iter().rev() {
            if self.complete_to.as_ref().is_some_and(|to| id < *to) {
                break;
            }
            match info {
                Some(_) if page.matches.len() == count => return last,
                Some(info) => page.matches.push(info),
                None => page.damaged.push(id.to_string()),
            }
            last = Some(id);
        }
        self.complete_to
    }
}

impl MatchPage {
    /// Omits a match whose delayed view is on another node. That node lists the match, unless a
    /// takeover of the node is in progress.
    ///
    /// # Errors
    /// Returns the refusal of the view, if it has another cause.
    fn omit(&mut self, refusal: Refusal) -> Result<(), Refusal> {
        if refusal.reason() != RefusalReason::NodeSuperseded {
            return Err(refusal);
        }
        let status = Status::from(refusal);
        self.is_incomplete |= !status.metadata().contains_key(FORWARD_TO_HEADER);
        Ok(())
    }
}

/// Returns the key to whose matches a list is limited. The outer `None` means that the viewer may
/// see no match at all.
fn party_filter<'a>(viewer: &'a Caller, party: Option<&'a KeyName>) -> Option<Option<&'a KeyName>> {
    match viewer.visible() {
        Visibility::All => Some(party),
        Visibility::Of(name) => Some(Some(name)),
        Visibility::None => None,
    }
}

impl Matches {
    /// Lists at most `count` matches that satisfy the query and that the viewer may see, highest
    /// identifier first. Every match that exists from the first page to the last is listed once. A
    /// page can be short or even empty although more matches follow. Unreadable matches are listed
    /// in addition: matches in play on the first page, finished matches at their positions. The
    /// caller has budget for the response.
    pub async fn list(
        self: &Arc<Self>,
        query: &MatchQuery,
        (after, remote): (Option<PageToken>, RemotePages),
        count: usize,
        viewer: &Caller,
        _permit: &ReadPermit,
    ) -> Result<MatchPage, Refusal> {
        let party = query.party();
        let Some(of) = party_filter(viewer, party.as_ref()) else {
            return Ok(MatchPage::default());
        };
        let mut page = MatchPage { is_incomplete: remote.is_incomplete, ..MatchPage::default() };
        if after.is_none() && query.includes_in_play() {
            page.damaged = self.damaged_in_play(viewer);
        }
        let before = after.map(|after| after.before);
        let mut parts = PageParts::default();
        for own in remote.pages {
            page.damaged.extend(own.damaged_match_ids);
            parts.continue_below(MatchId::new(own.next_match_id).ok());
            for info in own.matches {
                let id = MatchId::new(info.match_id.as_str());
                parts.matches.extend(id.ok().map(|id| (id, Some(info))));
            }
        }
        let of = (viewer, of);
        let in_memory = self.list_in_memory(query, before.clone(), count, of);
        let (in_memory, next) = in_memory.await;
        page.is_incomplete |= self.may_have_released();
        for (id, info) in in_memory {
            parts.matches.insert(id, Some(info.committed().await?));
        }
        parts.continue_below(next);
        let is_complete = parts.complete_to.is_none() && !page.is_incomplete;
        let lowest = parts.matches.keys().next().cloned();
        if query.includes_finished() {
            self.list_stored(query, before, count, viewer, (&mut parts, &mut page)).await?;
        }
        let next = parts.fill(count, &mut page);
        page.next = next.map(|before| PageToken {
            has_all_in_play: is_complete && lowest.is_none_or(|lowest| before <= lowest),
            before,
        });
        Ok(page)
    }

    /// Returns whether this node may have released matches, so that no node lists them until they
    /// are taken over.
    fn may_have_released(&self) -> bool {
        self.lifecycle().is_draining() && self.cluster().is_some_and(|cluster| cluster.is_shared())
    }

    /// Lists at most `count` matches in play on this node for a list of another node. Every node
    /// reads finished matches from the store itself.
    pub async fn list_own(
        self: &Arc<Self>,
        query: &MatchQuery,
        before: Option<MatchId>,
        count: usize,
        viewer: &Caller,
        reader: &Reader,
    ) -> Result<ListOwnMatchesResponse, Refusal> {
        let _permit = self.read_limiter().admit(reader)?;
        Call::reserve_answer(count * LISTED_MATCH_BYTES).await?;
        let mut own = ListOwnMatchesResponse::default();
        let party = query.party();
        let Some(of) = party_filter(viewer, party.as_ref()) else {
            return Ok(own);
        };
        if before.is_none() {
            own.damaged_match_ids = self.damaged_in_play(viewer);
        }
        let in_memory = self.list_in_memory(query, before, count, (viewer, of));
        let (in_memory, next) = in_memory.await;
        own.incomplete = self.may_have_released();
        for (_, info) in in_memory {
            // Once the end of a match is committed, it is found in the store.
            let info = info.committed().await?;
            if !matches!(info.state(), MatchState::Ended | MatchState::Cancelled) {
                own.matches.push(info);
            }
        }
        own.next_match_id = next.map_or_else(String::new, |next| next.to_string());
        Ok(own)
    }

    /// Returns the identifiers of unreadable matches in play on this node that lists may show.
    fn damaged_in_play(&self, viewer: &Caller) -> Vec<String> {
        let in_play = self.quarantined().in_play().into_iter();
        let visible = in_play.filter(|(_, maker)| viewer.may_list_unreadable(maker.as_ref()));
        visible.map(|(id, _)| id.to_string()).collect()
    }

    /// Reports damaged matches of the store, and adds them to a page.
    fn add_damaged(&self, damaged: &[DamageReport], parts: &mut PageParts) {
        for damage in damaged {
            self.quarantined().report_damage(damage);
            if let Some(id) = damage.value.match_id() {
                parts.insert_damaged(id.clone());
            }
        }
    }

    /// Adds stored matches below `before`, until there are `count` matches.
    async fn list_stored(
        self: &Arc<Self>,
        query: &MatchQuery,
        mut before: Option<MatchId>,
        count: usize,
        viewer: &Caller,
        (parts, page): (&mut PageParts, &mut MatchPage),
    ) -> Result<(), Refusal> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        let (mut found, mut last_visible) = (0, None);
        let mut keys = query.index_keys();
        if let Visibility::Of(name) = viewer.visible() {
            keys.push(name.into());
        }
        let (begin, end) = query.id_range();
        before = [before, end].into_iter().flatten().min();
        for _ in 0..MAX_READS {
            let limit = u32::try_from((count - found).max(MIN_READ_MATCHES)).unwrap_or(u32::MAX);
            let permit = self.read_limiter().acquire().await?;
            let stored = store.list(before.as_ref(), limit, &keys).await;
            drop(permit);
            let stored = stored.map_err(store_failed)?;
            self.refresh_groups(store).await?;
            self.add_damaged(&stored.damaged, parts);
            for (number, finished) in stored.matches.iter().enumerate() {
                let id = finished.match_id.clone();
                match self.decode_finished(finished) {
                    Ok(read) => match self.view_for(Arc::new(read), viewer).await {
                        Ok(view) => {
                            if view.is_over() {
                                last_visible = Some(id.clone());
                            }
                            if let Some(info) = view.info_if_matching(query) {
                                parts.matches.insert(id, Some(info.into_value()));
                                found += 1;
                            }
                        }
                        Err(refusal) => page.omit(refusal)?,
                    },
                    Err(_) => parts.insert_damaged(id),
                }
                if number % BATCH_SIZE == BATCH_SIZE - 1 {
                    yield_now().await;
                }
            }
            before = stored.next.filter(|next| Some(next) > begin.as_ref());
            if before.is_none() {
                return Ok(());
            }
            if found >= count {
                break;
            }
        }
        // The position must not name a match whose end the viewer does not see yet.
        parts.continue_below(last_visible.or(before));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::NodeAddress;

    use super::*;

    #[test]
    fn a_page_is_incomplete_if_no_live_node_lists_a_match() {
        let mut page = MatchPage::default();
        let address = NodeAddress::new("other.example:1").unwrap();
        page.omit(Refusal::forward_to(address)).unwrap();
        assert!(!page.is_incomplete, "the other node lists it");
        page.omit(Refusal::node_lost()).unwrap();
        assert!(page.is_incomplete);
        page.omit(Refusal::storage_failed()).unwrap_err();
    }

    fn id(text: &str) -> MatchId {
        MatchId::new(text).unwrap()
    }

    /// Fills a page from matches with these identifiers, of which those in upper case are damaged.
    /// Returns the identifiers on the page and its end.
    fn filled(
        ids: &[&str],
        complete_to: &[Option<&str>],
        count: usize,
    ) -> (String, Option<MatchId>) {
        let mut parts = PageParts::default();
        for text in ids {
            let info = MatchInfo { match_id: (*text).to_owned(), ..MatchInfo::default() };
            let is_damaged = text.chars().any(char::is_uppercase);
            parts.matches.insert(id(text), (!is_damaged).then_some(info));
        }
        for to in complete_to {
            parts.continue_below(to.map(id));
        }
        let mut page = MatchPage::default();
        let next = parts.fill(count, &mut page);
        let listed = page.matches.into_iter().map(|info| info.match_id);
        (listed.chain(page.damaged).collect(), next)
    }

    #[test]
    fn a_page_ends_at_the_count_or_at_an_incomplete_part() {
        let filled = |complete_to: &[_], count| filled(&["d", "c", "B", "a"], complete_to, count);
        assert_eq!(filled(&[None, None], 9), ("dcaB".to_owned(), None));
        assert_eq!(filled(&[None], 2), ("dc".to_owned(), Some(id("c"))));
        let (listed, next) = filled(&[None, Some("b"), Some("a")], 9);
        assert_eq!((&*listed, next), ("dc", Some(id("b"))));
        assert_eq!(filled(&[Some("e")], 2), (String::new(), Some(id("e"))));
        // A full page is the last one if nothing follows, except matches that do not count.
        assert_eq!(filled(&[], 3), ("dcaB".to_owned(), None));
    }
}
