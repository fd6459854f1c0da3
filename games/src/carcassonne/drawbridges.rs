//! The drawbridges on the table, and which of them meeples of a completed road may use.

use super::decision::Gate;
use super::features::Drawbridge;
use super::map::Map;

impl Map {
    /// The drawbridges of a road that are down: those to incomplete cities. Each city once, by its
    /// first gate, in the order of gates; with the tile of the gate.
    pub(super) fn down(&self, road: u8) -> impl Iterator<Item = (Gate, u8)> {
        let of_road = move |drawbridge: &Drawbridge| self.roads.root(drawbridge.road) == road;
        let city = |drawbridge: &Drawbridge| self.cities.root(drawbridge.city);
        let drawbridges = self.drawbridges.iter().enumerate();
        drawbridges.filter_map(move |(i, drawbridge)| {
            let reached = city(drawbridge);
            if !of_road(drawbridge) || self.city(reached).is_complete() {
                return None;
            }
            let mut before = self.drawbridges[..i].iter();
            let again = before.any(|other| of_road(other) && city(other) == reached);
            (!again).then_some((drawbridge.gate, drawbridge.tile))
        })
    }

    /// The gate by which the city of `gate` is named for a road; `None` when no drawbridge of
    /// the road that is down leads there.
    pub(super) fn first_gate(&self, road: u8, gate: Gate) -> Option<Gate> {
        let named = |drawbridge: &&Drawbridge| {
            drawbridge.gate == gate && self.roads.root(drawbridge.road) == road
        };
        let city = self.cities.root(self.drawbridges.iter().find(named)?.city);
        let same_city = |drawbridge: &&Drawbridge| {
            self.roads.root(drawbridge.road) == road && self.cities.root(drawbridge.city) == city
        };
        let first = self.drawbridges.iter().find(same_city)?;
        (!self.city(city).is_complete()).then_some(first.gate)
    }
}
