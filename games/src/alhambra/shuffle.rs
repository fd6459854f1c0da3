//! The one chance result after the setup: a shuffle of the discard.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::MONEY_CARDS;
use super::money::MoneyCard;

/// The shuffled discard, which becomes the new pile of money cards. Secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffle {
    /// The cards, the first to be drawn first.
    pub cards: ArrayVec<MoneyCard, MONEY_CARDS>,
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("new pile of money cards:")?;
        self.cards.iter().try_for_each(|card| write!(f, " {card}"))
    }
}
