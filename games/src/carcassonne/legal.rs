//! Listing legal decisions, in the canonical order that [`Decision`] documents.

use super::components::{EDGES, TileKind};
use super::decision::{Decision, Placement};
use super::frontier::MAX_OPEN;
use super::map::Feature;
use super::observation::Phase;
use super::state::State;
use crate::Seat;

/// Longest legal list that the rules bound: a tile in each rotation in each open cell. Play that
/// spreads the map out has come to 272, random play to 104.
pub(super) const LEGAL_CAP: usize = MAX_OPEN * EDGES;

impl State {
    /// Replaces the content of `list` by the legal decisions of a seat.
    pub(super) fn legal(&self, seat: Seat, list: &mut Vec<Decision>) {
        list.clear();
        if !self.owing().contains(seat) {
            return;
        }
        match &self.phase {
            Phase::PlaceTile { tile } => self.list_placements(*tile, list),
            Phase::PlaceMeeple => self.list_meeples(seat, list),
            Phase::Drawbridge { .. } => self.list_gates(list),
            Phase::Over => {}
        }
    }

    fn list_placements(&self, tile: TileKind, list: &mut Vec<Decision>) {
        let shape = self.table.edition.shape(tile);
        for open in self.map.frontier().cells() {
            for rotation in shape.fitting(open.demand).iter() {
                list.push(Decision::Place(Placement {
                    cell: open.cell,
                    rotation,
                }));
            }
        }
    }

    fn list_meeples(&self, seat: Seat, list: &mut Vec<Decision>) {
        list.push(Decision::Meeple(None));
        if self.supply[seat.index()] == 0 {
            return;
        }
        let features = self.map.features_of(&self.table.edition, self.map.last());
        let open = features.filter(|&(_, feature)| {
            let allowed = self.table.fields || !matches!(feature, Feature::Field(_));
            allowed && !self.map.is_occupied(feature)
        });
        list.extend(open.map(|(segment, _)| Decision::Meeple(Some(segment))));
    }

    fn list_gates(&self, list: &mut Vec<Decision>) {
        list.push(Decision::Drawbridge(None));
        let crossing = self.first_crossing();
        if let Some(road) = crossing.and_then(|crossing| self.road_of(crossing.road)) {
            let gates = self.map.down(road);
            list.extend(gates.map(|(gate, _)| Decision::Drawbridge(Some(gate))));
        }
    }
}
