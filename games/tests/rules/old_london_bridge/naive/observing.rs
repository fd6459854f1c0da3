//! The observation of a viewer.

use bridgemaster_games::Viewer;
use bridgemaster_games::old_london_bridge::{BonusStackView, Observation, SeatView, StackView};

use super::Naive;

use crate::play::seat;

impl Naive {
    /// The observation of a viewer.
    pub(crate) fn observe(&self, viewer: Viewer) -> Observation {
        let mut seats: Vec<SeatView> = self.players.clone();
        if let Viewer::Seat(own) = viewer
            && let Some(cards) = self.chosen[own.index()]
        {
            seats[own.index()].played = Some(cards);
        }
        let ring = self.config.edition.ring().iter().zip(&self.stacks);
        let stacks: Vec<StackView> = ring
            .map(|(&kind, stack)| {
                let mut below = stack.clone();
                let top = below.pop();
                below.sort();
                StackView { kind, top, unseen: below.into_iter().collect() }
            })
            .collect();
        let bonus = self.bonus.iter().map(|stack| {
            let mut below = stack.clone();
            let face_up = below.pop();
            below.sort();
            BonusStackView { face_up, unseen: below.into_iter().collect() }
        });
        let bonus: Vec<BonusStackView> = bonus.collect();
        let mut unseen_markers = [5; 3];
        for marker in &self.markers[..=self.round] {
            unseen_markers[usize::from(*marker) - 1] -= 1;
        }
        let in_order = |order: &[usize]| order.iter().map(|&owner| seat(owner as u8)).collect();
        Observation {
            viewer,
            faces: self.faces,
            rounds: self.markers.len() as u8,
            round: self.round as u8,
            marker: self.markers[self.round],
            orientation: self.orientation as u8,
            phase: self.phase,
            stacks: stacks.try_into().unwrap(),
            unseen_markers,
            supply: self.supply,
            bonus_stacks: bonus.try_into().unwrap(),
            seats: seats.into_iter().collect(),
            chapel_order: in_order(&self.chapel),
            gate_order: in_order(&self.gate),
            turns: self.turns.iter().copied().collect(),
        }
    }
}
