//! The law on which a review rests: in a random position, the true hidden facts and hidden facts
//! that are sampled from what a seat knows have equal values on average.
//!
//! `REVIEW_GROUPS` is the number of positions of each game, 300 by default.

#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "the long form prints its figures")]
#![allow(clippy::disallowed_methods, reason = "REVIEW_GROUPS sets the number of positions")]

use std::env;

use bridgemaster_games::{
    ChanceStream, NoEvents, Seat, SeatCount, Seed, Viewer, alhambra::Alhambra,
    carcassonne::Carcassonne, old_london_bridge::OldLondonBridge, resolve_chance,
};
use bridgemaster_greedy::Rate;

use crate::values::play_on;

/// Returns a state of a match between random bots in which a seat has to decide.
fn position<G: Rate>(seats: SeatCount, seed: &Seed) -> (G::State, Seat) {
    let config = G::Config::default();
    let mut chance = ChanceStream::new(seed, 1 << 40);
    let setup = G::draw_setup(&config, seats, seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    let mut decisions = Vec::new();
    let mut position = None;
    for _ in 0..=chance.below(40) {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            break;
        };
        position = Some((state.clone(), seat));
        G::legal(&state, seat, &mut decisions);
        let place = chance.below(decisions.len() as u32) as usize;
        G::apply(&mut state, seat, &decisions[place], &mut NoEvents).unwrap();
    }
    position.unwrap()
}

/// Returns the difference of values, in units of points of the deciding seat, between the true
/// state of a position and a sampled state.
fn difference<G: Rate>(number: u64) -> f64 {
    let config = G::Config::default();
    let seats = SeatCount::new(2 + (number % 2) as u8).unwrap();
    let seed = Seed::from(number);
    let (state, seat) = position::<G>(seats, &seed);
    let seen = G::observe(&state, Viewer::Seat(seat));
    let sampled = G::sample_state(&config, &seen, &mut ChanceStream::new(&seed, 1 << 41)).unwrap();
    let value = |state| {
        let values = play_on::<G>(&config, state, ChanceStream::new(&seed, 1 << 42)).unwrap();
        values.points[seat.index()] as f64
    };
    value(state) - value(sampled)
}

fn assert_equal_means<G: Rate>() {
    let groups = env::var("REVIEW_GROUPS").ok().and_then(|groups| groups.parse().ok());
    let groups: u64 = groups.unwrap_or(300);
    let differences: Vec<f64> = (0..groups).map(difference::<G>).collect();
    let mean = differences.iter().sum::<f64>() / groups as f64;
    let squares: f64 = differences.iter().map(|one| (one - mean).powi(2)).sum();
    let error = (squares / (groups - 1) as f64 / groups as f64).sqrt();
    println!("{}: {groups} positions, {mean:.3} with standard error {error:.3}", G::ID);
    assert!(error > 0.0 && mean.abs() < 4.0 * error, "{}: {mean} with error {error}", G::ID);
}

#[test]
fn true_and_sampled_hidden_facts_have_equal_values_on_average() {
    assert_equal_means::<Alhambra>();
    assert_equal_means::<OldLondonBridge>();
    assert_equal_means::<Carcassonne>();
}
