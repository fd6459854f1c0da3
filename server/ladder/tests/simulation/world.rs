//! Bots, a store and a clock around a ladder.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{
    BotVersion, ClosingRule, End, Ladder, Pairing, Presence, Purpose, Rules, SeatEnd, Span,
    Standing, State,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// A bot of the simulation.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    pub(crate) presence: Presence,
    /// As natural log odds.
    pub(crate) strength: f64,
    /// Share of its matches that it forfeits.
    pub(crate) fails: f64,
    /// Share of its matches that it spoils when it is behind.
    pub(crate) lags_when_behind: f64,
    pub(crate) is_there: bool,
}

pub(crate) fn bot(name: &str, strength: f64) -> Bot {
    Bot {
        presence: Presence {
            bot: BotVersion::new(name, "1"),
            owner: name.to_owned(),
            slots: 1,
            free_slots: 64,
        },
        strength,
        fails: 0.0,
        lags_when_behind: 0.0,
        is_there: true,
    }
}

pub(crate) fn rules(seats: usize) -> Rules {
    Rules {
        seats,
        max_matches: 1_000,
        max_slots: 64,
        owners_apart: false,
        house_bots: BTreeSet::new(),
        closing: ClosingRule::default(),
    }
}

/// Results that pairing does without before they are fitted: one for so many bots.
const BOTS_A_RESULT: usize = 4;

/// Has the ratings fitted to all results.
pub(crate) fn fit(ladder: &mut Ladder) {
    let fitted = ladder.fitting().fit().unwrap();
    assert!(ladder.take_fit(fitted), "it is its own");
}

/// What is stored: it alone outlives a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    pub(crate) standings: BTreeMap<BotVersion, Standing>,
    pub(crate) matches: Vec<(Pairing, Option<End>)>,
    /// When each was played, once it is over.
    pub(crate) spans: Vec<Span>,
}

pub(crate) struct World {
    pub(crate) ladder: Ladder,
    pub(crate) stored: Stored,
    pub(crate) bots: Vec<Bot>,
    /// Of all matches, the share that the server itself spoils.
    pub(crate) spoils: f64,
    /// How often it stalls when a match ends: that spoils all matches in play.
    pub(crate) stalls: f64,
    spoiled: BTreeSet<u64>,
    pub(crate) luck: ChaCha8Rng,
    /// When each match ends.
    ends: BTreeMap<(u64, u64), ()>,
    now: u64,
    /// Longest wait of a bot that was there and free all the time, in rated matches, as a multiple
    /// of the bots that were there.
    pub(crate) longest_wait: f64,
    waits: BTreeMap<BotVersion, u64>,
}

impl World {
    pub(crate) fn new(rules: Rules, bots: Vec<Bot>, seed: u64) -> Self {
        Self {
            ladder: Ladder::new(rules, State::Open),
            stored: Stored::default(),
            bots,
            spoils: 0.0,
            stalls: 0.0,
            spoiled: BTreeSet::new(),
            luck: ChaCha8Rng::seed_from_u64(seed),
            ends: BTreeMap::new(),
            now: 0,
            longest_wait: 0.0,
            waits: BTreeMap::new(),
        }
    }

    fn there(&self) -> Vec<Presence> {
        let there = self.bots.iter().filter(|bot| bot.is_there);
        there.map(|bot| bot.presence.clone()).collect()
    }

    pub(crate) fn keep(&mut self, standing: Standing) {
        let bot = standing.bot.clone();
        self.stored.standings.insert(bot, standing.clone());
        self.ladder.keep(standing);
    }

    /// Lets who is there enter, and pairs until nothing more is to be paired.
    pub(crate) fn pair(&mut self) {
        let there = self.there();
        for presence in &there {
            if let Ok(Some(standing)) = self.ladder.entry(presence) {
                self.keep(standing);
            }
        }
        self.ladder.attend(&there, self.now);
        self.fit();
        while let Some(pairing) = self.ladder.next_match() {
            self.start(pairing);
        }
    }

