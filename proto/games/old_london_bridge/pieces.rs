//! Conversions for an area's faces, for tile counts, and for buildings, which are completed from
//! the edition.

use std::iter;

use arrayvec::ArrayVec;
use bridgemaster_games::old_london_bridge::{
    Area, BONUS_STACKS, BUILDINGS, BUILDINGS_PER_KIND, Building, BuildingId, Coat, Config, Edition,
    Face, FaceChoice, Kind, MAX_HOUSE_NUMBER, Observation, Setup, StackView, TILE_KINDS, TileKind,
};

use super::v1;
use crate::games::{
    conversion::{Conversion, Each, InRange, OnWire},
    describe::wire_message,
    other_form::wire_as,
    wire::{FieldError, Path as _},
    writer::{Field, Writer},
};

/// A face that must belong to an area.
pub(super) struct FaceOf(pub(super) Area);

impl Conversion<Face, i32> for FaceOf {
    fn write(&self, face: &Face) -> i32 {
        face.to_wire()
    }

    fn put(&self, face: &Face, field: Field, to: &mut Writer) {
        OnWire::<i32>::put(face, field, to);
    }

    fn read(&self, field: &str, wire: &i32) -> Result<Face, FieldError> {
        let face = Face::from_wire(field, wire)?;
        if face.area() != self.0 {
            let detail = format!("{face} is a face of the {} area", face.area());
            return Err(FieldError::new(field, detail));
        }
        Ok(face)
    }
}

/// The face choice for an area. An unset field means the base face.
pub(super) struct ChoiceFor(pub(super) Area);

impl Conversion<FaceChoice, Option<v1::FaceChoice>> for ChoiceFor {
    fn write(&self, choice: &FaceChoice) -> Option<v1::FaceChoice> {
        choice.to_wire()
    }

    fn put(&self, choice: &FaceChoice, field: Field, to: &mut Writer) {
        OnWire::<v1::FaceChoice>::put(choice, field, to);
    }

    fn read(&self, field: &str, wire: &Option<v1::FaceChoice>) -> Result<FaceChoice, FieldError> {
        let choice: Option<FaceChoice> = OnWire::from_wire(field, wire)?;
        let choice = choice.unwrap_or(FaceChoice::Face(self.0.base_face()));
        if let FaceChoice::Face(face) = choice {
            FaceOf(self.0).read("face", &face.to_wire()).below(field)?;
        }
        Ok(choice)
    }
}

/// The number of tiles by kind. On the wire, each tile is one entry of a list.
pub(super) struct TileCounts;

/// Returns the tiles with these counts.
fn counted(counts: &[u8; TILE_KINDS]) -> impl Iterator<Item = TileKind> + Clone {
    let kinds = TileKind::ALL.into_iter().zip(counts);
    kinds.flat_map(|(kind, &count)| iter::repeat_n(kind, count.into()))
}

impl Conversion<[u8; TILE_KINDS], Vec<i32>> for TileCounts {
    fn write(&self, counts: &[u8; TILE_KINDS]) -> Vec<i32> {
        let mut tiles = Vec::with_capacity(counted(counts).count());
        tiles.extend(counted(counts).map(|tile| -> i32 { tile.to_wire() }));
        tiles
    }

    fn put(&self, counts: &[u8; TILE_KINDS], field: Field, to: &mut Writer) {
        to.list(counted(counts), field, |to, tile, field| OnWire::<i32>::put(&tile, field, to));
    }

    fn read(&self, field: &str, wire: &Vec<i32>) -> Result<[u8; TILE_KINDS], FieldError> {
        let mut counts = [0; TILE_KINDS];
        for (place, tile) in wire.iter().enumerate() {
            let tile = TileKind::from_wire("", tile).at(field, place)?;
            let count = &mut counts[tile.index()];
            if usize::from(*count) == BONUS_STACKS {
                let detail = format!("there are only {BONUS_STACKS} tiles of kind {tile}");
                return Err(FieldError::new("", detail).at(field, place));
            }
            *count += 1;
        }
        Ok(counts)
    }
}

// A building's index in the edition.
wire_as! {
    BuildingId = u32 as u8: InRange(0..=BUILDINGS as u8 - 1),
    |id| id.number(),
    |_field, place| Ok(Self::new(place).expect("the place is in range"))
}

/// Replaces each building with the first building that is interchangeable with it.
pub(super) fn canonicalize_stacks(setup: &mut Setup, config: &Config) -> Result<(), FieldError> {
    for id in setup.stacks.as_flattened_mut() {
        let building = config.edition.building(*id);
        *id = config.edition.find(building).unwrap_or(*id);
    }
    Ok(())
}

/// A stack in message form. A stack of parks has only coats, and any other stack has only house
/// numbers. The edition contains a building's other properties.
struct StackFields {
    kind: Kind,
    top: Option<Building>,
    unseen_numbers: ArrayVec<u8, BUILDINGS_PER_KIND>,
    unseen_coats: ArrayVec<Coat, BUILDINGS_PER_KIND>,
}

wire_message! {
    StackFields = v1::StackView {
        kind,
        top,
        unseen_numbers: Each(InRange(1..=MAX_HOUSE_NUMBER)),
        unseen_coats,
    }
}
wire_as! {
    StackView = v1::StackView as StackFields,
    |stack| {
        let unseen = stack.unseen.iter();
        let parks = unseen.clone().filter(|building| building.number.is_none());
        StackFields {
            kind: stack.kind,
            top: stack.top,
            unseen_numbers: unseen.filter_map(|house| house.number).collect(),
            unseen_coats: parks.filter_map(|park| park.coat).collect(),
        }
    },
    |field, StackFields { kind, top, unseen_numbers, unseen_coats }| {
        let checked = match kind {
            Kind::Park => none("unseen_numbers", &unseen_numbers, "parks have no numbers"),
            _ => {
                let reason = "numbers identify these buildings";
                none("unseen_coats", &unseen_coats, reason)
            }
        };
        checked.below(field)?;
        let building = |number, coat| Building { kind, number, coat };
        let numbers = unseen_numbers.into_iter();
        let houses = numbers.map(|number| building(Some(number), None));
        let coats = unseen_coats.into_iter();
        let parks = coats.map(|coat| building(None, Some(coat)));
        let unseen = houses.chain(parks).collect();
        Ok(Self { kind, top, unseen })
    }
}
wire_message! { StackView = v1::StackView }

/// Checks that a list is empty.
fn none<T>(field: &str, list: &[T], reason: &str) -> Result<(), FieldError> {
    match list {
        [] => Ok(()),
        _ => Err(FieldError::new(field, format!("must be empty: {reason}"))),
    }
}

/// Looks up the unseen buildings that the message identifies by number.
pub(super) fn fill_in_buildings(
    observation: &mut Observation,
    config: &Config,
) -> Result<(), FieldError> {
    for (i, stack) in observation.stacks.iter_mut().enumerate() {
        for (j, house) in stack.unseen.iter_mut().enumerate() {
            if house.number.is_some() {
                let found = numbered(house, &config.edition);
                *house = found.at("unseen_numbers", j).at("stacks", i)?;
            }
        }
    }
    Ok(())
}

/// Returns the building with this kind and house number.
fn numbered(house: &Building, edition: &Edition) -> Result<Building, FieldError> {
    let mut buildings = edition.buildings_of(house.kind).iter();
    let found = buildings.find(|building| building.number == house.number);
    found.copied().ok_or_else(|| {
        let (name, kind, number) = (edition.name(), house.kind, house.number.unwrap_or(0));
        let detail = format!("the edition {name} has no {kind} of number {number}");
        FieldError::new("", detail)
    })
}
