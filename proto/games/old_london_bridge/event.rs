//! Events.

use std::ops::RangeInclusive;

use bridgemaster_games::{
    Seat,
    old_london_bridge::{
        BONUS_STACKS, BRIDGE_SLOTS, Event, Face, Kind, MAX_ROUNDS, MAX_TRACK_SPACES, MAX_TURNS,
        OUTER_SPACES, TileKind,
    },
};

use super::{
    components::{
        building_from_wire, building_to_wire, card, card_counts, numbers, pawn_from_wire,
        pawn_to_wire, played_from_wire, played_to_wire, raises_from_wire, raises_to_wire, seat,
        turn_from_wire, turn_to_wire,
    },
    v1::{self, event::Event as Wire},
};
use crate::games::{
    field::{WireEnum, list, number, optional, optional_to_wire, required},
    wire::WireError,
};

/// Orientations of the rondel.
const ORIENTATIONS: RangeInclusive<u8> = 0..=OUTER_SPACES as u8 - 1;

pub(super) fn to_wire(event: &Event) -> v1::Event {
    let number = |seat: &Seat| u32::from(seat.number());
    let event = match event {
        Event::RoundStarted {
            round,
            marker,
            orientation,
        } => Wire::RoundStarted(v1::RoundStarted {
            round: (*round).into(),
            marker: (*marker).into(),
            orientation: (*orientation).into(),
        }),
        Event::TakeA2Answered { seat, used } => Wire::TakeA2Answered(v1::TakeA2Answered {
            seat: number(seat),
            used: *used,
        }),
        Event::CardsChosen { seat } => Wire::CardsChosen(v1::CardsChosen { seat: number(seat) }),
        Event::CardsRevealed { seat, cards } => Wire::CardsRevealed(v1::CardsRevealed {
            seat: number(seat),
            cards: Some(played_to_wire(cards)),
        }),
        Event::CardsRaised { seat, raises } => Wire::CardsRaised(v1::CardsRaised {
            seat: number(seat),
            raises: Some(raises_to_wire(raises)),
        }),
        Event::OrderFixed { turns } => Wire::OrderFixed(v1::OrderFixed {
            turns: turns.iter().map(turn_to_wire).collect(),
        }),
        Event::TurnStarted { turn, seat, card } => Wire::TurnStarted(v1::TurnStarted {
            turn: (*turn).into(),
            seat: number(seat),
            card: (*card).into(),
        }),
        Event::Placed {
            seat,
            pawn,
            stack,
            money,
            share,
            opening,
        } => Wire::Placed(v1::Placed {
            seat: number(seat),
            pawn: Some(pawn_to_wire(*pawn)),
            stack: stack.to_wire(),
            money: *money,
            share: *share,
            opening: optional_to_wire(*opening),
        }),
        Event::TurnSkipped { seat } => Wire::TurnSkipped(v1::TurnSkipped { seat: number(seat) }),
        Event::Built {
            seat,
            building,
            slot,
            replaced,
            strength,
        } => Wire::Built(v1::Built {
            seat: number(seat),
            building: Some(building_to_wire(building)),
            slot: (*slot).into(),
            replaced: replaced.as_ref().map(building_to_wire),
            strength: (*strength).into(),
        }),
        Event::StackRevealed { stack, top } => Wire::StackRevealed(v1::StackRevealed {
            stack: stack.to_wire(),
            top: top.as_ref().map(building_to_wire),
        }),
        Event::ChapelAdvanced {
            seat,
            from,
            to,
            money,
        } => Wire::ChapelAdvanced(v1::ChapelAdvanced {
            seat: number(seat),
            from_space: (*from).into(),
            to_space: (*to).into(),
            money: *money,
        }),
        Event::GateAdvanced {
            seat,
            from,
            to,
            tiles,
            money,
        } => Wire::GateAdvanced(v1::GateAdvanced {
            seat: number(seat),
            from_space: (*from).into(),
            to_space: (*to).into(),
            tiles: (*tiles).into(),
            money: *money,
        }),
        Event::TileTaken {
            seat,
            stack,
            tile,
            revealed,
        } => Wire::TileTaken(v1::TileTaken {
            seat: number(seat),
            bonus_stack: (*stack).into(),
            tile: tile.to_wire(),
            revealed: optional_to_wire(*revealed),
        }),
        Event::CardsTaken { seat, cards } => Wire::CardsTaken(v1::CardsTaken {
            seat: number(seat),
            cards: numbers(cards),
        }),
        Event::HaberdasheryPaid { seat, money } => Wire::HaberdasheryPaid(v1::HaberdasheryPaid {
            seat: number(seat),
            money: *money,
        }),
        Event::CardRecalled { seat, card } => Wire::CardRecalled(v1::CardRecalled {
            seat: number(seat),
            card: (*card).into(),
        }),
        Event::TileUsed { seat, tile } => Wire::TileUsed(v1::TileUsed {
            seat: number(seat),
            tile: tile.to_wire(),
        }),
        Event::FacePaid { seat, face, money } => Wire::FacePaid(v1::FacePaid {
            seat: number(seat),
            face: face.to_wire(),
            money: *money,
        }),
        Event::RoundEnded { round } => Wire::RoundEnded(v1::RoundEnded {
            round: (*round).into(),
        }),
        Event::GameEnded { early } => Wire::GameEnded(v1::GameEnded { early: *early }),
    };
    v1::Event { event: Some(event) }
}

