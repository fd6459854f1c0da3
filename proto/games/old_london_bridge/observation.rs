//! Observations.

use bridgemaster_games::{
    Seat, Viewer,
    old_london_bridge::{
        BonusStackView, Building, Coat, Config, Edition, Kind, MARKERS_PER_VALUE, MAX_HOUSE_NUMBER,
        MAX_PLAYED, MAX_ROUNDS, MAX_TRACK_SPACES, OUTER_SPACES, Observation, SeatView, StackView,
        TileKind,
    },
};

use super::{
    components::{
        building_from_wire, building_to_wire, card_counts, faces_from_wire, faces_to_wire, numbers,
        pawn_from_wire, pawn_to_wire, played_from_wire, played_to_wire, raises_from_wire,
        raises_to_wire, seat, tile_counts, tiles_to_wire, turn_from_wire, turn_to_wire,
    },
    phase, v1,
};
use crate::games::{
    field::{WireEnum, exactly, list, number, optional_to_wire, required},
    wire::{Below, WireError},
};

pub(super) fn to_wire(observation: &Observation) -> v1::Observation {
    let seats = |order: &[Seat]| order.iter().map(|seat| seat.number().into()).collect();
    v1::Observation {
        viewer_seat: match observation.viewer {
            Viewer::Seat(seat) => Some(seat.number().into()),
            Viewer::Spectator => None,
        },
        faces: Some(faces_to_wire(&observation.faces)),
        rounds: observation.rounds.into(),
        round: observation.round.into(),
        marker: observation.marker.into(),
        orientation: observation.orientation.into(),
        phase: Some(phase::to_wire(&observation.phase)),
        stacks: observation.stacks.iter().map(stack_to_wire).collect(),
        unseen_markers: numbers(&observation.unseen_markers),
        supply: numbers(&observation.supply),
        bonus_stacks: observation
            .bonus_stacks
            .iter()
            .map(bonus_stack_to_wire)
            .collect(),
        seats: observation.seats.iter().map(seat_view_to_wire).collect(),
        chapel_order: seats(&observation.chapel_order),
        gate_order: seats(&observation.gate_order),
        turns: observation.turns.iter().map(turn_to_wire).collect(),
    }
}

pub(super) fn from_wire(
    observation: &v1::Observation,
    config: &Config,
) -> Result<Observation, WireError> {
    let wire = observation;
    Ok(Observation {
        viewer: match wire.viewer_seat {
            Some(number) => Viewer::Seat(seat("viewer_seat", number)?),
            None => Viewer::Spectator,
        },
        faces: required("faces", wire.faces.as_ref(), faces_from_wire)?,
        rounds: number("rounds", wire.rounds, 1..=MAX_ROUNDS as u8)?,
        round: number("round", wire.round, 0..=MAX_ROUNDS as u8 - 1)?,
        marker: number("marker", wire.marker, 1..=3)?,
        orientation: number("orientation", wire.orientation, 0..=OUTER_SPACES as u8 - 1)?,
        phase: phase::from_wire(wire.phase.as_ref())?,
        stacks: exactly("stacks", &wire.stacks, |_, stack| {
            stack_from_wire(stack, &config.edition)
        })?,
        unseen_markers: exactly("unseen_markers", &wire.unseen_markers, |item, &count| {
            number(item, count, 0..=MARKERS_PER_VALUE)
        })?,
        supply: card_counts("supply", &wire.supply)?,
        bonus_stacks: exactly("bonus_stacks", &wire.bonus_stacks, |_, stack| {
            bonus_stack_from_wire(stack)
        })?,
        seats: list("seats", &wire.seats, |_, view| seat_view_from_wire(view))?,
        chapel_order: list("chapel_order", &wire.chapel_order, |item, &number| {
            seat(item, number)
        })?,
        gate_order: list("gate_order", &wire.gate_order, |item, &number| {
            seat(item, number)
        })?,
        turns: list("turns", &wire.turns, |_, turn| turn_from_wire(turn))?,
    })
}

fn stack_to_wire(stack: &StackView) -> v1::StackView {
    // A stack has either numbers or, of parks, coats; the other list stays empty and unallocated.
    let coats = match stack.kind {
        Kind::Park => stack
            .unseen
            .iter()
            .map(|park| optional_to_wire(park.coat))
            .collect(),
        _ => Vec::new(),
    };
    let numbers = match stack.kind {
        Kind::Park => Vec::new(),
        _ => stack
            .unseen
            .iter()
            .map(|house| house.number.map_or(0, u32::from))
            .collect(),
    };
    v1::StackView {
        kind: stack.kind.to_wire(),
        top: stack.top.as_ref().map(building_to_wire),
        unseen_numbers: numbers,
        unseen_coats: coats,
    }
}

