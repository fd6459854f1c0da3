//! Kinds of tile, segments, rotations, and the base tiles of a config.

use arrayvec::ArrayVec;
use bridgemaster_games::{
    Seat, SeatSet,
    carcassonne::{
        BASE_KINDS, Config, EDGES, Edge, Edition, HALF_EDGES, HalfEdge, MAX_PLAYERS, Rotation,
        Segment, TILE_KINDS, TileKind,
    },
};

use super::{messages::SEAT, v1};
use crate::games::{
    conversion::{Conversion, Each, Else, InRange, OnWire, Plain, WireEnum},
    wire::{Path as _, WireError},
    writer::{Field, Writer},
};

/// The kinds are numbered alike on both sides; on the wire from 1.
impl WireEnum for TileKind {
    fn to_number(self) -> i32 {
        i32::from(self.number()) + 1
    }

    fn of_number(number: i32) -> Option<Self> {
        Self::new(u8::try_from(number.checked_sub(1)?).ok()?)
    }

    fn wire_names() -> String {
        let (first, last) = (v1::TileKind::A, v1::TileKind::D12);
        format!("{} to {}", first.as_str_name(), last.as_str_name())
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
    fn to_number(self) -> i32 {
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

impl OnWire<u32> for Rotation {
    fn to_wire(&self) -> u32 {
        self.quarter_turns().into()
    }

    fn put(&self, field: Field, to: &mut Writer) {
        to.number(u32::from(self.quarter_turns()), field);
    }

    fn from_wire(field: &str, wire: &u32) -> Result<Self, WireError> {
        let quarter_turns: u8 = InRange(0..=EDGES as u8 - 1).read(field, wire)?;
        Ok(Self::ALL[usize::from(quarter_turns)])
    }
}

/// Seats of which each must come after the one before it.
pub(super) struct Ascending;

impl Conversion<SeatSet, Vec<u32>> for Ascending {
    fn write(&self, seats: &SeatSet) -> Vec<u32> {
        seats.iter().map(|seat| SEAT.write(&seat)).collect()
    }

    fn put(&self, seats: &SeatSet, field: Field, to: &mut Writer) {
        to.list(seats.iter(), field, |to, seat, field| {
            to.number(SEAT.write(&seat), field);
        });
    }

    fn read(&self, field: &str, wire: &Vec<u32>) -> Result<SeatSet, WireError> {
        let seats: ArrayVec<Seat, MAX_PLAYERS> = Each(SEAT).read(field, wire)?;
        if let Some(place) = seats.windows(2).position(|pair| pair[0] >= pair[1]) {
            let error = WireError::new("", "must be higher than the seat before it");
            return Err(error.at(field, place + 1));
        }
        Ok(seats.into_iter().collect())
    }
}

/// A config tells the base tiles, too, which no bot has to know by heart and none can change.
impl OnWire<v1::Config> for Config {
    fn to_wire(&self) -> v1::Config {
        let Self {
            drawbridges,
            fields,
            edition,
        } = self;
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

    fn from_wire(field: &str, wire: &v1::Config) -> Result<Self, WireError> {
        let v1::Config {
            drawbridges,
            fields,
            edition,
            base_tiles,
        } = wire;
        let default = Self::default();
        let read = || {
            let read = Self {
                drawbridges: Else(|| default.drawbridges, Plain)
                    .read("drawbridges", drawbridges)?,
                fields: Else(|| default.fields, Plain).read("fields", fields)?,
                edition: OnWire::from_wire("edition", edition)?,
            };
            check_base_tiles("base_tiles", base_tiles, &read.edition)?;
            Ok(read)
        };
        read().below(field)
    }
}

/// The base tiles, which are the same in every edition.
fn base_tiles(edition: &Edition) -> impl Iterator<Item = v1::BaseTile> {
    TileKind::all().take(BASE_KINDS).map(|kind| v1::BaseTile {
        count: Edition::count(kind).into(),
        tile: edition.tile(kind).to_wire(),
    })
}

/// Checks that the list is empty or what the server sends.
fn check_base_tiles(
    field: &str,
    tiles: &[v1::BaseTile],
    edition: &Edition,
) -> Result<(), WireError> {
    if tiles.is_empty() {
        return Ok(());
    }
    let found = tiles.len();
    if found != BASE_KINDS {
        let detail = format!("must be empty or have {BASE_KINDS} entries, found {found}");
        return Err(WireError::new(field, detail));
    }
    let mut pairs = tiles.iter().zip(base_tiles(edition));
    match pairs.position(|(tile, base)| *tile != base) {
        None => Ok(()),
        Some(place) => {
            let detail = "must be as the server sends it: the base tiles are the same in every \
                          match; the list may be left empty";
            Err(WireError::new("", detail).at(field, place))
        }
    }
}
