//! Listing purchases: which cards can pay for what, in canonical order.
//!
//! A payment is a choice of copies of each value in hand. Written as [`ValueCounts`], choices of
//! one size rise in canonical order with their bits, and adding a value above all others keeps
//! them rising: so all choices of a hand come in order without sorting, and only have to be
//! distributed over tiers and sizes. Where there are too many choices for that, the tiers that
//! waste nothing are searched first, and then the others size by size until the list is full.

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::Building;
use super::components::{CURRENCIES, Currency, VALUES};
use super::decision::{Decision, Purchase};
use super::money::{Money, ValueCounts};
use crate::LegalList;
use crate::Rules;

/// A building in the yard that the seat can pay.
#[derive(Clone, Copy)]
struct Payable {
    slot: Currency,
    price: u8,
    hand: ValueCounts,
    /// Ways to choose cards of the hand.
    choices: usize,
}

/// Most choices of cards, over all slots, that are formed at once: more would not fit into a legal
/// list in most cases.
const MOST_AT_ONCE: usize = Alhambra::LEGAL_CAP;
/// As many choices as most hands have in a currency: those are formed in a small room, because
/// clearing a large one costs more than all else.
const FEW_CHOICES: usize = 16;
/// Exact; over with no card that could be left out; the rest.
const TIERS: usize = 3;
/// Room for every size of a payment, 0 to 27 cards.
const SIZES: usize = 28;

/// Payments that have been found, of one slot after the other, in rising order of their bits.
type Found = ArrayVec<(Currency, u8, ValueCounts), MOST_AT_ONCE>;

/// Adds the purchases that a hand can pay.
pub(super) fn list_purchases(
    yard: &[Option<Building>; CURRENCIES],
    hand: &Money,
    can_give: bool,
    list: &mut Vec<Decision>,
) -> LegalList {
    let mut payable: ArrayVec<Payable, CURRENCIES> = ArrayVec::new();
    let (mut choices, mut longest) = (0, 0);
    for (slot, building) in Currency::ALL.into_iter().zip(yard) {
        let hand = hand.of_currency(slot);
        let Some(price) = building.map(Building::price) else {
            continue;
        };
        if hand.total() >= price {
            let offer = Payable {
                slot,
                price,
                hand,
                choices: hand.choices(),
            };
            choices += offer.choices;
            longest = longest.max(hand.len());
            payable.push(offer);
        }
    }
    if payable.is_empty() {
        return LegalList::Complete;
    }
    let mut found = Found::new();
    if choices <= MOST_AT_ONCE {
        for offer in &payable {
            match offer.choices {
                ..=FEW_CHOICES => all_payments::<FEW_CHOICES>(offer, &mut found),
                _ => all_payments::<MOST_AT_ONCE>(offer, &mut found),
            }
        }
        return distribute(&found, longest, can_give, list);
    }
    for offer in &payable {
        no_waste_payments(offer, ValueCounts::EMPTY, VALUES as u8, &mut found);
    }
    distribute(&found, longest, can_give, list);
    let mut rest = Rest { can_give, list };
    for size in 2..=longest {
        for offer in &payable {
            if rest.list_size(offer, ValueCounts::EMPTY, size, VALUES as u8) == Room::None {
                return LegalList::Cut;
            }
        }
    }
    LegalList::Complete
}

/// The tier of a payment that reaches the price.
const fn tier(payment: ValueCounts, price: u8) -> u8 {
    let total = payment.total();
    (total > price) as u8 + (total - payment.lowest() >= price) as u8
}

/// Finds all payments of a slot; `ROOM` must be enough for all choices of cards.
fn all_payments<const ROOM: usize>(offer: &Payable, found: &mut Found) {
    let mut choices = [ValueCounts::EMPTY; ROOM];
    let mut formed = 1;
    for (value, copies) in offer.hand.held() {
        let without = formed;
        for _ in 0..copies {
            let (before, after) = choices.split_at_mut(formed);
            let last = &before[formed - without..];
            for (choice, &fewer) in after.iter_mut().zip(last) {
                *choice = fewer.plus(ValueCounts::one(value));
            }
            formed += without;
        }
    }
    for &payment in &choices[..formed] {
        if payment.total() >= offer.price {
            found.push((offer.slot, tier(payment, offer.price), payment));
        }
    }
}

