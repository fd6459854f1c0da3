//! Tests of suspicion: seasons between bots of known strength, on servers that annul single matches
//! or stall. They have no pairing or ratings, because suspicion does not depend on these.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{End, Ladder, Pairing, Purpose, Span, State};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    scenarios::seat,
    world::{Bot, bot, rules},
};

/// The way in which a server annuls matches.
#[derive(Clone, Copy, Debug)]
struct Server {
    name: &'static str,
    /// Probability of annulling a single match.
    single_rate: f64,
    /// Probability of a stall at the start of a match, which annuls all matches in progress.
    stall_rate: f64,
    /// In a tenth of the time, both rates are multiplied by this factor.
    bad_time_factor: f64,
}

const SERVERS: [Server; 4] = [
    server("2 % of matches, independently", 0.02, 0.0, 1.0),
    server("stalls that spoil all in play, 2 %", 0.0, 0.002, 1.0),
    server("such stalls, ten times as often for hours", 0.002, 0.001, 10.0),
    server("hardly any", 0.000_5, 0.000_05, 1.0),
];

const fn server(
    name: &'static str,
    single_rate: f64,
    stall_rate: f64,
    bad_time_factor: f64,
) -> Server {
    Server { name, single_rate, stall_rate, bad_time_factor }
}

/// The result of one season.
#[derive(Default)]
struct Season {
    /// The benched bots, with their numbers of matches until then.
    benched: BTreeMap<String, u64>,
    bots: u64,
    matches: u64,
    annulled: u64,
}

struct RunningMatch {
    number: u64,
    started_ms: u64,
    table: Vec<usize>,
    is_spoiled: bool,
}

/// A running season: starts matches between random free bots, and ends those that are due.
struct Play {
    ladder: Ladder,
    bots: Vec<Bot>,
    in_play: BTreeMap<(u64, u64), RunningMatch>,
    now_ms: u64,
    luck: ChaCha8Rng,
    season: Season,
    played: BTreeMap<usize, u64>,
}

impl Play {
    fn new(seats: usize, bots: Vec<Bot>, seed: u64) -> Self {
        let mut ladder = Ladder::new(rules(seats), State::Open);
        for bot in &bots {
            let mut entry = ladder.admit(&bot.presence).unwrap().unwrap();
            entry.is_validated = true;
            ladder.store_entry(entry);
        }
        Self {
            ladder,
            season: Season { bots: bots.len() as u64, ..Season::default() },
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
        let pairing =
            Pairing { purpose: Purpose::Rated, seats: versions.collect(), replaces: None };
        let number = self.ladder.record_pairing(&pairing);
        let is_bad_time = number / 500 % 10 == 3;
        let more = if is_bad_time { server.bad_time_factor } else { 1.0 };
        let slowness = free.iter().map(|bot| self.bots[*bot].slowness).max().unwrap();
        let takes = self.luck.random_range(20..100) * slowness;
        let playing = RunningMatch {
            number,
            started_ms: self.now_ms,
            table: free,
            is_spoiled: self.luck.random_bool((server.single_rate * more).min(1.0)),
        };
        self.in_play.insert((self.now_ms + takes, number), playing);
        if self.luck.random_bool(server.stall_rate * more) {
            let in_play = self.in_play.values_mut();
            in_play.for_each(|one| one.is_spoiled = true);
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
        let ends = places.into_iter().map(seat);
        let end = match is_spoiled {
            true => End::Annulled(ends.collect()),
            false => End::Played(ends.collect()),
        };
        self.season.matches += 1;
        self.season.annulled += u64::from(is_spoiled);
        for bot in &over.table {
            *self.played.entry(*bot).or_default() += 1;
        }
        let span = Span { started_ms: over.started_ms, ended_ms: now_ms };
        for entry in self.ladder.entries_after(over.number, &end, span, &[]) {
            let of = |bot: &Bot| bot.presence.bot == entry.bot;
            let number = self.bots.iter().position(of).unwrap();
            let name = entry.bot.name;
            let after = self.played[&number];
            self.season.benched.entry(name).or_insert(after);
        }
        self.ladder.record_end(over.number, &end, span);
    }

    /// Draws places by Plackett-Luce: exponential clocks with the strengths as rates, in the order
    /// in which they ring.
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

/// Returns bots across 400 Elo, some of which play many matches at once, and some slowly.
fn field(count: usize) -> Vec<Bot> {
    let one = |number: usize| {
        let strength = 2.3 * (number as f64 / (count - 1) as f64 - 0.5);
        let mut bot = bot(&format!("bot-{number:02}"), strength);
        bot.presence.slots = [1, 1, 4, 16][number % 4];
        bot.slowness = [1, 1, 5][number % 3];
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

/// Returns the number of benched innocent bots in several seasons, the number of bots, and the
/// share of annulled matches.
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

/// Returns the median number of matches after which a bot is benched that annuls this share of its
/// matches when behind, and the number of innocent bots that were benched.
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
    (Some(middle).filter(|after| *after < u64::MAX), innocent.len() as u64)
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
