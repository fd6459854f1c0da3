//! What a seat can answer.

use super::components::{Cell, Edge, Rotation, Segment};

/// An answer of a seat.
///
/// Legal lists have a canonical order:
/// * placements: by x, then y, then rotation;
/// * meeples: none first, then the segments of the tile in the order of [`Segment`];
/// * drawbridges: home first, then the gates by cell (x, then y), then edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Where the drawn tile is laid. Of rotations that look the same the smallest is legal.
    Place(Placement),
    /// The segment of the tile just laid on which a meeple is placed; `None` places no meeple. Of
    /// two segments of one feature the first is legal.
    Meeple(Option<Segment>),
    /// Where one meeple of a completed road goes: through a drawbridge, or home (`None`). Of two
    /// gates to one city the first is legal.
    Drawbridge(Option<Gate>),
}

/// Where and how a tile lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The cell.
    pub cell: Cell,
    /// How the tile is turned.
    pub rotation: Rotation,
}

/// A way through a drawbridge, named by the city segment that it leads to: the sent meeple stands
/// there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gate {
    /// The cell of the tile that has the drawbridge.
    pub cell: Cell,
    /// The first edge of the city segment, as the tile lies.
    pub city: Edge,
}
