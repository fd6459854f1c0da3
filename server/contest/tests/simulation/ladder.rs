//! Which pairing finds the order soonest, and how long bots wait.

use std::collections::HashMap;

use bridgemaster_contest::{
    Elo, PlackettLuce, Ranking,
    pairing::{Candidate, longest_wait_matches, next_table},
};

use crate::{
    luck::Luck,
    rate::Cell,
    synthetic::{log_odds, places},
};

const BOTS: usize = 20;

/// Matches between two fits: pairing uses the last one.
const REFIT_EVERY: usize = 10;

/// How the next match is chosen.
#[derive(Clone, Copy, PartialEq)]
enum Pairing {
    Informed,
    Random,
}

/// What a ladder came to.
struct Ladder {
    /// Squared error of the ratings, summed up over the bots.
    squares: f64,
    longest_wait: u64,
}

fn play(pairing: Pairing, seats: usize, matches: usize, luck: &mut Luck) -> Ladder {
    let strengths: Vec<f64> = (0..BOTS)
        .map(|bot| log_odds(Elo(400.0 * (bot as f64 / (BOTS - 1) as f64 - 0.5))))
        .collect();
    let fit = PlackettLuce::default();
    let mut rankings = Vec::new();
    let mut ratings = fit.fit(BOTS, &rankings).unwrap();
    let mut waited: HashMap<usize, u64> = HashMap::new();
    let mut longest_wait = 0;
    for number in 0..matches {
        let there: Vec<Candidate> = (0..BOTS)
            .map(|bot| Candidate {
                bot,
                waited_matches: waited.get(&bot).copied().unwrap_or_default(),
                owner: None,
            })
            .collect();
        let table = match pairing {
            Pairing::Informed => next_table(&ratings, &there, seats).unwrap(),
            Pairing::Random => {
                let mut bots: Vec<usize> = (0..BOTS).collect();
                for seat in 0..seats {
                    let other = seat + luck.below(BOTS - seat);
                    bots.swap(seat, other);
                }
                bots.truncate(seats);
                bots
            }
        };
        ratings.expect(&table);
        for bot in 0..BOTS {
            let wait = waited.entry(bot).or_default();
            *wait = if table.contains(&bot) { 0 } else { *wait + 1 };
            longest_wait = longest_wait.max(*wait);
        }
        let at_table: Vec<f64> = table.iter().map(|bot| strengths[*bot]).collect();
        let places = places(&at_table, &vec![0.0; seats], luck);
        rankings.push(Ranking::new(
            table.into_iter().zip(places).collect(),
            number as u64,
        ));
        if number % REFIT_EVERY == 0 {
            ratings = fit.fit(BOTS, &rankings).unwrap();
        }
    }
    let ratings = fit.fit(BOTS, &rankings).unwrap();
    let squares = ratings
        .log_odds()
        .iter()
        .zip(&strengths)
        .map(|(a, b)| (a - b).powi(2))
        .sum();
    Ladder {
        squares,
        longest_wait,
    }
}

pub(crate) fn cells(runs: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for seats in [2, 4] {
        let matches = 400 / seats * 2;
        let of = |pairing| {
            let (mut squares, mut wait) = (0.0, 0);
            for run in 0..runs {
                let mut luck = Luck::of(31 + seats as u64, run.into());
                let ladder = play(pairing, seats, matches, &mut luck);
                squares += ladder.squares;
                wait = wait.max(ladder.longest_wait);
            }
            (squares, wait)
        };
        let ((informed, wait), (random, longest)) = (of(Pairing::Informed), of(Pairing::Random));
        let name = format!("{BOTS} bots, {seats} seats: longest wait, matches");
        let bound = longest_wait_matches(BOTS) as f64;
        let note = format!("{longest} at random tables");
        cells.push(Cell::between(name, wait as f64, 0.0, bound, note));
        let name = format!("{BOTS} bots, {seats} seats: squared error against random");
        // Two runs of a test are too few to tell by how much it is better.
        let most = if runs < 50 { 2.0 } else { 1.0 };
        let note = format!("after {matches} matches");
        cells.push(Cell::between(name, informed / random, 0.0, most, note));
    }
    cells
}
