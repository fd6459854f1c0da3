//! Listing of takes, which are the sets of cards that can be taken from the open row, in canonical
//! order.
//!
//! There are fifteen ways to choose among four places. One table has the ways that the values of
//! the cards allow. Another table has the ways that choose interchangeable cards only once. A way
//! is listed if both tables have it.

use super::components::{ROW_CARDS, TAKE_LIMIT};
use super::decision::Decision;
use super::money::MoneyCard;
use super::row_cards::RowCards;

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
