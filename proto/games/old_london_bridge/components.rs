//! The pieces: kinds, coats, tiles, faces, buildings, cards, pawns.

use bridgemaster_games::{
    Seat,
    old_london_bridge::{
        Area, BONUS_STACKS, Building, CARD_VALUES, CARDS, Coat, Face, Kind, MAX_HOUSE_NUMBER,
        MAX_PLAYED, MAX_PLAYERS, OUTER_SPACES, Pawn, PlayedCards, TILE_KINDS, TileKind, Turn,
    },
};

use super::v1;
use crate::games::{
    field::{self, WireEnum, exactly, number, optional_to_wire, wire_enum},
    wire::WireError,
};

/// Highest value of a card.
const MAX_CARD: u8 = CARD_VALUES as u8 - 1;
/// Highest number of cards of one value.
const MAX_CARDS: u8 = CARDS[1];
/// Plus_one tiles in the box: one in each bonus stack.
const MAX_RAISE: u8 = BONUS_STACKS as u8;
/// Highest number of an outer space.
const MAX_OUTER: u8 = OUTER_SPACES as u8 - 1;

wire_enum!(Kind = v1::Kind { Chapel Gate Inn Haberdashery Guildhall Park });
wire_enum!(Coat = v1::Coat { Blue Orange Grey Green });
wire_enum!(TileKind = v1::TileKind {
    Share FreeCentre XSpace Recall ChapelPlus2 GatePlus2 PlusOne TakeA2
});
wire_enum!(Face = v1::Face {
    ChapelTrack MostChapels ChapelLeader AheadOfLast MoneyAgain
    GateTrack MostGates GateLeader GateDistance TileTable
    HandSum MostInns HighestCard HandSize CardSets
    MostBuildings LongestSeries LowestNumber LowNumbers FullSets
});

/// A card value.
pub(super) fn card(name: &str, value: u32) -> Result<u8, WireError> {
    number(name, value, 0..=MAX_CARD)
}

/// A seat of the game.
pub(super) fn seat(name: &str, value: u32) -> Result<Seat, WireError> {
    field::seat(name, value, MAX_PLAYERS)
}

/// Small numbers as the wire has them.
pub(super) fn numbers(values: &[u8]) -> Vec<u32> {
    values.iter().copied().map(u32::from).collect()
}

/// Counts of cards by value.
pub(super) fn card_counts(name: &str, counts: &[u32]) -> Result<[u8; CARD_VALUES], WireError> {
    exactly(name, counts, |item, &count| {
        number(item, count, 0..=MAX_CARDS)
    })
}

pub(super) fn building_to_wire(building: &Building) -> v1::Building {
    v1::Building {
        kind: building.kind.to_wire(),
        number: building.number.map_or(0, u32::from),
        coat: optional_to_wire(building.coat),
    }
}

pub(super) fn building_from_wire(building: &v1::Building) -> Result<Building, WireError> {
    let number = number("number", building.number, 0..=MAX_HOUSE_NUMBER)?;
    Ok(Building {
        kind: Kind::from_wire("kind", building.kind)?,
        number: (number != 0).then_some(number),
        coat: Coat::optional_from_wire("coat", building.coat)?,
    })
}

/// Tiles, one entry a tile, as counts by kind.
pub(super) fn tile_counts(name: &str, tiles: &[i32]) -> Result<[u8; TILE_KINDS], WireError> {
    let mut counts = [0; TILE_KINDS];
    for (place, &tile) in tiles.iter().enumerate() {
        let tile = TileKind::from_wire("", tile).map_err(|error| field::at(name, place, error))?;
        let count = &mut counts[tile.index()];
        if usize::from(*count) == BONUS_STACKS {
            let detail = format!("there are only {BONUS_STACKS} tiles of kind {tile}");
            return Err(field::at(name, place, WireError::new("", detail)));
        }
        *count += 1;
    }
    Ok(counts)
}

