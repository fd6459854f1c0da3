//! The config as text: what people can choose on a command line.

use std::sync::Arc;

use super::config::Config;
use super::edition::Edition;
use crate::{GameOption, OptionError, OptionSource};

const DRAWBRIDGES: &str = "drawbridges";
const FIELDS: &str = "fields";
const EDITION: &str = "edition";

pub(super) const OPTIONS: &[GameOption] = &[
    GameOption {
        name: DRAWBRIDGES,
        value_name: "ON",
        source: OptionSource::Text,
        help: "Whether the twelve drawbridge tiles are in the game: `on` (the default) or `off`",
    },
    GameOption {
        name: FIELDS,
        value_name: "ON",
        source: OptionSource::Text,
        help: "Whether meeples may be placed on fields: `on` (the default) or `off`",
    },
    GameOption {
        name: EDITION,
        value_name: "FILE",
        source: OptionSource::File,
        help: "Drawbridge tiles to play with, in the form of \
               games/data/carcassonne/drawbridges.toml; the house edition when not given",
    },
];

pub(super) fn set(config: &mut Config, name: &str, value: &str) -> Result<(), OptionError> {
    match name {
        DRAWBRIDGES => config.drawbridges = on_or_off(DRAWBRIDGES, value)?,
        FIELDS => config.fields = on_or_off(FIELDS, value)?,
        EDITION => {
            let edition = Edition::from_toml(value).map_err(|error| OptionError::Value {
                name: EDITION,
                problem: error.to_string(),
            })?;
            config.edition = Arc::new(edition);
        }
        _ => return Err(OptionError::unknown(name, OPTIONS)),
    }
    Ok(())
}

fn on_or_off(name: &'static str, value: &str) -> Result<bool, OptionError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(OptionError::Value {
            name,
            problem: format!("{value:?} is not `on` or `off`"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUSE: &str = include_str!("../../data/carcassonne/drawbridges.toml");

    #[test]
    fn drawbridges_and_fields_are_switched_on_and_off() {
        let mut config = Config::default();
        assert!(config.drawbridges && config.fields);
        set(&mut config, "drawbridges", "off").unwrap();
        assert!(!config.drawbridges && config.fields);
        set(&mut config, "fields", "off").unwrap();
        set(&mut config, "drawbridges", "on").unwrap();
        assert!(config.drawbridges && !config.fields);
    }

    #[test]
    fn a_value_that_is_neither_on_nor_off_is_refused() {
        let error = set(&mut Config::default(), "fields", "yes").unwrap_err();
        assert_eq!(error.to_string(), "fields: \"yes\" is not `on` or `off`");
    }

    #[test]
    fn a_bad_edition_is_refused_with_its_entry() {
        let mut config = Config::default();
        set(&mut config, "edition", HOUSE).unwrap();
        assert_eq!(config, Config::default());
        let touching_nothing = HOUSE.replacen(", cities = \"N\"", "", 1);
        let error = set(&mut config, "edition", &touching_nothing).unwrap_err();
        assert_eq!(
            error.to_string(),
            "edition: tiles[0].fields[0].cities: the field touches the city N"
        );
        assert_eq!(config, Config::default());
    }

    #[test]
    fn an_unknown_option_is_refused_with_those_that_there_are() {
        let error = set(&mut Config::default(), "colour", "red").unwrap_err();
        assert_eq!(
            error.to_string(),
            "colour is no option of this game; its options are: drawbridges, fields, edition"
        );
    }
}
