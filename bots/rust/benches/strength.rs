//! How strong `search` is against `greedy`, without a server: rules only, on one core.
//!
//! `cargo bench -p bridgemaster-bots --bench strength -- --game alhambra --playouts 500 --groups 20`
//!
//! A group is one seed, with the searching bot on each seat in turn among greedy ones. Prints its
//! share of first places (ties half, or less where more tie) with a 95 % interval over groups, and
//! the processor time that a searched decision took. `--seats N`, `--first-seed N`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::{env, fs, time::Duration};

use bridgemaster_bots::{
    greedy,
    search::{self, Budget, Think},
};
use bridgemaster_games::{
    ChanceStream, NoEvents, Outcome, Seat, SeatCount, Seed, Viewer, settle, with_game,
};

/// Streams of a match's seed for the bots and for chance after the setup; the rules' own are below.
const GREEDY_STREAM: u64 = 1 << 32;
const SEARCH_STREAM: u64 = GREEDY_STREAM + 1;
const CHANCE_STREAM: u64 = GREEDY_STREAM + 2;

/// What is asked on the command line.
struct Asked {
    game: String,
    seats: u8,
    playouts: u32,
    groups: u64,
    first_seed: u64,
}

impl Asked {
    fn read() -> Self {
        let arguments: Vec<String> = env::args().collect();
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name);
            at.and_then(|at| arguments.get(at + 1))
        };
        let number = |name: &str, default: u64| {
            value(name).map_or(default, |text| text.parse().expect("a number"))
        };
        Self {
            game: value("--game")
                .cloned()
                .unwrap_or_else(|| "alhambra".to_owned()),
            seats: number("--seats", 2) as u8,
            playouts: number("--playouts", 20) as u32,
            groups: number("--groups", 2),
            first_seed: number("--first-seed", 1),
        }
    }
}

/// What the searched decisions took.
#[derive(Default)]
struct Spent {
    decisions: u32,
    longest: Duration,
    all: Duration,
}

/// The time that this thread was on a processor.
fn on_processor() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// Plays one match in which the searching bot sits among greedy ones.
fn play<G: Think>(asked: &Asked, seed: &Seed, searching: Seat, spent: &mut Spent) -> Outcome {
    let config = G::Config::default();
    let seats = SeatCount::new(asked.seats).unwrap();
    let setup = G::draw_setup(&config, seats, seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    let mut greedy = ChanceStream::new(seed, GREEDY_STREAM);
    let mut search = ChanceStream::new(seed, SEARCH_STREAM);
    let mut chance = ChanceStream::new(seed, CHANCE_STREAM);
    let mut legal = Vec::new();
    loop {
        settle::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::owing(&state).iter().next() else {
            return G::outcome(&state).unwrap();
        };
        G::legal(&state, seat, &mut legal);
        let seen = G::observe(&state, Viewer::Seat(seat));
        let place = if legal.len() == 1 {
            0
        } else if seat == searching {
            let began = on_processor();
            let budget = Budget::of_playouts(asked.playouts);
            let place = search::best_decision::<G>(
                &config,
                seats,
                seat,
                &seen,
                &legal,
                &mut search,
                budget,
            );
            let took = on_processor().saturating_sub(began);
            spent.decisions += 1;
            spent.all += took;
            spent.longest = spent.longest.max(took);
            place.unwrap()
        } else {
            greedy::best_decision::<G>(&config, &seen, seat, &legal, &mut greedy).unwrap()
        };
        G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
    }
}

/// The searching bot's share of the first place.
fn first_place(outcome: &Outcome, searching: Seat) -> f64 {
    let firsts = outcome.seats.iter().filter(|seat| seat.place == 1).count();
    match outcome.seats[searching.index()].place {
        1 => 1.0 / firsts as f64,
        _ => 0.0,
    }
}

fn measure<G: Think>(asked: &Asked) {
    let seats = SeatCount::new(asked.seats).unwrap();
    let mut spent = Spent::default();
    let mut shares: Vec<f64> = Vec::new();
    for number in asked.first_seed..asked.first_seed + asked.groups {
        let seed = Seed::from(number);
        let firsts = seats.seats().map(|searching| {
            let outcome = play::<G>(asked, &seed, searching, &mut spent);
            first_place(&outcome, searching)
        });
        shares.push(firsts.sum::<f64>() / f64::from(asked.seats));
        let count = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let reach = 1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt();
        println!(
            "{} seats {} playouts {} groups {}: first {:.1} % [{:.1}, {:.1}], {:.1} ms a decision, \
             longest {:.0} ms",
            asked.game,
            asked.seats,
            asked.playouts,
            shares.len(),
            mean * 100.0,
            (mean - reach) * 100.0,
            (mean + reach) * 100.0,
            spent.all.as_secs_f64() * 1000.0 / f64::from(spent.decisions.max(1)),
            spent.longest.as_secs_f64() * 1000.0,
        );
    }
}

fn main() {
    let asked = Asked::read();
    with_game!(asked.game.as_str(), G => measure::<G>(&asked)).expect("a game of the catalogue");
}
