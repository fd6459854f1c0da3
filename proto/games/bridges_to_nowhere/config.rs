//! Configs and edition data.

use std::{ops::RangeInclusive, sync::Arc};

use bridgemaster_games::bridges_to_nowhere::{
    BridgeCardParts, CONTRACTS_TO_WIN, Config, Edition, EditionParts, GAMES, Style, Symbol,
};

use super::{components::bridge_cards_to_wire, v1};
use crate::games::{
    field::{WireEnum, at, number},
    wire::{Below, WireError},
};

pub(super) fn to_wire(config: &Config) -> v1::Config {
    v1::Config {
        contracts: Some(config.contracts),
        contracts_to_win: Some(config.contracts_to_win.into()),
        games: Some(config.games.into()),
        edition: Some(v1::Edition {
            name: config.edition.name().to_owned(),
            cards: bridge_cards_to_wire(config.edition.cards()),
        }),
    }
}

pub(super) fn from_wire(config: &v1::Config) -> Result<Config, WireError> {
    let default = Config::default();
    let chosen = |field, value: Option<u32>, range: RangeInclusive<u8>, not_set| match value {
        Some(value) => number(field, value, range),
        None => Ok(not_set),
    };
    Ok(Config {
        contracts: config.contracts.unwrap_or(default.contracts),
        contracts_to_win: chosen(
            "contracts_to_win",
            config.contracts_to_win,
            CONTRACTS_TO_WIN,
            default.contracts_to_win,
        )?,
        games: chosen("games", config.games, GAMES, default.games)?,
        edition: match &config.edition {
            Some(edition) => Arc::new(edition_from_wire(edition).below("edition")?),
            None => default.edition,
        },
    })
}

/// Reads edition data; the rules check what it says.
fn edition_from_wire(edition: &v1::Edition) -> Result<Edition, WireError> {
    let cards = edition.cards.iter().enumerate();
    let cards = cards.map(|(i, card)| parts_from_wire(card).map_err(|error| at("cards", i, error)));
    let parts = EditionParts {
        name: edition.name.clone(),
        cards: cards.collect::<Result<_, _>>()?,
    };
    Ok(Edition::new(&parts)?)
}

fn parts_from_wire(card: &v1::BridgeCard) -> Result<BridgeCardParts, WireError> {
    Ok(BridgeCardParts {
        style: Style::from_wire("style", card.style)?,
        number: (card.number != 0).then_some(card.number),
        left: Symbol::from_wire("left", card.left)?,
        right: Symbol::from_wire("right", card.right)?,
    })
}
