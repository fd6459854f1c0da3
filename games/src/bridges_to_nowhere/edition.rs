//! Edition data: the deck. One data file, compiled in as the built-in edition and replaceable by any
//! file of the same form.

use serde::Deserialize;

use super::components::{
    BRIDGE_CARDS, BridgeCard, CARDS_PER_STYLE, Card, MAX_NUMBER, Style, Symbol,
};
use crate::edition::{EditionError, check_name, edition_file, exactly};

/// Edition data as it comes from outside: from a file or from the wire, not yet checked. The
/// fields are those of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionParts {
    /// Name of the edition.
    pub name: String,
    /// D1: the bridge cards, in any order.
    pub cards: Vec<BridgeCardParts>,
}

/// A bridge card as it comes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BridgeCardParts {
    /// Its style.
    pub style: Style,
    /// Its number; `None` for a toll.
    pub number: Option<u32>,
    /// The symbol at its left.
    pub left: Symbol,
    /// The symbol at its right.
    pub right: Symbol,
}

/// A card by its place in [`Edition::cards`]; cards that are alike have the place of the first of
/// them. The place after the bridge cards stands for every monument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CardId(u8);

impl CardId {
    /// Every monument.
    pub(super) const MONUMENT: Self = Self(BRIDGE_CARDS as u8);

    /// The place.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Validated edition data.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    parts: EditionParts,
    cards: [BridgeCard; BRIDGE_CARDS],
}

edition_file! { Edition, "bridges_to_nowhere/built_in.toml" }

impl Edition {
    /// Checks edition data against every rule that the game relies on.
    pub fn new(parts: &EditionParts) -> Result<Self, EditionError> {
        check_name(&parts.name)?;
        let cards: &[BridgeCardParts; BRIDGE_CARDS] = exactly("cards", &parts.cards)?;
        for (i, card) in cards.iter().enumerate() {
            if let Some(number) = card.number
                && !(1..=u32::from(MAX_NUMBER)).contains(&number)
            {
                let problem = format!("{number} is not in 1 to {MAX_NUMBER}");
                return EditionError::entry(format!("cards[{i}].number"), problem);
            }
        }
        for style in Style::ALL {
            let count = cards.iter().filter(|card| card.style == style).count();
            if count != CARDS_PER_STYLE {
                let problem = format!("must have {CARDS_PER_STYLE} of {style}, found {count}");
                return EditionError::entry("cards", problem);
            }
        }
        let mut cards = cards.map(|card| BridgeCard {
            style: card.style,
            number: card.number.map(|number| number as u8),
            left: card.left,
            right: card.right,
        });
        cards.sort_unstable();
        let mut parts = parts.clone();
        parts.cards.sort_unstable();
        Ok(Self { parts, cards })
    }

    /// D1: the bridge cards, in their order. Some may be alike.
    pub fn cards(&self) -> &[BridgeCard; BRIDGE_CARDS] {
        &self.cards
    }

    /// The identifier of a card; `None` when this edition has no such card.
    pub(super) fn find(&self, card: Card) -> Option<CardId> {
        let Card::Bridge(card) = card else {
            return Some(CardId::MONUMENT);
        };
        let place = self.cards.partition_point(|other| *other < card);
        let found = self.cards.get(place) == Some(&card);
        found.then_some(CardId(place as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_has_its_place_as_identifier() {
        let edition = Edition::built_in();
        for (place, &card) in edition.cards().iter().enumerate() {
            let id = edition.find(Card::Bridge(card)).unwrap();
            assert_eq!(id.index(), place);
        }
    }

    #[test]
    fn cards_that_are_alike_have_one_identifier() {
        let text = include_str!("../../data/bridges_to_nowhere/built_in.toml");
        let first = "number = 1, left = \"boat\", right = \"fish\"";
        let second = "number = 2, left = \"fish\", right = \"bird\"";
        let edition = Edition::from_toml(&text.replacen(second, first, 1)).unwrap();
        let [one, two] = [edition.cards()[0], edition.cards()[1]];
        assert_eq!(one, two);
        let find = |card| edition.find(Card::Bridge(card));
        assert_eq!(find(one), find(two));
    }
}
