//! The matches that a server holds in memory, and who may join them.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use bridgemaster_games::Seat;
use bridgemaster_store::KeyName;

use super::{HostedMatch, MatchId, SeatKey, TicketHash};
use crate::{limits::Limits, refusal::Refusal};

/// What the server holds. Entries are made and forgotten together.
#[derive(Default)]
pub(super) struct Roster {
    entries: HashMap<MatchId, Entry>,
    keys: HashMap<TicketHash, SeatKey>,
    /// Matches by the number of their making.
    by_age: BTreeMap<u64, Arc<dyn HostedMatch>>,
    made: u64,
    open: usize,
    open_by_maker: HashMap<KeyName, usize>,
    /// Matches that have ended, the oldest end first.
    ended: VecDeque<MatchId>,
}

/// What is held of one match.
pub(super) struct Entry {
    hosted: Arc<dyn HostedMatch>,
    age: u64,
    tickets: Vec<TicketHash>,
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
            return Err(Refusal::limit("open_matches", limits.open_matches));
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

    /// Whether no match waits or runs.
    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Takes in a match and its tickets, in seat order.
    pub(super) fn enter(&mut self, hosted: Arc<dyn HostedMatch>, tickets: Vec<TicketHash>) {
        self.made += 1;
        let age = self.made;
        self.by_age.insert(age, Arc::clone(&hosted));
        for (seat, ticket) in (0..).filter_map(Seat::new).zip(&tickets) {
            let key = SeatKey::new(Arc::clone(&hosted), seat);
            self.keys.insert(*ticket, key);
        }
        let id = hosted.id().clone();
        let entry = Entry {
            hosted,
            age,
            tickets,
        };
        self.entries.insert(id, entry);
    }

    /// Takes note that a match has ended. Gives the one that is forgotten for it, when more than
    /// `kept` have ended: to be dropped where nobody waits.
    pub(super) fn end(&mut self, id: &MatchId, kept: usize) -> Option<Entry> {
        self.ended.push_back(id.clone());
        if self.ended.len() <= kept {
            return None;
        }
        let oldest = self.ended.pop_front()?;
        self.forget(&oldest)
    }

    fn forget(&mut self, id: &MatchId) -> Option<Entry> {
        let entry = self.entries.remove(id)?;
        for ticket in &entry.tickets {
            self.keys.remove(ticket);
        }
        self.by_age.remove(&entry.age);
        Some(entry)
    }

    /// The seat that a ticket is for.
    pub(super) fn seat_of(&self, ticket: TicketHash) -> Option<SeatKey> {
        self.keys.get(&ticket).cloned()
    }

    /// The match of this identifier.
    pub(super) fn get(&self, id: &MatchId) -> Option<Arc<dyn HostedMatch>> {
        Some(Arc::clone(&self.entries.get(id)?.hosted))
    }

    /// The newest match before the one of this age, and its age.
    pub(super) fn newest_before(&self, age: u64) -> Option<(u64, Arc<dyn HostedMatch>)> {
        let (age, hosted) = self.by_age.range(..age).next_back()?;
        Some((*age, Arc::clone(hosted)))
    }
}
