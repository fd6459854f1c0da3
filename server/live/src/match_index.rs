//! Indexes the matches in memory by identifier, party, request and ticket.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    ops::Bound,
    sync::Arc,
};

use bridgemaster_edge::{limits::Limits, refusal::Refusal};
use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_store::KeyName;

use super::{
    HostedMatch,
    requests::{IdempotentRequest, PreviousResult},
};

/// The name of the limit on open matches.
pub(super) const OPEN_MATCHES_LIMIT_NAME: &str = "open_matches";

/// The matches in memory, with several indexes that are updated together.
#[derive(Default)]
pub(super) struct MatchIndex {
    /// Sorted by id, as lists are. Of the matches that one node created, newer ones have higher
    /// identifiers; between nodes, the clocks decide.
    entries: BTreeMap<MatchId, Entry>,
    seats: HashMap<TicketHash, (Arc<dyn HostedMatch>, Seat)>,
    by_party: HashMap<KeyName, BTreeSet<MatchId>>,
    open: usize,
    open_by_maker: HashMap<KeyName, usize>,
    /// Finished matches that can be evicted, oldest first. A match with a delayed view is added
    /// when that view ends.
    ended: VecDeque<MatchId>,
    /// Matches by the requests that created them, for a server without a store.
    by_request: HashMap<String, PreviousResult>,
}

/// A match in memory.
pub(super) struct Entry {
    hosted: Arc<dyn HostedMatch>,
    tickets: Vec<TicketHash>,
    /// Names of the parties, without duplicates.
    parties: Vec<KeyName>,
    /// The name of the request that created the match.
    request: Option<String>,
    has_ended: bool,
    /// Whether the match has a delayed view. Delayed viewers still see such a match in play, so it
    /// must not be evicted.
    is_delayed: bool,
}

impl MatchIndex {
    /// Reserves a slot for a match that `maker` creates.
    ///
    /// # Errors
    /// Returns an error if the limit is reached.
    pub(super) fn reserve_slot(
        &mut self,
        maker: Option<&KeyName>,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        if self.open >= limits.open_matches {
            return Err(Refusal::server_limit(OPEN_MATCHES_LIMIT_NAME, limits.open_matches));
        }
        let of_maker = maker.and_then(|maker| self.open_by_maker.get(maker));
        if of_maker.is_some_and(|open| *open >= limits.open_matches_per_key) {
            let limit = limits.open_matches_per_key;
            return Err(Refusal::limit("open_matches_per_key", limit));
        }
        self.occupy_slot(maker);
        Ok(())
    }

    /// Occupies a slot regardless of limits.
    pub(super) fn occupy_slot(&mut self, maker: Option<&KeyName>) {
        self.open += 1;
        if let Some(maker) = maker {
            *self.open_by_maker.entry(maker.clone()).or_default() += 1;
        }
    }

