//! A simulated world: bots, a store and a clock around a ladder.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{
    Actions, AttendingBot, BotVersion, ClosingRule, End, Ladder, LadderEntry, Pairing, Purpose,
    RatingMethodId, Rules, SeatEnd, Span, State,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// A bot of the simulation.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    pub(crate) presence: AttendingBot,
    /// Strength in natural log odds.
    pub(crate) strength: f64,
    /// Probability of forfeiting a match.
    pub(crate) forfeit_rate: f64,
    /// Probability of causing lag in a match when behind.
    pub(crate) lags_when_behind: f64,
    /// Factor of the duration of its matches; the slowest bot of a match determines it.
    pub(crate) slowness: u64,
    pub(crate) is_present: bool,
}

pub(crate) fn bot(name: &str, strength: f64) -> Bot {
    Bot {
        presence: AttendingBot {
            bot: BotVersion::new(name, "1"),
            owner: name.to_owned(),
            slots: 1,
            free_slots: 64,
        },
        strength,
        forfeit_rate: 0.0,
        lags_when_behind: 0.0,
        slowness: 1,
        is_present: true,
    }
}

/// Returns rules with these house bots, which need no validation.
pub(crate) fn house_rules<'a>(seats: usize, house: impl IntoIterator<Item = &'a str>) -> Rules {
    Rules { house_bots: house.into_iter().map(str::to_owned).collect(), ..rules(seats) }
}

pub(crate) fn rules(seats: usize) -> Rules {
    Rules {
        seats,
        max_matches: 1_000,
        max_slots: 64,
        owners_apart: false,
        house_bots: BTreeSet::new(),
        closing: ClosingRule::default(),
        rating_method: RatingMethodId::default(),
    }
}

/// Ratings are fitted once there is one new result per this many bots.
const BOTS_PER_NEW_RESULT: usize = 4;

/// Fits the ratings to all results.
pub(crate) fn fit(ladder: &mut Ladder) {
    let fitted = ladder.fit_job().fit().unwrap();
    assert!(ladder.apply_fit(fitted), "the fit is of this ladder");
}

/// The stored records, which survive a restart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    pub(crate) standings: BTreeMap<BotVersion, LadderEntry>,
    pub(crate) matches: Vec<(Pairing, Option<End>)>,
    /// The time span of each match; complete once it has ended.
    pub(crate) spans: Vec<Span>,
}

pub(crate) struct World {
    pub(crate) ladder: Ladder,
    pub(crate) stored: Stored,
    pub(crate) bots: Vec<Bot>,
    /// Probability that the server annuls a match.
    pub(crate) annul_rate: f64,
    /// Probability of a stall at the end of a match, which annuls all matches in progress.
    pub(crate) stall_rate: f64,
    spoiled: BTreeSet<u64>,
    pub(crate) luck: ChaCha8Rng,
    /// The ends of matches in progress: time and number.
    ends: BTreeMap<(u64, u64), ()>,
    pub(crate) now: u64,
    /// The longest wait of a bot that was present and free all the time, in rated matches, as a
    /// multiple of the number of present bots.
    pub(crate) longest_wait: f64,
    waits: BTreeMap<BotVersion, u64>,
}

impl World {
    pub(crate) fn new(rules: Rules, bots: Vec<Bot>, seed: u64) -> Self {
        Self {
            ladder: Ladder::new(rules, State::Open),
            stored: Stored::default(),
            bots,
            annul_rate: 0.0,
            stall_rate: 0.0,
            spoiled: BTreeSet::new(),
            luck: ChaCha8Rng::seed_from_u64(seed),
            ends: BTreeMap::new(),
            now: 0,
            longest_wait: 0.0,
            waits: BTreeMap::new(),
        }
    }

    /// Begins the closing round, and returns the number of its first match.
    pub(crate) fn freeze(&mut self) -> usize {
        let at_match = self.ladder.counts().paired;
        self.ladder.advance(State::Frozen { at_match });
        at_match as usize
    }

    /// Returns the number of matches of each bot, from a first match on, that ended in a certain
    /// way.
    pub(crate) fn matches_from(
        &self,
        first: usize,
        is_counted: impl Fn(&Option<End>) -> bool,
    ) -> BTreeMap<&BotVersion, u32> {
        let mut matches = BTreeMap::new();
        for (pairing, end) in &self.stored.matches[first..] {
            for bot in &pairing.seats {
                *matches.entry(bot).or_insert(0) += u32::from(is_counted(end));
            }
        }
        matches
    }

    /// Returns true if this version is paired in a match from number `first` on.
    pub(crate) fn is_paired_from(&self, first: usize, bot: &BotVersion) -> bool {
        let mut matches = self.stored.matches[first..].iter();
        matches.any(|(pairing, _)| pairing.seats.contains(bot))
    }

    /// Returns the first match in progress.
    pub(crate) fn first_open(&self) -> u64 {
        let mut matches = self.stored.matches.iter();
        matches.position(|(_, end)| end.is_none()).unwrap() as u64
    }

    pub(crate) fn present(&self) -> Vec<AttendingBot> {
        let present = self.bots.iter().filter(|bot| bot.is_present);
        present.map(|bot| bot.presence.clone()).collect()
    }

    pub(crate) fn store_entry(&mut self, entry: LadderEntry) {
        let bot = entry.bot.clone();
        self.stored.standings.insert(bot, entry.clone());
        self.ladder.store_entry(entry);
    }

