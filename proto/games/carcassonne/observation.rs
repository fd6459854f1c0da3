//! Observations.

use bridgemaster_games::{
    Viewer,
    carcassonne::{
        Config, LaidTile, MEEPLES, Meeple, Observation, Placement, Points, SeatView, Segment,
        TileKind,
    },
};

use super::{
    components::{cell, points, rotation, seat},
    phase, v1,
};
use crate::games::{
    field::{WireEnum, exactly, list, number},
    wire::WireError,
};

/// Most tiles of one kind: there are nine V.
const MAX_COUNT: u8 = 9;

pub(super) fn to_wire(observation: &Observation) -> v1::Observation {
    v1::Observation {
        viewer_seat: match observation.viewer {
            Viewer::Seat(seat) => Some(seat.number().into()),
            Viewer::Spectator => None,
        },
        turn_seat: observation.turn.number().into(),
        phase: Some(phase::to_wire(&observation.phase)),
        seats: observation.seats.iter().map(seat_view_to_wire).collect(),
        tiles: observation.tiles.iter().map(laid_tile_to_wire).collect(),
        meeples: observation.meeples.iter().map(meeple_to_wire).collect(),
        removed: observation
            .removed
            .iter()
            .map(|tile| tile.to_wire())
            .collect(),
        unseen: observation.unseen.iter().copied().map(u32::from).collect(),
    }
}

pub(super) fn from_wire(
    observation: &v1::Observation,
    _config: &Config,
) -> Result<Observation, WireError> {
    let wire = observation;
    Ok(Observation {
        viewer: match wire.viewer_seat {
            Some(number) => Viewer::Seat(seat("viewer_seat", number)?),
            None => Viewer::Spectator,
        },
        turn: seat("turn_seat", wire.turn_seat)?,
        phase: phase::from_wire(wire.phase.as_ref())?,
        seats: list("seats", &wire.seats, |_, view| seat_view_from_wire(view))?,
        tiles: list("tiles", &wire.tiles, |_, tile| laid_tile_from_wire(tile))?,
        meeples: list("meeples", &wire.meeples, |_, meeple| {
            meeple_from_wire(meeple)
        })?,
        removed: list("removed", &wire.removed, |item, &tile| {
            TileKind::from_wire(item, tile)
        })?,
        unseen: exactly("unseen", &wire.unseen, |item, &count| {
            number(item, count, 0..=MAX_COUNT)
        })?,
    })
}

fn seat_view_to_wire(view: &SeatView) -> v1::SeatView {
    v1::SeatView {
        supply: view.supply.into(),
        road_points: view.points.roads.into(),
        city_points: view.points.cities.into(),
        monastery_points: view.points.monasteries.into(),
    }
}

fn seat_view_from_wire(view: &v1::SeatView) -> Result<SeatView, WireError> {
    Ok(SeatView {
        supply: number("supply", view.supply, 0..=MEEPLES)?,
        points: Points {
            roads: points("road_points", view.road_points)?,
            cities: points("city_points", view.city_points)?,
            monasteries: points("monastery_points", view.monastery_points)?,
        },
    })
}

fn laid_tile_to_wire(laid: &LaidTile) -> v1::LaidTile {
    v1::LaidTile {
        tile: laid.tile.to_wire(),
        x: laid.placement.cell.x.into(),
        y: laid.placement.cell.y.into(),
        rotation: laid.placement.rotation.quarter_turns().into(),
    }
}

fn laid_tile_from_wire(laid: &v1::LaidTile) -> Result<LaidTile, WireError> {
    Ok(LaidTile {
        tile: TileKind::from_wire("tile", laid.tile)?,
        placement: Placement {
            cell: cell(laid.x, laid.y)?,
            rotation: rotation("rotation", laid.rotation)?,
        },
    })
}

fn meeple_to_wire(meeple: &Meeple) -> v1::Meeple {
    v1::Meeple {
        seat: meeple.seat.number().into(),
        x: meeple.cell.x.into(),
        y: meeple.cell.y.into(),
        segment: meeple.segment.to_wire(),
    }
}

fn meeple_from_wire(meeple: &v1::Meeple) -> Result<Meeple, WireError> {
    Ok(Meeple {
        seat: seat("seat", meeple.seat)?,
        cell: cell(meeple.x, meeple.y)?,
        segment: Segment::from_wire("segment", meeple.segment)?,
    })
}
