//! Edition data, which is the deck. The built-in edition is compiled in from a data file. Any file
//! of the same form can replace the built-in edition.

use serde::Deserialize;

use super::components::{BRIDGE_CARDS, BridgeCard, CARDS_PER_STYLE, Card, MAX_NUMBER, Style};
use crate::FieldError;
use crate::edition::{check_name, edition_file, exactly};
use crate::field_error::{check_range, require};

/// Unchecked edition data from a file or from the wire. The fields are the same as in the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditionParts {
    /// The display name of the edition.
    pub name: String,
    /// D1: the bridge cards, in any order.
    pub cards: Vec<BridgeCard>,
}

/// The identifier of a card: its index in [`Edition::cards`]. Interchangeable cards share the
/// lowest index. The index after the bridge cards stands for every monument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CardId(u8);

impl CardId {
    /// The identifier that every monument shares.
    pub(super) const MONUMENT: Self = Self(BRIDGE_CARDS as u8);

    /// Returns the index in [`Edition::cards`].
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Edition data that has been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    parts: EditionParts,
    cards: [BridgeCard; BRIDGE_CARDS],
}

edition_file! { Edition, "bridges_to_nowhere/built_in.toml" }

impl Edition {
    /// Checks edition data against all of the game's requirements.
    pub fn new(parts: &EditionParts) -> Result<Self, FieldError> {
        check_name(&parts.name)?;
        let mut cards: [BridgeCard; BRIDGE_CARDS] = *exactly("cards", &parts.cards)?;
        for (i, card) in cards.iter().enumerate() {
            if let Some(number) = card.number {
                let field = format_args!("cards[{i}].number");
                check_range(field, number, 1..=MAX_NUMBER)?;
            }
        }
        for style in Style::ALL {
            let count = cards.iter().filter(|card| card.style == style).count();
            let problem = format_args!("must have {CARDS_PER_STYLE} of {style}, found {count}");
            require("cards", count == CARDS_PER_STYLE, problem)?;
        }
        cards.sort_unstable();
        let parts = EditionParts { name: parts.name.clone(), cards: cards.into() };
        Ok(Self { parts, cards })
    }

    /// Returns the bridge cards in the data's order (D1). Some may be equal.
    pub fn cards(&self) -> &[BridgeCard; BRIDGE_CARDS] {
        &self.cards
    }

    /// Returns the identifier of a card, or `None` if this edition has no such card.
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
