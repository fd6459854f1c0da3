//! The choices for a match: two readings of the scoring text.

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
