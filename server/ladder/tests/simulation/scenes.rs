//! What several facts begin with.

use bridgemaster_ladder::{BotVersion, HeadToHead, Ladder, Rated, SeatEnd, ratings_of};

use crate::world::{Bot, World, bot};

/// Bots from 400 Elo apart, equally spread.
pub(crate) fn field(count: usize) -> Vec<Bot> {
    let strength = |number: usize| 2.3 * (number as f64 / (count - 1) as f64 - 0.5);
    let named = |number: usize| bot(&format!("bot-{number:03}"), strength(number));
    (0..count).map(named).collect()
}

pub(crate) fn play(world: &mut World, matches: usize) {
    while world.stored.matches.len() < matches && world.step() {}
}

pub(crate) fn ratings(ladder: &Ladder) -> Vec<Rated> {
    ratings_of(ladder.results()).unwrap()
}

pub(crate) fn met(ladder: &Ladder, bot: &BotVersion) -> Vec<(BotVersion, HeadToHead)> {
    ladder.results().meetings(bot).head_to_heads()
}

pub(crate) fn seat(place: u32) -> SeatEnd {
    SeatEnd {
        place,
        score: 0,
        forfeited: false,
    }
}
