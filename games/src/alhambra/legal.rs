//! Listing of legal decisions, in canonical order: takes, then purchases.
//!
//! There are fifteen ways to take cards from the four places of the open row. One table has the
//! ways that the values of the cards allow. Another table has the ways that choose interchangeable
//! cards only once. A way is listed if both tables have it.
//!
//! A payment is the hand without some cards. The cards left out are worth at most the difference
//! between hand and price. So each payment is derived from another payment by removing a card, and
//! no other sets are formed. A payment is stored as one number, and these numbers have the order of
//! legal lists. If there are too many payments, the tiers without waste are searched first. All
//! other payments follow by size until the list is full.

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::Building;
use super::components::{CURRENCIES, Currency, ROW_CARDS, TAKE_LIMIT, VALUES};
use super::decision::{Decision, Purchase};
use super::money::{Money, MoneyCard, ValueCounts};
use super::row_cards::RowCards;
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
    const NONE: Self = Self { slot: Currency::Blue, price: 0, hand: ValueCounts::EMPTY };

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
    let mut purchases = Purchases { ways: if can_give { &[false, true] } else { &[false] }, list };
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
            self.list.push(Decision::Buy(Purchase { slot, payment, give }));
        }
        Ok(())
    }
}

/// The ways to choose places in the row, in canonical order, with one bit per place.
const WAYS: [u8; 15] = [
    0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100, 0b0111, 0b1011,
    0b1101, 0b1110, 0b1111,
];

/// The places of each way, ascending, padded with [`RowCards::NO_PLACE`].
static PLACES: [[u8; ROW_CARDS]; WAYS.len()] = {
    let mut all = [[RowCards::NO_PLACE; ROW_CARDS]; WAYS.len()];
    let mut way = 0;
    while way < WAYS.len() {
        let mut rest = WAYS[way];
        let mut count = 0;
        while rest != 0 {
            all[way][count] = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            count += 1;
        }
        way += 1;
    }
    all
};

/// A set of ways, one bit for each.
type WaySet = u16;

/// Returns the weight of a card, which limits the cards that can be taken with it. The weight is 0
/// for no card. All values that can only be taken alone have the same weight.
fn weight(card: u8) -> usize {
    usize::from((card & MoneyCard::VALUE_MASK).min(TAKE_LIMIT))
}

/// The number of different weights.
const WEIGHTS: usize = TAKE_LIMIT as usize + 1;

/// The allowed ways to take cards. The index is a number whose digits are the weights of the
/// places, with the first place as the lowest digit.
static ALLOWED: [WaySet; WEIGHTS.pow(ROW_CARDS as u32)] = {
    let mut all = [0; WEIGHTS.pow(ROW_CARDS as u32)];
    let mut number = 0;
    while number < all.len() {
        let mut way = 0;
        while way < WAYS.len() {
            all[number] |= (is_allowed(WAYS[way], number) as WaySet) << way;
            way += 1;
        }
        number += 1;
    }
    all
};

/// Returns `true` if every chosen place has a card, and there is only one card or the total is
/// within the limit.
const fn is_allowed(places: u8, mut weights: usize) -> bool {
    let (mut total, mut place) = (0, 0);
    while place < ROW_CARDS {
        let weight = weights % WEIGHTS;
        if places >> place & 1 == 1 {
            if weight == 0 {
                return false;
            }
            total += weight;
        }
        weights /= WEIGHTS;
        place += 1;
    }
    places.is_power_of_two() || total <= TAKE_LIMIT as usize
}

/// The ways that choose interchangeable cards only once. For each place from the second on, the
/// index has a bit, which is set if the card at this place equals the previous card. A card that
/// equals the previous card is chosen only together with it.
static DISTINCT: [WaySet; 1 << (ROW_CARDS - 1)] = {
    let mut all = [0; 1 << (ROW_CARDS - 1)];
    let mut repeats = 0;
    while repeats < all.len() {
        let mut way = 0;
        while way < WAYS.len() {
            let without_first = WAYS[way] & (repeats as u8) << 1 & !(WAYS[way] << 1);
            all[repeats] |= ((without_first == 0) as WaySet) << way;
            way += 1;
        }
        repeats += 1;
    }
    all
};

/// Adds the takes that a row allows.
pub(super) fn list_takes(row: RowCards, list: &mut Vec<Decision>) {
    let cards = row.bytes();
    let weighed = cards.iter().rev().map(|&card| weight(card));
    let weights = weighed.fold(0, |all, weight| all * WEIGHTS + weight);
    let alike = cards.windows(2).rev().map(|pair| pair[0] == pair[1]);
    let repeats = alike.fold(0, |all, alike| all << 1 | usize::from(alike));
    let mut ways = ALLOWED[weights] & DISTINCT[repeats];
    while ways != 0 {
        let way = ways.trailing_zeros() as usize;
        ways &= ways - 1;
        list.push(Decision::Take(row.at_places(PLACES[way])));
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
            let offer = Offer { slot: Currency::Blue, price, hand };
            let mut found = Found::new();
            offer.find_no_waste(ValueCounts::EMPTY, VALUES as u8, &mut found);
            found.len()
        };
        let prices = Building::all().map(|building| of_price(building.price()));
        let most = CURRENCIES * prices.max().unwrap();
        assert!(most > 300 && most <= Alhambra::LEGAL_CAP, "{most}");
    }
}
