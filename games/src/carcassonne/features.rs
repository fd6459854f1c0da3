//! What the rules know of a feature: of a road or a city, of a field, of a monastery; and of what
//! stands on it.

use super::components::{Cell, MAX_PLAYERS, Segment};
use super::decision::Gate;
use super::forest::Absorb;
use crate::{Seat, SeatSet};

/// Tiles round a monastery.
pub(super) const TILES_ROUND: u8 = 8;

/// Meeples of each seat.
pub(super) type Meeples = [u8; MAX_PLAYERS];

/// A feature: for a road, a city and a field the root of its segments, for a monastery its place
/// among the monasteries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Road(u8),
    City(u8),
    Monastery(u8),
    Field(u8),
}

/// A meeple on the table. Ordered by tile, then segment, then seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Standing {
    /// Its tile, by the order in which tiles were laid.
    pub(super) tile: u8,
    pub(super) segment: Segment,
    pub(super) seat: Seat,
    /// The place of the segment among those of its sort, as the tile lies.
    pub(super) place: u8,
}

/// A drawbridge on the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawbridge {
    pub(super) gate: Gate,
    /// The tile, by the order in which tiles were laid.
    pub(super) tile: u8,
    pub(super) road: u8,
    pub(super) city: u8,
}

/// The seats with the most meeples; none when there is no meeple.
pub(super) fn majority(meeples: &Meeples) -> SeatSet {
    let most = meeples.iter().max().copied().unwrap_or(0).max(1);
    let seats = (0..).zip(meeples).filter(|&(_, &count)| count == most);
    seats.filter_map(|(number, _)| Seat::new(number)).collect()
}

fn add(meeples: &mut Meeples, more: &Meeples) {
    for (count, more) in meeples.iter_mut().zip(more) {
        *count += more;
    }
}

/// A road or a city.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    /// Of the tiles that have several segments of this sort, those that the structure has a
    /// segment of, as a bit mask: when two structures of one tile join, it counts once.
    pub(super) split_tiles: u32,
    /// Edges with no tile beyond; none left when the structure is complete.
    pub(super) open_ends: u8,
    pub(super) tiles: u8,
    /// Always 0 for a road.
    pub(super) shields: u8,
    pub(super) meeples: Meeples,
}

impl Structure {
    /// One segment of a tile. `split_tiles` is the tile's bit if it has several of this sort.
    pub(super) const fn segment(open_ends: u8, shields: u8, split_tiles: u32) -> Self {
        Self {
            split_tiles,
            open_ends,
            tiles: 1,
            shields,
            meeples: [0; MAX_PLAYERS],
        }
    }

    pub(super) const fn is_complete(&self) -> bool {
        self.open_ends == 0
    }
}

impl Absorb for Structure {
    fn absorb(&mut self, other: &Self) {
        let twice = (self.split_tiles & other.split_tiles).count_ones() as u8;
        self.split_tiles |= other.split_tiles;
        self.open_ends += other.open_ends;
        self.tiles += other.tiles - twice;
        self.shields += other.shields;
        add(&mut self.meeples, &other.meeples);
    }
}

/// A field; the default touches no completed city.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    /// The completed cities that it touches, as a bit mask of their numbers in the order of
    /// completion.
    pub(super) completed_cities: u64,
    pub(super) meeples: Meeples,
}

impl Absorb for Field {
    fn absorb(&mut self, other: &Self) {
        self.completed_cities |= other.completed_cities;
        add(&mut self.meeples, &other.meeples);
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Monastery {
    /// Its tile, by the order in which tiles were laid.
    pub(super) tile: u8,
    pub(super) cell: Cell,
    /// Tiles round it, 0 to 8.
    pub(super) tiles_round: u8,
    pub(super) meeples: Meeples,
}
