//! Features as they stand, for bots that evaluate positions with the rules.

use super::components::{Cell, MAX_PLAYERS, Segment};
use super::features::Feature;
use super::state::State;

/// Tells features of one state apart: equal for all segments of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureId(Feature);

/// A feature as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureView {
    /// Which feature it is.
    pub id: FeatureId,
    /// Its sort, and what it has.
    pub kind: FeatureKind,
    /// Meeples on it, by seat; 0 beyond the table.
    pub meeples: [u8; MAX_PLAYERS],
}

/// What a feature is, and what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// A road.
    Road {
        /// Edges without a tile beyond; 0 when the road is complete.
        open_ends: u8,
        /// Its tiles.
        tiles: u8,
    },
    /// A city.
    City {
        /// Edges without a tile beyond; 0 when the city is complete.
        open_ends: u8,
        /// Its tiles.
        tiles: u8,
        /// Its shields.
        shields: u8,
    },
    /// A monastery.
    Monastery {
        /// Tiles round it, 0 to 8; 8 when it is complete.
        tiles_round: u8,
    },
    /// A field.
    Field {
        /// Completed cities that it touches.
        completed_cities: u8,
    },
}

impl State {
    /// The feature of a segment, which must be named by its first edge or half-edge; `None` when
    /// there is no such segment. Takes a look at every tile.
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
                tiles_round: map.monasteries[usize::from(place)].tiles_round,
            },
            Feature::Field(root) => FeatureKind::Field {
                completed_cities: map.fields.feature(root).completed_cities.count_ones() as u8,
            },
        };
        Some(FeatureView {
            id: FeatureId(feature),
            kind,
            meeples: map.meeples_on(feature),
        })
    }
}
