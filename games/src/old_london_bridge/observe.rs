//! Taking a viewer's observation from the whole truth.

use arrayvec::ArrayVec;

use super::components::{MAX_PLAYERS, TILE_KINDS, TileKind};
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
                let (stack, top) = (&table.stacks[place], self.buildings_gone[place]);
                StackView {
                    kind: table.edition.ring()[place],
                    top: stack.get(usize::from(top)).copied(),
                    unseen: table.places_in_order[place]
                        .iter()
                        .filter(|&&place| place > top)
                        .map(|&place| stack[usize::from(place)])
                        .collect(),
                }
            }),
            unseen_markers: self.unseen_markers(),
            supply: self.supply,
            bonus_stacks: std::array::from_fn(|place| {
                let rest = &table.bonus_stacks[place][usize::from(self.tiles_gone[place])..];
                let mut unseen: ArrayVec<TileKind, TILE_KINDS> =
                    rest.iter().skip(1).copied().collect();
                unseen.sort_unstable();
                BonusStackView {
                    face_up: rest.first().copied(),
                    unseen,
                }
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
