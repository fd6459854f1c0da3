//! Listing legal decisions, in the canonical order that [`Decision`] documents.

use super::components::{ROW_CARDS, TAKE_LIMIT};
use super::decision::Decision;
use super::money::RowCards;
use super::observation::Phase;
use super::payments::list_purchases;
use super::state::State;
use crate::{LegalList, Seat};

/// Longest legal list. A seat can have hundreds of thousands of payments; sensible play rarely has
/// more than 150 decisions. Takes (at most 15) and no-waste purchases (at most 524) always fit.
pub(super) const LEGAL_CAP: usize = 1024;

impl State {
    /// Replaces the content of `list` by the legal decisions of a seat.
    pub(super) fn legal(&self, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        list.clear();
        if self.phase != (Phase::Turn { seat }) {
            return LegalList::Complete;
        }
        list_takes(self.row, list);
        let hand = &self.hands[seat.index()];
        let listed = list_purchases(&self.yard, hand, self.has_dummy(), list);
        if list.is_empty() {
            list.push(Decision::Pass);
        }
        listed
    }
}

/// The ways to choose several of two, three or four cards by their places, in canonical order: a
/// bit a place.
const SEVERAL: [&[u8]; ROW_CARDS - 1] = [
    &[0b0011],
    &[0b0011, 0b0101, 0b0110, 0b0111],
    &[
        0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100, 0b0111, 0b1011, 0b1101, 0b1110, 0b1111,
    ],
];

/// Adds the cards that can be taken from a row.
fn list_takes(row: RowCards, list: &mut Vec<Decision>) {
    // Only these can be taken with others: two cards worth at most 5 are worth at most 4 each.
    let mut small = RowCards::EMPTY;
    let (mut values, mut count) = ([0; ROW_CARDS], 0);
    // Places whose card equals the one before: chosen only together with that one.
    let mut repeats = 0u8;
    let mut before = None;
    for card in row.cards() {
        let is_repeat = before == Some(card);
        if !is_repeat {
            list.push(Decision::Take(RowCards::one(card)));
        }
        let value = card.value();
        if value < TAKE_LIMIT {
            repeats |= u8::from(is_repeat) << count;
            values[count] = value;
            small.set(count, card);
            count += 1;
        }
        before = Some(card);
    }
    if count < 2 {
        return;
    }
    for &places in SEVERAL[count - 2] {
        let mut total = 0;
        for (place, value) in values.into_iter().enumerate() {
            total += value * (places >> place & 1);
        }
        let is_first_way = places & repeats & !(places << 1) == 0;
        if is_first_way && total <= TAKE_LIMIT {
            list.push(Decision::Take(small.at_places(places)));
        }
    }
}
