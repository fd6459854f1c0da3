//! Ladder benchmarks: rating fits, pairing, and queries with many results.
//!
//! `cargo bench -p bridgemaster-ladder` prints lines of `name value unit`, each with the median of
//! several runs. Times are CPU times if the system reports them, so that a busy machine gives the
//! same results. `-- --quick` skips the benchmarks with a million results.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
#![allow(clippy::disallowed_methods, reason = "benchmarks read the clock")]

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use bridgemaster_ladder::{
    AttendingBot, BotVersion, ClosingRule, End, Ladder, Pairing, Purpose, RatingMethodId, Rules,
    SeatEnd, Span, State,
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
        let fit = median(|| ladder.fit_job().fit().unwrap());
        row(&format!("fit_10000_results_{of}"), fit, "ms");
        row(&format!("pairing_{of}"), pairing(ladder), "ms");
    }
    if quick {
        return;
    }
    // The maximum number of versions on a ladder.
    let mut ladder = played(1_000, 6, 10_000);
    for _ in 0..16 {
        let pairing = ladder.next_match().unwrap();
        ladder.record_pairing(&pairing);
    }
    let clock = Clock::start();
    let fitted = ladder.fit_job().fit().unwrap();
    row("fit_10000_results_1000_bots_6_seats", clock.elapsed(), "ms");
    // Applying a fit locks the ladder for the measured time.
    let clock = Clock::start();
    assert!(ladder.apply_fit(fitted));
    row("take_fit_1000_bots_6_seats", clock.elapsed(), "ms");
    let mut ladder = played(200, 2, 1_000_000);
    row("copy_1000000_results", median(|| ladder.fit_job()), "ms");
    row("fit_1000000_results", median(|| ladder.fit_job().fit().unwrap()), "ms");
    ladder.apply_fit(ladder.fit_job().fit().unwrap());
    let standings = || {
        let table = ladder.table();
        let of = |entry: &bridgemaster_ladder::LadderEntry| {
            let rated = table.get(&entry.bot).cloned();
            (entry.clone(), rated, table.has_changed(&entry.bot))
        };
        (ladder.entries().map(of).collect::<Vec<_>>(), table.is_settled(10, 0.95))
    };
    row("standings_of_1000000_results", median(standings), "ms");
    let bot = version(7);
    let met = || ladder.results().meetings(&bot).head_to_heads();
    row("head_to_head_of_1000000_results", median(met), "ms");
}

/// Measures the CPU time of this thread, or wall-clock time if the system does not report it.
struct Clock {
    start: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self { start: Instant::now(), cpu: Self::cpu() }
    }

    fn elapsed(&self) -> Duration {
        let cpu = self.cpu.zip(Self::cpu());
        cpu.map_or(self.start.elapsed(), |(before, now)| now - before)
    }

    fn cpu() -> Option<Duration> {
        let stats = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let on_cpu_ns = stats.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(on_cpu_ns))
    }
}

fn row(name: &str, value: Duration, unit: &str) {
    println!("{name} {:.3} {unit}", value.as_secs_f64() * 1_000.0);
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

/// Creates a ladder with this many results. Tables are random, and the bots' ratings span 400 Elo.
fn played(bots: usize, seats: usize, results: usize) -> Ladder {
    let rules = Rules {
        seats,
        max_matches: 10_000,
        max_slots: 64,
        owners_apart: false,
        house_bots: BTreeSet::new(),
        closing: ClosingRule::default(),
        rating_method: RatingMethodId::default(),
    };
    let mut ladder = Ladder::new(rules, State::Open);
    let present: Vec<AttendingBot> = (0..bots)
        .map(|bot| AttendingBot {
            bot: version(bot),
            owner: String::new(),
            slots: 64,
            free_slots: 64,
        })
        .collect();
    for presence in &present {
        let mut entry = ladder.admit(presence).unwrap().unwrap();
        entry.is_validated = true;
        ladder.store_entry(entry);
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
        let number = ladder.record_pairing(&pairing);
        ladder.record_end(number, &ends, Span::default());
    }
    ladder.set_present(&present, 0);
    ladder
}

/// Returns the mean time of a pairing.
fn pairing(mut ladder: Ladder) -> Duration {
    const PAIRINGS: u32 = 2_000;
    ladder.apply_fit(ladder.fit_job().fit().unwrap());
    let first = ladder.next_match().unwrap();
    ladder.record_pairing(&first);
    let clock = Clock::start();
    for _ in 0..PAIRINGS {
        std::hint::black_box(ladder.next_match().unwrap());
    }
    clock.elapsed() / PAIRINGS
}
