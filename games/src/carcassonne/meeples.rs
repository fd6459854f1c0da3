//! The meeples on the table.

use super::components::MAX_PLAYERS;
use super::edition::Edition;
use super::features::{Feature, Meeples, Standing};
use super::map::Map;

impl Map {
    pub(super) fn meeples_on(&self, feature: Feature) -> Meeples {
        match feature {
            Feature::Road(root) => self.road(root).meeples,
            Feature::City(root) => self.city(root).meeples,
            Feature::Field(root) => self.field(root).meeples,
            Feature::Monastery(place) => {
                let mut meeples = [0; MAX_PLAYERS];
                if let Some(seat) = self.monasteries[usize::from(place)].meeple {
                    meeples[seat.index()] = 1;
                }
                meeples
            }
        }
    }

    /// Whether a meeple stands on a feature.
    pub(super) fn is_occupied(&self, feature: Feature) -> bool {
        self.meeples_on(feature) != [0; MAX_PLAYERS]
    }

    /// Puts a meeple onto a segment, which the tile must have.
    pub(super) fn add_meeple(&mut self, edition: &Edition, standing: Standing) {
        let Standing {
            tile,
            segment,
            seat,
        } = standing;
        match self.feature(edition, tile, segment) {
            Some(Feature::Road(root)) => self.roads.feature_mut(root).meeples[seat.index()] += 1,
            Some(Feature::City(root)) => self.cities.feature_mut(root).meeples[seat.index()] += 1,
            Some(Feature::Field(root)) => self.fields.feature_mut(root).meeples[seat.index()] += 1,
            Some(Feature::Monastery(place)) => {
                self.monasteries[usize::from(place)].meeple = Some(seat);
            }
            None => return,
        }
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
        match feature {
            Feature::Road(root) => self.roads.feature_mut(root).meeples = [0; MAX_PLAYERS],
            Feature::City(root) => self.cities.feature_mut(root).meeples = [0; MAX_PLAYERS],
            Feature::Field(root) => self.fields.feature_mut(root).meeples = [0; MAX_PLAYERS],
            Feature::Monastery(place) => self.monasteries[usize::from(place)].meeple = None,
        }
    }
}
