//! How strong greedy is, in matches without a server: rules only.

#![allow(clippy::unwrap_used, missing_docs)]

use bridgemaster_bots::greedy::best_decision;
use bridgemaster_games::{
    ChanceStream, Game, NoEvents, Outcome, Seat, SeatCount, Seed, Viewer,
    old_london_bridge::{Config, FaceChoice, OldLondonBridge},
};

const SEATS: u8 = 4;
const MATCHES: u64 = 500;
/// Streams of a match's seed for the bots; the rules' own are below.
const RANDOM_STREAM: u64 = 1 << 32;
const GREEDY_STREAM: u64 = RANDOM_STREAM + 1;

/// Plays one match in which `greedy` sits among uniformly random seats.
fn play(config: &Config, seats: SeatCount, seed: &Seed, greedy: Seat) -> Outcome {
    type G = OldLondonBridge;
    let setup = G::draw_setup(config, seats, seed).unwrap();
    let mut state = G::start(config, seats, &setup, &mut NoEvents).unwrap();
    let mut random = ChanceStream::new(seed, RANDOM_STREAM);
    let mut chance = ChanceStream::new(seed, GREEDY_STREAM);
    let mut legal = Vec::new();
    while let Some(seat) = G::owing(&state).iter().next() {
        G::legal(&state, seat, &mut legal);
        let place = if legal.len() == 1 {
            0
        } else if seat == greedy {
            let observation = G::observe(&state, Viewer::Seat(seat));
            best_decision::<G>(config, &observation, seat, &legal, &mut chance).unwrap()
        } else {
            random.below(legal.len() as u32) as usize
        };
        G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
    }
    G::outcome(&state).unwrap()
}

/// How many matches greedy wins, sitting on each seat in turn.
fn wins(config: &Config, matches: u64) -> u64 {
    let seats = SeatCount::new(SEATS).unwrap();
    let won = |number: &u64| {
        let greedy = Seat::new((number % u64::from(SEATS)) as u8).unwrap();
        play(config, seats, &Seed::from(*number), greedy).seats[greedy.index()].place == 1
    };
    (0..matches).filter(won).count() as u64
}

#[test]
fn greedy_wins_97_percent_of_500_matches_against_three_randoms() {
    let won = wins(&Config::default(), MATCHES);
    assert!(won * 100 >= MATCHES * 97, "{won} of {MATCHES} won");
}

#[test]
fn greedy_wins_97_percent_with_random_score_tiles_too() {
    let config = Config {
        faces: [FaceChoice::Random; 4],
        ..Config::default()
    };
    let won = wins(&config, MATCHES / 5);
    assert!(
        won * 100 >= MATCHES / 5 * 97,
        "{won} of {} won",
        MATCHES / 5
    );
}

#[test]
fn greedy_decides_alike_when_seed_and_match_are_alike() {
    let (config, seats) = (Config::default(), SeatCount::new(2).unwrap());
    let seat = Seat::new(0).unwrap();
    let match_of = |seed: u64| play(&config, seats, &Seed::from(seed), seat);
    assert_eq!(match_of(3), match_of(3));
    assert_ne!(match_of(3), match_of(4));
}
