//! What of an observation does not follow from its fields one by one.

use arrayvec::ArrayVec;
use bridgemaster_games::bridges_to_nowhere::{
    Config, MAX_PIECES, MAX_PLACED, Observation, PILLARS, Placement, SeatView,
};

use super::v1;
use crate::games::{
    conversion::{Conversion as _, InRange, OnWire},
    describe::{put_fields, wire_message},
    wire::{Path as _, WireError},
    writer::{Field, Writer, field_of},
};

/// How many games a match has stays the same, and is not sent with every observation.
pub(super) fn of_config(observation: &mut Observation, config: &Config) -> Result<(), WireError> {
    observation.games = config.games;
    Ok(())
}

/// Pillars that are not placed.
const NUMBER_OF_PILLARS: InRange<u8> = InRange(0..=PILLARS);

/// The position of a piece in a structure.
fn position(structure: &[Placement], placed: &Placement) -> Option<u32> {
    let position = structure.iter().position(|piece| piece == placed);
    debug_assert!(position.is_some(), "what was placed is in the structure");
    position.map(|position| position as u32)
}

/// The pieces of a secret phase are sent as their positions in the structure.
impl OnWire<v1::SeatView> for SeatView {
    fn to_wire(&self) -> v1::SeatView {
        let Self {
            structure,
            pillars,
            cards,
            placed,
            has_ended,
        } = self;
        v1::SeatView {
            structure: structure.to_wire(),
            pillars: (*pillars).into(),
            cards: cards.to_wire(),
            placed: placed
                .iter()
                .filter_map(|placed| position(structure, placed))
                .collect(),
            has_ended: *has_ended,
        }
    }

    fn put(&self, field: Field, to: &mut Writer) {
        let Self {
            structure,
            pillars,
            cards,
            placed,
            has_ended,
        } = self;
        to.message(field, |to| {
            put_fields!(to, v1::SeatView, { structure, pillars: NUMBER_OF_PILLARS, cards, has_ended });
            let positions = placed.iter().filter_map(|placed| position(structure, placed));
            let field = const { field_of::<v1::SeatView>("placed") };
            to.list(positions, field, |to, position, field| to.number(position, field));
        });
    }

    fn from_wire(field: &str, wire: &v1::SeatView) -> Result<Self, WireError> {
        let v1::SeatView {
            structure,
            pillars,
            cards,
            placed,
            has_ended,
        } = wire;
        let read = || {
            let structure = OnWire::from_wire("structure", structure)?;
            Ok(Self {
                pillars: NUMBER_OF_PILLARS.read("pillars", pillars)?,
                cards: OnWire::from_wire("cards", cards)?,
                placed: pieces_at("placed", placed, &structure)?,
                has_ended: *has_ended,
                structure,
            })
        };
        read().below(field)
    }
}
wire_message! { SeatView = v1::SeatView }

/// The pieces at some positions in a structure, each position once.
fn pieces_at(
    field: &str,
    positions: &[u32],
    structure: &ArrayVec<Placement, MAX_PIECES>,
) -> Result<ArrayVec<Placement, MAX_PLACED>, WireError> {
    let mut pieces = ArrayVec::new();
    for (i, position) in positions.iter().enumerate() {
        if pieces.is_full() {
            let entries = positions.len();
            let detail = format!("must have at most {MAX_PLACED} entries, found {entries}");
            return Err(WireError::new(field, detail));
        }
        if positions[..i].contains(position) {
            return Err(WireError::new("", format!("{position} is there twice")).at(field, i));
        }
        pieces.push(*structure.get(*position as usize).ok_or_else(|| {
            let pieces = structure.len();
            let detail = format!("{position} is no position in a structure of {pieces} pieces");
            WireError::new("", detail).at(field, i)
        })?);
    }
    Ok(pieces)
}
