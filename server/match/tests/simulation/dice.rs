//! Draws of the simulated world: one stream for each purpose, so that a change of what one part
//! draws does not shift what another one draws.

use std::ops::Range;

use bridgemaster_games::{ChanceStream, Seed};

/// What a stream of draws is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Plan,
    Server,
    /// When the server is killed, and for how long.
    Kills,
    /// When the server has no room.
    Room,
    /// How much of what it had stored it finds again.
    Tails,
    /// When the match is cancelled.
    Cancelling,
    /// Which seat has another clock.
    Odds,
    /// When those who watch are told the news.
    News,
    /// How servers that share a database behave.
    Cluster,
    /// What goes wrong with them.
    Troubles,
    /// Their lines to the database.
    Lines,
    /// Whom somebody asks for the match.
    Caller,
    /// Where bots go first.
    Routes,
    /// Another server than the first.
    Node(u8),
    /// What the bot of a seat does.
    Bot(u8),
    /// What the network does to the streams of a seat.
    Network(u8),
}

/// A stream of draws.
#[derive(Debug)]
pub(crate) struct Dice(ChanceStream);

impl Dice {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        let number = match purpose {
            Purpose::Plan => 0,
            Purpose::Server => 1,
            Purpose::Kills => 2,
            Purpose::Room => 3,
            Purpose::Tails => 4,
            Purpose::Cancelling => 5,
            Purpose::Odds => 6,
            Purpose::Cluster => 7,
            Purpose::Troubles => 8,
            Purpose::Lines => 9,
            Purpose::Routes => 10,
            Purpose::Caller => 11,
            Purpose::Node(number) => 0x300 + u64::from(number),
            Purpose::News => 12,
            Purpose::Bot(seat) => 0x100 + u64::from(seat),
            Purpose::Network(seat) => 0x200 + u64::from(seat),
        };
        // Above the streams that games draw from; the house has the far end.
        Self(ChanceStream::new(&Seed::from(seed), (1 << 40) + number))
    }

    /// Whether something happens that has this chance, in thousandths.
    pub(crate) fn happens(&mut self, per_mille: u32) -> bool {
        self.0.below(1000) < per_mille
    }

    /// A number of a range; its start when it is empty.
    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        let width = range.end.saturating_sub(range.start);
        let bound = u32::try_from(width).unwrap_or(u32::MAX).max(1);
        range.start + u64::from(self.0.below(bound))
    }

    /// One of some items.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.0.below(items.len() as u32) as usize]
    }
}
