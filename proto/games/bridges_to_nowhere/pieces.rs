//! Conversions for those parts of an observation that the macros cannot convert field by field.

use arrayvec::ArrayVec;
use bridgemaster_games::bridges_to_nowhere::{
    CARDS_PER_DRAFT, Card, Config, MAX_PIECES, MAX_PLACED, Observation, PILLARS, Placement,
    SeatView,
};

use super::v1;
use crate::games::{
    conversion::InRange,
    describe::wire_message,
    other_form::wire_as,
    wire::{FieldError, Path as _},
};

/// Fills in the number of games, which observations do not contain.
pub(super) fn fill_in_games(
    observation: &mut Observation,
    config: &Config,
) -> Result<(), FieldError> {
    observation.games = config.games;
    Ok(())
}

/// The number of pillars that a seat has not placed.
const NUMBER_OF_PILLARS: InRange<u8> = InRange(0..=PILLARS);

/// A seat in message form: pieces from a hidden phase are given as positions in the structure.
struct SeatFields {
    structure: ArrayVec<Placement, MAX_PIECES>,
    pillars: u8,
    cards: ArrayVec<Card, CARDS_PER_DRAFT>,
    has_ended: bool,
    placed: ArrayVec<u32, MAX_PLACED>,
}

wire_message! {
    SeatFields = v1::SeatView { structure, pillars: NUMBER_OF_PILLARS, cards, has_ended, placed }
}
wire_as! {
    SeatView = v1::SeatView as SeatFields,
    |view| SeatFields {
        structure: view.structure.clone(),
        pillars: view.pillars,
        cards: view.cards.clone(),
        has_ended: view.has_ended,
        placed: positions(&view.placed, &view.structure),
    },
    |field, fields| Ok(Self {
        placed: pieces_at("placed", &fields.placed, &fields.structure).below(field)?,
        structure: fields.structure,
        pillars: fields.pillars,
        cards: fields.cards,
        has_ended: fields.has_ended,
    })
}
wire_message! { SeatView = v1::SeatView }

/// Returns the positions that pieces have in a structure.
fn positions(pieces: &[Placement], structure: &[Placement]) -> ArrayVec<u32, MAX_PLACED> {
    let place = |piece: &Placement| structure.iter().position(|other| other == piece);
    let positions = pieces.iter().filter_map(place);
    let positions: ArrayVec<u32, MAX_PLACED> = positions.map(|place| place as u32).collect();
    debug_assert_eq!(positions.len(), pieces.len(), "each placed piece is in the structure");
    positions
}

/// Returns the pieces at the given positions in a structure. A position can occur only once.
fn pieces_at(
    field: &str,
    positions: &[u32],
    structure: &[Placement],
) -> Result<ArrayVec<Placement, MAX_PLACED>, FieldError> {
    let mut pieces = ArrayVec::new();
    for (i, position) in positions.iter().enumerate() {
        if positions[..i].contains(position) {
            return Err(FieldError::new("", format!("{position} is repeated")).at(field, i));
        }
        pieces.push(*structure.get(*position as usize).ok_or_else(|| {
            let pieces = structure.len();
            let detail = format!("{position} is not a position in a structure of {pieces} pieces");
            FieldError::new("", detail).at(field, i)
        })?);
    }
    Ok(pieces)
}
