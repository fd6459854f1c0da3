//! Money cards and multisets of them.

use std::fmt;
use std::num::NonZeroU8;

use super::components::{CURRENCIES, Currency, MAX_COPIES, VALUES};

/// A money card. Cards of equal currency and value are interchangeable. Ordered by currency, then
/// by value: one byte, the value in its lower half, the currency in its upper one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoneyCard(NonZeroU8);

impl MoneyCard {
    /// Bits of the value in the byte of a card.
    const VALUE_BITS: u32 = 4;
    /// The value in the byte of a card.
    pub(super) const VALUE_MASK: u8 = (1 << Self::VALUE_BITS) - 1;

    /// The first kind.
    pub(super) const FIRST: Self = Self(NonZeroU8::MIN);

    /// The byte: neither 0 nor with its highest bit set.
    pub(super) const fn byte(self) -> u8 {
        self.0.get()
    }

    /// The card of a byte; `None` for 0.
    pub(super) fn of_byte(byte: u8) -> Option<Self> {
        NonZeroU8::new(byte).map(Self)
    }

    /// The card of this currency and value; `None` for a value that is not in 1 to 9.
    pub const fn new(currency: Currency, value: u8) -> Option<Self> {
        match NonZeroU8::new((currency as u8) << Self::VALUE_BITS | value) {
            Some(byte) if value > 0 && value as usize <= VALUES => Some(Self(byte)),
            _ => None,
        }
    }

    /// All kinds, ascending.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |currency| (1..=VALUES as u8).filter_map(move |value| Self::new(currency, value));
        Currency::ALL.into_iter().flat_map(of)
    }

    /// The currency.
    pub const fn currency(self) -> Currency {
        Currency::ALL[(self.0.get() >> Self::VALUE_BITS) as usize % CURRENCIES]
    }

    /// The value, 1 to 9.
    pub const fn value(self) -> u8 {
        self.0.get() & Self::VALUE_MASK
    }

    /// The position among all kinds, 0 to 35.
    pub const fn index(self) -> usize {
        self.currency().index() * VALUES + self.value() as usize - 1
    }
}

/// As in the notation: `b7` is the blue 7.
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

/// Money cards of one currency, as a multiset: how many there are of each value.
///
/// One word: the total of the values in its lowest byte, then two bits for each value, the lowest
/// value first, then the number of cards. So a card is added by adding a constant, and the word
/// orders multisets as legal lists do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ValueCounts(pub(super) u32);

/// Bits of the total: it is at most 135.
const TOTAL_BITS: u32 = 8;
/// Bits of the counts.
const COUNT_BITS: u32 = 2 * VALUES as u32;
/// Where the number of cards begins.
const LEN_SHIFT: u32 = TOTAL_BITS + COUNT_BITS;
/// The counts of every other value, each with two free bits above it.
const EVERY_OTHER_COUNT: u32 = 0x3_3333;
/// The lower one of these free bits.
const GUARDS: u32 = 0x4_4444;

/// Where the count of a value in 1 to 9 begins.
const fn count_shift(value: u8) -> u32 {
    TOTAL_BITS + 2 * value as u32 - 2
}

impl ValueCounts {
    /// No card.
    pub const EMPTY: Self = Self(0);

    /// The multiset with these counts of the values 1 to 9; `None` when one is above
    /// [`MAX_COPIES`].
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

    /// One card of a value in 1 to 9.
    pub(super) const fn one(value: u8) -> Self {
        Self(1 << count_shift(value) | 1 << LEN_SHIFT | value as u32)
    }

    /// How many cards of a value in 1 to 9 there are.
    pub const fn count(self, value: u8) -> u8 {
        (self.0 >> count_shift(value) & 3) as u8
    }

    /// The number of cards.
    pub const fn len(self) -> usize {
        (self.0 >> LEN_SHIFT) as usize
    }

    /// Whether there is no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The total of the values.
    pub const fn total(self) -> u8 {
        self.0 as u8
    }

    /// The lowest value; of no card 10.
    pub(super) const fn lowest(self) -> u8 {
        let counts = self.bits() | 1 << COUNT_BITS;
        counts.trailing_zeros() as u8 / 2 + 1
    }

    /// The values that are there up to a highest one, rising, each with its number of cards.
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

    /// The counts, two bits a value, the lowest value in the lowest bits. Multisets of one size
    /// come in canonical order when their values, written falling, are compared rising: that is
    /// the order of these bits.
    pub(super) const fn bits(self) -> u32 {
        self.0 >> TOTAL_BITS & ((1 << COUNT_BITS) - 1)
    }

    /// Whether `part` can be taken out of these cards.
    pub const fn contains(self, part: Self) -> bool {
        let (all, part) = (self.bits(), part.bits());
        let even = ((all & EVERY_OTHER_COUNT) | GUARDS) - (part & EVERY_OTHER_COUNT);
        let odd = ((all >> 2 & EVERY_OTHER_COUNT) | GUARDS) - (part >> 2 & EVERY_OTHER_COUNT);
        even & odd & GUARDS == GUARDS
    }

    /// These cards and others; there must not be more than [`MAX_COPIES`] of a value.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// These cards without others, which must be [contained](Self::contains).
    pub(super) const fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    /// The values, rising.
    pub fn values(self) -> impl DoubleEndedIterator<Item = u8> + Clone {
        (1..=VALUES as u8).flat_map(move |value| (0..self.count(value)).map(move |_| value))
    }
}

impl fmt::Debug for ValueCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

/// A multiset of money cards, at most [`MAX_COPIES`] of a kind: the cards of each currency, in the
/// order of [`Currency::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Money(pub [ValueCounts; CURRENCIES]);

impl Money {
    /// No card.
    pub const EMPTY: Self = Self([ValueCounts::EMPTY; CURRENCIES]);

    /// The multiset of these cards; `None` with more than [`MAX_COPIES`] of a kind.
    pub fn of(cards: impl IntoIterator<Item = MoneyCard>) -> Option<Self> {
        let mut money = Self::EMPTY;
        for card in cards {
            if money.count(card) == MAX_COPIES {
                return None;
            }
            money.insert(card);
        }
        Some(money)
    }

    /// All money cards of a match with this many copies of each.
    pub(super) fn all(copies: u8) -> Self {
        let all = ValueCounts::new([copies; VALUES]);
        debug_assert!(all.is_some(), "no more copies than there are");
        Self([all.unwrap_or_default(); CURRENCIES])
    }

    /// The cards of a currency.
    pub const fn of_currency(&self, currency: Currency) -> ValueCounts {
        self.0[currency.index()]
    }

    /// How many there are of a card.
    pub const fn count(&self, card: MoneyCard) -> u8 {
        self.of_currency(card.currency()).count(card.value())
    }

    /// The number of cards.
    pub fn len(&self) -> usize {
        self.0.iter().map(|cards| cards.len()).sum()
    }

    /// Whether there is no card.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// The total of the values.
    pub fn total(&self) -> u16 {
        self.0.iter().map(|cards| u16::from(cards.total())).sum()
    }

    /// The cards, ascending.
    pub fn cards(&self) -> impl Iterator<Item = MoneyCard> + use<> {
        let money = *self;
        MoneyCard::all()
            .flat_map(move |card| std::iter::repeat_n(card, usize::from(money.count(card))))
    }

    /// Adds a card; there must be less than [`MAX_COPIES`] of it.
    pub(super) fn insert(&mut self, card: MoneyCard) {
        let held = &mut self.0[card.currency().index()];
        *held = held.plus(ValueCounts::one(card.value()));
    }

    /// These cards without others, which must be there.
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].minus(other.0[i])))
    }
}
