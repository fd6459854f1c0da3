//! Listing of purchases: the payments for each building, in canonical order.
//!
//! A payment is the hand without some cards. The cards left out are worth at most the difference
//! between hand and price. So each payment is derived from another payment by removing a card, and
//! no other sets are formed. A payment is stored as one number, and these numbers have the order of
//! legal lists. If there are too many payments, the tiers without waste are searched first. All
//! other payments follow by size until the list is full.

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::Building;
use super::components::{CURRENCIES, Currency, VALUES};
use super::decision::{Decision, Purchase};
use super::money::{Money, ValueCounts};
use crate::{LegalList, Rules};

/// A yard slot with its building's price, and the cards with which the seat can pay it.
#[derive(Clone, Copy)]
struct Offer {
    slot: Currency,
    price: u8,
    hand: ValueCounts,
}

impl Offer {
    /// A placeholder in an array of offers.
    const NONE: Self = Self {
        slot: Currency::Blue,
        price: 0,
        hand: ValueCounts::EMPTY,
    };

    /// Creates a payment with these cards. Their total must be at least the price.
    const fn payment(&self, cards: ValueCounts) -> Payment {
        let order =
            (tier(self.price, cards) as u64) << 7 | (cards.len() as u64) << 2 | self.slot as u64;
        Payment(order << u32::BITS | cards.0 as u64)
    }
}

/// Returns the tier of a payment that reaches the price: 0 for an exact payment, 1 if no card could
/// be left out, 2 otherwise.
pub(super) const fn tier(price: u8, cards: ValueCounts) -> u16 {
    let total = cards.total();
    (total > price) as u16 + (total >= price + cards.lowest()) as u16
}

/// A payment and its slot as one number. Such numbers have the order of legal lists. The number
/// consists of the tier, the number of cards, the slot, and the cards as one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Payment(u64);

impl Payment {
    const fn slot(self) -> Currency {
        Currency::ALL[(self.0 >> u32::BITS) as usize % CURRENCIES]
    }

    const fn cards(self) -> ValueCounts {
        ValueCounts(self.0 as u32)
    }
}

/// The payments found so far, at most as many as fit into a legal list.
type Found = ArrayVec<Payment, { Alhambra::LEGAL_CAP }>;

/// The error for a list that is full.
struct Full;

/// Adds the purchases that a hand can pay for.
pub(super) fn list_purchases(
    yard: &[Option<Building>; CURRENCIES],
    hand: &Money,
    can_give: bool,
    list: &mut Vec<Decision>,
) -> LegalList {
    let mut offers = [Offer::NONE; CURRENCIES];
    let mut count = 0;
    for (slot, building) in Currency::ALL.into_iter().zip(yard) {
        let hand = hand.of_currency(slot);
        // For an empty slot, the price is above the value of any hand.
        let price = building.map_or(u8::MAX, Building::price);
        // An offer that cannot be paid is overwritten by the next offer. A branch instead would be
        // hard for the processor to predict.
        offers[count] = Offer { slot, price, hand };
        count += usize::from(hand.total() >= price);
    }
    let payable = &offers[..count];
    let mut purchases = Purchases {
        ways: if can_give { &[false, true] } else { &[false] },
        list,
    };
    let mut found = Found::new();
    let mut each = payable.iter();
    let listed = match each.try_for_each(|offer| offer.find_all(&mut found)) {
        Ok(()) => purchases.push_all(&mut found),
        Err(Full) => purchases.push_many(payable, &mut found),
    };
    match listed {
        Ok(()) => LegalList::Complete,
        Err(Full) => LegalList::Cut,
    }
}

impl Offer {
    /// Finds all payments, until `found` is full.
    fn find_all(&self, found: &mut Found) -> Result<(), Full> {
        let Self { price, hand, .. } = *self;
        let first = found.len();
        found.try_push(self.payment(hand)).map_err(|_| Full)?;
        for (value, copies) in hand.held_up_to(hand.total() - price) {
            // The payments in which the most cards of this value have been removed so far, as a
            // range.
            let mut last = first..found.len();
            for _ in 0..copies {
                let formed = found.len();
                for place in last {
                    let cards = found[place].cards().minus(ValueCounts::one(value));
                    if cards.total() >= price {
                        found.try_push(self.payment(cards)).map_err(|_| Full)?;
                    }
                }
                last = formed..found.len();
            }
        }
        Ok(())
    }

