//! Decisions of a seat.

use std::cmp::Ordering;

use super::components::Currency;
use super::money::ValueCounts;
use super::row_cards::RowCards;

/// A decision of a seat.
///
/// Legal lists are in canonical order: the order of `Ord` within each tier. Takes come first: fewer
/// cards before more, then ascending by currency and value. Purchases follow, for all slots
/// together, in three tiers: exact payments, overpayments in which no card could be left out, and
/// all other payments. Each tier is in the order of [`Purchase`]. A pass is the only entry of its
/// list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// Take these cards from the open row.
    Take(RowCards),
    /// Buy a building from the yard.
    Buy(Purchase),
    /// Pass, which is legal only if nothing can be taken or bought (A5).
    Pass,
}

/// A purchase. Purchases are ordered by the number of cards, then the slot, then the paid values
/// (in descending notation, compared ascending), then keep before give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Purchase {
    /// The slot of the yard, which is the currency that is paid.
    pub slot: Currency,
    /// The cards paid, all of the slot's currency.
    pub payment: ValueCounts,
    /// `true` if the building goes to the dummy, at a table of two (A4).
    pub give: bool,
}

impl Ord for Purchase {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |own: &Self| (own.payment.len(), own.slot, own.payment.bits(), own.give);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Purchase {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
