//! What money is worth, in points.

use std::iter;

use bridgemaster_games::{
    Seat,
    alhambra::{CURRENCIES, Currency, Money, Observation, Purchase, RowCards},
};

/// What money brings where there is still much to buy: points for each unit.
const UNIT: f64 = 0.5;
/// What a building costs on average, exact payments and others.
const MEAN_PRICE: f64 = 8.0;
/// A card without regard to its value, in points: more cards pay more prices exactly.
const CARD: f64 = 0.25;
/// How much of the points of a building counts while the seat can buy it only in its next turn,
/// when it may be gone: paid exactly, and paid over.
const NEXT_EXACT: f64 = 0.45;
const NEXT_OVER: f64 = 0.25;

/// The money of the seat and what there is to buy.
pub(super) struct Purse {
    hand: Money,
    /// Price and points of the building of each slot; `None` when the slot is empty.
    offers: [Option<(u8, f64)>; CURRENCIES],
    /// What it is worth that they can be paid in the next turn.
    prospects: [f64; CURRENCIES],
    /// What the seat's share of the buildings to come costs.
    use_for: f64,
}

impl Purse {
    /// `gains`: points that the building of each slot brings.
    pub(super) fn new(seen: &Observation, seat: Seat, gains: [f64; CURRENCIES]) -> Self {
        let open = seen.yard.iter().flatten().count();
        let to_come = (seen.unseen_buildings.len() + open) as f64;
        let share = to_come / seen.seats.len() as f64;
        let offer = |slot: Currency| {
            let building = seen.yard[slot.index()]?;
            Some((building.price(), gains[slot.index()].max(0.0)))
        };
        let mut purse = Self {
            hand: seen.seats[seat.index()].hand,
            offers: Currency::ALL.map(offer),
            prospects: [0.0; CURRENCIES],
            use_for: (share * MEAN_PRICE).max(1.0),
        };
        purse.prospects = Currency::ALL.map(|slot| purse.prospect(slot, iter::empty()));
        purse
    }

    /// What taking cards of the open row gains.
    pub(super) fn gain_of_taking(&self, cards: RowCards) -> f64 {
        let (total, count) = (self.hand.total(), self.hand.len());
        let more = self.worth(total + u16::from(cards.total()), count + cards.len());
        let mut gain = more - self.worth(total, count);
        for slot in Currency::ALL {
            let taken = cards.cards().filter(|card| card.currency() == slot);
            gain +=
                self.prospect(slot, taken.map(|card| card.value())) - self.prospects[slot.index()];
        }
        gain
    }

    /// What a payment costs, with the prospect of buying the same building in the next turn.
    pub(super) fn loss_of_paying(&self, purchase: &Purchase) -> f64 {
        let (total, count) = (self.hand.total(), self.hand.len());
        let paid = purchase.payment;
        let less = self.worth(total - u16::from(paid.total()), count - paid.len());
        self.worth(total, count) - less + self.prospects[purchase.slot.index()]
    }

    /// What the money of the seat is worth.
    pub(super) fn worth_of_hand(&self) -> f64 {
        self.worth(self.hand.total(), self.hand.len())
    }

    /// What so much money in so many cards is worth: the more there is, the less will be used.
    fn worth(&self, total: u16, cards: usize) -> f64 {
        let used = 1.0 - (-f64::from(total) / self.use_for).exp();
        let a_unit = UNIT + CARD * cards as f64 / f64::from(total.max(1));
        a_unit * self.use_for * used
    }

    /// What it is worth that the building of a slot can be paid with the hand and further cards
    /// of its currency in the next turn.
    fn prospect(&self, slot: Currency, more: impl Iterator<Item = u8>) -> f64 {
        let Some((price, gain)) = self.offers[slot.index()] else {
            return 0.0;
        };
        // Bit n: n can be paid exactly.
        let (mut exact, mut total) = (1u32, 0);
        for value in self.hand.of_currency(slot).values().chain(more) {
            exact |= exact << value;
            total += value;
        }
        match total >= price {
            true if exact >> price & 1 == 1 => NEXT_EXACT * gain,
            true => NEXT_OVER * gain,
            false => 0.0,
        }
    }
}
