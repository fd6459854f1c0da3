//! Whose annulled matches are more than chance: seasons between bots of known strength, on servers
//! that spoil single matches, that stall, and that do so for hours. Without pairing and ratings, which
//! suspicion does not ask for.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{End, Ladder, Pairing, Purpose, SeatEnd, Span, State};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::world::{Bot, bot, rules};

/// How a server spoils matches.
#[derive(Clone, Copy, Debug)]
struct Server {
    name: &'static str,
    /// Share of matches that are spoiled each for itself.
    singly: f64,
    /// How often it stalls when a match begins: that spoils all in play.
    stalls: f64,
    /// How much more often it does so in one part of ten of the time.
    in_bad_times: f64,
}

const SERVERS: [Server; 4] = [
    Server {
        name: "2 % of matches, each for itself",
        singly: 0.02,
        stalls: 0.0,
        in_bad_times: 1.0,
    },
    Server {
        name: "stalls that spoil all in play, 2 %",
        singly: 0.0,
        stalls: 0.002,
        in_bad_times: 1.0,
    },
    Server {
        name: "such stalls, ten times as often for hours",
        singly: 0.002,
        stalls: 0.001,
        in_bad_times: 10.0,
    },
    Server {
        name: "hardly any",
        singly: 0.000_5,
        stalls: 0.000_05,
        in_bad_times: 1.0,
    },
];

/// What came of one season.
#[derive(Default)]
struct Season {
    /// Bots that were benched, and after how many of their matches.
    benched: BTreeMap<String, u64>,
    bots: u64,
    matches: u64,
    annulled: u64,
}

struct InPlay {
    number: u64,
    began_ms: u64,
    table: Vec<usize>,
    is_spoiled: bool,
}

/// A match at a random table of free bots, and the ends of those that are over by then.
struct Play {
    ladder: Ladder,
    bots: Vec<Bot>,
    in_play: BTreeMap<(u64, u64), InPlay>,
    now_ms: u64,
    luck: ChaCha8Rng,
    season: Season,
    played: BTreeMap<usize, u64>,
}

impl Play {
    fn new(seats: usize, bots: Vec<Bot>, seed: u64) -> Self {
        let mut ladder = Ladder::new(rules(seats), State::Open);
        for bot in &bots {
            let mut standing = ladder.entry(&bot.presence).unwrap().unwrap();
            standing.is_validated = true;
            ladder.keep(standing);
        }
        Self {
            ladder,
            season: Season {
                bots: bots.len() as u64,
                ..Season::default()
            },
            bots,
            in_play: BTreeMap::new(),
            now_ms: 0,
            luck: ChaCha8Rng::seed_from_u64(seed),
            played: BTreeMap::new(),
        }
    }

    fn free(&self) -> Vec<usize> {
        let mut slots: Vec<u32> = self.bots.iter().map(|bot| bot.presence.slots).collect();
        for seated in self.in_play.values().flat_map(|playing| &playing.table) {
            slots[*seated] -= 1;
        }
        let is_paired = |bot: &usize| {
            let name = &self.bots[*bot].presence.bot.name;
            slots[*bot] > 0 && !self.season.benched.contains_key(name)
        };
        (0..slots.len()).filter(is_paired).collect()
    }

    fn begin(&mut self, seats: usize, server: Server) {
        let mut free = self.free();
        while free.len() < seats {
            self.end_next();
            free = self.free();
        }
        for seat in 0..seats {
            let other = self.luck.random_range(seat..free.len());
            free.swap(seat, other);
        }
        free.truncate(seats);
        let versions = free.iter().map(|bot| self.bots[*bot].presence.bot.clone());
        let pairing = Pairing {
            purpose: Purpose::Rated,
            seats: versions.collect(),
            replaces: None,
        };
        let number = self.ladder.paired(&pairing);
        let is_bad_time = number / 500 % 10 == 3;
        let more = if is_bad_time {
            server.in_bad_times
        } else {
            1.0
        };
        // Slow bots make long matches.
        let slow = free
            .iter()
            .map(|bot| self.bots[*bot].fails)
            .fold(1.0, f64::max);
        let takes = (self.luck.random_range(20.0..100.0) * slow) as u64;
        let playing = InPlay {
            number,
            began_ms: self.now_ms,
            table: free,
            is_spoiled: self.luck.random_bool((server.singly * more).min(1.0)),
        };
        self.in_play.insert((self.now_ms + takes, number), playing);
        if self.luck.random_bool(server.stalls * more) {
            self.in_play
                .values_mut()
                .for_each(|one| one.is_spoiled = true);
        }
    }

