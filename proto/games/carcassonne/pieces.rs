//! Conversions for tile kinds, segments, rotations, and a config's base tiles.

use arrayvec::ArrayVec;
use bridgemaster_games::{
    Seat, SeatSet,
    carcassonne::{
        BASE_KINDS, Config, EDGES, Edition, MAX_PLAYERS, Rotation, Segment, TILE_KINDS, TileKind,
    },
};

use super::{messages::SEAT, v1};
use crate::games::{
    conversion::{Each, InRange, OnWire},
    enums::WireEnum,
    other_form::wire_as,
    wire::{FieldError, Path as _},
    writer::{Field, Writer},
};

/// Tile kinds have the same order in the rules and on the wire. On the wire, the first kind is 1.
impl WireEnum for TileKind {
    fn to_number(self) -> i32 {
        i32::from(self.number()) + 1
    }

    fn from_number(number: i32) -> Option<Self> {
        Self::new(u8::try_from(number.checked_sub(1)?).ok()?)
    }

    fn wire_names() -> String {
        let (first, last) = (v1::TileKind::A, v1::TileKind::D12);
        format!("{} to {}", first.as_str_name(), last.as_str_name())
    }
}

const _: () = assert!(v1::TileKind::D12 as usize == TILE_KINDS);

/// Segments of the same type have consecutive numbers on the wire, in the order of their edges or
/// half-edges.
impl WireEnum for Segment {
    fn to_number(self) -> i32 {
        let (first, place) = match self {
            Self::Road(edge) => (v1::Segment::RoadNorth, edge.index()),
            Self::City(edge) => (v1::Segment::CityNorth, edge.index()),
            Self::Monastery => (v1::Segment::Monastery, 0),
            Self::Field(half) => (v1::Segment::FieldNorthLeft, half.index()),
        };
        first as i32 + place as i32
    }

    fn from_number(number: i32) -> Option<Self> {
        Self::all().find(|segment| segment.to_number() == number)
    }

    fn wire_names() -> String {
        let (first, last) = (v1::Segment::RoadNorth, v1::Segment::FieldWestRight);
        format!("{} to {}", first.as_str_name(), last.as_str_name())
    }
}

wire_as! {
    Rotation = u32 as u8: InRange(0..=EDGES as u8 - 1),
    |rotation| rotation.number(),
    |_field, turns| Ok(Self::ALL[usize::from(turns)])
}

// On the wire, a set of seats is a list in strictly ascending order.
wire_as! {
    SeatSet = Vec<u32> as ArrayVec<Seat, MAX_PLAYERS>: Each(SEAT),
    |seats| seats.iter().collect(),
    |field, seats| match seats.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(seats.into_iter().collect()),
        Some(place) => {
            let error = FieldError::new("", "must be higher than the seat before it");
            Err(error.at(field, place + 1))
        }
    }
}

/// A config also contains the base tiles, so that bots need no tile table of their own. A client
/// cannot change the base tiles.
impl OnWire<v1::Config> for Config {
    fn to_wire(&self) -> v1::Config {
        let Self { drawbridges, fields, edition } = self;
        v1::Config {
            drawbridges: Some(*drawbridges),
            fields: Some(*fields),
            base_tiles: base_tiles(edition).collect(),
            edition: edition.to_wire(),
        }
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.prost(&self.to_wire(), field);
    }

    fn from_wire(field: &str, wire: &v1::Config) -> Result<Self, FieldError> {
        let v1::Config { drawbridges, fields, edition, base_tiles } = wire;
        let default = Self::default();
        let config = Self {
            drawbridges: drawbridges.unwrap_or(default.drawbridges),
            fields: fields.unwrap_or(default.fields),
            edition: OnWire::from_wire("edition", edition).below(field)?,
        };
        check_base_tiles(base_tiles, &config.edition).below(field)?;
        Ok(config)
    }
}

/// Returns the base tiles, which are the same in every edition.
fn base_tiles(edition: &Edition) -> impl Iterator<Item = v1::BaseTile> {
    TileKind::all().take(BASE_KINDS).map(|kind| v1::BaseTile {
        count: Edition::count(kind).into(),
        tile: edition.tile(kind).to_wire(),
    })
}

/// Checks that the list is empty or equal to the list that the server sends.
fn check_base_tiles(tiles: &[v1::BaseTile], edition: &Edition) -> Result<(), FieldError> {
    const FIELD: &str = "base_tiles";
    if !matches!(tiles.len(), 0 | BASE_KINDS) {
        let found = tiles.len();
        let detail = format!("must be empty or have {BASE_KINDS} entries, found {found}");
        return Err(FieldError::new(FIELD, detail));
    }
    let mut pairs = tiles.iter().zip(base_tiles(edition));
    match pairs.position(|(tile, base)| *tile != base) {
        None => Ok(()),
        Some(place) => {
            let detail = "must equal the entry of the server: the base tiles are the same in every \
                          match; the list may be left empty";
            Err(FieldError::new("", detail).at(FIELD, place))
        }
    }
}
