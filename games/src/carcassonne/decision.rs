//! Decisions of a seat.

use super::components::{Cell, Edge, Rotation, Segment};

/// A decision of a seat.
///
/// Legal lists are in canonical order, the order of `Ord`.
/// * Placements: by x, then y, then rotation.
/// * Meeples: none first, then the segments of the tile in the order of [`Segment`].
/// * Drawbridges: home first, then the gates by cell (x, then y), then edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// The placement of the drawn tile. If several rotations are equivalent, only the smallest is
    /// legal.
    Place(Placement),
    /// The segment of the tile just placed that gets a meeple; `None` for no meeple. If several
    /// segments belong to one feature, only the first is legal.
    Meeple(Option<Segment>),
    /// The destination of a meeple from a completed road: a city through a drawbridge, or home
    /// (`None`). If several gates lead to one city, only the first is legal.
    Drawbridge(Option<Gate>),
}

/// A tile's position: its cell and rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The cell of the tile.
    pub cell: Cell,
    /// The rotation of the tile.
    pub rotation: Rotation,
}

/// A way through a drawbridge, named by the city segment that it leads to. The sent meeple is
/// placed on this segment (C6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gate {
    /// The cell of the tile with the drawbridge.
    pub cell: Cell,
    /// The first edge of the city segment, after the tile is rotated.
    pub city: Edge,
}
