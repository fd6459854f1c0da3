//! The choices for a match of Carcassonne with the Drawbridges.

use std::sync::Arc;

use super::Carcassonne;
use super::edition::Edition;
use crate::edition::edition_value;
use crate::options::Values;
use crate::{ConfigOption, Options};

/// The choices for a match. The default has drawbridges and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `true` if the twelve drawbridge tiles are in the game in addition to the 72 base tiles.
    pub drawbridges: bool,
    /// `true` if meeples may be placed on fields.
    pub fields: bool,
    /// The drawbridge tiles. Set even in a match without drawbridges.
    pub edition: Arc<Edition>,
}

impl Default for Config {
    fn default() -> Self {
        Self { drawbridges: true, fields: true, edition: Edition::built_in() }
    }
}

impl Options for Carcassonne {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption {
            name: "drawbridges",
            about: "Add the twelve drawbridge tiles",
            values: Values::Switch(|config| &mut config.drawbridges),
        },
        ConfigOption {
            name: "fields",
            about: "Allow meeples on fields",
            values: Values::Switch(|config| &mut config.fields),
        },
        ConfigOption {
            name: "edition",
            about: "Drawbridge tiles to play with, in the form of \
                    games/data/carcassonne/drawbridges.toml; by default the built-in edition",
            values: edition_value!(Edition),
        },
    ];
}