    /// Releases the slot of an open match.
    pub(super) fn release_slot(&mut self, maker: Option<&KeyName>) {
        self.open = self.open.saturating_sub(1);
        let Some(maker) = maker else {
            return;
        };
        if let Some(open) = self.open_by_maker.get_mut(maker) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.open_by_maker.remove(maker);
            }
        }
    }

    /// Returns the number of open matches, including matches that are being created.
    pub(super) fn open_count(&self) -> usize {
        self.open
    }

    /// Returns whether no match is open.
    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Adds a match, its tickets in seat order, and the names of its parties. The caller passes the
    /// names, because reading them here would wait for the lock of a match.
    pub(super) fn insert(
        &mut self,
        hosted: Arc<dyn HostedMatch>,
        tickets: Vec<TicketHash>,
        parties: &[KeyName],
    ) {
        for (seat, ticket) in (0..).filter_map(Seat::new).zip(&tickets) {
            self.seats.insert(*ticket, (Arc::clone(&hosted), seat));
        }
        let id = hosted.id().clone();
        let entry = Entry {
            hosted,
            tickets,
            parties: Vec::new(),
            request: None,
            has_ended: false,
            is_delayed: false,
        };
        self.entries.insert(id.clone(), entry);
        for party in parties {
            self.add_party(&id, party);
        }
    }

    /// Records the request that created a match.
    pub(super) fn record_request(&mut self, id: &MatchId, request: &IdempotentRequest) {
        if let Some(entry) = self.entries.get_mut(id) {
            let name = request.name().to_owned();
            entry.request = Some(name.clone());
            let result = PreviousResult::new(id.clone(), request);
            self.by_request.insert(name, result);
        }
    }

    /// Returns the match that the request with this name created.
    pub(super) fn previous_result_by_name(&self, name: &str) -> Option<PreviousResult> {
        self.by_request.get(name).cloned()
    }

    /// Replaces the ticket of a seat; the older ticket becomes invalid.
    pub(super) fn replace_ticket(&mut self, id: &MatchId, seat: Seat, ticket: TicketHash) {
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        if let Some(older) = entry.tickets.get_mut(seat.index()) {
            self.seats.remove(&std::mem::replace(older, ticket));
            let hosted = Arc::clone(&entry.hosted);
            self.seats.insert(ticket, (hosted, seat));
        }
    }

    /// Indexes a match by the name of one of its parties.
    pub(super) fn add_party(&mut self, id: &MatchId, party: &KeyName) {
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        if !entry.parties.contains(party) {
            entry.parties.push(party.clone());
            let ids = self.by_party.entry(party.clone()).or_default();
            ids.insert(id.clone());
        }
    }

    /// Records that a match has a delayed view.
    pub(super) fn mark_delayed(&mut self, id: &MatchId) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.is_delayed = true;
        }
    }

    /// Records that a match has ended. If more than `retained` finished matches are in memory,
    /// evicts and returns the oldest. The caller drops it outside the lock.
    pub(super) fn mark_ended(&mut self, id: &MatchId, retained: usize) -> Option<Entry> {
        self.entries.get_mut(id)?.has_ended = true;
        self.retire(id, retained)
    }

    /// Records that the delayed view of a match has ended. Evicts a match like
    /// [`mark_ended`](Self::mark_ended).
    pub(super) fn end_delay(&mut self, id: &MatchId, retained: usize) -> Option<Entry> {
        let was_delayed = std::mem::take(&mut self.entries.get_mut(id)?.is_delayed);
        was_delayed.then(|| self.retire(id, retained))?
    }

    fn retire(&mut self, id: &MatchId, retained: usize) -> Option<Entry> {
        let entry = self.entries.get(id)?;
        if entry.is_delayed || !entry.has_ended {
            return None;
        }
        self.ended.push_back(id.clone());
        if self.ended.len() <= retained {
            return None;
        }
        let oldest = self.ended.pop_front()?;
        self.remove(&oldest)
    }

    /// Removes a match and returns its entry. The caller drops the entry outside the lock.
    pub(super) fn remove(&mut self, id: &MatchId) -> Option<Entry> {
        let entry = self.entries.remove(id)?;
        for ticket in &entry.tickets {
            self.seats.remove(ticket);
        }
        if let Some(request) = &entry.request {
            self.by_request.remove(request);
        }
        for party in &entry.parties {
            if let Some(ids) = self.by_party.get_mut(party) {
                ids.remove(id);
                if ids.is_empty() {
                    self.by_party.remove(party);
                }
            }
        }
        Some(entry)
    }

    /// Returns the seat to which a ticket belongs.
    pub(super) fn seat_of(&self, ticket: TicketHash) -> Option<(Arc<dyn HostedMatch>, Seat)> {
        self.seats.get(&ticket).cloned()
    }

    pub(super) fn get(&self, id: &MatchId) -> Option<Arc<dyn HostedMatch>> {
        Some(Arc::clone(&self.entries.get(id)?.hosted))
    }

    /// Returns at most `count` matches with lower identifiers than `before`, highest first. If a
    /// party is given, returns only that party's matches.
    pub(super) fn list_before(
        &self,
        before: Option<&MatchId>,
        of: Option<&KeyName>,
        count: usize,
    ) -> Vec<Arc<dyn HostedMatch>> {
        let older = (Bound::Unbounded, before.map_or(Bound::Unbounded, Bound::Excluded));
        let Some(of) = of else {
            let older = self.entries.range(older).rev().take(count);
            return older.map(|(_, entry)| Arc::clone(&entry.hosted)).collect();
        };
        let Some(ids) = self.by_party.get(of) else {
            return Vec::new();
        };
        let older = ids.range(older).rev().take(count);
        older.filter_map(|id| self.get(id)).collect()
    }
}
