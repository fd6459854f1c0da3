//! Uniform random playouts of Old London Bridge on one core, legal listing included, events
//! dropped: `cargo bench -p bridgemaster-games --bench playouts`.
//!
//! Prints `playouts.seatsN.decisions VALUE /s` and `playouts.seatsN.matches VALUE /s`: the median
//! of several passes after a warm-up. A match starts as a clone of one of many started states, as
//! a search does it; drawing setups is not measured.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bridgemaster_games::{Game, NoEvents, SeatCount, Seed, old_london_bridge::OldLondonBridge};

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
        let starts: Vec<G::State> = (0..STARTS)
            .map(|seed| {
                let setup = G::draw_setup(&config, seats, &Seed::from(seed));
                let setup = setup.expect("the default config is valid");
                G::start(&config, seats, &setup, &mut NoEvents).expect("a drawn setup is valid")
            })
            .collect();
        let mut list = Vec::with_capacity(G::LEGAL_CAP);
        let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
        pass::<G>(&starts, &mut list, &mut random);
        let (decisions, matches) = (0..PASSES)
            .map(|_| pass::<G>(&starts, &mut list, &mut random))
            .unzip();
        println!(
            "playouts.seats{seats}.decisions {:.0} /s",
            median(decisions)
        );
        println!("playouts.seats{seats}.matches {:.0} /s", median(matches));
    }
}

fn main() {
    bench::<OldLondonBridge>();
}
