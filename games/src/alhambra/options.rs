//! Options that users set as text.

use super::{
    Alhambra,
    config::{Config, DummyPlaces, WithoutBuildings},
};
use crate::{ConfigOption, Options, options::words};

impl Options for Alhambra {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        words!("without-buildings", "Seats without a building of a category", without_buildings {
            WithoutBuildings::NoPlace = "no-place", "they take no place in it";
            WithoutBuildings::Place = "place", "they take and share places like others";
        }),
        words!("dummy-places", "Places of the dummy at a table of two", dummy_places {
            DummyPlaces::All = "all", "like a seat";
            DummyPlaces::FirstOnly = "first-only",
                "it is passed over in categories where others have more";
        }),
    ];
}
