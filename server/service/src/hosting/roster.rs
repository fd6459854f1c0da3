//! The matches that a server holds in memory, and who may join them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_store::KeyName;

use super::{
    HostedMatch,
    requests::{MadeBefore, RepeatableRequest},
};
use crate::{limits::Limits, refusal::Refusal};

/// The name of the limit on matches that wait or run.
pub(super) const OPEN_MATCHES: &str = "open_matches";

/// What the server holds. Entries are made and forgotten together.
#[derive(Default)]
pub(super) struct Roster {
    entries: HashMap<MatchId, Entry>,
    seats: HashMap<TicketHash, (Arc<dyn HostedMatch>, Seat)>,
    /// Matches by the number of their making.
    by_age: BTreeMap<u64, Arc<dyn HostedMatch>>,
    /// The same numbers, by the names that the matches are of.
    by_party: HashMap<KeyName, BTreeSet<u64>>,
    made: u64,
    open: usize,
    open_by_maker: HashMap<KeyName, usize>,
    /// Matches that have ended, and that nobody sees late any more: the one first of which this was
    /// true first.
    ended: VecDeque<MatchId>,
    /// Matches by the requests that made them, for a server without a store.
    by_request: HashMap<String, MadeBefore>,
}

/// What is held of one match.
pub(super) struct Entry {
    hosted: Arc<dyn HostedMatch>,
    age: u64,
    tickets: Vec<TicketHash>,
    /// Each once.
    parties: Vec<KeyName>,
    /// The name of the request that made it.
    request: Option<String>,
    has_ended: bool,
    /// Some see it late: to them it has not ended, so it is not forgotten.
    is_late: bool,
}

impl Roster {
    /// Takes a place among the matches that wait or run, for one that `maker` makes.
    ///
    /// # Errors
    /// When all places are taken.
    pub(super) fn reserve(
        &mut self,
        maker: Option<&KeyName>,
        limits: &Limits,
    ) -> Result<(), Refusal> {
        if self.open >= limits.open_matches {
            return Err(Refusal::server_limit(OPEN_MATCHES, limits.open_matches));
        }
        let of_maker = maker.and_then(|maker| self.open_by_maker.get(maker));
        if of_maker.is_some_and(|open| *open >= limits.open_matches_per_key) {
            let limit = limits.open_matches_per_key;
            return Err(Refusal::limit("open_matches_per_key", limit));
        }
        self.open(maker);
        Ok(())
    }

    /// Takes a place that limits do not count for.
    pub(super) fn open(&mut self, maker: Option<&KeyName>) {
        self.open += 1;
        if let Some(maker) = maker {
            *self.open_by_maker.entry(maker.clone()).or_default() += 1;
        }
    }

