//! Listing purchases: which cards can pay for what, in canonical order.
//!
//! A payment is the hand without some cards, worth at most what the hand has over the price: so
//! only payments are formed, each from one with a card more. Each is one number that orders
//! payments as legal lists do. Where there are too many of them, the tiers that waste nothing are
//! searched first, and then the others size by size until the list is full.

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::Building;
use super::components::{CURRENCIES, Currency, VALUES};
use super::decision::{Decision, Purchase};
use super::money::{Money, ValueCounts};
use crate::{LegalList, Rules};

/// A slot of the yard, and the cards of the seat that can pay there.
#[derive(Clone, Copy)]
struct Offer {
    slot: Currency,
    price: u8,
    hand: ValueCounts,
}

impl Offer {
    /// Only a place to be filled.
    const NONE: Self = Self {
        slot: Currency::Blue,
        price: 0,
        hand: ValueCounts::EMPTY,
    };

    /// The tier of cards that reach the price: exact; over with no card that could be left out;
    /// the rest.
    const fn tier(&self, cards: ValueCounts) -> u64 {
        let (total, price) = (cards.total(), self.price);
        (total > price) as u64 + (total >= price + cards.lowest()) as u64
    }

    /// The payment of these cards, which must reach the price.
    const fn payment(&self, cards: ValueCounts) -> Payment {
        let order = self.tier(cards) << 7 | (cards.len() as u64) << 2 | self.slot as u64;
        Payment(order << u32::BITS | cards.0 as u64)
    }
}

/// What is paid where, as one number in the order of legal lists: the tier, the number of cards,
/// the slot, and the word of the cards.
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

/// Payments that have been found: more would not fit into a legal list.
type Found = ArrayVec<Payment, { Alhambra::LEGAL_CAP }>;

/// There was no room for all that was to be added.
struct Full;

/// Adds the purchases that a hand can pay.
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
        // More than any hand has, where nothing is offered.
        let price = building.map_or(u8::MAX, Building::price);
        // The next one takes the place of one that cannot be paid: a branch would go either way.
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
    /// Finds all payments, as far as there is room.
    fn find_all(&self, found: &mut Found) -> Result<(), Full> {
        let Self { price, hand, .. } = *self;
        let first = found.len();
        found.try_push(self.payment(hand)).map_err(|_| Full)?;
        for (value, copies) in hand.held_up_to(hand.total() - price) {
            // Those from which as many of the value as so far were left out.
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

    /// Finds the payments without a card that could be left out: `chosen`, which is below the
    /// price, and cards of values up to `highest`. The last card, the lowest one, reaches the
    /// price. All money of the box has 346 of them in all slots: there is always room.
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

/// The purchases of a legal list.
struct Purchases<'a> {
    /// Whether a building is given to the dummy, in order.
    ways: &'static [bool],
    list: &'a mut Vec<Decision>,
}

impl Purchases<'_> {
    /// Adds those of all payments that have been found.
    fn push_all(&mut self, found: &mut Found) -> Result<(), Full> {
        found.sort_unstable();
        let mut payments = found.iter();
        payments.try_for_each(|payment| self.push(payment.slot(), payment.cards()))
    }

    /// Adds those of more payments than can be formed at once.
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

    /// Adds those of one slot that have a card that could be left out: which pay `chosen` and
    /// `more` cards of values up to `highest`.
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
                // All but the last card must reach the price.
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
    fn there_is_room_for_all_payments_without_waste_that_any_hand_has() {
        // Whatever a hand has is a part of all money, and so are its payments.
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
