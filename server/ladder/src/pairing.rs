//! Pairing: selects a ladder's next match.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_contest::pairing::{Candidate, next_table};
use thiserror::Error;

use crate::{
    BotVersion, EntryState, Ladder, LadderEntry, Pairing, Purpose, State, bots::BotNumber,
    ladder::OpenMatch,
};

/// At most one in this many concurrent matches is a requested match.
const MATCHES_PER_REQUESTED: usize = 4;

/// One in this many concurrent matches is reserved for matches that are not validations. Otherwise,
/// new versions could use all slots, since their number is unlimited. A version that does not
/// connect uses its slot for the whole start-up time.
const MATCHES_PER_RESERVED_SLOT: usize = 4;

/// A bot waits for a playing bot if their match would give at least this many times as much
/// information as a match with any free bot. Without waiting, bots with one slot would rarely be
/// free at the same time, and would mostly play against house bots.
const WORTH_WAITING: f64 = 3.0;
/// Bots do not wait for the end of a match that is older than this, in ms, since a match can take
/// hours.
const MAX_AWAITED_MATCH_AGE_MS: u64 = 60_000;
/// Nor do they wait for a match that has taken this many times as long as an average match, since
/// its bots are slow.
const MAX_AWAITED_MATCH_MEANS: u64 = 3;

/// The number of alternative tables that are tried, per bot, if the bots at the best table have
/// just met.
const MAX_ALTERNATIVES: usize = 4;

/// The reason why a requested match is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestRefused {
    /// The number of bots does not match the number of seats.
    #[error("{named} bots were named, but a match of this ladder has {seats} seats")]
    Seats {
        /// The number of seats in a match.
        seats: usize,
        /// The number of requested bots.
        named: usize,
    },
    /// A bot is not in the queue, or has no free slot.
    #[error("{} does not attend or has no free slot", bot.name)]
    NotAvailable {
        /// The bot that was requested.
        bot: BotVersion,
    },
    /// The maximum number of matches is in progress.
    #[error("the ladder has the maximum number of matches in progress; retry once one has ended")]
    Full,
    /// A bot is already playing a requested match. The bot's other slots are for rated matches.
    #[error("{} already plays a requested match; retry once it has ended", bot.name)]
    AlreadyRequested {
        /// The bot that was requested.
        bot: BotVersion,
    },
    /// A bot has waited so long that its next match must be a rated one.
    #[error("{} is due for a rated match; retry after that match", bot.name)]
    Due {
        /// The bot that was requested.
        bot: BotVersion,
    },
    /// The maximum number of requested matches is in progress.
    #[error(
        "the ladder has {max} requested matches in progress, the maximum; retry once one has ended"
    )]
    TooMany {
        /// The maximum number of concurrent requested matches.
        max: usize,
    },
    /// Only closing-round matches are played.
    #[error("the ladder is frozen; only its closing round is played")]
    Frozen,
    /// The ladder is closed; no matches are played.
    #[error("the ladder is closed")]
    Closed,
}

impl Ladder {
    /// Returns the next match to play, to be passed to [`record_pairing`](Self::record_pairing)
    /// once it is stored.
    ///
    /// Repetitions of annulled matches have priority over validations and rated matches, which
    /// alternate. Pairing does not wait for absent bots. A bot in the queue with a free slot waits
    /// for at most twice as many rated matches as there are bots to pair, unless it already plays
    /// more than its share of the matches.
    pub fn next_match(&mut self) -> Option<Pairing> {
        if self.open.len() >= self.rules.max_matches || self.state == State::Closed {
            return None;
        }
        let free = self.free();
        let within_share = self.within_share(&free);
        if let Some(again) = self.next_repeat(&within_share) {
            return Some(again);
        }
        // Validations and rated matches alternate, so that new versions get at most every other
        // match.
        if self.counts.paired.is_multiple_of(2) {
            let validation = self.next_validation(&free);
            validation.or_else(|| self.next_rated(&free, within_share))
        } else {
            let rated = self.next_rated(&free, within_share);
            rated.or_else(|| self.next_validation(&free))
        }
    }