    fn end_next(&mut self) {
        let ((now_ms, _), over) = self.in_play.pop_first().unwrap();
        self.now_ms = now_ms;
        let places = self.places(&over.table);
        let lags = |(seat, bot): (usize, &usize)| {
            let is_behind = 2 * places[seat] as usize > places.len() + 1;
            (is_behind, self.bots[*bot].lags_when_behind)
        };
        let lags: Vec<(bool, f64)> = over.table.iter().enumerate().map(lags).collect();
        let mut is_spoiled = over.is_spoiled;
        for (is_behind, lags) in lags {
            is_spoiled |= is_behind && self.luck.random_bool(lags);
        }
        let ends = places.into_iter().map(|place| SeatEnd {
            place,
            score: 0,
            forfeited: false,
        });
        let end = match is_spoiled {
            true => End::Annulled(ends.collect()),
            false => End::Played(ends.collect()),
        };
        self.season.matches += 1;
        self.season.annulled += u64::from(is_spoiled);
        for bot in &over.table {
            *self.played.entry(*bot).or_default() += 1;
        }
        let span = Span {
            began_ms: over.began_ms,
            over_ms: now_ms,
        };
        for standing in self.ladder.judged(over.number, &end, span, &[]) {
            let of = |bot: &Bot| bot.presence.bot == standing.bot;
            let number = self.bots.iter().position(of).unwrap();
            let name = standing.bot.name;
            let after = self.played[&number];
            self.season.benched.entry(name).or_insert(after);
        }
        self.ladder.ended(over.number, &end, span);
    }

    /// Plackett-Luce: whoever's exponential clock of the rate of its strength rings first.
    fn places(&mut self, table: &[usize]) -> Vec<u32> {
        let ring = |bot: &usize| {
            let chance = self.luck.random_range(f64::MIN_POSITIVE..1.0_f64);
            -chance.ln() / self.bots[*bot].strength.exp()
        };
        let rings: Vec<f64> = table.iter().map(ring).collect();
        let place = |own: &f64| 1 + rings.iter().filter(|other| *other < own).count() as u32;
        rings.iter().map(place).collect()
    }
}

/// Bots of 400 Elo, some of which play many matches at once, and some slowly.
fn field(count: usize) -> Vec<Bot> {
    let one = |number: usize| {
        let strength = 2.3 * (number as f64 / (count - 1) as f64 - 0.5);
        let mut bot = bot(&format!("bot-{number:02}"), strength);
        bot.presence.slots = [1, 1, 4, 16][number % 4];
        // How many times as long as others it takes.
        bot.fails = [1.0, 1.0, 5.0][number % 3];
        bot
    };
    (0..count).map(one).collect()
}

fn season(bots: Vec<Bot>, seats: usize, matches: u64, server: Server, seed: u64) -> Season {
    let each = bots.len() as u64;
    let mut play = Play::new(seats, bots, seed);
    for _ in 0..matches * each / seats as u64 {
        play.begin(seats, server);
    }
    while !play.in_play.is_empty() {
        play.end_next();
    }
    play.season
}

/// Innocent bots that are benched in so many seasons, of how many.
fn innocent(server: Server, seats: usize, matches: u64, seasons: u64) -> (u64, u64, f64) {
    let (mut benched, mut bots, mut annulled, mut all) = (0, 0, 0, 0);
    for seed in 0..seasons {
        let season = season(field(12), seats, matches, server, seed);
        benched += season.benched.len() as u64;
        bots += season.bots;
        annulled += season.annulled;
        all += season.matches;
    }
    (benched, bots, annulled as f64 / all as f64)
}

/// Matches after which a bot is benched that spoils this share of the matches in which it is
/// behind, in the middle of so many seasons; and innocent ones that were benched beside it.
fn guilty(server: Server, lags: f64, seasons: u64) -> (Option<u64>, u64) {
    let mut after = Vec::new();
    let mut innocent = BTreeSet::new();
    for seed in 0..seasons {
        let mut bots = field(12);
        bots[4].lags_when_behind = lags;
        bots[4].presence.slots = 4;
        let name = bots[4].presence.bot.name.clone();
        let mut season = season(bots, 2, 1_500, server, seed);
        after.push(season.benched.remove(&name).unwrap_or(u64::MAX));
        innocent.extend(season.benched.into_keys().map(|bot| (seed, bot)));
    }
    after.sort_unstable();
    let middle = after[after.len() / 2];
    (
        Some(middle).filter(|after| *after < u64::MAX),
        innocent.len() as u64,
    )
}

#[test]
fn innocent_bots_are_not_suspected_on_a_server_that_stalls() {
    for server in SERVERS {
        let (benched, bots, annulled) = innocent(server, 2, 400, 4);
        assert!(benched <= 1, "{}: {benched} of {bots}", server.name);
        assert!(annulled < 0.2, "{}: {annulled}", server.name);
    }
}

#[test]
fn a_bot_that_lags_when_it_is_behind_is_found_on_a_server_that_stalls() {
    let (after, _) = guilty(SERVERS[1], 0.5, 3);
    assert!(after.is_some_and(|after| after <= 512), "{after:?}");
}

#[test]
#[ignore = "takes minutes"]
fn suspicion_at_length() {
    for server in SERVERS {
        for seats in [2, 4] {
            let (benched, bots, annulled) = innocent(server, seats, 1_500, 100);
            println!(
                "{}, {seats} seats: {benched} of {bots} innocent bots benched, {:.1} % annulled",
                server.name,
                100.0 * annulled
            );
            assert!(benched * 1_000 <= bots + 3_000, "{benched} of {bots}");
        }
        for lags in [0.05, 0.1, 0.2, 0.5, 1.0] {
            let (after, innocent) = guilty(server, lags, 21);
            println!(
                "{}, {:.0} % of the matches when behind: found after {after:?} matches; {innocent} \
                 innocent beside it",
                server.name,
                100.0 * lags
            );
        }
    }
}
