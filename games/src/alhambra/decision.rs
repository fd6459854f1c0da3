//! What a seat can answer.

use super::components::Currency;
use super::money::ValueCounts;
use super::row_cards::RowCards;

/// An answer of a seat.
///
/// Legal lists have a canonical order. Takes come first: fewer cards, then by their cards,
/// ascending by currency and value. Then the purchases of all slots together, in three tiers:
/// exact ones; those that pay over and have no card that could be left out; the rest. Within each
/// tier: fewer cards, then the slot, then the paid values, written falling and compared rising,
/// then keep before give. A pass stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Take these cards of the open row.
    Take(RowCards),
    /// Buy a building of the yard.
    Buy(Purchase),
    /// Neither can be done (A5).
    Pass,
}

/// A purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Purchase {
    /// The slot of the yard, which is the currency that is paid.
    pub slot: Currency,
    /// The cards paid.
    pub payment: ValueCounts,
    /// Whether the building goes to the dummy, at a table of two (A4).
    pub give: bool,
}
