//! Why a decision is refused.

use thiserror::Error;

use super::components::{Cell, Edge, Rotation, Segment, TileKind};
use super::decision::Gate;
use crate::OutOfTurn;

/// Why a decision is refused. Each message names the field of the decision, a colon, and what
/// would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Illegal {
    /// It is not the seat's turn, or not the turn of such a decision.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),

    /// A cell that has a tile, or that touches none.
    #[error("place: {} is not an empty cell next to a tile", .0.at())]
    CellClosed(Cell),
    /// An edge that does not continue its neighbour.
    #[error(
        "place.rotation: turned by {rotation}, the {edge} edge of {tile} does not continue the tile \
         beyond it"
    )]
    EdgeMismatch {
        /// The tile.
        tile: TileKind,
        /// The rotation.
        rotation: Rotation,
        /// The first edge that does not match, as the tile would lie.
        edge: Edge,
    },
    /// Two ways to write the same placement.
    #[error("place.rotation: {tile} looks the same turned by {first}, which names both")]
    RotationRepeated {
        /// The tile.
        tile: TileKind,
        /// The smallest rotation that looks the same.
        first: Rotation,
    },

    /// No meeple in the supply.
    #[error("meeple: the supply is empty, only none is legal")]
    SupplyEmpty,
    /// A match without fields.
    #[error("meeple: this match has no meeples on fields")]
    FieldsOff,
    /// The tile has no such segment.
    #[error("meeple: the tile has no {0}")]
    NoSuchSegment(Segment),
    /// Two ways to name the same feature.
    #[error("meeple: {given} belongs to the feature that {first} names")]
    SegmentNotFirst {
        /// The segment.
        given: Segment,
        /// The first segment of the same feature on this tile.
        first: Segment,
    },
    /// A meeple stands on the feature.
    #[error("meeple: a meeple stands on the feature of {0}")]
    Occupied(Segment),

    /// No drawbridge of the road leads there, or the city is complete.
    #[error("drawbridge: no drawbridge of the road that is down leads to city {} of the tile at {}", .0.city, .0.cell.at())]
    NoSuchGate(Gate),
    /// Two ways to name the same city.
    #[error("drawbridge: this city is named by its first gate, `drawbridge {} {}`", .0.cell, .0.city)]
    GateNotFirst(Gate),
}
