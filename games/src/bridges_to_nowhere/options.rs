//! What people can choose by text.

use super::{
    BridgesToNowhere,
    config::{CONTRACTS_TO_WIN, Config, GAMES},
    edition::Edition,
};
use crate::{ConfigOption, Options, edition::set_edition};

impl Options for BridgesToNowhere {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::switch(
            "contracts",
            "Whether each game is played for a contract; without contracts a won game counts as one",
            |config| &mut config.contracts,
        ),
        ConfigOption::range(
            "contracts-to-win",
            "Contracts that win the match",
            CONTRACTS_TO_WIN,
            |config| &mut config.contracts_to_win,
        ),
        ConfigOption::range(
            "games",
            "Most games of the match; after them more contracts decide, then more points, and with \
             `1` its points decide a single game",
            GAMES,
            |config| &mut config.games,
        ),
        ConfigOption::file(
            "edition",
            "Edition data (the deck) to play with, in the form of \
             games/data/bridges_to_nowhere/built_in.toml; the built-in edition when not given",
            |config, text| set_edition(&mut config.edition, Edition::from_toml(text)),
        ),
    ];
}
