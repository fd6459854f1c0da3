//! Views of features, for bots that use the rules to evaluate positions.

use super::components::{Cell, MAX_PLAYERS, Segment};
use super::features::Feature;
use super::state::State;

/// A feature's identity within one state. All segments of a feature have the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureId(Feature);

/// The current state of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureView {
    /// The identity, for comparisons within one state.
    pub id: FeatureId,
    /// The kind of feature, with its size.
    pub kind: FeatureKind,
    /// The number of meeples on the feature, by seat; 0 for seats that are not at the table.
    pub meeples: [u8; MAX_PLAYERS],
}

/// The kind of a feature, with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// A road, complete or not.
    Road {
        /// The number of open edges, which have no tile beyond them; 0 when the road is complete.
        open_ends: u8,
        /// The road's number of tiles.
        tiles: u8,
    },
    /// A city, complete or not.
    City {
        /// The number of open edges, which have no tile beyond them; 0 when the city is complete.
        open_ends: u8,
        /// The city's number of tiles.
        tiles: u8,
        /// The number of shields in the city.
        shields: u8,
    },
    /// A monastery with its surroundings.
    Monastery {
        /// The number of tiles around the monastery, 0 to 8; 8 when it is complete.
        tiles_around: u8,
    },
    /// A field, which scores at the end of the match only.
    Field {
        /// The number of completed cities that the field touches.
        completed_cities: u8,
    },
}

impl State {
    /// Returns the feature of a segment, or `None` if there is no such segment. The segment must be
    /// named by its first edge or half-edge. The time is linear in the number of tiles.
    pub fn feature(&self, cell: Cell, segment: Segment) -> Option<FeatureView> {
        let map = &self.map;
        let feature = map.feature(&self.fixed.edition, map.tile_in(cell)?, segment)?;
        let kind = match feature {
            Feature::Road(root) => FeatureKind::Road {
                open_ends: map.roads.feature(root).open_ends,
                tiles: map.roads.feature(root).tiles,
            },
            Feature::City(root) => FeatureKind::City {
                open_ends: map.cities.feature(root).open_ends,
                tiles: map.cities.feature(root).tiles,
                shields: map.cities.feature(root).shields,
            },
            Feature::Monastery(place) => FeatureKind::Monastery {
                tiles_around: map.monasteries[usize::from(place)].tiles_around,
            },
            Feature::Field(root) => FeatureKind::Field {
                completed_cities: map.fields.feature(root).completed_cities.count_ones() as u8,
            },
        };
        Some(FeatureView { id: FeatureId(feature), kind, meeples: map.meeples_on(feature) })
    }
}
