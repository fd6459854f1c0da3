//! Shared set-ups of the tests.

use bridgemaster_ladder::{BotRating, BotVersion, HeadToHead, Ladder, SeatEnd, ratings_of};

use crate::world::{Bot, World, bot};

/// Returns bots evenly spread across 400 Elo.
pub(crate) fn field(count: usize) -> Vec<Bot> {
    let strength = |number: usize| 2.3 * (number as f64 / (count - 1) as f64 - 0.5);
    let named = |number: usize| bot(&format!("bot-{number:03}"), strength(number));
    (0..count).map(named).collect()
}

pub(crate) fn play(world: &mut World, matches: usize) {
    while world.stored.matches.len() < matches && world.step() {}
}

pub(crate) fn ratings(ladder: &Ladder) -> Vec<BotRating> {
    ratings_of(ladder.results(), ladder.rules().rating_method).unwrap()
}

pub(crate) fn head_to_heads(ladder: &Ladder, bot: &BotVersion) -> Vec<(BotVersion, HeadToHead)> {
    ladder.results().meetings(bot).head_to_heads()
}

pub(crate) fn seat(place: u32) -> SeatEnd {
    SeatEnd { place, score: 0, forfeited: false }
}
