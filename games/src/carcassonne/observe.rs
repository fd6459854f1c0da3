//! Taking a viewer's observation from the whole truth.

use super::components::TILE_KINDS;
use super::map::Map;
use super::observation::{LaidTile, Meeple, Observation, SeatView};
use super::state::State;
use crate::Viewer;

impl State {
    /// What `viewer` may know.
    pub(super) fn observe(&self, viewer: Viewer) -> Observation {
        let mut unseen = [0; TILE_KINDS];
        for tile in self.undrawn() {
            unseen[tile.index()] += 1;
        }
        let seats = self.table.seats.seats();
        Observation {
            viewer,
            turn: self.turn,
            phase: self.phase.clone(),
            seats: seats
                .map(|seat| SeatView {
                    supply: self.supply[seat.index()],
                    points: self.points[seat.index()],
                })
                .collect(),
            tiles: self
                .map
                .tiles()
                .iter()
                .map(|laid| LaidTile {
                    tile: laid.tile,
                    placement: laid.placement,
                })
                .collect(),
            meeples: meeples(&self.map).collect(),
            removed: self.removed.clone(),
            unseen,
        }
    }
}

fn meeples(map: &Map) -> impl Iterator<Item = Meeple> {
    map.meeples.iter().map(|standing| Meeple {
        seat: standing.seat,
        cell: map.tile(standing.tile).placement.cell,
        segment: standing.segment,
    })
}
