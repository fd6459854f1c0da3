//! Decisions of a seat, their text notation, and the reasons why they are refused. Every decision
//! has exactly one notation:
//!
//! | decision | notation |
//! |---|---|
//! | place | `place X Y ROTATION`: `place -2 3 1` lies at x -2, y 3, one quarter turn clockwise |
//! | meeple | `meeple` and `none`, `monastery`, or a segment: `road n`, `city e`, `field nl` |
//! | drawbridge | `drawbridge home`, `drawbridge X Y EDGE`: to the city segment of that tile |

use std::fmt;

use super::components::{Cell, Edge, HalfEdge, Rotation, Segment, TileKind};
use crate::notation::{notation, or};
use crate::refusals::refusals;

/// A decision of a seat.
///
/// Legal lists are in canonical order, the order of `Ord`.
/// * Placements: by x, then y, then rotation.
/// * Meeples: none first, then the segments of the tile in the order of [`Segment`].
/// * Drawbridges: home first, then the gates, ordered by cell (by x, then by y), then by edge.
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

notation! {
    Decision {
        Place(placement) = "place" " {placement}", from parse_placement, else
            "`place X Y ROTATION` with 0 to 3 quarter turns, such as `place -2 3 1`";
        Meeple(segment) = "meeple" " {}" (or("none", *segment)), from parse_meeple, else
            "`meeple none`, `meeple road EDGE`, `meeple city EDGE`, `meeple monastery` or `meeple \
             field HALF_EDGE`, such as `meeple road n` or `meeple field nl`";
        Drawbridge(gate) = "drawbridge" " {}" (or("home", *gate)), from parse_drawbridge, else
            "`drawbridge home` or `drawbridge X Y EDGE`, such as `drawbridge -2 3 n`";
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.cell, self.rotation)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.cell, self.city)
    }
}

/// Parses `X Y` and one more word.
fn parse_cell_and(rest: &str) -> Option<(Cell, &str)> {
    let (x, rest) = rest.split_once(' ')?;
    let (y, word) = rest.split_once(' ')?;
    let cell = Cell { x: x.parse().ok()?, y: y.parse().ok()? };
    Some((cell, word))
}

fn parse_placement(rest: &str) -> Option<Placement> {
    let (cell, word) = parse_cell_and(rest)?;
    let rotation = Rotation::new(word.parse().ok()?)?;
    Some(Placement { cell, rotation })
}

fn parse_meeple(rest: &str) -> Option<Option<Segment>> {
    let segment = match rest {
        "none" => return Some(None),
        "monastery" => Segment::Monastery,
        _ => match rest.split_once(' ')? {
            ("road", edge) => Segment::Road(Edge::from_name(edge)?),
            ("city", edge) => Segment::City(Edge::from_name(edge)?),
            ("field", half) => Segment::Field(HalfEdge::from_name(half)?),
            _ => return None,
        },
    };
    Some(Some(segment))
}

fn parse_drawbridge(rest: &str) -> Option<Option<Gate>> {
    if rest == "home" {
        return Some(None);
    }
    let (cell, word) = parse_cell_and(rest)?;
    let city = Edge::from_name(word)?;
    Some(Some(Gate { cell, city }))
}

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
