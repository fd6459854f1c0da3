//! Why a decision is refused.

use super::components::{Cell, Edge, Rotation, Segment, TileKind};
use super::decision::Gate;
use crate::refusals::refusals;

refusals! {
    Illegal {
        /// A cell that has a tile, or that touches none.
        CellClosed { cell: Cell } = "place: {} is not an empty cell next to a tile" (.cell.at()),
        /// The edge is the first that does not match, as the tile would lie.
        EdgeMismatch { tile: TileKind, rotation: Rotation, edge: Edge }
            = "place.rotation: turned by {rotation}, the {edge} edge of {tile} does not continue \
               the tile beyond it",
        /// Two ways to write the same placement: the first is the smallest rotation that looks so.
        RotationRepeated { tile: TileKind, first: Rotation }
            = "place.rotation: {tile} looks the same turned by {first}, which names both",

        SupplyEmpty = "meeple: the supply is empty, only none is legal",
        FieldsOff = "meeple: this match has no meeples on fields",
        NoSuchSegment(Segment) = "meeple: the tile has no {0}",
        /// Two ways to name the same feature: by the first of its segments on this tile.
        SegmentNotFirst { given: Segment, first: Segment }
            = "meeple: {given} belongs to the feature that {first} names",
        Occupied(Segment) = "meeple: a meeple stands on the feature of {0}",

        /// No drawbridge of the road leads there, or the city is complete.
        NoSuchGate { gate: Gate }
            = "drawbridge: no drawbridge of the road that is down leads to city {} of the tile at \
               {}"
                (.gate.city, .gate.cell.at()),
        /// Two ways to name the same city.
        GateNotFirst(Gate) = "drawbridge: this city is named by its first gate, `drawbridge {0}`",
    }
}