    /// Returns a requested match between these bots, in seat order. Its result does not count.
    ///
    /// # Errors
    /// Returns the reason why the match cannot be played now.
    pub fn request_match(&self, bots: &[BotVersion]) -> Result<Pairing, RequestRefused> {
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
        let requested: Vec<&OpenMatch> =
            open.filter(|open| open.purpose == Purpose::Requested).collect();
        let max = (self.rules.max_matches / MATCHES_PER_REQUESTED).max(1);
        if requested.len() >= max {
            return Err(RequestRefused::TooMany { max });
        }
        let mut free = self.free();
        for bot in bots {
            let number = self.numbers().find(bot);
            let of_bot =
                |open: &&OpenMatch| open.seats.iter().any(|seated| Some(*seated) == number);
            if requested.iter().any(of_bot) {
                return Err(RequestRefused::AlreadyRequested { bot: bot.clone() });
            }
            let is_active = self.entry(bot).map(LadderEntry::state) == Some(EntryState::Active);
            let slots = number.and_then(|number| free.get_mut(&number));
            match slots.filter(|slots| is_active && **slots > 0) {
                Some(slots) => *slots -= 1,
                None => return Err(RequestRefused::NotAvailable { bot: bot.clone() }),
            }
            if number.is_some_and(|number| self.is_due(number)) {
                return Err(RequestRefused::Due { bot: bot.clone() });
            }
        }
        Ok(Pairing { purpose: Purpose::Requested, seats: bots.to_vec(), replaces: None })
    }

    /// Returns the bots in the queue that have free slots, with the number of these slots.
    fn free(&self) -> BTreeMap<BotNumber, usize> {
        let taken = self.seats_taken();
        let free = self.present.iter().map(|(bot, attending)| {
            let own = taken.get(bot).copied().unwrap_or_default();
            // Matches of the bot's other versions use its slots as well.
            let slots = (attending.slots as usize).saturating_sub(own);
            (*bot, slots.min(attending.free_slots as usize))
        });
        free.filter(|(_, slots)| *slots > 0).collect()
    }

    /// Returns the free bots that can be paired for a rated match. While a bot within its share
    /// waits, bots above their shares get no further match. Without this limit, bots whose matches
    /// take long would hold more and more places, since their places are seldom free again, and
    /// would occupy every bot that has only one slot.
    ///
    /// The share is an equal part of the seats that can be in use at once. A bot may exceed it by
    /// one match: on a full ladder, only the bots of the match that has just ended would otherwise
    /// be left to pair.
    fn within_share(&self, free: &BTreeMap<BotNumber, usize>) -> Vec<BotNumber> {
        let attending = self.present.iter().filter(|(bot, _)| self.is_paired_later(**bot));
        let slots: Vec<usize> = attending.map(|(_, attending)| attending.slots as usize).collect();
        let seats = self.rules.seats.saturating_mul(self.rules.max_matches);
        let equal_part = seats.div_ceil(slots.len().max(1));
        let in_use: usize = slots.iter().map(|slots| (*slots).min(equal_part)).sum();
        let share = seats.min(in_use) / slots.len().max(1);
        let taken = self.seats_taken();
        let mut there: Vec<BotNumber> = free.keys().copied().collect();
        there.retain(|bot| self.is_paired_later(*bot));
        let is_within = |bot: &BotNumber| taken.get(bot).is_none_or(|taken| *taken <= share);
        if there.iter().any(is_within) {
            there.retain(is_within);
        }
        there
    }

    /// Returns whether a bot has priority. A bot has priority once as many rated matches were
    /// paired during its wait as there are bots.
    fn is_due(&self, bot: BotNumber) -> bool {
        self.waited(bot) >= self.present.len() as u64
    }

    /// Returns the number of rated matches that were paired since the bot arrived, or since its
    /// last match started or ended.
    fn waited(&self, bot: BotNumber) -> u64 {
        let came = self.present.get(&bot).map_or(0, |attending| attending.since);
        let since = self.bots[bot.index()].waits_since.max(came);
        self.rated - since
    }

