//! The meeples on the table.

use super::components::MAX_PLAYERS;
use super::edition::Edition;
use super::features::{Feature, Meeples, Standing};
use super::map::Map;

impl Map {
    /// The meeples on a feature, by seat.
    pub(super) fn meeples_on(&self, feature: Feature) -> Meeples {
        match feature {
            Feature::Road(root) => self.road(root).meeples,
            Feature::City(root) => self.city(root).meeples,
            Feature::Field(root) => self.field(root).meeples,
            Feature::Monastery(place) => self.monasteries[usize::from(place)].meeples,
        }
    }

    fn meeples_mut(&mut self, feature: Feature) -> &mut Meeples {
        match feature {
            Feature::Road(root) => &mut self.roads.feature_mut(root).meeples,
            Feature::City(root) => &mut self.cities.feature_mut(root).meeples,
            Feature::Field(root) => &mut self.fields.feature_mut(root).meeples,
            Feature::Monastery(place) => &mut self.monasteries[usize::from(place)].meeples,
        }
    }

    /// Whether a meeple stands on a feature.
    pub(super) fn is_occupied(&self, feature: Feature) -> bool {
        self.meeples_on(feature) != [0; MAX_PLAYERS]
    }

    /// Puts a meeple onto a segment, which the tile must have.
    pub(super) fn add_meeple(&mut self, edition: &Edition, standing: Standing) {
        let Some(feature) = self.feature(edition, standing.tile, standing.segment) else {
            return;
        };
        self.meeples_mut(feature)[standing.seat.index()] += 1;
        let place = self.meeples.partition_point(|other| *other <= standing);
        self.meeples.insert(place, standing);
    }

    /// Takes all meeples off a feature.
    pub(super) fn remove_meeples(&mut self, edition: &Edition, feature: Feature) {
        let mut meeples = std::mem::take(&mut self.meeples);
        meeples.retain(|standing| {
            self.feature(edition, standing.tile, standing.segment) != Some(feature)
        });
        self.meeples = meeples;
        *self.meeples_mut(feature) = [0; MAX_PLAYERS];
    }
}
