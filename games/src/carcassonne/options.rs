//! What people can choose by text.

use super::{Carcassonne, config::Config, edition::Edition};
use crate::{ConfigOption, Options, edition::set_edition};

impl Options for Carcassonne {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::switch(
            "drawbridges",
            "Whether the twelve drawbridge tiles are in the game",
            |config| &mut config.drawbridges,
        ),
        ConfigOption::switch(
            "fields",
            "Whether meeples may be placed on fields",
            |config| &mut config.fields,
        ),
        ConfigOption::file(
            "edition",
            "Drawbridge tiles to play with, in the form of \
             games/data/carcassonne/drawbridges.toml; the built-in edition when not given",
            |config, text| set_edition(&mut config.edition, Edition::from_toml(text)),
        ),
    ];
}