    fn is_in_state(&self, bot: BotNumber, state: fn(EntryState<'_>) -> bool) -> bool {
        let entry = self.bots[bot.index()].entry.as_ref();
        entry.is_some_and(|entry| state(entry.state()))
    }

    pub(crate) fn is_active(&self, bot: BotNumber) -> bool {
        self.is_in_state(bot, |state| state == EntryState::Active)
    }

    fn pairing(&self, purpose: Purpose, seats: &[BotNumber], replaces: Option<u64>) -> Pairing {
        let seats = seats.iter().map(|bot| self.numbers().get(*bot).clone());
        Pairing { purpose, seats: seats.collect(), replaces }
    }

    /// Returns a repetition of an annulled match whose bots are all there. The seats are the same.
    fn next_repeat(&self, there: &[BotNumber]) -> Option<Pairing> {
        let can_play = |open: &OpenMatch| {
            open.seats.iter().all(|bot| there.contains(bot)) && self.may_meet(&open.seats)
        };
        let (number, open) = self.to_repeat.iter().find(|(_, open)| can_play(open))?;
        Some(self.pairing(open.purpose, &open.seats, Some(*number)))
    }

    /// Returns whether these bots may play against each other, given their current owners.
    fn may_meet(&self, bots: &[BotNumber]) -> bool {
        let mut owners = BTreeSet::new();
        let attendees = bots.iter().filter_map(|bot| self.present.get(bot));
        let mut owned = attendees.filter(|attending| !attending.owner.is_empty());
        !self.rules.owners_apart || owned.all(|attending| owners.insert(&attending.owner))
    }

    /// Returns a match that validates a new version: preferably against [house
    /// bots](crate::Rules::house_bots), otherwise against other new versions, then against any bot,
    /// and finally against itself. With more than two seats, the new version takes all seats but
    /// one, or as many as it has free slots. So it plays against both itself and a house bot.
    fn next_validation(&self, free: &BTreeMap<BotNumber, usize>) -> Option<Pairing> {
        let open = self.open.values();
        let validations = open.filter(|open| open.purpose == Purpose::Validation);
        if self.state != State::Open || validations.count() >= self.max_validations() {
            return None;
        }
        let is_new =
            |bot: BotNumber| self.is_in_state(bot, |state| state == EntryState::Validating);
        let is_house = |bot: BotNumber| {
            let name = &self.numbers().get(bot).name;
            self.rules.house_bots.contains(name)
        };
        let new_versions = free.keys().copied().filter(|bot| is_new(*bot));
        let taken = self.seats_taken();
        let mut new_versions = new_versions.filter(|bot| !taken.contains_key(bot));
        new_versions.find_map(|new| {
            let fits = |bot: &BotNumber| *bot != new && (self.is_active(*bot) || is_new(*bot));
            let mut others: Vec<BotNumber> = free.keys().copied().filter(fits).collect();
            others.sort_by_key(|bot| {
                let matches = self.results.matches_of(*bot);
                (!is_house(*bot), !is_new(*bot), matches, *bot)
            });
            let own = std::iter::repeat_n(new, free[&new]);
            let at_first = (self.rules.seats - 1).max(1);
            // With too few other bots, the new version takes more seats.
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

    /// Returns the maximum number of concurrent validations.
    fn max_validations(&self) -> usize {
        let kept = (self.rules.max_matches / MATCHES_PER_RESERVED_SLOT).max(1);
        (self.rules.max_matches - kept).max(1)
    }

    /// Returns the rated match that gives the most information.
    fn next_rated(
        &mut self,
        free: &BTreeMap<BotNumber, usize>,
        there: Vec<BotNumber>,
    ) -> Option<Pairing> {
        let seats = self.rules.seats;
        if there.len() < seats {
            return None;
        }
        if matches!(self.state, State::Frozen { .. })
            && self.bots.iter().any(|bot| bot.closing_matches > 0)
            && self.is_settled()
        {
            // The round ends with the matches in progress, unless their results change the order in
            // the next fit.
            return None;
        }
        let owners: BTreeSet<&str> = self.present.values().map(|there| &*there.owner).collect();
        let owner = |bot: &BotNumber| {
            let owner = self.present.get(bot).map(|there| &*there.owner);
            let owner = owner.filter(|owner| self.rules.owners_apart && !owner.is_empty())?;
            owners.iter().position(|other| *other == owner).map(|place| place as u64)
        };
        let known: Vec<_> = there.iter().map(|bot| (*bot, self.waited(*bot), owner(bot))).collect();
        let candidates = known.into_iter().map(|(bot, waited_matches, owner)| Candidate {
            bot: self.pairing_model.index_or_insert(bot),
            waited_matches,
            owner,
        });
        let mut candidates: Vec<Candidate> = candidates.collect();
        self.withhold(&mut candidates, free);
        let places = next_table(&self.pairing_model.uncertainty, &candidates, seats)?;
        let places = self.avoid_rematch(&candidates, free, places)?;
        let bots = places.into_iter().map(|place| self.pairing_model.bots[place]);
        let table: Vec<BotNumber> = bots.collect();
        let table = self.seat_counts.order(&table, self.rated);
        Some(self.pairing(Purpose::Rated, &table, None))
    }

    /// Removes candidates that have not waited long if they would have a better match against a bot
    /// that is still playing. Does nothing with more than two seats, since such tables wait for
    /// several bots anyway.
    fn withhold(&mut self, candidates: &mut Vec<Candidate>, free: &BTreeMap<BotNumber, usize>) {
        let playing = self.awaited(free);
        if self.rules.seats != 2 || playing.is_empty() {
            return;
        }
        let playing = playing.into_iter();
        let playing: Vec<(BotNumber, usize)> =
            playing.map(|bot| (bot, self.pairing_model.index_or_insert(bot))).collect();
        let bots = candidates.iter().map(|candidate| candidate.bot);
        let free: Vec<(BotNumber, usize)> =
            bots.map(|place| (self.pairing_model.bots[place], place)).collect();
        let max_information = |(bot, place): (BotNumber, usize), others: &[(BotNumber, usize)]| {
            others
                .iter()
                .filter(|(other, _)| *other != bot && self.may_meet(&[bot, *other]))
                .map(|(_, other)| self.pairing_model.uncertainty.information(place, *other, 2))
                .fold(0.0, f64::max)
        };
        let is_withheld = |one: (BotNumber, usize)| {
            let by_free = max_information(one, &free);
            !self.is_due(one.0) && max_information(one, &playing) > WORTH_WAITING * by_free
        };
        let mut withheld = free.iter().map(|one| is_withheld(*one));
        candidates.retain(|_| !withheld.next().unwrap_or_default());
    }

    /// Returns the table, or an alternative table if the same bots have just met. Returns `None`,
    /// so that pairing waits, if a bot that is still playing could replace a bot at the table.
    fn avoid_rematch(
        &self,
        candidates: &[Candidate],
        free: &BTreeMap<BotNumber, usize>,
        places: Vec<usize>,
    ) -> Option<Vec<usize>> {
        let bot_at = |place: &usize| self.pairing_model.bots[*place];
        let has_just_met = |places: &[usize]| {
            let mut table: Vec<BotNumber> = places.iter().map(bot_at).collect();
            table.sort_unstable();
            let mut tables = table.iter().map(|bot| &self.bots[bot.index()].last_table);
            tables.all(|last| *last == table)
        };
        if !has_just_met(&places) {
            return Some(places);
        }
        for excluded in &places {
            let mut others = candidates.to_vec();
            others.retain(|other| other.bot != *excluded);
            for _ in 0..MAX_ALTERNATIVES {
                let other = next_table(&self.pairing_model.uncertainty, &others, self.rules.seats);
                match other {
                    Some(other) if !has_just_met(&other) => return Some(other),
                    // The alternative table's bots have just met as well.
                    Some(other) => others.retain(|one| one.bot != other[0]),
                    None => break,
                }
            }
        }
        self.awaited(free).is_empty().then_some(places)
    }

    /// Returns the bots whose matches end soon and that will then be free for a match. A bot with a
    /// free slot is not one of them, even if its share of the matches is used up.
    fn awaited(&self, free: &BTreeMap<BotNumber, usize>) -> BTreeSet<BotNumber> {
        let open = self.open.values().filter(|open| self.is_awaited(open));
        let playing = open.flat_map(|open| open.seats.iter().copied());
        playing.filter(|bot| !free.contains_key(bot) && self.is_paired_later(*bot)).collect()
    }

    /// Returns whether a bot is expected to be paired again after its current match.
    fn is_paired_later(&self, bot: BotNumber) -> bool {
        self.present.contains_key(&bot) && self.is_active(bot) && self.has_more(bot)
    }

    /// Returns whether pairing waits for the end of a match. It never waits for requested matches,
    /// which can follow each other endlessly, or for validations, since a new version might never
    /// connect.
    fn is_awaited(&self, open: &OpenMatch) -> bool {
        let age_ms = self.now_ms.saturating_sub(open.paired_ms);
        let mean_ms = self.all_totals.mean_match_ms().unwrap_or(MAX_AWAITED_MATCH_AGE_MS);
        let max_age_ms = MAX_AWAITED_MATCH_AGE_MS.min(MAX_AWAITED_MATCH_MEANS * mean_ms);
        open.purpose == Purpose::Rated && age_ms < max_age_ms
    }
}
