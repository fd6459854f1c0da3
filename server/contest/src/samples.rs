//! Sample rankings for this crate's tests.

use crate::Ranking;

/// Appends independent matches of two bots.
pub(crate) fn add_wins(rankings: &mut Vec<Ranking>, winner: usize, loser: usize, count: u64) {
    let first = rankings.len() as u64;
    let won = |number| Ranking::new(vec![(winner, 1), (loser, 2)], number);
    rankings.extend((first..first + count).map(won));
}
