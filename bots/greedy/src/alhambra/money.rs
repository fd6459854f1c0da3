//! The value of money, in points.

use std::iter;

use bridgemaster_games::{
    Seat,
    alhambra::{CURRENCIES, Currency, Money, Observation, Purchase, RowCards},
};

/// The value of one unit of money while there is still much to buy, in points.
const UNIT: f64 = 0.5;
/// The average amount paid for a building. The average covers exact and inexact payments.
const MEAN_PRICE: f64 = 8.0;
/// The value that a card has in addition to its money, in points. More cards allow more exact
/// payments.
const CARD: f64 = 0.25;
/// The fractions of a building's points that count if the seat can pay only in its next turn, since
/// another seat might buy the building first. The first fraction is for an exact payment, and the
/// second for any other payment.
const NEXT_EXACT: f64 = 0.45;
const NEXT_OVERPAID: f64 = 0.25;

/// The seat's money, and the buildings on offer.
pub(super) struct MoneyEvaluator {
    hand: Money,
    /// Each slot's price and building points; `None` if the slot is empty.
    offers: [Option<(u8, f64)>; CURRENCIES],
    /// The value of being able to pay for each slot's building in the next turn.
    next_turn_values: [f64; CURRENCIES],
    /// The money that the seat needs for its share of the remaining buildings.
    useful_total: f64,
}

impl MoneyEvaluator {
    /// Creates an evaluator. `gains` are the points for the building in each slot.
    pub(super) fn new(seen: &Observation, seat: Seat, gains: [f64; CURRENCIES]) -> Self {
        let open = seen.yard.iter().flatten().count();
        let remaining_buildings = (seen.unseen_buildings.len() + open) as f64;
        let share = remaining_buildings / seen.seats.len() as f64;
        let offer = |slot: Currency| {
            let building = seen.yard[slot.index()]?;
            Some((building.price(), gains[slot.index()].max(0.0)))
        };
        let mut money = Self {
            hand: seen.seats[seat.index()].hand,
            offers: Currency::ALL.map(offer),
            next_turn_values: [0.0; CURRENCIES],
            useful_total: (share * MEAN_PRICE).max(1.0),
        };
        money.next_turn_values =
            Currency::ALL.map(|slot| money.next_turn_value(slot, iter::empty()));
        money
    }

    /// Returns the gain from taking cards from the open row.
    pub(super) fn take_gain(&self, cards: RowCards) -> f64 {
        let (total, count) = (self.hand.total(), self.hand.len());
        let more = self.value(total + u16::from(cards.total()), count + cards.len());
        let mut gain = more - self.value(total, count);
        for slot in Currency::ALL {
            let taken = cards.cards().filter(|card| card.currency() == slot);
            gain += self.next_turn_value(slot, taken.map(|card| card.value()))
                - self.next_turn_values[slot.index()];
        }
        gain
    }

    /// Returns the loss from a payment. The loss includes the prospect of buying the same building
    /// in the next turn.
    pub(super) fn payment_loss(&self, purchase: &Purchase) -> f64 {
        let (total, count) = (self.hand.total(), self.hand.len());
        let paid = purchase.payment;
        let less = self.value(total - u16::from(paid.total()), count - paid.len());
        self.value(total, count) - less + self.next_turn_values[purchase.slot.index()]
    }

    /// Returns the value of the seat's money.
    pub(super) fn hand_value(&self) -> f64 {
        self.value(self.hand.total(), self.hand.len())
    }

    /// Returns the value of an amount of money in this number of cards, with diminishing returns.
    fn value(&self, total: u16, cards: usize) -> f64 {
        let used = 1.0 - (-f64::from(total) / self.useful_total).exp();
        let per_unit = UNIT + CARD * cards as f64 / f64::from(total.max(1));
        per_unit * self.useful_total * used
    }

    /// Returns the value of being able to pay for the building in a slot in the next turn. The
    /// payment can use the hand and `more` cards of the currency.
    fn next_turn_value(&self, slot: Currency, more: impl Iterator<Item = u8>) -> f64 {
        let Some((price, gain)) = self.offers[slot.index()] else {
            return 0.0;
        };
        // Bit n is set if the amount n can be paid exactly.
        let (mut exact, mut total) = (1u32, 0);
        for value in self.hand.of_currency(slot).values().chain(more) {
            exact |= exact << value;
            total += value;
        }
        if total < price {
            0.0
        } else if exact >> price & 1 == 1 {
            NEXT_EXACT * gain
        } else {
            NEXT_OVERPAID * gain
        }
    }
}