/// Finds the payments of a slot without a card that could be left out: `chosen`, which is below
/// the price, and cards of values up to `highest`. The last card, the lowest one, reaches the price.
fn no_waste_payments(offer: &Payable, chosen: ValueCounts, highest: u8, found: &mut Found) {
    for value in 1..=highest {
        if chosen.count(value) == offer.hand.count(value) {
            continue;
        }
        let payment = chosen.plus(ValueCounts::one(value));
        if payment.total() >= offer.price {
            found.push((offer.slot, tier(payment, offer.price), payment));
        } else {
            no_waste_payments(offer, payment, value, found);
        }
    }
}

/// Adds purchases to the list by tier and size, within these in the order in which they were
/// found.
fn distribute(
    found: &Found,
    longest: usize,
    can_give: bool,
    list: &mut Vec<Decision>,
) -> LegalList {
    let ways = 1 + usize::from(can_give);
    // Where the next purchase of each tier and size goes.
    let mut places = [[0u16; SIZES]; TIERS];
    for &(_, tier, payment) in found {
        places[usize::from(tier)][payment.len()] += ways as u16;
    }
    let mut next = list.len() as u16;
    for sizes in &mut places {
        for place in &mut sizes[..=longest] {
            next += std::mem::replace(place, next);
        }
    }
    let wanted = usize::from(next);
    list.resize(wanted.min(Alhambra::LEGAL_CAP), Decision::Pass);
    for &(slot, tier, payment) in found {
        let place = &mut places[usize::from(tier)][payment.len()];
        for give in [false, true].into_iter().take(ways) {
            let purchase = Purchase {
                slot,
                payment,
                give,
            };
            if let Some(entry) = list.get_mut(usize::from(*place)) {
                *entry = Decision::Buy(purchase);
            }
            *place += 1;
        }
    }
    match wanted > Alhambra::LEGAL_CAP {
        true => LegalList::Cut,
        false => LegalList::Complete,
    }
}

/// Whether the list has room for more.
#[derive(Clone, Copy, PartialEq)]
enum Room {
    Some,
    None,
}

/// Adds purchases with cards that could be left out.
struct Rest<'a> {
    can_give: bool,
    list: &'a mut Vec<Decision>,
}

impl Rest<'_> {
    /// Adds those of one slot that pay `chosen` and `more` cards of values up to `highest`.
    fn list_size(
        &mut self,
        offer: &Payable,
        chosen: ValueCounts,
        more: usize,
        highest: u8,
    ) -> Room {
        for value in 1..=highest {
            if chosen.count(value) == offer.hand.count(value) {
                continue;
            }
            let payment = chosen.plus(ValueCounts::one(value));
            let room = if more > 1 {
                // All but the last card must reach the price.
                let most = usize::from(payment.total()) + usize::from(value) * (more - 2);
                if most < usize::from(offer.price) {
                    continue;
                }
                self.list_size(offer, payment, more - 1, value)
            } else if chosen.total() >= offer.price {
                self.push(offer.slot, payment)
            } else {
                continue;
            };
            if room == Room::None {
                return Room::None;
            }
        }
        Room::Some
    }

    fn push(&mut self, slot: Currency, payment: ValueCounts) -> Room {
        for give in [false, true]
            .into_iter()
            .take(1 + usize::from(self.can_give))
        {
            if self.list.len() == Alhambra::LEGAL_CAP {
                return Room::None;
            }
            self.list.push(Decision::Buy(Purchase {
                slot,
                payment,
                give,
            }));
        }
        Room::Some
    }
}