    /// Gives up a place among the matches that wait or run.
    pub(super) fn leave(&mut self, maker: Option<&KeyName>) {
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

    /// Matches that wait or run, those included that are being made.
    pub(super) fn open_count(&self) -> usize {
        self.open
    }

    /// Whether no match waits or runs.
    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Takes in a match, its tickets in seat order, and the names that it is of: asked for before,
    /// since a match must not be waited for here.
    pub(super) fn enter(
        &mut self,
        hosted: Arc<dyn HostedMatch>,
        tickets: Vec<TicketHash>,
        parties: &[KeyName],
    ) {
        self.made += 1;
        let age = self.made;
        self.by_age.insert(age, Arc::clone(&hosted));
        for (seat, ticket) in (0..).filter_map(Seat::new).zip(&tickets) {
            self.seats.insert(*ticket, (Arc::clone(&hosted), seat));
        }
        let id = hosted.id().clone();
        let entry = Entry {
            hosted,
            age,
            tickets,
            parties: Vec::new(),
            request: None,
            has_ended: false,
            is_late: false,
        };
        self.entries.insert(id.clone(), entry);
        for party in parties {
            self.is_of(&id, party);
        }
    }

    /// Takes note of the request that made a match.
    pub(super) fn is_by(&mut self, id: &MatchId, request: &RepeatableRequest) {
        if let Some(entry) = self.entries.get_mut(id) {
            let name = request.name().to_owned();
            entry.request = Some(name.clone());
            let made = MadeBefore::new(id.clone(), request);
            self.by_request.insert(name, made);
        }
    }

    /// The match that the request of this name made.
    pub(super) fn requested(&self, name: &str) -> Option<MadeBefore> {
        self.by_request.get(name).cloned()
    }

    /// A seat has a new ticket; its older one opens nothing any more.
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

    /// Takes note of a name that a match is of.
    pub(super) fn is_of(&mut self, id: &MatchId, party: &KeyName) {
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        if !entry.parties.contains(party) {
            entry.parties.push(party.clone());
            let ages = self.by_party.entry(party.clone()).or_default();
            ages.insert(entry.age);
        }
    }

    /// Takes note that some see a match late.
    pub(super) fn is_late(&mut self, id: &MatchId) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.is_late = true;
        }
    }

    /// Takes note that a match has ended. Gives the one that is forgotten for it, when more than
    /// `kept` have ended for everybody: to be dropped where nobody waits.
    pub(super) fn end(&mut self, id: &MatchId, kept: usize) -> Option<Entry> {
        self.entries.get_mut(id)?.has_ended = true;
        self.ended_for_all(id, kept)
    }

    /// Takes note that nobody sees a match late any more. Gives what [`Roster::end`] gives.
    pub(super) fn late_no_more(&mut self, id: &MatchId, kept: usize) -> Option<Entry> {
        let was_late = std::mem::take(&mut self.entries.get_mut(id)?.is_late);
        was_late.then(|| self.ended_for_all(id, kept))?
    }

    fn ended_for_all(&mut self, id: &MatchId, kept: usize) -> Option<Entry> {
        let entry = self.entries.get(id)?;
        if entry.is_late || !entry.has_ended {
            return None;
        }
        self.ended.push_back(id.clone());
        if self.ended.len() <= kept {
            return None;
        }
        let oldest = self.ended.pop_front()?;
        self.forget(&oldest)
    }

    /// Forgets a match, and gives what was held of it: to be dropped where nobody waits.
    pub(super) fn forget(&mut self, id: &MatchId) -> Option<Entry> {
        let entry = self.entries.remove(id)?;
        for ticket in &entry.tickets {
            self.seats.remove(ticket);
        }
        self.by_age.remove(&entry.age);
        if let Some(request) = &entry.request {
            self.by_request.remove(request);
        }
        for party in &entry.parties {
            if let Some(ages) = self.by_party.get_mut(party) {
                ages.remove(&entry.age);
                if ages.is_empty() {
                    self.by_party.remove(party);
                }
            }
        }
        Some(entry)
    }

    /// The seat that a ticket is for.
    pub(super) fn seat_of(&self, ticket: TicketHash) -> Option<(Arc<dyn HostedMatch>, Seat)> {
        self.seats.get(&ticket).cloned()
    }

    /// The match of this identifier.
    pub(super) fn get(&self, id: &MatchId) -> Option<Arc<dyn HostedMatch>> {
        Some(Arc::clone(&self.entries.get(id)?.hosted))
    }

    /// The newest matches before the one of this age, at most `count`, with their ages; of all, or
    /// of those of one name.
    pub(super) fn before(
        &self,
        age: u64,
        of: Option<&KeyName>,
        count: usize,
    ) -> Vec<(u64, Arc<dyn HostedMatch>)> {
        let Some(of) = of else {
            let older = self.by_age.range(..age).rev().take(count);
            return older
                .map(|(age, hosted)| (*age, Arc::clone(hosted)))
                .collect();
        };
        let Some(ages) = self.by_party.get(of) else {
            return Vec::new();
        };
        let older = ages.range(..age).rev().take(count);
        older
            .filter_map(|age| Some((*age, Arc::clone(self.by_age.get(age)?))))
            .collect()
    }
}
