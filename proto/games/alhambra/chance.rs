//! Chance results after the setup: shuffles of the discard.

use bridgemaster_games::alhambra::Shuffle;

use super::{
    components::{money_card_from_wire, money_card_to_wire},
    v1,
};
use crate::games::{field::list, wire::WireError};

pub(super) fn to_wire(shuffle: &Shuffle) -> v1::Shuffle {
    v1::Shuffle {
        cards: shuffle
            .cards
            .iter()
            .map(|card| money_card_to_wire(*card))
            .collect(),
    }
}

pub(super) fn from_wire(shuffle: &v1::Shuffle) -> Result<Shuffle, WireError> {
    Ok(Shuffle {
        cards: list("cards", &shuffle.cards, |_, card| {
            money_card_from_wire(card)
        })?,
    })
}