    /// Admits the present bots, and pairs as many matches as possible.
    pub(crate) fn pair(&mut self) {
        let present = self.present();
        for presence in &present {
            if let Ok(Some(entry)) = self.ladder.admit(presence) {
                self.store_entry(entry);
            }
        }
        self.ladder.set_present(&present, self.now);
        self.fit();
        while let Some(pairing) = self.ladder.next_match() {
            self.start(pairing);
        }
    }

    /// Fits the ratings if there are enough new results.
    fn fit(&mut self) {
        let table = self.ladder.table();
        let new = self.ladder.results().len() - table.results();
        let is_frozen = matches!(self.ladder.state(), State::Frozen { .. });
        if new > table.ratings().len() / BOTS_PER_NEW_RESULT || is_frozen {
            fit(&mut self.ladder);
        }
    }

    pub(crate) fn start(&mut self, pairing: Pairing) {
        if pairing.purpose == Purpose::Rated && pairing.replaces.is_none() {
            self.record_waits(&pairing);
        }
        let number = self.stored.matches.len() as u64;
        self.stored.matches.push((pairing.clone(), None));
        self.stored.spans.push(Span { started_ms: self.now, ended_ms: self.now });
        assert_eq!(self.ladder.record_pairing(&pairing), number);
        let slowness = pairing.seats.iter().map(|seated| self.bot(seated).slowness).max();
        let takes = self.luck.random_range(1..100) * slowness.unwrap_or(1);
        self.ends.insert((self.now + takes, number), ());
    }

    fn record_waits(&mut self, pairing: &Pairing) {
        let present = self.present();
        let bots = present.len() as f64;
        for presence in present {
            let bot = presence.bot;
            let is_free = self.ladder.open_matches_of(&bot) < presence.slots as usize;
            let wait = self.waits.entry(bot.clone()).or_default();
            *wait = match is_free && !pairing.seats.contains(&bot) {
                true => *wait + 1,
                false => 0,
            };
            self.longest_wait = self.longest_wait.max(*wait as f64 / bots);
        }
        let names: BTreeSet<_> = self.present().into_iter().map(|one| one.bot).collect();
        self.waits.retain(|bot, _| names.contains(bot));
    }

    /// Ends the next match; returns `false` if none is in progress.
    pub(crate) fn step(&mut self) -> bool {
        self.pair();
        let Some(((now, number), ())) = self.ends.pop_first() else {
            return false;
        };
        self.now = now;
        if self.luck.random_bool(self.stall_rate) {
            let in_play = self.ends.keys().map(|(_, number)| *number);
            self.spoiled.extend(in_play.chain([number]));
        }
        let end = self.play(number);
        self.end(number, end);
        true
    }

    pub(crate) fn end(&mut self, number: u64, end: End) {
        let span = &mut self.stored.spans[number as usize];
        span.ended_ms = self.now;
        let span = *span;
        for entry in self.ladder.entries_after(number, &end, span, &[]) {
            self.store_entry(entry);
        }
        let stored = &mut self.stored.matches[number as usize].1;
        assert_eq!(*stored, None, "a match ends once");
        *stored = Some(end.clone());
        self.ladder.record_end(number, &end, span);
    }

    /// Returns the bot of a version. A bot that has changed its version still finishes the matches
    /// of the previous one.
    fn bot(&self, version: &BotVersion) -> &Bot {
        self.bots.iter().find(|bot| bot.presence.bot.name == version.name).unwrap()
    }

    fn play(&mut self, number: u64) -> End {
        let seats = self.stored.matches[number as usize].0.seats.clone();
        let bots: Vec<Bot> = seats.iter().map(|seated| self.bot(seated).clone()).collect();
        // Plackett-Luce: exponential clocks with the strengths as rates, in the order in which they
        // ring.
        let rings: Vec<f64> = bots
            .iter()
            .map(|bot| {
                -self.luck.random_range(f64::MIN_POSITIVE..1.0_f64).ln() / bot.strength.exp()
            })
            .collect();
        let forfeits: Vec<bool> =
            bots.iter().map(|bot| self.luck.random_bool(bot.forfeit_rate)).collect();
        let place = |seat: usize| {
            let ahead =
                |other: &usize| (forfeits[*other], rings[*other]) < (forfeits[seat], rings[seat]);
            1 + (0..bots.len()).filter(ahead).count() as u32
        };
        let ends: Vec<SeatEnd> = (0..bots.len())
            .map(|seat| SeatEnd {
                place: place(seat),
                score: -(place(seat) as i32),
                forfeited: forfeits[seat],
            })
            .collect();
        let is_lagged = bots.iter().enumerate().any(|(seat, bot)| {
            let is_behind = ends[seat].place as usize > bots.len() / 2;
            is_behind && self.luck.random_bool(bot.lags_when_behind)
        });
        let is_spoiled = self.spoiled.remove(&number) | self.luck.random_bool(self.annul_rate);
        if is_lagged || is_spoiled { End::Annulled(ends) } else { End::Played(ends) }
    }

    /// Restores the ladder from the stored records, as another server would.
    pub(crate) fn restored(&self) -> Ladder {
        self.restored_with(self.ladder.actions().clone())
    }

    /// Restores the ladder with these actions of organisers.
    pub(crate) fn restored_with(&self, actions: Actions) -> Ladder {
        let ladder = Ladder::new(self.ladder.rules().clone(), self.ladder.state());
        let mut ladder = ladder.with_actions(actions);
        for entry in self.stored.standings.values() {
            ladder.store_entry(entry.clone());
        }
        for (number, (pairing, end)) in (0..).zip(&self.stored.matches) {
            assert_eq!(ladder.record_pairing(pairing), number);
            if let Some(end) = end {
                ladder.record_end(number, end, self.stored.spans[number as usize]);
            }
        }
        fit(&mut ladder);
        ladder
    }
}
