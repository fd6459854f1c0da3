//! Taking a viewer's observation from the whole truth.

use arrayvec::ArrayVec;

use super::components::{BridgeCard, CARDS_A_DRAFT, Card, LEVELS};
use super::edition::CardId;
use super::observation::{Observation, SeatView};
use super::setup::seat;
use super::state::{Builder, State, Table};
use crate::Viewer;

impl State {
    /// What `viewer` may know.
    pub(super) fn observe(&self, viewer: Viewer) -> Observation {
        Observation {
            viewer,
            games: self.table.games,
            results: self.results.clone(),
            game: self.game,
            contract: self.contract(),
            round: self.round,
            first_drafter: self.first_drafter(),
            phase: self.phase,
            open: self.bridge_cards(&self.open),
            monuments: self.monuments,
            unseen: self.bridge_cards(&self.deal().unseen(self.round)),
            seats: std::array::from_fn(|number| {
                let builder = &self.seats[number];
                match viewer == Viewer::Seat(seat(number as u8)) {
                    true => builder.own_view(&self.table),
                    false => builder.shown_view(&self.table),
                }
            }),
        }
    }

    /// The bridge cards of some identifiers, at most `N`.
    pub(super) fn bridge_cards<const N: usize>(&self, ids: &[CardId]) -> ArrayVec<BridgeCard, N> {
        let cards = ids.iter().filter_map(|&id| match self.table.card(id) {
            Card::Bridge(card) => Some(card),
            Card::Monument => None,
        });
        cards.collect()
    }
}

impl Builder {
    /// What the seat itself knows.
    fn own_view(&self, table: &Table) -> SeatView {
        SeatView {
            structure: self.pieces(table, [0; LEVELS]).collect(),
            pillars: self.pillars,
            cards: self.hand.iter().map(|&id| table.card(id)).collect(),
            placed: self
                .placed
                .iter()
                .map(|placed| placed.placement(table))
                .collect(),
            has_ended: self.has_ended,
        }
    }

    /// What everybody was last shown: what this phase has placed is not there yet.
    fn shown_view(&self, table: &Table) -> SeatView {
        let placed_cards = self.placed.iter().filter_map(|placed| placed.card);
        let pillars = self.placed.iter().filter(|placed| placed.card.is_none());
        let mut cards: ArrayVec<CardId, CARDS_A_DRAFT> = self.hand.clone();
        cards.extend(placed_cards);
        cards.sort_unstable();
        SeatView {
            structure: self.pieces(table, self.placed_boards()).collect(),
            pillars: self.pillars + pillars.count() as u8,
            cards: cards.iter().map(|&id| table.card(id)).collect(),
            placed: ArrayVec::new(),
            has_ended: false,
        }
    }
}
