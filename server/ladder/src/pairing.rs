//! Which match is played next.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_contest::{
    PlackettLuce,
    pairing::{Candidate, next_table},
};
use thiserror::Error;

use crate::{
    BotVersion, Ladder, Pairing, Purpose, Standing, StandingState, State,
    bots::BotNumber,
    ladder::{Bot, Open},
    ratings::Fit,
};

/// Results that pairing does without before it fits them: one for so many bots. A fit takes longer
/// with more bots, and each result says less of it.
const BOTS_A_RESULT: usize = 4;

/// Why a match that somebody asks for is not played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestRefused {
    /// It has other seats.
    #[error("a match of this ladder has {seats} seats, not {named}")]
    Seats {
        /// Seats of a match.
        seats: usize,
        /// Bots that were named.
        named: usize,
    },
    /// A bot does not attend, or plays as many matches as it has slots.
    #[error("{} does not attend, or has no slot free", bot.name)]
    NotFree {
        /// The bot.
        bot: BotVersion,
    },
    /// As many matches are played as may be.
    #[error("the ladder plays as many matches as it may; try again when one has ended")]
    Full,
    /// Nothing is played any more.
    #[error("the ladder is closed")]
    Closed,
}

impl Ladder {
    /// The match to be played next, if there is one: for [`paired`](Self::paired) once it is
    /// stored. It waits for nobody who is not there, and nobody who is there waits for longer than
    /// twice as many rated matches as there are bots to pair.
    pub fn next_match(&mut self) -> Option<Pairing> {
        if self.open.len() >= self.rules.max_matches || self.state == State::Closed {
            return None;
        }
        let free = self.free();
        self.next_again(&free)
            .or_else(|| self.next_validation(&free))
            .or_else(|| self.next_rated(&free))
    }

    /// A match between these bots, in seat order, that does not count.
    ///
    /// # Errors
    /// When it cannot be played now.
    pub fn requested(&self, bots: &[BotVersion]) -> Result<Pairing, RequestRefused> {
        let seats = self.rules.seats;
        if self.state == State::Closed {
            return Err(RequestRefused::Closed);
        }
        if bots.len() != seats {
            let named = bots.len();
            return Err(RequestRefused::Seats { seats, named });
        }
        if self.open.len() >= self.rules.max_matches {
            return Err(RequestRefused::Full);
        }
        let mut free = self.free();
        for bot in bots {
            let number = self.numbers().find(bot);
            let is_active = self.standing(bot).map(Standing::state) == Some(StandingState::Active);
            let slots = number.and_then(|number| free.get_mut(&number));
            match slots.filter(|slots| is_active && **slots > 0) {
                Some(slots) => *slots -= 1,
                None => return Err(RequestRefused::NotFree { bot: bot.clone() }),
            }
        }
        Ok(Pairing {
            purpose: Purpose::Requested,
            seats: bots.to_vec(),
            replaces: None,
        })
    }

    /// The bots that are there and have slots free, with how many.
    fn free(&self) -> BTreeMap<BotNumber, u32> {
        let mut free: BTreeMap<BotNumber, u32> = self
            .there
            .iter()
            .map(|(bot, there)| (*bot, there.slots))
            .collect();
        for bot in self.open.values().flat_map(|open| &open.seats) {
            if let Some(slots) = free.get_mut(bot) {
                *slots = slots.saturating_sub(1);
            }
        }
        free.retain(|_, slots| *slots > 0);
        free
    }

