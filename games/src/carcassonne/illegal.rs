//! Refusals of decisions, with their messages.

use super::components::{Cell, Edge, Rotation, Segment, TileKind};
use super::decision::Gate;
use crate::refusals::refusals;

refusals! {
    Illegal {
        /// The cell has a tile, or no adjacent cell has a tile.
        CellClosed { cell: Cell } = "place: {} is not an empty cell next to a tile" (.cell.at()),
        /// The first edge, after rotation, that does not match.
        EdgeMismatch { tile: TileKind, rotation: Rotation, edge: Edge }
            = "place.rotation: turned by {rotation}, the {edge} edge of {tile} does not continue \
               the tile beyond it",
        /// Two rotations of the tile are equivalent, and only the smallest is legal.
        RotationRepeated { tile: TileKind, first: Rotation }
            = "place.rotation: {tile} looks the same with rotation {first}, which is the legal one",

        SupplyEmpty = "meeple: the supply is empty, only none is legal",
        FieldsOff = "meeple: this match has no meeples on fields",
        NoSuchSegment(Segment) = "meeple: the tile has no {0}",
        /// Two segments belong to the same feature. Only the first segment on this tile is legal.
        SegmentNotFirst { given: Segment, first: Segment }
            = "meeple: {given} belongs to the feature that {first} names",
        Occupied(Segment) = "meeple: a meeple stands on the feature of {0}",

        /// No drawbridge of the road leads to this city, or the city is complete.
        NoSuchGate { gate: Gate }
            = "drawbridge: no drawbridge of the road that is down leads to city {} of the tile at \
               {}"
                (.gate.city, .gate.cell.at()),
        /// Two gates lead to the same city; only the first is legal.
        GateNotFirst(Gate) = "drawbridge: this city is named by its first gate, `drawbridge {0}`",
    }
}
