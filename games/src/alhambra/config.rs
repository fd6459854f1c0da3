//! The choices for a match: two readings of the scoring text.

use super::Alhambra;
use crate::options::words;
use crate::{ConfigOption, Options};

/// The place of an owner that has no building of a category (A8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WithoutBuildings {
    /// The owner has no place and gets no points.
    #[default]
    NoPlace,
    /// The owner takes the place for its count of zero, and may share this place with other owners.
    Place,
}

/// The places that the dummy takes in a scoring (A9). No effect at a table of more than two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DummyPlaces {
    /// The dummy takes any place, as a seat does.
    #[default]
    All,
    /// The dummy takes only first places, shared or not. In other categories, the dummy is skipped.
    FirstOnly,
}

/// The choices for a match. The defaults follow the rulings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Config {
    /// The place of owners that have no building of a category (A8).
    pub without_buildings: WithoutBuildings,
    /// The places that the dummy takes (A9).
    pub dummy_places: DummyPlaces,
}

impl Options for Alhambra {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption {
            name: "without-buildings",
            about: "Seats without a building of a category",
            values: words!(without_buildings {
                WithoutBuildings::NoPlace = "no-place", "they take no place in it";
                WithoutBuildings::Place = "place", "they take and share places like others";
            }),
        },
        ConfigOption {
            name: "dummy-places",
            about: "Places of the dummy at a table of two",
            values: words!(dummy_places {
                DummyPlaces::All = "all", "like a seat";
                DummyPlaces::FirstOnly = "first-only",
                    "it is passed over in categories where others have more";
            }),
        },
    ];
}
