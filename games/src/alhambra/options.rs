//! What people can choose by text.

use super::{
    Alhambra,
    config::{Config, DummyPlaces, WithoutBuildings},
};
use crate::{ConfigOption, Options};

impl Options for Alhambra {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption::words(
            "without-buildings",
            "Seats without a building of a category",
            &[
                ("no-place", "they take no place in it", |config| {
                    config.without_buildings = WithoutBuildings::NoPlace;
                }),
                (
                    "place",
                    "they take and share places like others",
                    |config| {
                        config.without_buildings = WithoutBuildings::Place;
                    },
                ),
            ],
        ),
        ConfigOption::words(
            "dummy-places",
            "Places of the dummy at a table of two",
            &[
                ("all", "like a seat", |config| {
                    config.dummy_places = DummyPlaces::All
                }),
                (
                    "first-only",
                    "it is passed over in categories where others have more",
                    |config| config.dummy_places = DummyPlaces::FirstOnly,
                ),
            ],
        ),
    ];
}