    /// Has the ratings fitted, if there is enough that the last fit does not have.
    fn fit(&mut self) {
        let table = self.ladder.table();
        let new = self.ladder.results().len() - table.results();
        let is_frozen = matches!(self.ladder.state(), State::Frozen { .. });
        if new > table.rated().len() / BOTS_A_RESULT || is_frozen {
            fit(&mut self.ladder);
        }
    }

    pub(crate) fn start(&mut self, pairing: Pairing) {
        if pairing.purpose == Purpose::Rated && pairing.replaces.is_none() {
            self.note_waits(&pairing);
        }
        let number = self.stored.matches.len() as u64;
        self.stored.matches.push((pairing.clone(), None));
        self.stored.spans.push(Span {
            began_ms: self.now,
            over_ms: self.now,
        });
        assert_eq!(self.ladder.paired(&pairing), number);
        let takes = self.luck.random_range(1..100);
        self.ends.insert((self.now + takes, number), ());
    }

    fn note_waits(&mut self, pairing: &Pairing) {
        let there = self.there();
        let bots = there.len() as f64;
        for presence in there {
            let bot = presence.bot;
            let is_free = self.ladder.playing(&bot) < presence.slots as usize;
            let wait = self.waits.entry(bot.clone()).or_default();
            *wait = match is_free && !pairing.seats.contains(&bot) {
                true => *wait + 1,
                false => 0,
            };
            self.longest_wait = self.longest_wait.max(*wait as f64 / bots);
        }
        let names: BTreeSet<_> = self.there().into_iter().map(|one| one.bot).collect();
        self.waits.retain(|bot, _| names.contains(bot));
    }

    /// Lets the next match end; `false` if none is in play.
    pub(crate) fn step(&mut self) -> bool {
        self.pair();
        let Some(((now, number), ())) = self.ends.pop_first() else {
            return false;
        };
        self.now = now;
        if self.luck.random_bool(self.stalls) {
            let in_play = self.ends.keys().map(|(_, number)| *number);
            self.spoiled.extend(in_play.chain([number]));
        }
        let end = self.play(number);
        self.end(number, end);
        true
    }

    pub(crate) fn end(&mut self, number: u64, end: End) {
        let span = &mut self.stored.spans[number as usize];
        span.over_ms = self.now;
        let span = *span;
        for standing in self.ladder.judged(number, &end, span, &[]) {
            self.keep(standing);
        }
        let stored = &mut self.stored.matches[number as usize].1;
        assert_eq!(*stored, None, "a match ends once");
        *stored = Some(end.clone());
        self.ladder.ended(number, &end, span);
    }

    fn play(&mut self, number: u64) -> End {
        let seats = self.stored.matches[number as usize].0.seats.clone();
        // A bot that has another version by now still ends the matches of the one before.
        let of = |seated: &BotVersion| {
            let mut bots = self.bots.iter();
            bots.find(|bot| bot.presence.bot.name == seated.name)
                .unwrap()
                .clone()
        };
        let bots: Vec<Bot> = seats.iter().map(of).collect();
        // Plackett-Luce: whoever's exponential clock of the rate of its strength rings first.
        let rings: Vec<f64> = bots
            .iter()
            .map(|bot| {
                -self.luck.random_range(f64::MIN_POSITIVE..1.0_f64).ln() / bot.strength.exp()
            })
            .collect();
        let forfeits: Vec<bool> = bots
            .iter()
            .map(|bot| self.luck.random_bool(bot.fails))
            .collect();
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
        let is_spoiled = self.spoiled.remove(&number) | self.luck.random_bool(self.spoils);
        match is_lagged || is_spoiled {
            true => End::Annulled(ends),
            false => End::Played(ends),
        }
    }

    /// The ladder as another server makes it from what is stored.
    pub(crate) fn restored(&self) -> Ladder {
        let mut ladder = Ladder::new(self.ladder.rules().clone(), self.ladder.state());
        for standing in self.stored.standings.values() {
            ladder.keep(standing.clone());
        }
        for (number, (pairing, end)) in (0..).zip(&self.stored.matches) {
            assert_eq!(ladder.paired(pairing), number);
            if let Some(end) = end {
                ladder.ended(number, end, self.stored.spans[number as usize]);
            }
        }
        fit(&mut ladder);
        ladder
    }
}
