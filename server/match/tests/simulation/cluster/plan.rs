//! The plan of a cluster, which follows from a seed.

use std::ops::Range;

use super::clock::{Clock, TRUE_RATE};
use crate::dice::Dice;

/// One second, in µs.
const SECOND: u64 = 1_000_000;
/// One millisecond, in µs.
const MS: u64 = 1000;

/// Maximum number of processes: three nodes, and one that reuses the name of another.
const PROCESSES: usize = 4;

/// The behaviour of a cluster and its database.
#[derive(Clone, Debug)]
pub(crate) struct ClusterPlan {
    pub(crate) nodes: usize,
    /// Processes that are started under the name of a running node.
    pub(crate) rivals: usize,
    /// The clock of the database is true, and those of the nodes nearly so, as is required for no
    /// two nodes to answer at once. Safety of stored and sent data does not depend on it.
    pub(crate) clocks_hold: bool,
    /// The expected number of troubles.
    pub(crate) troubles: u32,
    /// Interval between two troubles, in µs.
    pub(crate) trouble_every_us: Range<u64>,
    /// Latency of messages to and from the database, in µs.
    pub(crate) line_us: Range<u64>,
    /// Duration of a commit, in µs.
    pub(crate) commit_us: Range<u64>,
    /// The chance that the response to a commit is lost, in thousandths.
    pub(crate) loses_answer: u32,
    /// Delay before an ended process is restarted, in µs.
    pub(crate) away_us: Range<u64>,
    /// Time from the start of a drain to the end of its streams, in µs.
    pub(crate) drain_us: Range<u64>,
    /// The clock rate of each process.
    pub(crate) rates: Vec<u64>,
    pub(crate) database_rate: u64,
    /// Initial readings of the monotonic and the wall clock of each process, in µs.
    pub(crate) own_us: Vec<i64>,
    pub(crate) wall_us: Vec<i64>,
}

impl ClusterPlan {
    /// A cluster whose troubles are spread over the duration of a match.
    pub(crate) fn new(nodes: usize, dice: &mut Dice) -> Self {
        let clocks_hold = dice.happens(600);
        let mut rate = || match clocks_hold {
            // 6 s of a node's clock are less than 8 s of the database's.
            true => TRUE_RATE - 50_000 + dice.within(0..100_001),
            false => dice.pick(&[TRUE_RATE / 2, TRUE_RATE * 9 / 10, TRUE_RATE, TRUE_RATE * 2]),
        };
        let rates = (0..PROCESSES).map(|_| rate()).collect();
        let database_rate = rate();
        let mut second = |within: u64| (dice.within(0..within) * SECOND).cast_signed();
        // The first process creates the match, when its clock starts.
        let own = |server: usize, drawn: i64| if server == 0 { 0 } else { drawn };
        let own_us = (0..PROCESSES).map(|server| own(server, second(4000)));
        let own_us = own_us.collect();
        let wall_us = (0..PROCESSES).map(|_| WALL_US + second(7200)).collect();
        let trouble_every_us = dice.pick(&[2 * SECOND, 6 * SECOND]);
        Self {
            nodes,
            rivals: usize::from(dice.happens(250)),
            clocks_hold,
            troubles: dice.within(1..9) as u32,
            trouble_every_us: 0..trouble_every_us,
            line_us: 0..dice.pick(&[100, 2 * MS, 20 * MS]),
            commit_us: 0..dice.pick(&[1, 5 * MS, 100 * MS]),
            loses_answer: dice.pick(&[0, 10, 100]),
            away_us: SECOND..dice.pick(&[2 * SECOND, 6 * SECOND, 30 * SECOND]),
            drain_us: 0..dice.pick(&[1, 3 * SECOND]),
            rates,
            database_rate,
            own_us,
            wall_us,
        }
    }

    pub(crate) fn database_clock(&self) -> Clock {
        Clock::new(WALL_US, self.database_rate)
    }
}

/// Range of initial wall clock readings, in µs.
const WALL_US: i64 = 1_700_000_000_000_000;
