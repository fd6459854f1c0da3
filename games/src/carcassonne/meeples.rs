//! Meeples on the map, and the drawbridges that meeples from a completed road may use.

use super::components::{MAX_PLAYERS, Segment};
use super::decision::Gate;
use super::edition::Edition;
use super::features::{Drawbridge, Feature, Meeples, PlacedMeeple};
use super::map::Map;
use crate::Seat;

impl Map {
    /// Returns each seat's number of meeples on a feature.
    pub(super) fn meeples_on(&self, feature: Feature) -> Meeples {
        match feature {
            Feature::Road(root) => self.roads.feature(root).meeples,
            Feature::City(root) => self.cities.feature(root).meeples,
            Feature::Field(root) => self.fields.feature(root).meeples,
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

    /// Returns `true` if there is a meeple on a feature.
    pub(super) fn is_occupied(&self, feature: Feature) -> bool {
        self.meeples_on(feature) != [0; MAX_PLAYERS]
    }

    /// Places a meeple of a seat on a segment. Does nothing if the tile has no such segment.
    pub(super) fn add_meeple(&mut self, edition: &Edition, tile: u8, segment: Segment, seat: Seat) {
        let Some(place) = self.rotated(edition, tile).index_of(segment) else {
            return;
        };
        let meeple = PlacedMeeple { tile, segment, seat, place };
        self.meeples_mut(self.feature_under(&meeple))[seat.index()] += 1;
        let place = self.meeples.partition_point(|other| *other <= meeple);
        self.meeples.insert(place, meeple);
    }

    /// Returns the feature that a meeple is on.
    pub(super) fn feature_under(&self, meeple: &PlacedMeeple) -> Feature {
        self.feature_at(meeple.tile, meeple.segment, meeple.place)
    }

    /// Removes all meeples from a feature.
    pub(super) fn remove_meeples(&mut self, feature: Feature) {
        let mut meeples = std::mem::take(&mut self.meeples);
        meeples.retain(|meeple| self.feature_under(meeple) != feature);
        self.meeples = meeples;
        *self.meeples_mut(feature) = [0; MAX_PLAYERS];
    }
}

impl Map {
    /// Returns a road's lowered drawbridges, which lead to incomplete cities. Each city is listed
    /// once, by its first gate, in the order of gates.
    pub(super) fn down(&self, road: u8) -> impl Iterator<Item = &Drawbridge> {
        let of_road = move |drawbridge: &Drawbridge| self.roads.root(drawbridge.road) == road;
        let drawbridges = self.drawbridges.iter().enumerate();
        let down = drawbridges.filter(move |&(i, drawbridge)| {
            let city = self.cities.root(drawbridge.city);
            if !of_road(drawbridge) || self.cities.feature(city).is_complete() {
                return false;
            }
            let mut before = self.drawbridges[..i].iter();
            !before.any(|other| of_road(other) && self.cities.root(other.city) == city)
        });
        down.map(|(_, drawbridge)| drawbridge)
    }

    /// Returns the drawbridge that names the city of `gate` for a road, or `None` if no lowered
    /// drawbridge of the road leads there.
    pub(super) fn first_down(&self, road: u8, gate: Gate) -> Option<&Drawbridge> {
        let mut drawbridges = self.drawbridges.iter();
        let given = drawbridges
            .find(|drawbridge| drawbridge.gate == gate && self.roads.root(drawbridge.road) == road);
        let city = self.cities.root(given?.city);
        let mut down = self.down(road);
        down.find(|drawbridge| self.cities.root(drawbridge.city) == city)
    }
}
