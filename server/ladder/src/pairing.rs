//! Which match is played next.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_contest::pairing::{Candidate, next_table};
use thiserror::Error;

use crate::{
    BotVersion, Ladder, Pairing, Purpose, Standing, StandingState, State, bots::BotNumber,
    ladder::Open,
};

/// Of the matches of a ladder at once, one in so many may be one that somebody asked for.
const MATCHES_A_REQUESTED: usize = 4;

/// Of the matches of a ladder at once, one in so many is never a validation: anybody may bring new
/// versions, and a bot that does not come to its validation holds its place for the start-up time.
const MATCHES_A_PLACE_KEPT: usize = 4;

/// A bot waits for one that plays now and would tell so many times as much about the order as any
/// that is free: bots with one slot each are seldom free at once, while house bots mostly are.
const WORTH_WAITING: f64 = 3.0;
/// Nobody waits for the end of a match that was paired so long ago, in ms: it may take hours.
const LONGEST_MATCH_WAITED_FOR_MS: u64 = 60_000;

/// Other tables that are looked at, for each bot of one that has just met: few others have too.
const OTHER_TABLES: usize = 4;

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
    /// A bot plays a match already that somebody asked for: the rest of its slots is for those
    /// that count.
    #[error("{} plays a requested match already; try again when it has ended", bot.name)]
    PlaysOne {
        /// The bot.
        bot: BotVersion,
    },
    /// A bot has waited long for a match that counts, which comes first.
    #[error("{} is due for a rated match; try again after it", bot.name)]
    Due {
        /// The bot.
        bot: BotVersion,
    },
    /// As many matches are played that somebody asked for as may be.
    #[error("the ladder plays {most} requested matches, the most; try again when one has ended")]
    TooMany {
        /// The most at once.
        most: usize,
    },
    /// Only the closing round is played.
    #[error("the ladder is frozen: only its closing round is played")]
    Frozen,
    /// Nothing is played any more.
    #[error("the ladder is closed")]
    Closed,
}

impl Ladder {
    /// The match to be played next, if there is one: for [`paired`](Self::paired) once it is
    /// stored. It waits for nobody who is not there, and nobody who is there and free waits for
    /// longer than twice as many rated matches as there are bots to pair, beside annulled matches
    /// that are played again, which come first, and validations, which take turns with rated ones.
    pub fn next_match(&mut self) -> Option<Pairing> {
        if self.open.len() >= self.rules.max_matches || self.state == State::Closed {
            return None;
        }
        let free = self.free();
        if let Some(again) = self.next_again(&free) {
            return Some(again);
        }
        // In turns, so that new versions take no more than every other match from the rest.
        match self.counts.paired.is_multiple_of(2) {
            true => {
                let validation = self.next_validation(&free);
                validation.or_else(|| self.next_rated(&free))
            }
            false => {
                let rated = self.next_rated(&free);
                rated.or_else(|| self.next_validation(&free))
            }
        }
    }

