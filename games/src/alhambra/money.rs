//! Money cards and multisets of them.

use std::fmt;
use std::num::NonZeroU8;

use super::components::{CURRENCIES, Currency, MAX_COPIES, VALUES};

/// A money card. Cards with the same currency and value are interchangeable. Cards are ordered by
/// currency, then by value. A card is one byte, with the value in its lower half and the currency
/// in its upper half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoneyCard(NonZeroU8);

impl MoneyCard {
    /// The number of bits for the value in a card's byte.
    const VALUE_BITS: u32 = 4;
    /// The mask of the value in a card's byte.
    pub(super) const VALUE_MASK: u8 = (1 << Self::VALUE_BITS) - 1;

    /// The first kind, by currency and value.
    pub(super) const FIRST: Self = Self(NonZeroU8::MIN);

    /// Returns the byte, which is neither 0 nor has its highest bit set.
    pub(super) const fn byte(self) -> u8 {
        self.0.get()
    }

    /// Returns the card of a byte, or `None` for 0.
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        NonZeroU8::new(byte).map(Self)
    }

    /// Returns the card of this currency and value, or `None` if the value is out of range (1 to
    /// 9).
    pub const fn new(currency: Currency, value: u8) -> Option<Self> {
        match NonZeroU8::new((currency as u8) << Self::VALUE_BITS | value) {
            Some(byte) if value > 0 && value as usize <= VALUES => Some(Self(byte)),
            _ => None,
        }
    }

    /// Returns all kinds in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |currency| (1..=VALUES as u8).filter_map(move |value| Self::new(currency, value));
        Currency::ALL.into_iter().flat_map(of)
    }

    /// Returns the currency. In a purchase, the slot must have the same currency.
    pub const fn currency(self) -> Currency {
        Currency::ALL[(self.0.get() >> Self::VALUE_BITS) as usize % CURRENCIES]
    }

    /// Returns the value, 1 to 9.
    pub const fn value(self) -> u8 {
        self.0.get() & Self::VALUE_MASK
    }

    /// Returns the position among all kinds, 0 to 35.
    pub const fn index(self) -> usize {
        self.currency().index() * VALUES + self.value() as usize - 1
    }
}

/// Writes the notation: `b7` is the blue 7.
impl fmt::Display for MoneyCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.currency().letter(), self.value())
    }
}

impl fmt::Debug for MoneyCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Money cards of one currency, as a multiset of values.
///
/// The multiset is one word. The lowest byte of the word is the total of the values. Two bits for
/// the count of each value follow, the lowest value first, and then the number of cards. So adding
/// a card is the addition of a constant, and the words have the order of legal lists.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ValueCounts(pub(super) u32);

/// The number of bits for the total, which is at most 135.
const TOTAL_BITS: u32 = 8;
/// The number of bits for the counts.
const COUNT_BITS: u32 = 2 * VALUES as u32;
/// The position of the bits that hold the number of cards.
const LEN_SHIFT: u32 = TOTAL_BITS + COUNT_BITS;
/// A mask for every other value's count, each with two free bits above it.
const EVERY_OTHER_COUNT: u32 = 0x3_3333;
/// The lower of the two free bits above each of these counts.
const GUARDS: u32 = 0x4_4444;

/// Returns the position of the count for a value in 1 to 9.
const fn count_shift(value: u8) -> u32 {
    TOTAL_BITS + 2 * value as u32 - 2
}

impl ValueCounts {
    /// The multiset without any card.
    pub const EMPTY: Self = Self(0);

    /// Creates the multiset with these counts of the values 1 to 9; returns `None` if a count is
    /// above [`MAX_COPIES`].
    pub fn new(counts: [u8; VALUES]) -> Option<Self> {
        let mut cards = Self::EMPTY;
        for (value, count) in (1..).zip(counts) {
            if count > MAX_COPIES {
                return None;
            }
            cards.0 += Self::one(value).0 * u32::from(count);
        }
        Some(cards)
    }

    /// Creates the multiset of one card with a value in 1 to 9.
    pub(super) const fn one(value: u8) -> Self {
        Self(1 << count_shift(value) | 1 << LEN_SHIFT | value as u32)
    }

    /// Returns the number of cards with a value in 1 to 9.
    pub const fn count(self, value: u8) -> u8 {
        (self.0 >> count_shift(value) & 3) as u8
    }

    /// Returns the number of cards, at most 27.
    pub const fn len(self) -> usize {
        (self.0 >> LEN_SHIFT) as usize
    }

