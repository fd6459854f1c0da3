//! Taking a viewer's observation from the whole truth.

use arrayvec::ArrayVec;

use super::components::{BUILDINGS_PER_KIND, Building, MAX_PLAYERS, TILE_KINDS, TileKind};
use super::edition::building_order;
use super::observation::{BonusStackView, Observation, SeatView, StackView};
use super::state::State;
use crate::Viewer;

impl State {
    /// What `viewer` may know.
    pub(super) fn observe(&self, viewer: Viewer) -> Observation {
        let table = &self.table;
        Observation {
            viewer,
            faces: table.faces,
            rounds: table.rounds,
            round: self.round,
            marker: table.markers[usize::from(self.round)],
            orientation: self.orientation,
            phase: self.phase,
            stacks: std::array::from_fn(|place| {
                let rest = &table.stacks[place][usize::from(self.buildings_gone[place])..];
                let (top, unseen) = split_top(rest);
                let mut unseen: ArrayVec<Building, BUILDINGS_PER_KIND> =
                    unseen.iter().copied().collect();
                unseen.sort_unstable_by_key(building_order);
                StackView {
                    kind: table.edition.ring()[place],
                    top,
                    unseen,
                }
            }),
            unseen_markers: self.unseen_markers(),
            supply: self.supply,
            bonus_stacks: std::array::from_fn(|place| {
                let rest = &table.bonus_stacks[place][usize::from(self.tiles_gone[place])..];
                let (face_up, unseen) = split_top(rest);
                let mut unseen: ArrayVec<TileKind, TILE_KINDS> = unseen.iter().copied().collect();
                unseen.sort_unstable();
                BonusStackView { face_up, unseen }
            }),
            seats: self.seat_views(viewer),
            chapel_order: self.chapel_order.clone(),
            gate_order: self.gate_order.clone(),
            turns: self.turns.clone(),
        }
    }

    /// The public views of the seats; the viewer sees its own choice too.
    fn seat_views(&self, viewer: Viewer) -> ArrayVec<SeatView, MAX_PLAYERS> {
        let mut views = self.seats.clone();
        if let Viewer::Seat(seat) = viewer
            && let Some(view) = views.get_mut(seat.index())
        {
            view.played = view.played.or(self.chosen[seat.index()]);
        }
        views
    }
}

fn split_top<T: Copy>(rest: &[T]) -> (Option<T>, &[T]) {
    match rest.split_first() {
        Some((&top, below)) => (Some(top), below),
        None => (None, &[]),
    }
}
