//! Listing takes: which cards of the open row can be taken together, in canonical order.
//!
//! Four places can be chosen in fifteen ways. Two tables tell, as sets of ways, which of them the
//! values of the cards allow and which of them choose cards that are alike once: what is in both
//! is listed.

use super::components::{ROW_CARDS, TAKE_LIMIT};
use super::decision::Decision;
use super::money::MoneyCard;
use super::row_cards::RowCards;

/// The ways to choose places of the row, in canonical order: a bit a place.
const WAYS: [u8; 15] = [
    0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100, 0b0111, 0b1011,
    0b1101, 0b1110, 0b1111,
];

/// The places of each way, ascending; after them [`RowCards::NO_PLACE`].
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

/// A set of ways, a bit each.
type WaySet = u16;

/// What counts of the value of a card for what is taken with it: 0 for no card, and all values
/// that are taken alone count alike.
fn weight(card: u8) -> usize {
    usize::from((card & MoneyCard::VALUE_MASK).min(TAKE_LIMIT))
}

/// How many weights there are.
const WEIGHTS: usize = TAKE_LIMIT as usize + 1;

/// The ways to take cards of some weights: by the weights of the places, that of the first place
/// counting least.
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

/// Whether the chosen places have cards, and one card or several of low enough a total.
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

/// The ways that choose cards that are alike once: by the places whose card equals the one before,
/// a bit a place from the second one. Such a card is chosen only together with the one before.
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

/// Adds the cards that can be taken from a row.
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