    /// Returns `true` if there is no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the total of the values.
    pub const fn total(self) -> u8 {
        self.0 as u8
    }

    /// Returns the lowest value, or 10 if there is no card.
    pub(super) const fn lowest(self) -> u8 {
        let counts = self.bits() | 1 << COUNT_BITS;
        counts.trailing_zeros() as u8 / 2 + 1
    }

    /// Returns the values up to `highest` that occur, in ascending order, each with its number of
    /// cards.
    pub(super) fn held_up_to(self, highest: u8) -> impl Iterator<Item = (u8, u8)> {
        let mut rest = self.bits() & ((1 << (2 * highest.min(VALUES as u8))) - 1);
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let shift = rest.trailing_zeros() & !1;
            let copies = rest >> shift & 3;
            rest ^= copies << shift;
            Some((shift as u8 / 2 + 1, copies as u8))
        })
    }

    /// Returns the counts as two bits per value, with the lowest value in the lowest bits. The
    /// order of these bits is the canonical order of multisets of one size: values in descending
    /// notation, compared ascending.
    pub(super) const fn bits(self) -> u32 {
        self.0 >> TOTAL_BITS & ((1 << COUNT_BITS) - 1)
    }

    /// Returns `true` if `part` can be taken out of these cards.
    pub const fn contains(self, part: Self) -> bool {
        let (all, part) = (self.bits(), part.bits());
        let even = ((all & EVERY_OTHER_COUNT) | GUARDS) - (part & EVERY_OTHER_COUNT);
        let odd = ((all >> 2 & EVERY_OTHER_COUNT) | GUARDS) - (part >> 2 & EVERY_OTHER_COUNT);
        even & odd & GUARDS == GUARDS
    }

    /// Adds the cards of `other`; the sum must not exceed [`MAX_COPIES`] of any value.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Removes the cards of `other`, which must be [contained](Self::contains).
    pub(super) const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    /// Returns the values in ascending order.
    pub fn values(self) -> impl DoubleEndedIterator<Item = u8> + Clone {
        (1..=VALUES as u8).flat_map(move |value| (0..self.count(value)).map(move |_| value))
    }
}

impl fmt::Debug for ValueCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

/// A multiset of money cards with at most [`MAX_COPIES`] of a kind. The field has the cards of each
/// currency, in the order of [`Currency::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Money(pub [ValueCounts; CURRENCIES]);

impl Money {
    /// The multiset without any card.
    pub const EMPTY: Self = Self([ValueCounts::EMPTY; CURRENCIES]);

    /// Creates the multiset of these cards; returns `None` if there are more than [`MAX_COPIES`] of
    /// a kind.
    pub fn from_cards(cards: impl IntoIterator<Item = MoneyCard>) -> Option<Self> {
        let mut money = Self::EMPTY;
        for card in cards {
            if money.count(card) == MAX_COPIES {
                return None;
            }
            money.insert(card);
        }
        Some(money)
    }

    /// Returns all money cards in a match with this many copies of each.
    pub(super) fn all(copies: u8) -> Self {
        let all = ValueCounts::new([copies; VALUES]);
        debug_assert!(all.is_some(), "no more copies than there are");
        Self([all.unwrap_or_default(); CURRENCIES])
    }

    /// Returns the cards of one currency.
    pub const fn of_currency(&self, currency: Currency) -> ValueCounts {
        self.0[currency.index()]
    }

    /// Returns a card's number of copies.
    pub const fn count(&self, card: MoneyCard) -> u8 {
        self.of_currency(card.currency()).count(card.value())
    }

    /// Returns the number of cards, counting each copy.
    pub fn len(&self) -> usize {
        self.0.iter().map(|cards| cards.len()).sum()
    }

    /// Returns `true` if there is no card.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Returns the total of the values.
    pub fn total(&self) -> u16 {
        self.0.iter().map(|cards| u16::from(cards.total())).sum()
    }

    /// Returns the cards in ascending order.
    pub fn cards(&self) -> impl Iterator<Item = MoneyCard> + use<> {
        let money = *self;
        MoneyCard::all()
            .flat_map(move |card| std::iter::repeat_n(card, usize::from(money.count(card))))
    }

    /// Adds a card. The multiset must have fewer than [`MAX_COPIES`] of this kind.
    pub(super) fn insert(&mut self, card: MoneyCard) {
        let held = &mut self.0[card.currency().index()];
        *held = held.plus(ValueCounts::one(card.value()));
    }

    /// Removes the cards of `other`, all of which must be present.
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].minus(other.0[i])))
    }
}