/// Counts of tiles by kind, as one entry a tile.
pub(super) fn tiles_to_wire(counts: &[u8; TILE_KINDS]) -> Vec<i32> {
    let mut tiles = Vec::with_capacity(counts.iter().copied().map(usize::from).sum());
    for (&kind, &count) in TileKind::ALL.iter().zip(counts) {
        tiles.extend((0..count).map(|_| kind.to_wire()));
    }
    tiles
}

pub(super) fn faces_to_wire(faces: &[Face; 4]) -> v1::Faces {
    let [chapel, gate, inn, bridge] = faces.map(Face::to_wire);
    v1::Faces {
        chapel,
        gate,
        inn,
        bridge,
    }
}

pub(super) fn faces_from_wire(faces: &v1::Faces) -> Result<[Face; 4], WireError> {
    Ok([
        face_of(Area::Chapel, faces.chapel)?,
        face_of(Area::Gate, faces.gate)?,
        face_of(Area::Inn, faces.inn)?,
        face_of(Area::Bridge, faces.bridge)?,
    ])
}

/// A face that must belong to `area`, whose name is that of the field.
fn face_of(area: Area, number: i32) -> Result<Face, WireError> {
    let face = Face::from_wire(area.name(), number)?;
    if face.area() != area {
        return Err(WireError::new(area.name(), wrong_area(face)));
    }
    Ok(face)
}

/// What is wrong with a face in another area than its own.
pub(super) fn wrong_area(face: Face) -> String {
    format!("{face} is a face of the {} area", face.area())
}

pub(super) fn played_to_wire(cards: &PlayedCards) -> v1::PlayedCards {
    v1::PlayedCards {
        first: cards.first.into(),
        second: cards.second.map(u32::from),
    }
}

pub(super) fn played_from_wire(cards: &v1::PlayedCards) -> Result<PlayedCards, WireError> {
    Ok(PlayedCards {
        first: card("first", cards.first)?,
        second: cards
            .second
            .map(|second| card("second", second))
            .transpose()?,
    })
}

pub(super) fn raises_to_wire(raises: &[u8; MAX_PLAYED]) -> v1::Raises {
    let [first, second] = raises.map(u32::from);
    v1::Raises { first, second }
}

pub(super) fn raises_from_wire(raises: &v1::Raises) -> Result<[u8; MAX_PLAYED], WireError> {
    Ok([
        number("first", raises.first, 0..=MAX_RAISE)?,
        number("second", raises.second, 0..=MAX_RAISE)?,
    ])
}

pub(super) fn pawn_to_wire(pawn: Pawn) -> v1::Pawn {
    use v1::pawn::Place;
    let place = match pawn {
        Pawn::Off => Place::Off(v1::OffRondel {}),
        Pawn::Outer(space) => Place::Outer(space.into()),
        Pawn::Centre => Place::Centre(v1::Centre {}),
    };
    v1::Pawn { place: Some(place) }
}

pub(super) fn pawn_from_wire(pawn: &v1::Pawn) -> Result<Pawn, WireError> {
    use v1::pawn::Place;
    match &pawn.place {
        Some(Place::Off(_)) => Ok(Pawn::Off),
        Some(Place::Outer(space)) => Ok(Pawn::Outer(number("outer", *space, 0..=MAX_OUTER)?)),
        Some(Place::Centre(_)) => Ok(Pawn::Centre),
        None => Err(WireError::new("place", "off, outer or centre must be set")),
    }
}

pub(super) fn turn_to_wire(turn: &Turn) -> v1::Turn {
    v1::Turn {
        seat: turn.seat.number().into(),
        card: turn.card.into(),
        value: turn.value.into(),
    }
}

pub(super) fn turn_from_wire(turn: &v1::Turn) -> Result<Turn, WireError> {
    Ok(Turn {
        seat: seat("seat", turn.seat)?,
        card: card("card", turn.card)?,
        value: number("value", turn.value, 0..=MAX_CARD + MAX_RAISE)?,
    })
}
