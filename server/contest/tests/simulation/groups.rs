//! The share of a seed's luck that a group cancels.

use bridgemaster_contest::{Elo, GroupScore, GroupScores, beat_fraction};

use crate::{
    luck::Luck,
    rate::Cell,
    synthetic::{group, places, seat_luck},
};

/// The luck of a seat from the seed, in log odds: 1 is odds of 2.7 to 1.
const SHARED: f64 = 1.5;

/// Plays as many matches as a group has, each with its own seed and the candidate in a random seat.
fn scattered(seats: usize, luck: &mut Luck) -> GroupScore {
    let fractions: Vec<f64> = (0..seats)
        .map(|_| {
            let seat = luck.below(seats);
            let shared = seat_luck(seats, SHARED, luck);
            beat_fraction(&places(&vec![0.0; seats], &shared, luck), seat).unwrap()
        })
        .collect();
    GroupScore::from_matches(&fractions).unwrap()
}

pub(crate) fn cells(runs: u32) -> Vec<Cell> {
    [2, 4, 6]
        .into_iter()
        .flat_map(|seats| {
            let mut luck = Luck::of(5, seats as u64);
            let grouped: GroupScores =
                (0..runs).map(|_| group(Elo(0.0), seats, SHARED, &mut luck)).collect();
            let scattered: GroupScores = (0..runs).map(|_| scattered(seats, &mut luck)).collect();
            let ratio = grouped.variance() / scattered.variance();
            let name = format!("{seats} seats: variance of groups against single matches");
            let note = format!("{:.4} against {:.4}", grouped.variance(), scattered.variance());
            let variance = Cell::between(name, ratio, 0.0, 0.85, note);
            // A bot is not better than itself, regardless of seats and seeds.
            let error = (grouped.variance() / f64::from(runs)).sqrt();
            let name = format!("{seats} seats: mean score of a bot against itself");
            let (low, high) = (0.5 - 3.0 * error, 0.5 + 3.0 * error);
            let even = Cell::between(name, grouped.mean(), low, high, String::new());
            [variance, even]
        })
        .collect()
}
