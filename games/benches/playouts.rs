//! Uniform random playouts of every game on one core, legal listing included, events dropped:
//! `cargo bench -p bridgemaster-games --bench playouts`; `-- GAME` plays only that game.
//!
//! Prints `playouts.GAME.seatsN.decisions VALUE /s` and `playouts.GAME.seatsN.matches VALUE /s`:
//! the median of several passes after a warm-up. A match starts as a clone of one of many started
//! states, as a search does it; drawing setups is not measured.

#![allow(clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, NoEvents, SeatCount, Seed, settle, with_game,
};

/// Different starts, so that no single setup decides the result.
const STARTS: u64 = 64;
/// Passes, odd for the median.
const PASSES: usize = 9;
/// Time of the warm-up and of each pass.
const PASS_TIME: Duration = Duration::from_millis(700);

/// xorshift64*: choosing must cost next to nothing beside the rules.
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

/// Plays whole matches for [`PASS_TIME`]; returns decisions and matches per second.
fn pass<G: Game>(
    starts: &[G::State],
    list: &mut Vec<G::Decision>,
    random: &mut Xorshift,
    chance: &mut ChanceStream,
) -> (f64, f64) {
    let (mut decisions, mut matches) = (0u64, 0u64);
    let began = Instant::now();
    while began.elapsed() < PASS_TIME {
        for start in starts {
            let mut state = start.clone();
            loop {
                let Some(seat) = G::owing(&state).iter().next() else {
                    break;
                };
                G::legal(&state, seat, list);
                let choice = &list[random.below(list.len())];
                G::apply(&mut state, seat, choice, &mut NoEvents)
                    .expect("a listed decision is legal");
                settle::<G>(&mut state, chance, &mut NoEvents);
                decisions += 1;
            }
            black_box(&state);
            matches += 1;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    (decisions as f64 / seconds, matches as f64 / seconds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn bench<G: Game>() {
    for seats in G::SEATS.filter_map(SeatCount::new) {
        let config = G::Config::default();
        let mut chance = ChanceStream::new(&Seed::from(0), 1_000_000);
        let starts: Vec<G::State> = (0..STARTS)
            .map(|seed| {
                let setup = G::draw_setup(&config, seats, &Seed::from(seed));
                let setup = setup.expect("the default config is valid");
                let mut state = G::start(&config, seats, &setup, &mut NoEvents)
                    .expect("a drawn setup is valid");
                settle::<G>(&mut state, &mut chance, &mut NoEvents);
                state
            })
            .collect();
        let mut list = Vec::with_capacity(G::LEGAL_CAP);
        let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
        pass::<G>(&starts, &mut list, &mut random, &mut chance);
        let (decisions, matches) = (0..PASSES)
            .map(|_| pass::<G>(&starts, &mut list, &mut random, &mut chance))
            .unzip();
        let name = format!("playouts.{}.seats{seats}", G::ID);
        println!("{name}.decisions {:.0} /s", median(decisions));
        println!("{name}.matches {:.0} /s", median(matches));
    }
}

fn main() {
    // Cargo passes `--bench` as well.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    for id in GAME_IDS {
        if wanted.is_empty() || wanted.iter().any(|name| name == id) {
            with_game!(*id, G => bench::<G>());
        }
    }
}