    /// A match between these bots, in seat order, that does not count.
    ///
    /// # Errors
    /// When it cannot be played now.
    pub fn requested(&self, bots: &[BotVersion]) -> Result<Pairing, RequestRefused> {
        let seats = self.rules.seats;
        match self.state {
            State::Open => {}
            State::Frozen { .. } => return Err(RequestRefused::Frozen),
            State::Closed => return Err(RequestRefused::Closed),
        }
        if bots.len() != seats {
            let named = bots.len();
            return Err(RequestRefused::Seats { seats, named });
        }
        if self.open.len() >= self.rules.max_matches {
            return Err(RequestRefused::Full);
        }
        let open = self.open.values();
        let requested: Vec<&Open> = open
            .filter(|open| open.purpose == Purpose::Requested)
            .collect();
        let most = (self.rules.max_matches / MATCHES_A_REQUESTED).max(1);
        if requested.len() >= most {
            return Err(RequestRefused::TooMany { most });
        }
        let mut free = self.free();
        for bot in bots {
            let number = self.numbers().find(bot);
            let of_bot = |open: &&Open| open.seats.iter().any(|seated| Some(*seated) == number);
            if requested.iter().any(of_bot) {
                return Err(RequestRefused::PlaysOne { bot: bot.clone() });
            }
            let is_active = self.standing(bot).map(Standing::state) == Some(StandingState::Active);
            let slots = number.and_then(|number| free.get_mut(&number));
            match slots.filter(|slots| is_active && **slots > 0) {
                Some(slots) => *slots -= 1,
                None => return Err(RequestRefused::NotFree { bot: bot.clone() }),
            }
            if number.is_some_and(|number| self.is_due(number)) {
                return Err(RequestRefused::Due { bot: bot.clone() });
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
        for (bot, slots) in &mut free {
            // Matches of its other versions take slots as well.
            *slots = (*slots).min(self.there.get(bot).map_or(0, |there| there.free_slots));
        }
        free.retain(|_, slots| *slots > 0);
        free
    }

    /// Whether a bot has waited for as many rated matches as there are bots: it comes first then.
    fn is_due(&self, bot: BotNumber) -> bool {
        self.waited(bot) >= self.there.len() as u64
    }

    /// Rated matches that were paired since a bot sat down or stood up last, or since it came.
    fn waited(&self, bot: BotNumber) -> u64 {
        let came = self.there.get(&bot).map_or(0, |there| there.since);
        let since = self.bots[bot.place()].waits_since.max(came);
        self.rated - since
    }

    fn is(&self, bot: BotNumber, state: fn(StandingState<'_>) -> bool) -> bool {
        let standing = self.bots[bot.place()].standing.as_ref();
        standing.is_some_and(|standing| state(standing.state()))
    }

    pub(crate) fn is_active(&self, bot: BotNumber) -> bool {
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
            self.is_played_again(open)
                && seats.all(|bot| free.contains_key(bot))
                && (open.purpose != Purpose::Rated || self.may_meet(&open.seats))
        };
        let (number, open) = self.again.iter().find(|(_, open)| can_play(open))?;
        Some(self.pairing(open.purpose, &open.seats, Some(*number)))
    }

    /// Whether the owners of these bots let them meet: those that they have now.
    fn may_meet(&self, bots: &[BotNumber]) -> bool {
        let mut owners = BTreeSet::new();
        let there = bots.iter().filter_map(|bot| self.there.get(bot));
        let mut owned = there.filter(|there| !there.owner.is_empty());
        !self.rules.owners_apart || owned.all(|there| owners.insert(&there.owner))
    }

    /// A match that shows whether a new version works: against the house, else against other new
    /// ones, else against anybody, else against itself. With more than two seats it has all but one
    /// of them, as far as it has slots: so it meets itself and the house in one match.
    fn next_validation(&self, free: &BTreeMap<BotNumber, u32>) -> Option<Pairing> {
        let open = self.open.values();
        let validations = open.filter(|open| open.purpose == Purpose::Validation);
        if self.state != State::Open || validations.count() >= self.most_validations() {
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
            let at_first = (self.rules.seats - 1).max(1);
            // The rest of its slots are there if others are too few.
            let seats = own.clone().take(at_first).chain(others);
            let seats = seats.chain(own.skip(at_first));
            let mut seats: Vec<BotNumber> = seats.take(self.rules.seats).collect();
            if seats.len() < self.rules.seats {
                return None;
            }
            let turn = usize::try_from(self.counts.paired % self.rules.seats as u64);
            seats.rotate_left(turn.unwrap_or_default());
            Some(self.pairing(Purpose::Validation, &seats, None))
        })
    }

    /// Validations at once.
    fn most_validations(&self) -> usize {
        let kept = (self.rules.max_matches / MATCHES_A_PLACE_KEPT).max(1);
        (self.rules.max_matches - kept).max(1)
    }

    /// The rated match that tells most.
    fn next_rated(&mut self, free: &BTreeMap<BotNumber, u32>) -> Option<Pairing> {
        let seats = self.rules.seats;
        let mut there: Vec<BotNumber> = free.keys().copied().collect();
        there.retain(|bot| self.is_active(*bot) && self.has_more(*bot));
        if there.len() < seats {
            return None;
        }
        if matches!(self.state, State::Frozen { .. })
            && self.bots.iter().any(|bot| bot.closing_matches > 0)
            && self.is_round_settled()
        {
            // Once the matches in play are over, the round is, unless they change the order: the
            // next fit tells.
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
        let known: Vec<_> = there
            .iter()
            .map(|bot| (*bot, self.waited(*bot), owner(bot)))
            .collect();
        let candidates = known
            .into_iter()
            .map(|(bot, waited_matches, owner)| Candidate {
                bot: self.knowledge.place(bot),
                waited_matches,
                owner,
            });
        let mut candidates: Vec<Candidate> = candidates.collect();
        self.hold_back(&mut candidates);
        let places = next_table(&self.knowledge.uncertainty, &candidates, seats)?;
        let places = self.unless_again(&candidates, places)?;
        let bots = places.into_iter().map(|place| self.knowledge.bots[place]);
        let table: Vec<BotNumber> = bots.collect();
        let table = self.seat_counts.order(&table, self.rated);
        Some(self.pairing(Purpose::Rated, &table, None))
    }

    /// Leaves out those that are better paired with a bot that plays now, and have not waited long.
    /// With more than two seats a table waits for others anyway.
    fn hold_back(&mut self, candidates: &mut Vec<Candidate>) {
        if self.rules.seats != 2 {
            return;
        }
        let bots = candidates.iter().map(|candidate| candidate.bot);
        let free: Vec<(BotNumber, usize)> = bots
            .map(|place| (self.knowledge.bots[place], place))
            .collect();
        let in_play = self.open.values().filter(|open| self.is_waited_for(open));
        let mut playing: Vec<BotNumber> = in_play.flat_map(|open| open.seats.clone()).collect();
        playing.retain(|bot| {
            let is_free = free.iter().any(|(other, _)| other == bot);
            !is_free && self.is_paired_again(*bot)
        });
        if playing.is_empty() {
            return;
        }
        let playing = playing.into_iter();
        let playing: Vec<(BotNumber, usize)> = playing
            .map(|bot| (bot, self.knowledge.place(bot)))
            .collect();
        let most_told = |(bot, place): (BotNumber, usize), others: &[(BotNumber, usize)]| {
            others
                .iter()
                .filter(|(other, _)| *other != bot && self.may_meet(&[bot, *other]))
                .map(|(_, other)| self.knowledge.uncertainty.information(place, *other, 2))
                .fold(0.0, f64::max)
        };
        let is_held = |one: (BotNumber, usize)| {
            let by_free = most_told(one, &free);
            !self.is_due(one.0) && most_told(one, &playing) > WORTH_WAITING * by_free
        };
        let mut held = free.iter().map(|one| is_held(*one));
        candidates.retain(|_| !held.next().unwrap_or_default());
    }

    /// The table, or another one if it would meet twice in a row; `None` if others play a rated
    /// match, one of whom may come instead.
    fn unless_again(&self, candidates: &[Candidate], places: Vec<usize>) -> Option<Vec<usize>> {
        let bot_at = |place: &usize| self.knowledge.bots[*place];
        let has_just_met = |places: &[usize]| {
            let mut table: Vec<BotNumber> = places.iter().map(bot_at).collect();
            table.sort_unstable();
            let mut tables = table.iter().map(|bot| &self.bots[bot.place()].last_table);
            tables.all(|last| *last == table)
        };
        if !has_just_met(&places) {
            return Some(places);
        }
        for left_out in &places {
            let mut others = candidates.to_vec();
            others.retain(|other| other.bot != *left_out);
            for _ in 0..OTHER_TABLES {
                let other = next_table(&self.knowledge.uncertainty, &others, self.rules.seats);
                match other {
                    Some(other) if !has_just_met(&other) => return Some(other),
                    // That one has just met as well.
                    Some(other) => others.retain(|one| one.bot != other[0]),
                    None => break,
                }
            }
        }
        let is_at_table = |bot: &BotNumber| places.iter().any(|place| bot_at(place) == *bot);
        let in_play = self.open.values().filter(|open| self.is_waited_for(open));
        let mut in_play = in_play.flat_map(|open| &open.seats);
        let comes_instead = |bot: &BotNumber| !is_at_table(bot) && self.is_paired_again(*bot);
        (!in_play.any(comes_instead)).then_some(places)
    }

    /// Whether a bot is paired once its match is over, as far as is known.
    fn is_paired_again(&self, bot: BotNumber) -> bool {
        self.there.contains_key(&bot) && self.is_active(bot) && self.has_more(bot)
    }

    /// Whether a bot or a table waits for the end of a match. Requested matches follow each other
    /// without end, and to a validation a new version may never come.
    fn is_waited_for(&self, open: &Open) -> bool {
        let age_ms = self.now_ms.saturating_sub(open.paired_ms);
        open.purpose == Purpose::Rated && age_ms < LONGEST_MATCH_WAITED_FOR_MS
    }
}
