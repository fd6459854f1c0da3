//! Observations, which contain everything except the order of the undrawn tiles. All viewers see
//! the same.

use arrayvec::ArrayVec;

use super::components::{
    Cell, EDGES, Edge, MAX_CROSSINGS, MAX_DRAWS, MAX_MEEPLES, MAX_PLAYERS, MAX_TILES, Rotation,
    Segment, TILE_KINDS, TileKind,
};
use super::decision::Placement;
use crate::{Seat, Viewer};

/// The maximum number of points that a seat can have in one category. A tile has at most four roads
/// and cities, each worth at most four points (a city segment with a shield). Monasteries score
/// less.
pub const MAX_POINTS: u16 = MAX_TILES as u16 * EDGES as u16 * 4;

/// Everything that a viewer may know of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The viewer that this observation is for.
    pub viewer: Viewer,
    /// The seat whose turn it is; once the match has ended, the seat that drew last.
    pub turn: Seat,
    /// The match phase, which determines the kind of decision.
    pub phase: Phase,
    /// Seats in seat order.
    pub seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// The tiles on the table in the order of placement, the start tile first.
    pub tiles: ArrayVec<LaidTile, MAX_TILES>,
    /// The meeples on the table, ordered by tile (in the order of `tiles`), then by segment, then
    /// by seat.
    pub meeples: ArrayVec<Meeple, MAX_MEEPLES>,
    /// Tiles that fitted nowhere and were removed, in the order in which they were drawn.
    pub removed: ArrayVec<TileKind, MAX_DRAWS>,
    /// The number of undrawn tiles of each kind, by kind number.
    pub unseen: [u8; TILE_KINDS],
}

impl Observation {
    /// Returns the drawn tiles: first the tiles on the table, then the removed tiles, then the tile
    /// to be placed.
    pub(super) fn seen(&self) -> impl Iterator<Item = TileKind> {
        let drawn = match self.phase {
            Phase::PlaceTile { tile } => Some(tile),
            _ => None,
        };
        let laid = self.tiles.iter().map(|laid| laid.tile);
        laid.chain(self.removed.iter().copied()).chain(drawn)
    }
}

/// The phase of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The seat whose turn it is must place the tile that it drew.
    PlaceTile {
        /// The tile that was drawn.
        tile: TileKind,
    },
    /// The same seat may place a meeple on the tile placed last. The features completed by the tile
    /// are not scored yet.
    PlaceMeeple,
    /// Meeples from completed roads may cross a drawbridge. The next decision is about one meeple
    /// of the first crossing. The meeple's seat need not be the seat whose turn it is.
    Drawbridge {
        /// The pending crossings, at least one.
        crossings: ArrayVec<Crossing, MAX_CROSSINGS>,
    },
    /// The match has ended. Only the outcome contains the final scoring.
    Over,
}

impl Phase {
    /// Returns the pending crossings.
    pub(super) fn crossings(&self) -> &[Crossing] {
        match self {
            Self::Drawbridge { crossings } => crossings,
            _ => &[],
        }
    }
}

/// Meeples from a completed road that may cross its drawbridges. Meeples in a crossing are not on
/// any segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Crossing {
    /// The road, given by its first edge on the tile placed last.
    pub road: Edge,
    /// The seat that had the most meeples on the road.
    pub seat: Seat,
    /// The number of meeples about which the seat must still decide, 1 to 7.
    pub meeples: u8,
}

/// A seat's supply and points.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatView {
    /// The number of meeples in the supply, 0 to 7. Meeples on the table and in a crossing are not
    /// in the supply.
    pub supply: u8,
    /// The points for completed features.
    pub points: Points,
}

/// Points for completed features, each 0 to [`MAX_POINTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Points {
    /// The points for roads.
    pub roads: u16,
    /// The points for cities.
    pub cities: u16,
    /// The points for monasteries.
    pub monasteries: u16,
}

/// A tile on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaidTile {
    /// The kind of tile.
    pub tile: TileKind,
    /// The cell and the rotation of the tile.
    pub placement: Placement,
}

impl LaidTile {
    /// The start tile, which lies in (0, 0).
    pub(super) const START: Self = Self {
        tile: TileKind::START,
        placement: Placement { cell: Cell { x: 0, y: 0 }, rotation: Rotation::ALL[0] },
    };
}

/// A meeple on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meeple {
    /// The seat that owns the meeple.
    pub seat: Seat,
    /// The cell of the tile that the meeple is on.
    pub cell: Cell,
    /// The segment that the meeple is on.
    pub segment: Segment,
}
