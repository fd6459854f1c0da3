//! Taking a viewer's observation from the whole truth.

use super::building::Buildings;
use super::money::Money;
use super::observation::{DummyView, Observation, SeatView};
use super::setup::copies;
use super::state::State;
use crate::Viewer;

impl State {
    /// What `viewer` may know.
    pub(super) fn observe(&self, viewer: Viewer) -> Observation {
        let mut unseen_money = Money::all(copies(self.seats)).minus(&self.discard);
        let mut open = Money::EMPTY;
        self.row.cards().for_each(|card| open.insert(card));
        unseen_money = unseen_money.minus(&open);
        let mut unseen_buildings = Buildings::ALL;
        for (hand, owned) in self.hands.iter().zip(&self.buildings) {
            unseen_money = unseen_money.minus(hand);
            unseen_buildings = unseen_buildings.minus(*owned);
        }
        for building in self.yard.into_iter().flatten() {
            let mut one = Buildings::EMPTY;
            one.insert(building);
            unseen_buildings = unseen_buildings.minus(one);
        }
        let seat = |index: usize| SeatView {
            hand: self.hands[index],
            buildings: self.buildings[index],
            points: self.points[index],
        };
        Observation {
            viewer,
            phase: self.phase,
            turn_purchases: self.turn_purchases.clone(),
            seats: self.seats.seats().map(|s| seat(s.index())).collect(),
            dummy: self.has_dummy().then(|| DummyView {
                buildings: self.buildings[self.dummy_index()],
                points: self.points[self.dummy_index()],
            }),
            yard: self.yard,
            row: self.row,
            discard: self.discard,
            unseen_money,
            unseen_buildings,
            scoring_cards: self.money_pile.scoring_ranges(),
            shuffles: self.shuffles,
        }
    }
}
