//! The text notation of decisions. Every decision has exactly one:
//!
//! | decision | notation |
//! |---|---|
//! | place | `place X Y ROTATION`: `place -2 3 1` lies at x -2, y 3, one quarter turn clockwise |
//! | meeple | `meeple none`, `meeple road n`, `meeple city e`, `meeple monastery`, `meeple field nl` |
//! | drawbridge | `drawbridge home`, `drawbridge X Y EDGE`: to the city segment of that tile |

use std::fmt;

use super::components::{Cell, Edge, HalfEdge, Rotation, Segment};
use super::decision::{Decision, Gate, Placement};
use crate::notation::{notation, or};

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
    let cell = Cell {
        x: x.parse().ok()?,
        y: y.parse().ok()?,
    };
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
