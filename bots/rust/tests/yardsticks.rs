//! The decisions of `greedy@1` and `search@1` on golden positions. A bot's decisions may change
//! only if its version changes too. `BLESS=1` rewrites the files.

#![allow(clippy::unwrap_used, missing_docs)]

use std::{env, fmt::Write as _, fs, path::Path};

use bridgemaster_bots::{
    greedy,
    search::{self, Budget, Searchable},
};
use bridgemaster_games::{
    ChanceStream, GAME_IDS, NoEvents, Seat, SeatCount, Seed, Viewer, resolve_chance, with_game,
};

/// The number of positions of each game. Each position is from another match, and is later in its
/// match than the previous position.
const POSITIONS: u64 = 6;
/// A position in match number `n` follows after `n` times this number of random decisions.
const DECISIONS_APART: u64 = 7;
/// The number of playouts for each decision of `search`.
const PLAYOUTS: u32 = 40;

/// Streams of a match's seed for random play and for chance after the setup. The rules use only
/// lower stream numbers.
const RANDOM_STREAM: u64 = 1 << 32;
const CHANCE_STREAM: u64 = RANDOM_STREAM + 1;
const BOT_STREAM: u64 = RANDOM_STREAM + 2;

/// Plays match `number` at random, and returns a state in which a seat has a choice. It is the
/// first such state after `number * DECISIONS_APART` decisions, or the last one of a shorter match.
fn position<G: Searchable>(
    config: &G::Config,
    seats: SeatCount,
    number: u64,
    legal: &mut Vec<G::Decision>,
) -> (G::State, Seat) {
    let seed = Seed::from(number);
    let setup = G::draw_setup(config, seats, &seed).unwrap();
    let mut state = G::start(config, seats, &setup, &mut NoEvents).unwrap();
    let mut random = ChanceStream::new(&seed, RANDOM_STREAM);
    let mut chance = ChanceStream::new(&seed, CHANCE_STREAM);
    let mut last = None;
    for decisions in 0.. {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            break;
        };
        G::legal(&state, seat, legal);
        if legal.len() > 1 {
            last = Some((state.clone(), seat));
            if decisions >= number * DECISIONS_APART {
                break;
            }
        }
        let place = random.below(legal.len() as u32) as usize;
        G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
    }
    let (state, seat) = last.expect("in every match a seat has a choice");
    G::legal(&state, seat, legal);
    (state, seat)
}

/// Returns the decisions of both bots, one line per position.
fn decisions_of_yardsticks<G: Searchable>() -> String {
    let config = G::Config::default();
    let mut text = String::new();
    let mut legal = Vec::new();
    for number in 0..POSITIONS {
        let tables = G::SEATS.count() as u64;
        let seats = G::SEATS.start() + (number % tables) as u8;
        let seats = SeatCount::new(seats).unwrap();
        let (state, seat) = position::<G>(&config, seats, number, &mut legal);
        let seen = G::observe(&state, Viewer::Seat(seat));
        let chance = || ChanceStream::new(&Seed::from(number), BOT_STREAM);
        let greedy =
            greedy::best_decision::<G>(&config, &seen, seat, &legal, &mut chance()).unwrap();
        let budget = Budget::for_playouts(PLAYOUTS);
        let search =
            search::best_decision::<G>(&config, seats, seat, &seen, &legal, &mut chance(), budget);
        let (greedy, search) = (&legal[greedy], &legal[search.unwrap()]);
        let count = legal.len();
        writeln!(
            text,
            "match {number}, {seats} seats, seat {seat} of {count}: greedy@1 {greedy}; \
             search@1 {search}"
        )
        .unwrap();
    }
    text
}

#[test]
fn yardsticks_keep_their_decisions_on_golden_positions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for id in GAME_IDS {
        let text = with_game!(*id, G => decisions_of_yardsticks::<G>()).unwrap();
        let file = folder.join(format!("{id}.txt"));
        if env::var_os("BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        }
        let golden = fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!("{}: {error}; BLESS=1 creates it", file.display());
        });
        assert_eq!(text, golden, "{id}: a yardstick decides differently");
    }
}

fn decides_alike<G: Searchable>() {
    let config = G::Config::default();
    let seats = SeatCount::new(*G::SEATS.start()).unwrap();
    let mut legal = Vec::new();
    let (state, seat) = position::<G>(&config, seats, 2, &mut legal);
    let seen = G::observe(&state, Viewer::Seat(seat));
    let decide = || {
        let mut chance = ChanceStream::new(&Seed::from(1), BOT_STREAM);
        let budget = Budget::for_playouts(PLAYOUTS);
        let place =
            search::best_decision::<G>(&config, seats, seat, &seen, &legal, &mut chance, budget);
        (place.unwrap(), chance.below(u32::MAX))
    };
    assert_eq!(decide(), decide());
}

#[test]
fn search_decisions_depend_only_on_seed_and_playouts() {
    for id in GAME_IDS {
        with_game!(*id, G => decides_alike::<G>()).unwrap();
    }
}
