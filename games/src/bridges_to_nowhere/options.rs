//! Options that users set as text.

use super::{
    BridgesToNowhere,
    config::{CONTRACTS_TO_WIN, Config, GAMES, NextCards},
    edition::Edition,
};
use crate::{ConfigOption, Options, edition::set_edition, options::words};

impl Options for BridgesToNowhere {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::switch(
            "contracts",
            "Play each game for a contract; otherwise each won game counts as a contract",
            |config| &mut config.contracts,
        ),
        ConfigOption::range(
            "contracts-to-win",
            "Number of contracts that wins the match",
            CONTRACTS_TO_WIN,
            |config| &mut config.contracts_to_win,
        ),
        ConfigOption::range(
            "games",
            "Maximum number of games; contracts decide the match, then points (a single game is \
             decided by points)",
            GAMES,
            |config| &mut config.games,
        ),
        words!(
            "next-cards",
            "Time at which the six bridge cards of the next round are laid on the table",
            next_cards {
                NextCards::BeforeBuilding = "before_building", "both seats see them while they build";
                NextCards::AfterBuilding = "after_building", "when both seats have ended building";
            }
        ),
        ConfigOption::file(
            "edition",
            "Edition data (the deck) to play with, in the form of \
             games/data/bridges_to_nowhere/built_in.toml; by default the built-in edition",
            |config, text| set_edition(&mut config.edition, Edition::from_toml(text)),
        ),
    ];
}
