//! The house: the automatic player that decides for seats that are forfeited, late or absent.

use bridgemaster_games::{ChanceStream, MAX_SEATS, Seat, Seed};

/// The house's decisions for a seat use the chance stream with this number minus the seat's number.
/// These streams are at the end of the range, because games number their streams from 0.
const LAST_STREAM: u64 = u64::MAX;

/// The policy by which the house decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HousePolicy {
    /// A legal decision chosen uniformly, from stream `u64::MAX - seat` of the match's seed.
    #[default]
    Random,
    /// The first legal decision.
    First,
}

/// Picks the house's decisions. Each seat has its own chance stream, so that the absence of one
/// seat does not change the house decisions for other seats.
#[derive(Debug)]
pub(crate) struct House {
    policy: HousePolicy,
    seed: Seed,
    streams: [Option<Box<ChanceStream>>; MAX_SEATS],
}

impl House {
    pub(crate) fn new(policy: HousePolicy, seed: Seed) -> Self {
        Self {
            policy,
            seed,
            streams: Default::default(),
        }
    }

    /// Returns an index below `count`, which must be at least 1.
    pub(crate) fn pick(&mut self, seat: Seat, count: usize) -> usize {
        match self.policy {
            HousePolicy::First => 0,
            HousePolicy::Random => {
                let number = LAST_STREAM - u64::from(seat.number());
                let stream = self.streams[seat.index()]
                    .get_or_insert_with(|| Box::new(ChanceStream::new(&self.seed, number)));
                let bound = u32::try_from(count).unwrap_or(u32::MAX).max(1);
                stream.below(bound) as usize
            }
        }
    }
}