pub(super) fn from_wire(event: &v1::Event) -> Result<Event, WireError> {
    let event = event.event.as_ref();
    Ok(
        match event.ok_or_else(|| WireError::new("event", "one of its entries must be set"))? {
            Wire::RoundStarted(event) => Event::RoundStarted {
                round: round("round_started.round", event.round)?,
                marker: number("round_started.marker", event.marker, 1..=3)?,
                orientation: number("round_started.orientation", event.orientation, ORIENTATIONS)?,
            },
            Wire::TakeA2Answered(event) => Event::TakeA2Answered {
                seat: seat("take_a_2_answered.seat", event.seat)?,
                used: event.used,
            },
            Wire::CardsChosen(event) => Event::CardsChosen {
                seat: seat("cards_chosen.seat", event.seat)?,
            },
            Wire::CardsRevealed(event) => Event::CardsRevealed {
                seat: seat("cards_revealed.seat", event.seat)?,
                cards: required(
                    "cards_revealed.cards",
                    event.cards.as_ref(),
                    played_from_wire,
                )?,
            },
            Wire::CardsRaised(event) => Event::CardsRaised {
                seat: seat("cards_raised.seat", event.seat)?,
                raises: required(
                    "cards_raised.raises",
                    event.raises.as_ref(),
                    raises_from_wire,
                )?,
            },
            Wire::OrderFixed(event) => Event::OrderFixed {
                turns: list("order_fixed.turns", &event.turns, |_, turn| {
                    turn_from_wire(turn)
                })?,
            },
            Wire::TurnStarted(event) => Event::TurnStarted {
                turn: number("turn_started.turn", event.turn, 0..=MAX_TURNS as u8 - 1)?,
                seat: seat("turn_started.seat", event.seat)?,
                card: card("turn_started.card", event.card)?,
            },
            Wire::Placed(event) => Event::Placed {
                seat: seat("placed.seat", event.seat)?,
                pawn: required("placed.pawn", event.pawn.as_ref(), pawn_from_wire)?,
                stack: Kind::from_wire("placed.stack", event.stack)?,
                money: event.money,
                share: event.share,
                opening: TileKind::optional_from_wire("placed.opening", event.opening)?,
            },
            Wire::TurnSkipped(event) => Event::TurnSkipped {
                seat: seat("turn_skipped.seat", event.seat)?,
            },
            Wire::Built(event) => Event::Built {
                seat: seat("built.seat", event.seat)?,
                building: required(
                    "built.building",
                    event.building.as_ref(),
                    building_from_wire,
                )?,
                slot: number("built.slot", event.slot, 0..=BRIDGE_SLOTS as u8 - 1)?,
                replaced: optional(
                    "built.replaced",
                    event.replaced.as_ref(),
                    building_from_wire,
                )?,
                strength: number("built.strength", event.strength, 0..=BRIDGE_SLOTS as u8)?,
            },
            Wire::StackRevealed(event) => Event::StackRevealed {
                stack: Kind::from_wire("stack_revealed.stack", event.stack)?,
                top: optional("stack_revealed.top", event.top.as_ref(), building_from_wire)?,
            },
            Wire::ChapelAdvanced(event) => Event::ChapelAdvanced {
                seat: seat("chapel_advanced.seat", event.seat)?,
                from: space("chapel_advanced.from_space", event.from_space)?,
                to: space("chapel_advanced.to_space", event.to_space)?,
                money: event.money,
            },
            Wire::GateAdvanced(event) => Event::GateAdvanced {
                seat: seat("gate_advanced.seat", event.seat)?,
                from: space("gate_advanced.from_space", event.from_space)?,
                to: space("gate_advanced.to_space", event.to_space)?,
                tiles: number("gate_advanced.tiles", event.tiles, 0..=MAX_TRACK_SPACES)?,
                money: event.money,
            },
            Wire::TileTaken(event) => Event::TileTaken {
                seat: seat("tile_taken.seat", event.seat)?,
                stack: number(
                    "tile_taken.bonus_stack",
                    event.bonus_stack,
                    0..=BONUS_STACKS as u8 - 1,
                )?,
                tile: TileKind::from_wire("tile_taken.tile", event.tile)?,
                revealed: TileKind::optional_from_wire("tile_taken.revealed", event.revealed)?,
            },
            Wire::CardsTaken(event) => Event::CardsTaken {
                seat: seat("cards_taken.seat", event.seat)?,
                cards: card_counts("cards_taken.cards", &event.cards)?,
            },
            Wire::HaberdasheryPaid(event) => Event::HaberdasheryPaid {
                seat: seat("haberdashery_paid.seat", event.seat)?,
                money: event.money,
            },
            Wire::CardRecalled(event) => Event::CardRecalled {
                seat: seat("card_recalled.seat", event.seat)?,
                card: card("card_recalled.card", event.card)?,
            },
            Wire::TileUsed(event) => Event::TileUsed {
                seat: seat("tile_used.seat", event.seat)?,
                tile: TileKind::from_wire("tile_used.tile", event.tile)?,
            },
            Wire::FacePaid(event) => Event::FacePaid {
                seat: seat("face_paid.seat", event.seat)?,
                face: Face::from_wire("face_paid.face", event.face)?,
                money: event.money,
            },
            Wire::RoundEnded(event) => Event::RoundEnded {
                round: round("round_ended.round", event.round)?,
            },
            Wire::GameEnded(event) => Event::GameEnded { early: event.early },
        },
    )
}

fn round(field: &str, value: u32) -> Result<u8, WireError> {
    number(field, value, 0..=MAX_ROUNDS as u8 - 1)
}

fn space(field: &str, value: u32) -> Result<u8, WireError> {
    number(field, value, 0..=MAX_TRACK_SPACES)
}