    fn is(&self, bot: BotNumber, state: fn(StandingState<'_>) -> bool) -> bool {
        let standing = self.bots[bot.place()].standing.as_ref();
        standing.is_some_and(|standing| state(standing.state()))
    }

    fn is_active(&self, bot: BotNumber) -> bool {
        self.is(bot, |state| state == StandingState::Active)
    }

    fn pairing(&self, purpose: Purpose, seats: &[BotNumber], replaces: Option<u64>) -> Pairing {
        let seats = seats.iter().map(|bot| self.numbers().get(*bot).clone());
        Pairing {
            purpose,
            seats: seats.collect(),
            replaces,
        }
    }

    /// An annulled match, with the same bots in the same seats, once all of them are free.
    fn next_again(&self, free: &BTreeMap<BotNumber, u32>) -> Option<Pairing> {
        let can_play = |open: &Open| {
            let mut seats = open.seats.iter();
            seats.all(|bot| free.contains_key(bot) && self.is_active(*bot))
        };
        let (number, open) = self.again.iter().find(|(_, open)| can_play(open))?;
        Some(self.pairing(open.purpose, &open.seats, Some(*number)))
    }

    /// A match that shows whether a new version works: against the house, else against other new
    /// ones, else against anybody, else against itself.
    fn next_validation(&self, free: &BTreeMap<BotNumber, u32>) -> Option<Pairing> {
        if self.state != State::Open {
            return None;
        }
        let is_new = |bot: BotNumber| self.is(bot, |state| state == StandingState::Validating);
        let is_house = |bot: BotNumber| {
            let name = &self.numbers().get(bot).name;
            self.rules.house_bots.contains(name)
        };
        let news = free.keys().copied().filter(|bot| is_new(*bot));
        let mut news = news.filter(|bot| self.seats_taken(*bot) == 0);
        news.find_map(|new| {
            let fits = |bot: &BotNumber| *bot != new && (self.is_active(*bot) || is_new(*bot));
            let mut others: Vec<BotNumber> = free.keys().copied().filter(fits).collect();
            others.sort_by_key(|bot| {
                let matches = self.results.matches_of(*bot);
                (!is_house(*bot), !is_new(*bot), matches, *bot)
            });
            let own = std::iter::repeat_n(new, free[&new] as usize);
            // One seat is its own, and the rest of its slots are there if others are too few.
            let seats = own.clone().take(1).chain(others).chain(own.skip(1));
            let mut seats: Vec<BotNumber> = seats.take(self.rules.seats).collect();
            if seats.len() < self.rules.seats {
                return None;
            }
            let turn = usize::try_from(self.counts.paired % self.rules.seats as u64);
            seats.rotate_left(turn.unwrap_or_default());
            Some(self.pairing(Purpose::Validation, &seats, None))
        })
    }

    /// The rated match that tells most.
    fn next_rated(&mut self, free: &BTreeMap<BotNumber, u32>) -> Option<Pairing> {
        let seats = self.rules.seats;
        let round = match self.state {
            State::Frozen { .. } => self.rules.closing.max_matches_per_bot,
            State::Open | State::Closed => 0,
        };
        let has_more = |bot: &Bot| round == 0 || bot.closing_matches < round;
        let mut there: Vec<BotNumber> = free.keys().copied().collect();
        there.retain(|bot| self.is_active(*bot) && has_more(&self.bots[bot.place()]));
        if there.len() < seats {
            return None;
        }
        self.refit(&there);
        let fit = self.fit.as_ref()?;
        let rule = self.rules.closing;
        if matches!(self.state, State::Frozen { .. })
            && rule.settled_top > 0
            && self.bots.iter().any(|bot| bot.closing_matches > 0)
            && fit.ratings.is_settled(rule.settled_top, rule.confidence)
        {
            // Once the matches in play are over, the round is, unless they change the order.
            return None;
        }
        let owners: BTreeSet<&str> = self.there.values().map(|there| &*there.owner).collect();
        let owner = |bot: &BotNumber| {
            let owner = self.there.get(bot).map(|there| &*there.owner);
            let owner = owner.filter(|owner| self.rules.owners_apart && !owner.is_empty())?;
            owners
                .iter()
                .position(|other| *other == owner)
                .map(|place| place as u64)
        };
        let candidate = |bot: &BotNumber| {
            let came = self.there.get(bot).map_or(0, |there| there.since);
            let since = self.bots[bot.place()].waits_since.max(came);
            Some(Candidate {
                bot: fit.place(*bot)?,
                waited_matches: self.rated - since,
                owner: owner(bot),
            })
        };
        let candidates: Vec<Candidate> = there.iter().filter_map(candidate).collect();
        let places = next_table(&fit.ratings, &candidates, seats)?;
        let places = self.unless_again(fit, &candidates, places)?;
        let table: Vec<BotNumber> = places.into_iter().map(|place| fit.bots[place]).collect();
        let table = self.seat_counts.order(&table, self.rated);
        Some(self.pairing(Purpose::Rated, &table, None))
    }

    /// The table, or another one if it would meet twice in a row; `None` if others are in play, one
    /// of whom may come instead.
    fn unless_again(
        &self,
        fit: &Fit,
        candidates: &[Candidate],
        places: Vec<usize>,
    ) -> Option<Vec<usize>> {
        let has_just_met = |places: &[usize]| {
            let mut table: Vec<BotNumber> = places.iter().map(|place| fit.bots[*place]).collect();
            table.sort_unstable();
            let mut tables = table.iter().map(|bot| &self.bots[bot.place()].last_table);
            tables.all(|last| *last == table)
        };
        if !has_just_met(&places) {
            return Some(places);
        }
        for left_out in &places {
            let others = candidates.iter().filter(|other| other.bot != *left_out);
            let others: Vec<Candidate> = others.copied().collect();
            let other = next_table(&fit.ratings, &others, self.rules.seats);
            if let Some(other) = other.filter(|other| !has_just_met(other)) {
                return Some(other);
            }
        }
        let is_at_table = |bot: &BotNumber| places.iter().any(|place| fit.bots[*place] == *bot);
        let mut in_play = self.open.values().flat_map(|open| &open.seats);
        in_play.all(is_at_table).then_some(places)
    }

    /// Fits the ratings that pairing goes by, if there is enough that they do not have.
    fn refit(&mut self, there: &[BotNumber]) {
        let is_fresh = self.fit.as_ref().is_some_and(|fit| {
            let new = self.results.len() - fit.results;
            let is_known = |bot: &BotNumber| fit.place(*bot).is_some();
            new <= fit.bots.len() / BOTS_A_RESULT && there.iter().all(is_known)
        });
        if is_fresh {
            return;
        }
        let more: BTreeSet<BotNumber> = there.iter().copied().collect();
        let mut fit = match Fit::of(&self.results, &more) {
            Ok(fit) => fit,
            // Results that fix nothing; without any the fit has every bot alike.
            Err(_) => match PlackettLuce::default().fit(there.len(), &[]) {
                Ok(ratings) => Fit {
                    results: self.results.len(),
                    bots: there.to_vec(),
                    ratings,
                },
                Err(_) => return,
            },
        };
        for open in self.open.values() {
            if open.purpose == Purpose::Rated {
                fit.expect(&open.seats);
            }
        }
        self.fit = Some(fit);
    }
}
