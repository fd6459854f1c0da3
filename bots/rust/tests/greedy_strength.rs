//! The strength of the greedy bot, in matches without a server: rules only.

#![allow(clippy::unwrap_used, missing_docs)]

use bridgemaster_bots::greedy::{Rate, best_decision};
use bridgemaster_games::{
    ChanceStream, NoEvents, Outcome, Seat, SeatCount, Seed, Viewer,
    alhambra::{self, Alhambra},
    bridges_to_nowhere::{self, BridgesToNowhere},
    carcassonne::{self, Carcassonne},
    old_london_bridge::{Config, FaceChoice, OldLondonBridge},
    resolve_chance,
};

/// Streams of a match's seed for the bots, and for chance after the setup. The rules use only lower
/// stream numbers.
const RANDOM_STREAM: u64 = 1 << 32;
const GREEDY_STREAM: u64 = RANDOM_STREAM + 1;
const CHANCE_STREAM: u64 = RANDOM_STREAM + 2;

/// Plays one match with `greedy` among uniformly random seats.
fn play<G: Rate>(config: &G::Config, seats: SeatCount, seed: &Seed, greedy: Seat) -> Outcome {
    let setup = G::draw_setup(config, seats, seed).unwrap();
    let mut state = G::start(config, seats, &setup, &mut NoEvents).unwrap();
    let mut random = ChanceStream::new(seed, RANDOM_STREAM);
    let mut own = ChanceStream::new(seed, GREEDY_STREAM);
    let mut chance = ChanceStream::new(seed, CHANCE_STREAM);
    let mut legal = Vec::new();
    loop {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            return G::outcome(&state).unwrap();
        };
        G::legal(&state, seat, &mut legal);
        let place = if legal.len() == 1 {
            0
        } else if seat == greedy {
            let observation = G::observe(&state, Viewer::Seat(seat));
            best_decision::<G>(config, &observation, seat, &legal, &mut own).unwrap()
        } else {
            random.below(legal.len() as u32) as usize
        };
        G::apply(&mut state, seat, &legal[place], &mut NoEvents).unwrap();
    }
}

/// Checks that greedy wins at least this percentage of its matches against random bots. Greedy
/// plays each seat in turn. A shared first place is not a win.
#[track_caller]
fn check_wins<G: Rate>(config: &G::Config, seats: u8, matches: u64, percent: u64) {
    let count = SeatCount::new(seats).unwrap();
    let won = |number: &u64| {
        let greedy = Seat::new((number % u64::from(seats)) as u8).unwrap();
        let outcome = play::<G>(config, count, &Seed::from(*number), greedy);
        let is_first = |seat: &Seat| outcome.seats[seat.index()].place == 1;
        is_first(&greedy) && count.seats().filter(is_first).count() == 1
    };
    let won = (0..matches).filter(won).count() as u64;
    assert!(won * 100 >= matches * percent, "{won} of {matches} won");
}

#[test]
fn greedy_wins_97_percent_of_500_matches_of_old_london_bridge_against_three_randoms() {
    check_wins::<OldLondonBridge>(&Config::default(), 4, 500, 97);
}

#[test]
fn greedy_wins_97_percent_with_random_score_tiles_too() {
    let config = Config { faces: [FaceChoice::Random; 4], ..Config::default() };
    check_wins::<OldLondonBridge>(&config, 4, 100, 97);
}

#[test]
fn greedy_wins_97_percent_of_300_matches_of_alhambra_against_a_random() {
    check_wins::<Alhambra>(&alhambra::Config::default(), 2, 300, 97);
}

#[test]
fn greedy_wins_90_percent_of_100_matches_of_alhambra_against_three_randoms() {
    check_wins::<Alhambra>(&alhambra::Config::default(), 4, 100, 90);
}

#[test]
fn greedy_wins_97_percent_of_100_matches_of_carcassonne_against_a_random() {
    check_wins::<Carcassonne>(&carcassonne::Config::default(), 2, 100, 97);
}

#[test]
fn greedy_wins_97_percent_of_100_matches_of_carcassonne_against_four_randoms() {
    check_wins::<Carcassonne>(&carcassonne::Config::default(), 5, 100, 97);
}

#[test]
fn greedy_wins_97_percent_of_100_matches_of_bridges_to_nowhere_against_a_random() {
    check_wins::<BridgesToNowhere>(&bridges_to_nowhere::Config::default(), 2, 100, 97);
}

#[test]
fn greedy_wins_97_percent_of_100_single_games_of_bridges_to_nowhere_without_contracts() {
    let config = bridges_to_nowhere::Config {
        contracts: false,
        games: 1,
        ..bridges_to_nowhere::Config::default()
    };
    check_wins::<BridgesToNowhere>(&config, 2, 100, 97);
}

#[test]
fn greedy_decisions_depend_only_on_seed_and_match() {
    let (config, seats) = (Config::default(), SeatCount::new(2).unwrap());
    let seat = Seat::new(0).unwrap();
    let match_of = |seed: u64| play::<OldLondonBridge>(&config, seats, &Seed::from(seed), seat);
    assert_eq!(match_of(3), match_of(3));
    assert_ne!(match_of(3), match_of(4));
}