fn stack_from_wire(stack: &v1::StackView, edition: &Edition) -> Result<StackView, WireError> {
    let kind = Kind::from_wire("kind", stack.kind)?;
    let unseen = match kind {
        Kind::Park => {
            none(
                "unseen_numbers",
                stack.unseen_numbers.len(),
                "parks have no numbers",
            )?;
            list("unseen_coats", &stack.unseen_coats, |item, &coat| {
                Ok(Building {
                    kind,
                    number: None,
                    coat: Some(Coat::from_wire(item, coat)?),
                })
            })?
        }
        _ => {
            none(
                "unseen_coats",
                stack.unseen_coats.len(),
                "numbers tell which buildings these are",
            )?;
            list("unseen_numbers", &stack.unseen_numbers, |item, &number| {
                numbered(item, kind, number, edition)
            })?
        }
    };
    Ok(StackView {
        kind,
        top: stack
            .top
            .as_ref()
            .map(building_from_wire)
            .transpose()
            .below("top")?,
        unseen,
    })
}

/// A list that must be empty.
fn none(field: &str, entries: usize, reason: &str) -> Result<(), WireError> {
    match entries {
        0 => Ok(()),
        _ => Err(WireError::new(field, format!("must be empty: {reason}"))),
    }
}

/// The building of a kind with a house number.
fn numbered(
    field: &str,
    kind: Kind,
    house_number: u32,
    edition: &Edition,
) -> Result<Building, WireError> {
    let house_number = number(field, house_number, 1..=MAX_HOUSE_NUMBER)?;
    let mut buildings = edition.buildings_of(kind).iter();
    buildings
        .find(|building| building.number == Some(house_number))
        .copied()
        .ok_or_else(|| {
            let detail = format!(
                "the edition {} has no {kind} of number {house_number}",
                edition.name()
            );
            WireError::new(field, detail)
        })
}

fn bonus_stack_to_wire(stack: &BonusStackView) -> v1::BonusStackView {
    v1::BonusStackView {
        face_up: optional_to_wire(stack.face_up),
        unseen: stack.unseen.iter().map(|tile| tile.to_wire()).collect(),
    }
}

fn bonus_stack_from_wire(stack: &v1::BonusStackView) -> Result<BonusStackView, WireError> {
    Ok(BonusStackView {
        face_up: TileKind::optional_from_wire("face_up", stack.face_up)?,
        unseen: list("unseen", &stack.unseen, |item, &tile| {
            TileKind::from_wire(item, tile)
        })?,
    })
}

fn seat_view_to_wire(view: &SeatView) -> v1::SeatView {
    v1::SeatView {
        money: view.money,
        hand: numbers(&view.hand),
        bridge: view.bridge.iter().map(building_to_wire).collect(),
        chapel_position: view.chapel_position.into(),
        gate_position: view.gate_position.into(),
        tiles: tiles_to_wire(&view.tiles),
        fresh_tiles: tiles_to_wire(&view.fresh_tiles),
        pawn: Some(pawn_to_wire(view.pawn)),
        has_chosen: view.has_chosen,
        played: view.played.as_ref().map(played_to_wire),
        raises: (view.raises != [0; MAX_PLAYED]).then(|| raises_to_wire(&view.raises)),
        lowest_built: view.lowest_built.map_or(0, u32::from),
    }
}

fn seat_view_from_wire(view: &v1::SeatView) -> Result<SeatView, WireError> {
    let space = |field, value| number(field, value, 0..=MAX_TRACK_SPACES);
    let lowest_built = number("lowest_built", view.lowest_built, 0..=MAX_HOUSE_NUMBER)?;
    Ok(SeatView {
        money: view.money,
        hand: card_counts("hand", &view.hand)?,
        bridge: list("bridge", &view.bridge, |_, building| {
            building_from_wire(building)
        })?,
        chapel_position: space("chapel_position", view.chapel_position)?,
        gate_position: space("gate_position", view.gate_position)?,
        tiles: tile_counts("tiles", &view.tiles)?,
        fresh_tiles: tile_counts("fresh_tiles", &view.fresh_tiles)?,
        pawn: required("pawn", view.pawn.as_ref(), pawn_from_wire)?,
        has_chosen: view.has_chosen,
        played: view
            .played
            .as_ref()
            .map(played_from_wire)
            .transpose()
            .below("played")?,
        raises: match &view.raises {
            Some(raises) => raises_from_wire(raises).below("raises")?,
            None => [0; MAX_PLAYED],
        },
        lowest_built: (lowest_built != 0).then_some(lowest_built),
    })
}
