//! The choices for a match of Bridges to Nowhere.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::BridgesToNowhere;
use super::components::CONTRACTS;
use super::edition::Edition;
use crate::edition::edition_value;
use crate::options::{Values, words};
use crate::{ConfigOption, Options};

/// The maximum number of games in a match, equal to the number of contracts.
pub const MAX_GAMES: usize = CONTRACTS;
/// The valid range of [`Config::games`].
pub const GAMES: RangeInclusive<u8> = 1..=MAX_GAMES as u8;
/// The valid range of [`Config::contracts_to_win`]. With three, six games nearly always decide a
/// match.
pub const CONTRACTS_TO_WIN: RangeInclusive<u8> = 1..=3;

/// The time at which the six bridge cards of the next round are laid on the table (N16).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NextCards {
    /// At the end of the draft, so both seats see the cards while they build.
    #[default]
    BeforeBuilding,
    /// After both seats have ended building.
    AfterBuilding,
}

/// The choices for a match. The default is the published game with the built-in edition. By
/// default, seats play at most six games, until one of them has two contracts.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `true` if each game is played for a contract, which also scores. Without contracts, a won
    /// game counts as a contract.
    pub contracts: bool,
    /// The number of contracts that ends the match as soon as a seat has won them; see
    /// [`CONTRACTS_TO_WIN`].
    pub contracts_to_win: u8,
    /// The maximum number of games in the match; see [`GAMES`]. If no seat has won early, the
    /// number of contracts decides, and then the points in all games (N12). A match of one game is
    /// decided by its points.
    pub games: u8,
    /// The time at which the cards of the next round are laid on the table (N16).
    pub next_cards: NextCards,
    /// Edition data, which is the deck.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            contracts: true,
            contracts_to_win: 2,
            games: MAX_GAMES as u8,
            next_cards: NextCards::default(),
            edition: Edition::built_in(),
        }
    }
}

impl Options for BridgesToNowhere {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption {
            name: "contracts",
            about: "Play each game for a contract; otherwise each won game counts as a contract",
            values: Values::Switch(|config| &mut config.contracts),
        },
        ConfigOption {
            name: "contracts-to-win",
            about: "Number of contracts that wins the match",
            values: Values::Range(CONTRACTS_TO_WIN, |config| &mut config.contracts_to_win),
        },
        ConfigOption {
            name: "games",
            about: "Maximum number of games; contracts decide the match, then points (a single \
                    game is decided by points)",
            values: Values::Range(GAMES, |config| &mut config.games),
        },
        ConfigOption {
            name: "next-cards",
            about: "Time at which the six bridge cards of the next round are laid on the table",
            values: words!(next_cards {
                NextCards::BeforeBuilding = "before_building", "both seats see them while they build";
                NextCards::AfterBuilding = "after_building", "when both seats have ended building";
            }),
        },
        ConfigOption {
            name: "edition",
            about: "Edition data (the deck) to play with, in the form of \
                    games/data/bridges_to_nowhere/built_in.toml; by default the built-in edition",
            values: edition_value!(Edition),
        },
    ];
}
