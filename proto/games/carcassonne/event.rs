//! Events.

use bridgemaster_games::{
    Seat, SeatSet,
    carcassonne::{Edge, Event, MAX_PLAYERS, MEEPLES, Segment, TileKind},
};

use super::{
    components::{
        cell, gate_from_wire, gate_to_wire, placement_from_wire, placement_to_wire, points, seat,
    },
    v1::{self, event::Event as Wire},
};
use crate::games::{
    field::{WireEnum, at, list, number, required, set},
    wire::{Below, WireError},
};

pub(super) fn to_wire(event: &Event) -> v1::Event {
    let number = |seat: Seat| u32::from(seat.number());
    let event = match *event {
        Event::TileDrawn { seat, tile } => Wire::TileDrawn(v1::TileDrawn {
            seat: number(seat),
            tile: tile.to_wire(),
        }),
        Event::TileRemoved { seat, tile } => Wire::TileRemoved(v1::TileRemoved {
            seat: number(seat),
            tile: tile.to_wire(),
        }),
        Event::TilePlaced {
            seat,
            tile,
            placement,
        } => Wire::TilePlaced(v1::TilePlaced {
            seat: number(seat),
            tile: tile.to_wire(),
            placement: Some(placement_to_wire(placement)),
        }),
        Event::MeeplePlaced {
            seat,
            cell,
            segment,
        } => Wire::MeeplePlaced(v1::MeeplePlaced {
            seat: number(seat),
            x: cell.x.into(),
            y: cell.y.into(),
            segment: segment.to_wire(),
        }),
        Event::MeepleKept { seat } => Wire::MeepleKept(v1::MeepleKept { seat: number(seat) }),
        Event::Scored {
            cell,
            segment,
            completed,
            points,
            seats,
        } => Wire::Scored(v1::Scored {
            x: cell.x.into(),
            y: cell.y.into(),
            segment: segment.to_wire(),
            completed,
            points: points.into(),
            seats: seats.iter().map(number).collect(),
        }),
        Event::DrawbridgeDown {
            seat,
            cell,
            road,
            meeples,
        } => Wire::DrawbridgeDown(v1::DrawbridgeDown {
            seat: number(seat),
            x: cell.x.into(),
            y: cell.y.into(),
            road: road.to_wire(),
            meeples: meeples.into(),
        }),
        Event::MeepleSent { seat, gate } => Wire::MeepleSent(v1::MeepleSent {
            seat: number(seat),
            gate: Some(gate_to_wire(gate)),
        }),
        Event::MeepleTakenHome { seat } => {
            Wire::MeepleTakenHome(v1::MeepleTakenHome { seat: number(seat) })
        }
        Event::GameEnded => Wire::GameEnded(v1::GameEnded {}),
    };
    v1::Event { event: Some(event) }
}

pub(super) fn from_wire(event: &v1::Event) -> Result<Event, WireError> {
    let event = event.event.as_ref();
    match event.ok_or_else(|| WireError::new("event", "one of its entries must be set"))? {
        Wire::TileDrawn(event) => tile_drawn(event).below("tile_drawn"),
        Wire::TileRemoved(event) => tile_removed(event).below("tile_removed"),
        Wire::TilePlaced(event) => tile_placed(event).below("tile_placed"),
        Wire::MeeplePlaced(event) => meeple_placed(event).below("meeple_placed"),
        Wire::MeepleKept(event) => Ok(Event::MeepleKept {
            seat: seat("meeple_kept.seat", event.seat)?,
        }),
        Wire::Scored(event) => scored(event).below("scored"),
        Wire::DrawbridgeDown(event) => drawbridge_down(event).below("drawbridge_down"),
        Wire::MeepleSent(event) => meeple_sent(event).below("meeple_sent"),
        Wire::MeepleTakenHome(event) => Ok(Event::MeepleTakenHome {
            seat: seat("meeple_taken_home.seat", event.seat)?,
        }),
        Wire::GameEnded(_) => Ok(Event::GameEnded),
    }
}

fn tile_drawn(event: &v1::TileDrawn) -> Result<Event, WireError> {
    Ok(Event::TileDrawn {
        seat: seat("seat", event.seat)?,
        tile: TileKind::from_wire("tile", event.tile)?,
    })
}

fn tile_removed(event: &v1::TileRemoved) -> Result<Event, WireError> {
    Ok(Event::TileRemoved {
        seat: seat("seat", event.seat)?,
        tile: TileKind::from_wire("tile", event.tile)?,
    })
}

fn tile_placed(event: &v1::TilePlaced) -> Result<Event, WireError> {
    let placement = set("placement", event.placement.as_ref())?;
    Ok(Event::TilePlaced {
        seat: seat("seat", event.seat)?,
        tile: TileKind::from_wire("tile", event.tile)?,
        placement: placement_from_wire(placement).below("placement")?,
    })
}

fn meeple_placed(event: &v1::MeeplePlaced) -> Result<Event, WireError> {
    Ok(Event::MeeplePlaced {
        seat: seat("seat", event.seat)?,
        cell: cell(event.x, event.y)?,
        segment: Segment::from_wire("segment", event.segment)?,
    })
}

fn scored(event: &v1::Scored) -> Result<Event, WireError> {
    Ok(Event::Scored {
        cell: cell(event.x, event.y)?,
        segment: Segment::from_wire("segment", event.segment)?,
        completed: event.completed,
        points: points("points", event.points)?,
        seats: seat_set("seats", &event.seats)?,
    })
}

/// Seats of which each must come after the one before it.
fn seat_set(field: &str, numbers: &[u32]) -> Result<SeatSet, WireError> {
    let seats = list::<_, _, MAX_PLAYERS>(field, numbers, |item, &number| seat(item, number))?;
    if let Some(place) = seats.windows(2).position(|pair| pair[0] >= pair[1]) {
        let error = WireError::new("", "must be higher than the seat before it");
        return Err(at(field, place + 1, error));
    }
    Ok(seats.into_iter().collect())
}

fn drawbridge_down(event: &v1::DrawbridgeDown) -> Result<Event, WireError> {
    Ok(Event::DrawbridgeDown {
        seat: seat("seat", event.seat)?,
        cell: cell(event.x, event.y)?,
        road: Edge::from_wire("road", event.road)?,
        meeples: number("meeples", event.meeples, 1..=MEEPLES)?,
    })
}

fn meeple_sent(event: &v1::MeepleSent) -> Result<Event, WireError> {
    Ok(Event::MeepleSent {
        seat: seat("seat", event.seat)?,
        gate: required("gate", event.gate.as_ref(), gate_from_wire)?,
    })
}
