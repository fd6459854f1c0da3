//! The config as text: what people can choose on a command line.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::config::{CONTRACTS_TO_WIN, Config, GAMES};
use super::edition::Edition;
use crate::{GameOption, OptionError, OptionSource};

const CONTRACTS: &str = "contracts";
const WINS: &str = "contracts-to-win";
const GAME_COUNT: &str = "games";
const EDITION: &str = "edition";

pub(super) const OPTIONS: &[GameOption] = &[
    GameOption {
        name: CONTRACTS,
        value_name: "ON_OFF",
        source: OptionSource::Text,
        help: "Whether each game is played for a contract: `on` (the default) or `off`; without \
               contracts a won game counts as one",
    },
    GameOption {
        name: WINS,
        value_name: "COUNT",
        source: OptionSource::Text,
        help: "Contracts that win the match: 1 to 3, 2 when not given",
    },
    GameOption {
        name: GAME_COUNT,
        value_name: "COUNT",
        source: OptionSource::Text,
        help: "Most games of the match: 1 to 6, 6 when not given; after them more contracts decide, \
               then more points. With `1` a match is a single game, decided by its points",
    },
    GameOption {
        name: EDITION,
        value_name: "FILE",
        source: OptionSource::File,
        help: "Edition data (the deck) to play with, in the form of \
               games/data/bridges_to_nowhere/house.toml; the house edition when not given",
    },
];

pub(super) fn set(config: &mut Config, name: &str, value: &str) -> Result<(), OptionError> {
    match name {
        CONTRACTS => config.contracts = on_off(value).map_err(refused(CONTRACTS))?,
        WINS => config.contracts_to_win = count(value, CONTRACTS_TO_WIN).map_err(refused(WINS))?,
        GAME_COUNT => config.games = count(value, GAMES).map_err(refused(GAME_COUNT))?,
        EDITION => {
            let edition = Edition::from_toml(value).map_err(|error| error.to_string());
            config.edition = Arc::new(edition.map_err(refused(EDITION))?);
        }
        _ => return Err(OptionError::unknown(name, OPTIONS)),
    }
    Ok(())
}

fn refused(name: &'static str) -> impl FnOnce(String) -> OptionError {
    move |problem| OptionError::Value { name, problem }
}

fn on_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{text:?} is neither `on` nor `off`")),
    }
}

fn count(text: &str, range: RangeInclusive<u8>) -> Result<u8, String> {
    match text.parse() {
        Ok(count) if range.contains(&count) => Ok(count),
        _ => Err(format!(
            "{text:?} is no whole number from {} to {}",
            range.start(),
            range.end()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, value: &str) -> String {
        set(&mut Config::default(), name, value)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn each_option_sets_its_field() {
        let mut config = Config::default();
        set(&mut config, "contracts", "off").unwrap();
        set(&mut config, "contracts-to-win", "3").unwrap();
        set(&mut config, "games", "1").unwrap();
        let house = include_str!("../../data/bridges_to_nowhere/house.toml");
        let renamed = house.replacen("name = \"house\"", "name = \"mine\"", 1);
        set(&mut config, "edition", &renamed).unwrap();
        assert_eq!(config.edition.name(), "mine");
        let edition = Arc::clone(&config.edition);
        let chosen = Config {
            contracts: false,
            contracts_to_win: 3,
            games: 1,
            edition,
        };
        assert_eq!(config, chosen);
    }

    #[test]
    fn a_bad_value_is_refused_with_what_would_be_valid() {
        assert_eq!(
            refusal("contracts", "maybe"),
            "contracts: \"maybe\" is neither `on` nor `off`"
        );
        assert_eq!(
            refusal("contracts-to-win", "4"),
            "contracts-to-win: \"4\" is no whole number from 1 to 3"
        );
        assert_eq!(
            refusal("games", "0"),
            "games: \"0\" is no whole number from 1 to 6"
        );
    }

    #[test]
    fn a_bad_edition_is_refused_with_its_entry() {
        let house = include_str!("../../data/bridges_to_nowhere/house.toml");
        let wrong = house.replacen("number = 2", "number = 16", 1);
        assert_eq!(
            refusal("edition", &wrong),
            "edition: cards[1].number: 16 is not in 1 to 15"
        );
    }

    #[test]
    fn an_unknown_option_is_refused_with_those_that_there_are() {
        assert_eq!(
            refusal("faces", "base"),
            "faces is no option of this game; its options are: contracts, contracts-to-win, games, \
             edition"
        );
    }
}
