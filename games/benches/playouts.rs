//! Uniform random playouts of every game on one core, with legal lists but without events. Run with
//! `cargo bench -p bridgemaster-games --bench playouts`. `-- GAME` plays only this game.
//!
//! Prints `playouts.GAME.seatsN.decisions VALUE /s` and `playouts.GAME.seatsN.matches VALUE /s`:
//! the median of several passes after a warm-up. As in a search, a match starts as a clone of one
//! of many started states, so the drawing of setups is not measured. Two other operations are
//! measured separately over the states of random matches: `digest` and `observation`, in ns. `--
//! --quick` uses shorter passes. Times are CPU times of the thread where the system provides them,
//! so that other programs have little effect.

#![allow(clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, NoEvents, SeatCount, Seed, Viewer, resolve_chance, with_game,
};

/// Number of different starts, so that no single setup dominates the result.
const STARTS: u64 = 64;
/// Number of passes, odd for the median.
const PASSES: usize = 9;
/// Duration of the warm-up and of each pass.
const PASS_TIME: Duration = Duration::from_millis(700);
/// Duration of a pass with `--quick`.
const QUICK_PASS_TIME: Duration = Duration::from_millis(150);
/// The number of states whose digest and observation are measured. In each match, these are the
/// states whose number is a multiple of [`STATE_STEP`].
const STATES: usize = 512;
/// The number is odd, so that no seat's turns are preferred.
const STATE_STEP: usize = 7;

/// An xorshift64* generator, because random choices must be cheap compared with the rules.
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((word * bound as u64) >> 32) as usize
    }
}

/// The reusable parts of a pass.
struct Player<G: Game> {
    list: Vec<G::Decision>,
    random: Xorshift,
    chance: ChanceStream,
}

impl<G: Game> Player<G> {
    fn new() -> Self {
        Self {
            list: Vec::with_capacity(G::LEGAL_CAP),
            random: Xorshift(0x9E37_79B9_7F4A_7C15),
            chance: ChanceStream::new(&Seed::from(0), 1_000_000),
        }
    }

    /// Plays one random decision; `false` when the match is over.
    fn decide(&mut self, state: &mut G::State) -> bool {
        let Some(seat) = G::seats_to_decide(state).iter().next() else {
            return false;
        };
        G::legal(state, seat, &mut self.list);
        let choice = &self.list[self.random.below(self.list.len())];
        G::apply(state, seat, choice, &mut NoEvents).expect("a listed decision is legal");
        resolve_chance::<G>(state, &mut self.chance, &mut NoEvents);
        true
    }
}

/// The wall clock and the CPU clock of a pass.
struct Stopwatch {
    began: Instant,
    cpu_began: Option<Duration>,
}

impl Stopwatch {
    fn start() -> Self {
        Self { began: Instant::now(), cpu_began: thread_cpu_time() }
    }

    /// True if `time` has elapsed on the wall clock, which is cheaper to read.
    fn has_run(&self, time: Duration) -> bool {
        self.began.elapsed() >= time
    }

    /// CPU seconds of this thread.
    fn cpu_seconds(&self) -> f64 {
        let cpu = thread_cpu_time().zip(self.cpu_began);
        let cpu = cpu.map(|(now, began)| now.saturating_sub(began));
        cpu.unwrap_or_else(|| self.began.elapsed()).as_secs_f64()
    }
}

/// CPU time of this thread, if the system provides it.
fn thread_cpu_time() -> Option<Duration> {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = schedstat.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// Plays whole matches for `time`; returns decisions and matches per second.
fn pass<G: Game>(starts: &[G::State], player: &mut Player<G>, time: Duration) -> (f64, f64) {
    let (mut decisions, mut matches) = (0u64, 0u64);
    let stopwatch = Stopwatch::start();
    while !stopwatch.has_run(time) {
        for start in starts {
            let mut state = start.clone();
            while player.decide(&mut state) {
                decisions += 1;
            }
            black_box(&state);
            matches += 1;
        }
    }
    let seconds = stopwatch.cpu_seconds();
    (decisions as f64 / seconds, matches as f64 / seconds)
}

/// States at regular intervals of random matches.
fn states<G: Game>(starts: &[G::State], player: &mut Player<G>) -> Vec<G::State> {
    let mut states = Vec::with_capacity(STATES);
    let mut number = 0;
    for start in starts.iter().cycle() {
        let mut state = start.clone();
        while player.decide(&mut state) {
            number += 1;
            if number % STATE_STEP == 0 {
                states.push(state.clone());
            }
            if states.len() == STATES {
                return states;
            }
        }
    }
    states
}

/// Calls `work` with each state for `time`; returns the time per call, in ns.
fn each_ns<S, T>(states: &[S], time: Duration, work: impl Fn(&S) -> T) -> f64 {
    let mut done = 0;
    let stopwatch = Stopwatch::start();
    while !stopwatch.has_run(time) {
        for state in states {
            black_box(work(black_box(state)));
        }
        done += states.len();
    }
    stopwatch.cpu_seconds() * 1e9 / done as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn bench<G: Game>(time: Duration) {
    for seats in G::SEATS.filter_map(SeatCount::new) {
        let config = G::Config::default();
        let mut player = Player::<G>::new();
        let starts: Vec<G::State> = (0..STARTS)
            .map(|seed| {
                let setup = G::draw_setup(&config, seats, &Seed::from(seed));
                let setup = setup.expect("the default config is valid");
                let mut state = G::start(&config, seats, &setup, &mut NoEvents)
                    .expect("a drawn setup is valid");
                resolve_chance::<G>(&mut state, &mut player.chance, &mut NoEvents);
                state
            })
            .collect();
        pass::<G>(&starts, &mut player, time);
        let (decisions, matches) =
            (0..PASSES).map(|_| pass::<G>(&starts, &mut player, time)).unzip();
        let name = format!("playouts.{}.seats{seats}", G::ID);
        println!("{name}.decisions {:.0} /s", median(decisions));
        println!("{name}.matches {:.0} /s", median(matches));
        let states = states::<G>(&starts, &mut player);
        let passes = |work: &dyn Fn(&G::State)| {
            let times = (0..PASSES).map(|_| each_ns(&states, time / 4, work));
            median(times.collect())
        };
        let digest = passes(&|state| {
            black_box(G::digest(state));
        });
        let viewer = Viewer::Seat(seats.seats().next().expect("a match has seats"));
        let observation = passes(&|state| {
            black_box(G::observe(state, viewer));
        });
        println!("{name}.digest {digest:.0} ns");
        println!("{name}.observation {observation:.0} ns");
    }
}

fn main() {
    let (options, games): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    // Cargo passes `--bench` as well.
    let is_quick = options.iter().any(|option| option == "--quick");
    let time = if is_quick { QUICK_PASS_TIME } else { PASS_TIME };
    for id in GAME_IDS {
        if games.is_empty() || games.iter().any(|name| name == id) {
            with_game!(*id, G => bench::<G>(time));
        }
    }
}
