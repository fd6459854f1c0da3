//! Money cards and multisets of them.

use std::fmt;
use std::num::NonZeroU8;

use super::components::{CURRENCIES, Currency, MAX_COPIES, ROW_CARDS, VALUES};

/// A money card. Cards of equal currency and value are interchangeable. Ordered by currency, then
/// by value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoneyCard(NonZeroU8);

/// Kinds of money card.
pub const MONEY_KINDS: usize = CURRENCIES * VALUES;

impl MoneyCard {
    /// The first kind.
    pub(super) const FIRST: Self = Self(NonZeroU8::MIN);

    /// The card of this currency and value; `None` for a value that is not in 1 to 9.
    pub const fn new(currency: Currency, value: u8) -> Option<Self> {
        if value == 0 || value as usize > VALUES {
            return None;
        }
        match NonZeroU8::new(currency as u8 * VALUES as u8 + value) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// All kinds, ascending.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=MONEY_KINDS as u8).filter_map(NonZeroU8::new).map(Self)
    }

    /// The currency.
    pub const fn currency(self) -> Currency {
        Currency::ALL[self.index() / VALUES]
    }

    /// The value, 1 to 9.
    pub const fn value(self) -> u8 {
        (self.index() % VALUES) as u8 + 1
    }

    /// The position among all kinds, 0 to 35.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
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
/// One word: two bits for each value, the lowest value in the lowest bits, then the number of
/// cards, then their total. So a card is added by adding a constant, and among multisets of one
/// size the word without the total orders them as legal lists do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ValueCounts(u32);

/// Bits of the counts.
const COUNT_BITS: u32 = 2 * VALUES as u32;
/// Bits of the number of cards: there are at most 27.
const LEN_BITS: u32 = 5;
/// Where the total begins, at most 135.
const TOTAL_SHIFT: u32 = COUNT_BITS + LEN_BITS;
/// The counts of every other value, each with two free bits above it.
const EVERY_OTHER_COUNT: u32 = 0x3_3333;
/// The lower one of these free bits.
const GUARDS: u32 = 0x4_4444;

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
        let value = value as u32;
        Self(1 << (2 * value - 2) | 1 << COUNT_BITS | value << TOTAL_SHIFT)
    }

    /// How many cards of each value there are, from 1 to 9.
    pub fn counts(self) -> [u8; VALUES] {
        std::array::from_fn(|i| self.count(i as u8 + 1))
    }

    /// How many cards of a value in 1 to 9 there are.
    pub const fn count(self, value: u8) -> u8 {
        (self.0 >> (2 * value - 2) & 3) as u8
    }

    /// The number of cards.
    pub const fn len(self) -> usize {
        (self.0 >> COUNT_BITS) as usize & ((1 << LEN_BITS) - 1)
    }

    /// Whether there is no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The total of the values.
    pub const fn total(self) -> u8 {
        (self.0 >> TOTAL_SHIFT) as u8
    }

    /// The lowest value; of no card 10.
    pub(super) const fn lowest(self) -> u8 {
        let counts = self.bits() | 1 << COUNT_BITS;
        counts.trailing_zeros() as u8 / 2 + 1
    }

    /// The values that are there, rising, each with its number of cards.
    pub(super) fn held(self) -> impl Iterator<Item = (u8, u8)> {
        let mut rest = self.bits();
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

    /// The number of ways to choose some, all or none of the cards.
    pub(super) fn choices(self) -> usize {
        self.held()
            .map(|(_, copies)| usize::from(copies) + 1)
            .product()
    }

    /// The counts, two bits a value, the lowest value in the lowest bits. Multisets of one size
    /// come in canonical order when their values, written falling, are compared rising: that is
    /// the order of these bits.
    pub(super) const fn bits(self) -> u32 {
        self.0 & ((1 << COUNT_BITS) - 1)
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
    pub fn values(self) -> impl DoubleEndedIterator<Item = u8> {
        (1..=VALUES as u8).flat_map(move |value| (0..self.count(value)).map(move |_| value))
    }
}

impl fmt::Debug for ValueCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

/// A multiset of money cards, at most [`MAX_COPIES`] of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Money([ValueCounts; CURRENCIES]);

impl Money {
    /// No card.
    pub const EMPTY: Self = Self([ValueCounts::EMPTY; CURRENCIES]);

    /// The multiset with these cards of each currency, in the order of [`Currency::ALL`].
    pub const fn new(currencies: [ValueCounts; CURRENCIES]) -> Self {
        Self(currencies)
    }

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
        self.insert_all(card.currency(), ValueCounts::one(card.value()));
    }

    /// Adds cards of a currency.
    pub(super) fn insert_all(&mut self, currency: Currency, cards: ValueCounts) {
        let held = &mut self.0[currency.index()];
        *held = held.plus(cards);
    }

    /// Takes out cards of a currency, which must be there.
    pub(super) fn remove_all(&mut self, currency: Currency, cards: ValueCounts) {
        let held = &mut self.0[currency.index()];
        *held = held.minus(cards);
    }

    /// These cards without others, which must be there.
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].minus(other.0[i])))
    }
}

