//! What a viewer may know: everything but the order of the tiles that are not drawn. All viewers
//! know the same.

use arrayvec::ArrayVec;

use super::components::{
    Cell, EDGES, Edge, MAX_CROSSINGS, MAX_DRAWS, MAX_MEEPLES, MAX_PLAYERS, MAX_TILES, Rotation,
    Segment, TILE_KINDS, TileKind,
};
use super::decision::Placement;
use crate::{Seat, Viewer};

/// Most points of a seat in one category: a tile has at most four roads and cities, each worth at
/// most four points (a city segment with a shield). Monasteries score less.
pub const MAX_POINTS: u16 = MAX_TILES as u16 * EDGES as u16 * 4;

/// A complete observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Whose view this is.
    pub viewer: Viewer,
    /// Whose turn it is; once the match is over, the seat that drew last.
    pub turn: Seat,
    /// What is going on.
    pub phase: Phase,
    /// Seats in seat order.
    pub seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// The tiles on the table in the order in which they were laid, the start tile first.
    pub tiles: ArrayVec<LaidTile, MAX_TILES>,
    /// The meeples on the table: by tile in the order of `tiles`, then segment, then seat.
    pub meeples: ArrayVec<Meeple, MAX_MEEPLES>,
    /// Tiles that fitted nowhere and left the game, in the order in which they were drawn.
    pub removed: ArrayVec<TileKind, MAX_DRAWS>,
    /// How many tiles of each kind are not drawn yet, by the number of the kind.
    pub unseen: [u8; TILE_KINDS],
}

impl Observation {
    /// The tiles that are not to come: those on the table, then those removed, then the one that
    /// is to be laid.
    pub(super) fn seen(&self) -> impl Iterator<Item = TileKind> {
        let drawn = match self.phase {
            Phase::PlaceTile { tile } => Some(tile),
            _ => None,
        };
        let laid = self.tiles.iter().map(|laid| laid.tile);
        laid.chain(self.removed.iter().copied()).chain(drawn)
    }
}

/// What is going on.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The seat whose turn it is lays the tile that it drew.
    PlaceTile {
        /// The tile.
        tile: TileKind,
    },
    /// The same seat may place a meeple on the tile laid last. What the tile completed is not
    /// scored yet.
    PlaceMeeple,
    /// Meeples of completed roads wait for a decision at a drawbridge: one meeple of the first of
    /// these crossings now, whosever turn it is.
    Drawbridge {
        /// What is to be decided, at least one crossing.
        crossings: ArrayVec<Crossing, MAX_CROSSINGS>,
    },
    /// The match is over. The final scoring shows in the outcome only.
    Over,
}

impl Phase {
    /// The crossings that wait.
    pub(super) fn crossings(&self) -> &[Crossing] {
        match self {
            Self::Drawbridge { crossings } => crossings,
            _ => &[],
        }
    }
}

/// The meeples of a completed road that may go through its drawbridges. They stand nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Crossing {
    /// The road, by its first edge on the tile laid last.
    pub road: Edge,
    /// The seat that had the most meeples on the road.
    pub seat: Seat,
    /// Meeples that are left to decide on, 1 to 7.
    pub meeples: u8,
}

/// One seat.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatView {
    /// Meeples in the supply, 0 to 7: those that neither stand on the table nor wait at a
    /// drawbridge.
    pub supply: u8,
    /// Points so far.
    pub points: Points,
}

/// Points of completed features, each 0 to [`MAX_POINTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Points {
    /// Of roads.
    pub roads: u16,
    /// Of cities.
    pub cities: u16,
    /// Of monasteries.
    pub monasteries: u16,
}

/// A tile on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaidTile {
    /// The tile.
    pub tile: TileKind,
    /// Where and how it lies.
    pub placement: Placement,
}

impl LaidTile {
    /// The start tile.
    pub(super) const START: Self = Self {
        tile: TileKind::START,
        placement: Placement {
            cell: Cell { x: 0, y: 0 },
            rotation: Rotation::ALL[0],
        },
    };
}

/// A meeple on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meeple {
    /// Whose it is.
    pub seat: Seat,
    /// The cell of the tile that it stands on.
    pub cell: Cell,
    /// The segment that it stands on.
    pub segment: Segment,
}
