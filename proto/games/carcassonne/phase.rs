//! What is going on.

use bridgemaster_games::carcassonne::{Crossing, Edge, MEEPLES, Phase, TileKind};

use super::{
    components::seat,
    v1::{self, observation::Phase as Wire},
};
use crate::games::{
    field::{WireEnum, list, number},
    wire::WireError,
};

pub(super) fn to_wire(phase: &Phase) -> Wire {
    match phase {
        Phase::PlaceTile { tile } => Wire::PlaceTile(v1::PlaceTilePhase {
            tile: tile.to_wire(),
        }),
        Phase::PlaceMeeple => Wire::PlaceMeeple(v1::PlaceMeeplePhase {}),
        Phase::Drawbridge { crossings } => Wire::Drawbridge(v1::DrawbridgePhase {
            crossings: crossings.iter().map(crossing_to_wire).collect(),
        }),
        Phase::Over => Wire::Over(v1::OverPhase {}),
    }
}

pub(super) fn from_wire(phase: Option<&Wire>) -> Result<Phase, WireError> {
    let phase = phase.ok_or_else(|| {
        let detail = "one of place_tile, place_meeple, drawbridge and over must be set";
        WireError::new("phase", detail)
    })?;
    Ok(match phase {
        Wire::PlaceTile(phase) => Phase::PlaceTile {
            tile: TileKind::from_wire("place_tile.tile", phase.tile)?,
        },
        Wire::PlaceMeeple(_) => Phase::PlaceMeeple,
        Wire::Drawbridge(phase) => Phase::Drawbridge {
            crossings: list("drawbridge.crossings", &phase.crossings, |_, crossing| {
                crossing_from_wire(crossing)
            })?,
        },
        Wire::Over(_) => Phase::Over,
    })
}

fn crossing_to_wire(crossing: &Crossing) -> v1::Crossing {
    v1::Crossing {
        road: crossing.road.to_wire(),
        seat: crossing.seat.number().into(),
        meeples: crossing.meeples.into(),
    }
}

fn crossing_from_wire(crossing: &v1::Crossing) -> Result<Crossing, WireError> {
    Ok(Crossing {
        road: Edge::from_wire("road", crossing.road)?,
        seat: seat("seat", crossing.seat)?,
        meeples: number("meeples", crossing.meeples, 1..=MEEPLES)?,
    })
}
