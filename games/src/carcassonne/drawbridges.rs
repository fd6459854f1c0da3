//! Drawbridges on the table. This module determines the drawbridges that meeples from a completed
//! road may use.

use super::decision::Gate;
use super::features::Drawbridge;
use super::map::Map;

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
