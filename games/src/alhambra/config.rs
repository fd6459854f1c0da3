//! What can be chosen for a match: two readings of the scoring text.

/// Whether an owner without a building of a category takes a place in it (A8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WithoutBuildings {
    /// It takes none and gets no points.
    #[default]
    NoPlace,
    /// It takes the place that its count of none gives, and shares it with others.
    Place,
}

/// Which places the dummy takes in a scoring (A9). Without meaning at a table of more than two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DummyPlaces {
    /// Every place, like a seat.
    #[default]
    All,
    /// The first place only, shared or not; in other categories it is passed over.
    FirstOnly,
}

/// What can be chosen for a match. The default are the readings that the rulings give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Config {
    /// Owners without a building of a category (A8).
    pub without_buildings: WithoutBuildings,
    /// Places of the dummy (A9).
    pub dummy_places: DummyPlaces,
}
