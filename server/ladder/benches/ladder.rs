//! What a ladder costs: fits of its ratings, pairing, and answers beside very many results.
//!
//! `cargo bench -p bridgemaster-ladder` prints lines of `name value unit`, each the median of some
//! turns, in processor time where the system tells it, so that a busy machine measures the same.
//! `-- --quick` leaves out those of a million results.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
#![allow(clippy::disallowed_methods, reason = "benchmarks read the clock")]

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use bridgemaster_ladder::{
    BotVersion, ClosingRule, End, Ladder, Pairing, Presence, Purpose, Rules, SeatEnd, Span, State,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const TURNS: usize = 5;

fn main() {
    // Cargo passes `--bench`.
    let quick = std::env::args().any(|argument| argument == "--quick");
    for (bots, seats) in [(20, 2), (20, 6), (200, 2), (200, 6)] {
        let ladder = played(bots, seats, 10_000);
        let of = format!("{bots}_bots_{seats}_seats");
        let fit = median(|| ladder.fitting().fit().unwrap());
        row(&format!("fit_10000_results_{of}"), fit, "ms");
        row(&format!("pairing_{of}"), pairing(ladder), "ms");
    }
    if quick {
        return;
    }
    // As many versions as a ladder may have.
    let mut ladder = played(1_000, 6, 10_000);
    for _ in 0..16 {
        let pairing = ladder.next_match().unwrap();
        ladder.paired(&pairing);
    }
    let clock = Clock::start();
    let fitted = ladder.fitting().fit().unwrap();
    row("fit_10000_results_1000_bots_6_seats", clock.elapsed(), "ms");
    // What the ladder is locked for.
    let clock = Clock::start();
    assert!(ladder.take_fit(fitted));
    row("take_fit_1000_bots_6_seats", clock.elapsed(), "ms");
    let mut ladder = played(200, 2, 1_000_000);
    row("copy_1000000_results", median(|| ladder.fitting()), "ms");
    row(
        "fit_1000000_results",
        median(|| ladder.fitting().fit().unwrap()),
        "ms",
    );
    ladder.take_fit(ladder.fitting().fit().unwrap());
    let standings = || {
        let table = ladder.table();
        let of = |standing: &bridgemaster_ladder::Standing| {
            let rated = table.get(&standing.bot).cloned();
            (standing.clone(), rated, table.has_changed(&standing.bot))
        };
        (
            ladder.standings().map(of).collect::<Vec<_>>(),
            table.is_settled(10, 0.95),
        )
    };
    row("standings_of_1000000_results", median(standings), "ms");
    let bot = version(7);
    let met = || ladder.results().meetings(&bot).head_to_heads();
    row("head_to_head_of_1000000_results", median(met), "ms");
}

/// Measures the processor time of this thread; the time that passes where the system does not tell
/// that.
struct Clock {
    began: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self {
            began: Instant::now(),
            cpu: Self::cpu(),
        }
    }

    fn elapsed(&self) -> Duration {
        let cpu = self.cpu.zip(Self::cpu());
        cpu.map_or(self.began.elapsed(), |(before, now)| now - before)
    }

    fn cpu() -> Option<Duration> {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let on_cpu_ns = told.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(on_cpu_ns))
    }
}

fn row(what: &str, value: Duration, unit: &str) {
    println!("{what} {:.3} {unit}", value.as_secs_f64() * 1_000.0);
}

fn median<T>(mut turn: impl FnMut() -> T) -> Duration {
    let mut turns: Vec<Duration> = (0..TURNS)
        .map(|_| {
            let clock = Clock::start();
            let value = turn();
            let took = clock.elapsed();
            drop(value);
            took
        })
        .collect();
    turns.sort_unstable();
    turns[TURNS / 2]
}

fn version(bot: usize) -> BotVersion {
    BotVersion::new(format!("bot-{bot:03}"), "1")
}

/// A ladder with so many results, at random tables of bots over 400 Elo.
fn played(bots: usize, seats: usize, results: usize) -> Ladder {
    let rules = Rules {
        seats,
        max_matches: 10_000,
        max_slots: 64,
        owners_apart: false,
        house_bots: BTreeSet::new(),
        closing: ClosingRule::default(),
    };
    let mut ladder = Ladder::new(rules, State::Open);
    let there: Vec<Presence> = (0..bots)
        .map(|bot| Presence {
            bot: version(bot),
            owner: String::new(),
            slots: 64,
            free_slots: 64,
        })
        .collect();
    for presence in &there {
        let mut standing = ladder.entry(presence).unwrap().unwrap();
        standing.is_validated = true;
        ladder.keep(standing);
    }
    let mut luck = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..results {
        let mut table: Vec<usize> = Vec::new();
        while table.len() < seats {
            let bot = luck.random_range(0..bots);
            if !table.contains(&bot) {
                table.push(bot);
            }
        }
        let ring = |bot: &usize| {
            let strength = 2.3 * (*bot as f64 / (bots - 1) as f64 - 0.5);
            -luck.random_range(f64::MIN_POSITIVE..1.0_f64).ln() / strength.exp()
        };
        let rings: Vec<f64> = table.iter().map(ring).collect();
        let ends = rings.iter().map(|own| SeatEnd {
            place: 1 + rings.iter().filter(|other| *other < own).count() as u32,
            score: 0,
            forfeited: false,
        });
        let ends = End::Played(ends.collect());
        let pairing = Pairing {
            purpose: Purpose::Rated,
            seats: table.into_iter().map(version).collect(),
            replaces: None,
        };
        let number = ladder.paired(&pairing);
        ladder.ended(number, &ends, Span::default());
    }
    ladder.attend(&there, 0);
    ladder
}

/// The time that a pairing takes, in the mean of many.
fn pairing(mut ladder: Ladder) -> Duration {
    const PAIRINGS: u32 = 2_000;
    ladder.take_fit(ladder.fitting().fit().unwrap());
    let first = ladder.next_match().unwrap();
    ladder.paired(&first);
    let clock = Clock::start();
    for _ in 0..PAIRINGS {
        std::hint::black_box(ladder.next_match().unwrap());
    }
    clock.elapsed() / PAIRINGS
}