    /// Finds the payments in which no card could be left out. The cards in `chosen` are worth less
    /// than the price. Each payment adds cards with values up to `highest` to the chosen cards. The
    /// last card, which is the lowest, reaches the price. Even all money in the box allows only 346
    /// such payments over all slots, so they always fit.
    fn find_no_waste(&self, chosen: ValueCounts, highest: u8, found: &mut Found) {
        for value in 1..=highest {
            if chosen.count(value) == self.hand.count(value) {
                continue;
            }
            let cards = chosen.plus(ValueCounts::one(value));
            if cards.total() >= self.price {
                found.push(self.payment(cards));
            } else {
                self.find_no_waste(cards, value, found);
            }
        }
    }
}

/// The purchases in a legal list.
struct Purchases<'a> {
    /// The values of `give` that each payment is listed with, in order.
    ways: &'static [bool],
    list: &'a mut Vec<Decision>,
}

impl Purchases<'_> {
    /// Adds the purchases of all payments found.
    fn push_all(&mut self, found: &mut Found) -> Result<(), Full> {
        found.sort_unstable();
        let mut payments = found.iter();
        payments.try_for_each(|payment| self.push(payment.slot(), payment.cards()))
    }

    /// Adds the purchases when there are too many payments to hold at once.
    fn push_many(&mut self, payable: &[Offer], found: &mut Found) -> Result<(), Full> {
        found.clear();
        for offer in payable {
            offer.find_no_waste(ValueCounts::EMPTY, VALUES as u8, found);
        }
        self.push_all(found)?;
        let hands = payable.iter().map(|offer| offer.hand.len());
        for size in 2..=hands.max().unwrap_or(0) {
            for offer in payable {
                self.push_rest(offer, ValueCounts::EMPTY, size, VALUES as u8)?;
            }
        }
        Ok(())
    }

    /// Adds the purchases from one slot in which a card could be left out. These purchases pay
    /// `chosen` and `more` cards with values up to `highest`.
    fn push_rest(
        &mut self,
        offer: &Offer,
        chosen: ValueCounts,
        more: usize,
        highest: u8,
    ) -> Result<(), Full> {
        for value in 1..=highest {
            if chosen.count(value) == offer.hand.count(value) {
                continue;
            }
            let cards = chosen.plus(ValueCounts::one(value));
            if more > 1 {
                // The payment must reach the price even without its last card.
                let most = usize::from(cards.total()) + usize::from(value) * (more - 2);
                if most >= usize::from(offer.price) {
                    self.push_rest(offer, cards, more - 1, value)?;
                }
            } else if chosen.total() >= offer.price {
                self.push(offer.slot, cards)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, slot: Currency, payment: ValueCounts) -> Result<(), Full> {
        for &give in self.ways {
            if self.list.len() == Alhambra::LEGAL_CAP {
                return Err(Full);
            }
            self.list.push(Decision::Buy(Purchase {
                slot,
                payment,
                give,
            }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::MAX_COPIES;
    use super::*;

    #[test]
    fn the_capacity_suffices_for_all_payments_without_waste() {
        // A hand is a subset of all money, so its payments are among those of all money.
        let values = 1..=VALUES as u8;
        let cards = values.flat_map(|value| (0..MAX_COPIES).map(move |_| ValueCounts::one(value)));
        let hand = cards.fold(ValueCounts::EMPTY, ValueCounts::plus);
        let of_price = |price| {
            let offer = Offer {
                slot: Currency::Blue,
                price,
                hand,
            };
            let mut found = Found::new();
            offer.find_no_waste(ValueCounts::EMPTY, VALUES as u8, &mut found);
            found.len()
        };
        let prices = Building::all().map(|building| of_price(building.price()));
        let most = CURRENCIES * prices.max().unwrap();
        assert!(most > 300 && most <= Alhambra::LEGAL_CAP, "{most}");
    }
}
