//! What lies on the table: tiles, where they lie, and their edges and segments.

use bridgemaster_games::{
    Seat,
    carcassonne::{
        Cell, EDGES, Edge, Gate, HALF_EDGES, HalfEdge, MAX_COORDINATE, MAX_PLAYERS, MAX_POINTS,
        Placement, Rotation, Segment, TILE_KINDS, Terrain, TileKind,
    },
};

use super::v1;
use crate::games::{
    field::{self, WireEnum, number, wire_enum},
    wire::WireError,
};

wire_enum!(Terrain = v1::Terrain { Field Road City });
wire_enum!(Edge = v1::Edge { North East South West });
wire_enum!(HalfEdge = v1::HalfEdge {
    NorthLeft NorthRight EastLeft EastRight SouthLeft SouthRight WestLeft WestRight
});

/// The kinds are numbered alike on both sides; on the wire from 1.
impl WireEnum for TileKind {
    fn to_wire(self) -> i32 {
        i32::from(self.number()) + 1
    }

    fn of_number(number: i32) -> Option<Self> {
        Self::new(u8::try_from(number.checked_sub(1)?).ok()?)
    }

    fn wire_names() -> String {
        let (first, last) = (
            v1::TileKind::A.as_str_name(),
            v1::TileKind::D12.as_str_name(),
        );
        format!("{first} to {last}")
    }
}

const _: () = assert!(v1::TileKind::D12 as usize == TILE_KINDS);

/// Numbers of the first segment of each sort on the wire; the others of the sort follow in the
/// order of their edges or half-edges.
const FIRST_ROAD: i32 = v1::Segment::RoadNorth as i32;
const FIRST_CITY: i32 = v1::Segment::CityNorth as i32;
const MONASTERY: i32 = v1::Segment::Monastery as i32;
const FIRST_FIELD: i32 = v1::Segment::FieldNorthLeft as i32;

const _: () = assert!(FIRST_CITY == FIRST_ROAD + EDGES as i32);
const _: () = assert!(MONASTERY == FIRST_CITY + EDGES as i32);
const _: () = assert!(v1::Segment::FieldWestRight as i32 == FIRST_FIELD + HALF_EDGES as i32 - 1);

impl WireEnum for Segment {
    fn to_wire(self) -> i32 {
        match self {
            Self::Road(edge) => FIRST_ROAD + edge.index() as i32,
            Self::City(edge) => FIRST_CITY + edge.index() as i32,
            Self::Monastery => MONASTERY,
            Self::Field(half) => FIRST_FIELD + half.index() as i32,
        }
    }

    fn of_number(number: i32) -> Option<Self> {
        let place = |first: i32| usize::try_from(number.checked_sub(first)?).ok();
        match number {
            FIRST_FIELD.. => HalfEdge::ALL
                .get(place(FIRST_FIELD)?)
                .copied()
                .map(Self::Field),
            MONASTERY => Some(Self::Monastery),
            FIRST_CITY.. => Edge::ALL.get(place(FIRST_CITY)?).copied().map(Self::City),
            _ => Edge::ALL.get(place(FIRST_ROAD)?).copied().map(Self::Road),
        }
    }

    fn wire_names() -> String {
        let (first, last) = (v1::Segment::RoadNorth, v1::Segment::FieldWestRight);
        format!("{} to {}", first.as_str_name(), last.as_str_name())
    }
}

/// A seat of the game.
pub(super) fn seat(name: &str, value: u32) -> Result<Seat, WireError> {
    field::seat(name, value, MAX_PLAYERS)
}

/// Points of a feature or of a seat.
pub(super) fn points(name: &str, value: u32) -> Result<u16, WireError> {
    match u16::try_from(value) {
        Ok(points) if points <= MAX_POINTS => Ok(points),
        _ => {
            let detail = format!("{value} is not in 0 to {MAX_POINTS}");
            Err(WireError::new(name, detail))
        }
    }
}

/// The cell of the fields `x` and `y` of a message.
pub(super) fn cell(x: i32, y: i32) -> Result<Cell, WireError> {
    Ok(Cell {
        x: coordinate("x", x)?,
        y: coordinate("y", y)?,
    })
}

fn coordinate(name: &str, value: i32) -> Result<i8, WireError> {
    match i8::try_from(value) {
        Ok(small) if (-MAX_COORDINATE..=MAX_COORDINATE).contains(&small) => Ok(small),
        _ => {
            let detail = format!("{value} is not in -{MAX_COORDINATE} to {MAX_COORDINATE}");
            Err(WireError::new(name, detail))
        }
    }
}

pub(super) fn rotation(name: &str, value: u32) -> Result<Rotation, WireError> {
    let quarter_turns = number(name, value, 0..=EDGES as u8 - 1)?;
    Ok(Rotation::ALL[usize::from(quarter_turns)])
}

pub(super) fn placement_to_wire(placement: Placement) -> v1::Placement {
    v1::Placement {
        x: placement.cell.x.into(),
        y: placement.cell.y.into(),
        rotation: placement.rotation.quarter_turns().into(),
    }
}

pub(super) fn placement_from_wire(placement: &v1::Placement) -> Result<Placement, WireError> {
    Ok(Placement {
        cell: cell(placement.x, placement.y)?,
        rotation: rotation("rotation", placement.rotation)?,
    })
}

pub(super) fn gate_to_wire(gate: Gate) -> v1::Gate {
    v1::Gate {
        x: gate.cell.x.into(),
        y: gate.cell.y.into(),
        city: gate.city.to_wire(),
    }
}

pub(super) fn gate_from_wire(gate: &v1::Gate) -> Result<Gate, WireError> {
    Ok(Gate {
        cell: cell(gate.x, gate.y)?,
        city: Edge::from_wire("city", gate.city)?,
    })
}
