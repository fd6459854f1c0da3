//! Feature data: roads and cities, fields, monasteries, and the meeples on them.

use super::components::{Cell, MAX_PLAYERS, Segment};
use super::decision::Gate;
use super::forest::Merge;
use crate::{Seat, SeatSet};

/// The number of tiles around a complete monastery.
pub(super) const TILES_AROUND: u8 = 8;

/// The number of meeples per seat.
pub(super) type Meeples = [u8; MAX_PLAYERS];

/// A feature's identifier: the root of its segments for a road, a city or a field, and the index
/// for a monastery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Road(u8),
    City(u8),
    Monastery(u8),
    Field(u8),
}

/// A meeple on the table. Meeples are ordered by tile, then by segment, then by seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlacedMeeple {
    /// The index of the meeple's tile, in the order of placement.
    pub(super) tile: u8,
    pub(super) segment: Segment,
    pub(super) seat: Seat,
    /// The segment's index among the segments of its type, after rotation.
    pub(super) place: u8,
}

/// A drawbridge on the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawbridge {
    pub(super) gate: Gate,
    /// The index of the drawbridge's tile, in the order of placement.
    pub(super) tile: u8,
    pub(super) road: u8,
    pub(super) city: u8,
}

/// Returns the seats with the most meeples; none if there are no meeples.
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

/// A road or a city. Both are scored in the same way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    /// A bit mask of this structure's split tiles: tiles with several segments of this type. If two
    /// structures that join share such a tile, it is counted once.
    pub(super) split_tiles: u32,
    /// The number of open edges, which have no tile beyond them; 0 when the structure is complete.
    pub(super) open_ends: u8,
    pub(super) tiles: u8,
    /// The number of shields; always 0 for a road.
    pub(super) shields: u8,
    pub(super) meeples: Meeples,
}

impl Structure {
    /// Creates the structure of one segment of a tile. `split_tiles` is the tile's bit if it has
    /// several segments of this type.
    pub(super) const fn segment(open_ends: u8, shields: u8, split_tiles: u32) -> Self {
        Self { split_tiles, open_ends, tiles: 1, shields, meeples: [0; MAX_PLAYERS] }
    }

    pub(super) const fn is_complete(&self) -> bool {
        self.open_ends == 0
    }
}

impl Merge for Structure {
    fn merge(&mut self, other: &Self) {
        let twice = (self.split_tiles & other.split_tiles).count_ones() as u8;
        self.split_tiles |= other.split_tiles;
        self.open_ends += other.open_ends;
        self.tiles += other.tiles - twice;
        self.shields += other.shields;
        add(&mut self.meeples, &other.meeples);
    }
}

/// A field. A new field touches no completed city.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    /// A bit mask of the completed cities that the field touches. Cities are numbered in the order
    /// of completion.
    pub(super) completed_cities: u64,
    pub(super) meeples: Meeples,
}

impl Merge for Field {
    fn merge(&mut self, other: &Self) {
        self.completed_cities |= other.completed_cities;
        add(&mut self.meeples, &other.meeples);
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Monastery {
    /// The index of the monastery's tile, in the order of placement.
    pub(super) tile: u8,
    pub(super) cell: Cell,
    /// The number of tiles around the monastery, 0 to 8.
    pub(super) tiles_around: u8,
    pub(super) meeples: Meeples,
}
