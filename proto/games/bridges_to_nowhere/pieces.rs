//! What of an observation does not follow from its fields one by one.

use arrayvec::ArrayVec;
use bridgemaster_games::bridges_to_nowhere::{
    CARDS_A_DRAFT, Card, Config, MAX_PIECES, MAX_PLACED, Observation, PILLARS, Placement, SeatView,
};

use super::v1;
use crate::games::{
    conversion::InRange,
    describe::wire_message,
    other_form::wire_as,
    wire::{Path as _, WireError},
};

/// How many games a match has stays the same, and is not sent with every observation.
pub(super) fn of_config(observation: &mut Observation, config: &Config) -> Result<(), WireError> {
    observation.games = config.games;
    Ok(())
}

/// Pillars that are not placed.
const NUMBER_OF_PILLARS: InRange<u8> = InRange(0..=PILLARS);

/// What is sent of a seat: the pieces of a secret phase as their positions in the structure.
struct SentSeat {
    structure: ArrayVec<Placement, MAX_PIECES>,
    pillars: u8,
    cards: ArrayVec<Card, CARDS_A_DRAFT>,
    has_ended: bool,
    placed: ArrayVec<u32, MAX_PLACED>,
}

wire_message! {
    SentSeat = v1::SeatView { structure, pillars: NUMBER_OF_PILLARS, cards, has_ended, placed }
}
wire_as! {
    SeatView = v1::SeatView as SentSeat,
    |view| SentSeat {
        structure: view.structure.clone(),
        pillars: view.pillars,
        cards: view.cards.clone(),
        has_ended: view.has_ended,
        placed: positions(&view.placed, &view.structure),
    },
    |field, sent| Ok(Self {
        placed: pieces_at("placed", &sent.placed, &sent.structure).below(field)?,
        structure: sent.structure,
        pillars: sent.pillars,
        cards: sent.cards,
        has_ended: sent.has_ended,
    })
}
wire_message! { SeatView = v1::SeatView }

/// The positions of pieces in a structure.
fn positions(pieces: &[Placement], structure: &[Placement]) -> ArrayVec<u32, MAX_PLACED> {
    let place = |piece: &Placement| structure.iter().position(|other| other == piece);
    let positions = pieces.iter().filter_map(place);
    let positions: ArrayVec<u32, MAX_PLACED> = positions.map(|place| place as u32).collect();
    debug_assert_eq!(
        positions.len(),
        pieces.len(),
        "what was placed is in the structure"
    );
    positions
}

/// The pieces at some positions in a structure, each position once.
fn pieces_at(
    field: &str,
    positions: &[u32],
    structure: &[Placement],
) -> Result<ArrayVec<Placement, MAX_PLACED>, WireError> {
    let mut pieces = ArrayVec::new();
    for (i, position) in positions.iter().enumerate() {
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
