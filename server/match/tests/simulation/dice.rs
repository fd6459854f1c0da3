//! Random numbers of the simulation. Each purpose has its own stream, so that a change in one part
//! does not shift the numbers of another.

use std::ops::Range;

use bridgemaster_games::{ChanceStream, Seed};

/// The purpose of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Plan,
    Server,
    /// Kills of the server and their durations.
    Kills,
    /// Times at which the server is at capacity.
    Capacity,
    /// The part of the stored data that a restarted server finds.
    Tails,
    /// The cancellation of the match.
    Cancelling,
    /// The seat with time odds.
    Odds,
    /// The delay of the time control.
    Delay,
    /// The times of spectator updates.
    News,
    /// The actions of a seat's bot.
    Bot(u8),
    /// The network of a seat's streams.
    Network(u8),
}

/// A stream of random numbers.
#[derive(Debug)]
pub(crate) struct Dice(ChanceStream);

impl Dice {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        let number = match purpose {
            Purpose::Plan => 0,
            Purpose::Server => 1,
            Purpose::Kills => 2,
            Purpose::Capacity => 3,
            Purpose::Tails => 4,
            Purpose::Cancelling => 5,
            Purpose::Odds => 6,
            Purpose::News => 12,
            Purpose::Delay => 13,
            Purpose::Bot(seat) => 0x100 + u64::from(seat),
            Purpose::Network(seat) => 0x200 + u64::from(seat),
        };
        // Above the streams of games, and below those of the house.
        Self(ChanceStream::new(&Seed::from(seed), (1 << 40) + number))
    }

    /// Returns true with this chance in thousandths.
    pub(crate) fn happens(&mut self, per_mille: u32) -> bool {
        self.0.below(1000) < per_mille
    }

    /// Returns a number in a range; the start of the range if it is empty.
    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        let width = range.end.saturating_sub(range.start);
        let bound = u32::try_from(width).unwrap_or(u32::MAX).max(1);
        range.start + u64::from(self.0.below(bound))
    }

    /// Returns one of several items.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.0.below(items.len() as u32) as usize]
    }
}
