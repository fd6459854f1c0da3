//! Options that users set as text.

use super::{Carcassonne, config::Config, edition::Edition};
use crate::{ConfigOption, Options, edition::set_edition};

impl Options for Carcassonne {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::switch("drawbridges", "Add the twelve drawbridge tiles", |config| {
            &mut config.drawbridges
        }),
        ConfigOption::switch("fields", "Allow meeples on fields", |config| {
            &mut config.fields
        }),
        ConfigOption::file(
            "edition",
            "Drawbridge tiles to play with, in the form of \
             games/data/carcassonne/drawbridges.toml; by default the built-in edition",
            |config, text| set_edition(&mut config.edition, Edition::from_toml(text)),
        ),
    ];
}
