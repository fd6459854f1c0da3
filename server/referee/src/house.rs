//! The house: decides for a seat that is forfeited, late or away.

use bridgemaster_games::{ChanceStream, MAX_SEATS, Seat, Seed};

/// The chance stream of a seat's house decisions is this number less the number of the seat: the
/// far end of the streams, because games count theirs from 0.
const LAST_STREAM: u64 = u64::MAX;

/// How the house decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HousePolicy {
    /// A legal decision drawn uniformly from stream `u64::MAX - seat` of the match's seed.
    #[default]
    Random,
    /// The first legal decision.
    First,
}

/// Picks the decisions of the house. Each seat has a chance stream of its own, so that one
/// seat's absence does not change what the house decides for another.
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

    /// A position below `count`, which is at least 1.
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