/// At most [`ROW_CARDS`] money cards: the open row, or what is taken from it. A multiset, kept in
/// ascending order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RowCards([Option<MoneyCard>; ROW_CARDS]);

impl RowCards {
    /// No card.
    pub const EMPTY: Self = Self([None; ROW_CARDS]);

    /// These cards in whatever order; `None` when there are more than [`ROW_CARDS`].
    pub fn of(cards: impl IntoIterator<Item = MoneyCard>) -> Option<Self> {
        let mut row = Self::EMPTY;
        for card in cards {
            if row.len() == ROW_CARDS {
                return None;
            }
            row.insert(card);
        }
        Some(row)
    }

    pub(super) const fn one(card: MoneyCard) -> Self {
        Self([Some(card), None, None, None])
    }

    /// Puts a card into a place. The caller keeps the cards ascending and without gaps.
    pub(super) const fn set(&mut self, place: usize, card: MoneyCard) {
        self.0[place] = Some(card);
    }

    /// The cards at some places: a bit a place.
    pub(super) fn at_places(self, places: u8) -> Self {
        let (mut cards, mut filled) = (Self::EMPTY, 0);
        for (place, card) in self.0.into_iter().enumerate() {
            if places >> place & 1 == 1 {
                cards.0[filled] = card;
                filled += 1;
            }
        }
        cards
    }

    /// The number of cards.
    pub fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Whether there is no card.
    pub const fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    /// The cards, ascending.
    pub fn cards(&self) -> impl Iterator<Item = MoneyCard> + use<> {
        self.0.into_iter().flatten()
    }

    /// The total of the values.
    pub fn total(&self) -> u8 {
        self.cards().map(MoneyCard::value).sum()
    }

    /// Adds a card; there must be room for it.
    pub(super) fn insert(&mut self, card: MoneyCard) {
        let mut moving = Some(card);
        for place in &mut self.0 {
            if place.is_none_or(|held| moving.is_some_and(|card| card < held)) {
                std::mem::swap(place, &mut moving);
            }
        }
        debug_assert!(moving.is_none(), "the row had room");
    }

    /// These cards without those of `part`, or the first card of `part` that is not there.
    pub(super) fn without(self, part: Self) -> Result<Self, MoneyCard> {
        let mut rest = Self::EMPTY;
        let (mut found, mut kept) = (0, 0);
        for card in self.0 {
            // Both are ascending: a wanted card that is not the next one of the row comes later.
            if card.is_some() && part.0.get(found).is_some_and(|wanted| *wanted == card) {
                found += 1;
            } else {
                rest.0[kept] = card;
                kept += 1;
            }
        }
        match part.0.get(found) {
            Some(&Some(missing)) => Err(missing),
            _ => Ok(rest),
        }
    }
}

impl fmt::Debug for RowCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.cards()).finish()
    }
}
