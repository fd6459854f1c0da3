//! Decisions.

use bridgemaster_games::old_london_bridge::{
    BONUS_STACKS, BRIDGE_SLOTS, Decision, Kind, Placement, Spot, TurnTile,
};

use super::{
    components::{
        card_counts, numbers, played_from_wire, played_to_wire, raises_from_wire, raises_to_wire,
    },
    v1::{self, decision::Decision as Wire},
};
use crate::games::{
    field::{WireEnum, number, wire_enum},
    wire::{Below, WireError},
};

wire_enum!(Spot = v1::Spot { Outer Centre });
wire_enum!(TurnTile = v1::TileKind { Recall ChapelPlus2 GatePlus2 });

pub(super) fn to_wire(decision: &Decision) -> v1::Decision {
    let decision = match decision {
        Decision::TakeA2(used) => Wire::TakeA2(v1::TakeA2 { used: *used }),
        Decision::PlayCards(cards) => Wire::PlayCards(played_to_wire(cards)),
        Decision::RaiseCards(raises) => Wire::RaiseCards(raises_to_wire(raises)),
        Decision::Place(placement) => Wire::Place(v1::Place {
            spot: placement.spot.to_wire(),
            stack: placement.stack.to_wire(),
            share: placement.share,
            opening: placement.opening,
        }),
        Decision::Replace(slot) => Wire::Replace(v1::Replace {
            slot: (*slot).into(),
        }),
        Decision::TakeTile(stack) => Wire::TakeTile(v1::TakeTile {
            bonus_stack: (*stack).into(),
        }),
        Decision::TakeCards(cards) => Wire::TakeCards(v1::TakeCards {
            cards: numbers(cards),
        }),
        Decision::UseTile(tile) => Wire::UseTile(v1::UseTile {
            tile: tile.to_wire(),
        }),
        Decision::End => Wire::End(v1::EndTurn {}),
    };
    v1::Decision {
        decision: Some(decision),
    }
}

pub(super) fn from_wire(decision: &v1::Decision) -> Result<Decision, WireError> {
    let decision = decision.decision.as_ref().ok_or_else(|| {
        let detail = "one of take_a_2, play_cards, raise_cards, place, replace, take_tile, \
                      take_cards, use_tile and end must be set";
        WireError::new("decision", detail)
    })?;
    Ok(match decision {
        Wire::TakeA2(answer) => Decision::TakeA2(answer.used),
        Wire::PlayCards(cards) => Decision::PlayCards(played_from_wire(cards).below("play_cards")?),
        Wire::RaiseCards(raises) => {
            Decision::RaiseCards(raises_from_wire(raises).below("raise_cards")?)
        }
        Wire::Place(place) => Decision::Place(placement(place).below("place")?),
        Wire::Replace(replace) => {
            let slots = 0..=BRIDGE_SLOTS as u8 - 1;
            Decision::Replace(number("replace.slot", replace.slot, slots)?)
        }
        Wire::TakeTile(take) => {
            let stacks = 0..=BONUS_STACKS as u8 - 1;
            Decision::TakeTile(number("take_tile.bonus_stack", take.bonus_stack, stacks)?)
        }
        Wire::TakeCards(take) => Decision::TakeCards(card_counts("take_cards.cards", &take.cards)?),
        Wire::UseTile(tile) => Decision::UseTile(TurnTile::from_wire("use_tile.tile", tile.tile)?),
        Wire::End(_) => Decision::End,
    })
}

fn placement(place: &v1::Place) -> Result<Placement, WireError> {
    Ok(Placement {
        spot: Spot::from_wire("spot", place.spot)?,
        stack: Kind::from_wire("stack", place.stack)?,
        share: place.share,
        opening: place.opening,
    })
}
