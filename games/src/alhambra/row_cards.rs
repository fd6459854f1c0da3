//! Sets of cards from the open row.

use std::fmt;

use super::components::ROW_CARDS;
use super::money::MoneyCard;
use crate::named::ordered;

/// A multiset of at most [`ROW_CARDS`] money cards: the open row, or cards taken from it. Multisets
/// are ordered by the number of cards, and then by the first card that differs.
///
/// The multiset is one word. This word has a byte for each card, ascending from the lowest byte,
/// and 0 above the last card.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RowCards(u32);

const _: () = assert!(size_of::<RowCards>() == ROW_CARDS);

/// A mask of each byte's highest bit, which no card uses.
const GUARDS: u32 = each(1 << (u8::BITS - 1));

/// Returns a word with this byte in each place.
const fn each(byte: u8) -> u32 {
    u32::from_le_bytes([byte; ROW_CARDS])
}

impl RowCards {
    /// The multiset without any card.
    pub const EMPTY: Self = Self(0);

    /// A place index that never has a card.
    pub(super) const NO_PLACE: u8 = ROW_CARDS as u8;

    /// Creates the multiset of these cards, in any order; returns `None` if there are more than
    /// [`ROW_CARDS`].
    pub fn from_cards(cards: impl IntoIterator<Item = MoneyCard>) -> Option<Self> {
        cards
            .into_iter()
            .try_fold(Self::EMPTY, |row, card| (row.len() < ROW_CARDS).then(|| row.with(card)))
    }

    /// Returns the cards as bytes, ascending, with 0 at each place without a card.
    pub(super) const fn bytes(self) -> [u8; ROW_CARDS] {
        self.0.to_le_bytes()
    }

    /// Returns the cards at some places, ascending; [`Self::NO_PLACE`] selects none.
    pub(super) fn at_places(self, places: [u8; ROW_CARDS]) -> Self {
        let row = u64::from(self.0);
        let cards = places.map(|place| (row >> (u32::from(place) * u8::BITS)) as u8);
        Self(u32::from_le_bytes(cards))
    }

    /// Returns the number of cards, at most [`ROW_CARDS`].
    pub const fn len(&self) -> usize {
        ROW_CARDS - (self.0.leading_zeros() / u8::BITS) as usize
    }

    /// Returns `true` if there is no card.
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Returns the cards in ascending order.
    pub fn cards(&self) -> impl Iterator<Item = MoneyCard> + Clone + use<> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let card = MoneyCard::from_byte(rest as u8);
            rest >>= u8::BITS;
            card
        })
    }

    /// Returns the total of the values.
    pub const fn total(&self) -> u8 {
        let values = self.0 & each(MoneyCard::VALUE_MASK);
        // The product's highest byte is the sum of all bytes.
        (values.wrapping_mul(each(1)) >> (u32::BITS - u8::BITS)) as u8
    }

    /// Adds a card; there must be a free place.
    pub(super) const fn with(self, card: MoneyCard) -> Self {
        debug_assert!(self.len() < ROW_CARDS, "the row had room");
        let held = (self.0 + !GUARDS) & GUARDS;
        let not_above = (each(card.byte()) + GUARDS - self.0) & held;
        // The cards up to the new card are the first ones, and keep their places.
        let below = (not_above >> (u8::BITS - 1)) * u8::MAX as u32;
        let above = (self.0 & !below) << u8::BITS;
        Self((self.0 & below) + (below + 1) * card.byte() as u32 + above)
    }

    /// Removes one card; returns `None` if it is not present.
    const fn minus(self, card: MoneyCard) -> Option<Self> {
        let different = ((self.0 ^ each(card.byte())) + !GUARDS) & GUARDS;
        if different == GUARDS {
            return None;
        }
        let place = (different ^ GUARDS).trailing_zeros() / u8::BITS;
        let below = (1 << (place * u8::BITS)) - 1;
        Some(Self((self.0 & below) + (self.0 >> u8::BITS & !below)))
    }

    /// Removes the cards of `part`. The error is the first card of `part` that is not present.
    pub(super) fn without(self, part: Self) -> Result<Self, MoneyCard> {
        let mut cards = part.cards();
        cards.try_fold(self, |rest, card| rest.minus(card).ok_or(card))
    }
}

ordered!(RowCards by |own| (own.len(), own.0.swap_bytes()));

impl fmt::Debug for RowCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.cards()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns cards of several currencies, including the first and the last kind.
    fn some_cards() -> Vec<MoneyCard> {
        let cards: Vec<MoneyCard> = MoneyCard::all().collect();
        [0, 1, 8, 9, 26, 35].map(|place| cards[place]).to_vec()
    }

    /// Returns all rows of up to four of these cards, in every order.
    fn rows() -> Vec<Vec<MoneyCard>> {
        let mut rows = vec![vec![]];
        for length in 1..=ROW_CARDS {
            let before = rows.clone().into_iter().filter(|row| row.len() + 1 == length);
            let longer = before.flat_map(|row| {
                some_cards().into_iter().map(move |card| [&row[..], &[card]].concat())
            });
            let longer: Vec<_> = longer.collect();
            rows.extend(longer);
        }
        rows
    }

    #[test]
    fn a_row_behaves_like_a_sorted_vector() {
        for mut cards in rows() {
            let row = RowCards::from_cards(cards.iter().copied()).unwrap();
            cards.sort_unstable();
            assert_eq!(row.cards().collect::<Vec<_>>(), cards);
            assert_eq!(row.len(), cards.len());
            assert_eq!(row.total(), cards.iter().map(|card| card.value()).sum());
        }
    }

    #[test]
    fn taking_cards_out_of_a_row_leaves_the_others() {
        for row in rows().into_iter().filter(|row| row.is_sorted()) {
            for part in rows().into_iter().filter(|part| part.len() < 3 && part.is_sorted()) {
                let mut rest = row.clone();
                let missing = part.iter().find(|card| {
                    let place = rest.iter().position(|other| other == *card);
                    place.map(|place| rest.remove(place)).is_none()
                });
                let of = |cards: &[MoneyCard]| RowCards::from_cards(cards.iter().copied()).unwrap();
                let expected = missing.map_or(Ok(of(&rest)), |&card| Err(card));
                assert_eq!(of(&row).without(of(&part)), expected, "{row:?} {part:?}");
            }
        }
    }
}
