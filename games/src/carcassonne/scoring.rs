//! Scoring of completed features, and of all other features at the end of the match.

use arrayvec::ArrayVec;

use super::components::{MAX_CROSSINGS, MAX_PLAYERS, Segment};
use super::event::Event;
use super::features::{Feature, Monastery, PlacedMeeple, majority};
use super::observation::{Crossing, Phase, Points};
use super::state::State;
use crate::{EventSink, Outcome, ScoreLine, SeatSet};

/// The points for each completed city that a field touches.
const FIELD_CITY_POINTS: u16 = 3;

impl Points {
    /// Returns the points for roads, cities and monasteries.
    pub(super) const fn each(self) -> [u16; 3] {
        [self.roads, self.cities, self.monasteries]
    }

    /// Returns the sum of all categories.
    pub fn sum(self) -> u16 {
        self.roads + self.cities + self.monasteries
    }

    /// Returns the category of a feature; fields score at the end of the match only.
    fn category_mut(&mut self, feature: Feature) -> Option<&mut u16> {
        match feature {
            Feature::Road(_) => Some(&mut self.roads),
            Feature::City(_) => Some(&mut self.cities),
            Feature::Monastery(_) => Some(&mut self.monasteries),
            Feature::Field(_) => None,
        }
    }
}

impl State {
    /// Returns the points of a feature for each seat with the most meeples on it.
    fn feature_points(&self, feature: Feature) -> u16 {
        match feature {
            Feature::Road(root) => self.map.roads.feature(root).tiles.into(),
            // A city of two tiles has no special formula (C3).
            Feature::City(root) => {
                let city = self.map.cities.feature(root);
                u16::from(city.tiles + city.shields) * (1 + u16::from(city.is_complete()))
            }
            Feature::Monastery(place) => {
                let monastery = &self.map.monasteries[usize::from(place)];
                u16::from(monastery.tiles_around) + 1
            }
            Feature::Field(root) => {
                let cities = self.map.fields.feature(root).completed_cities;
                cities.count_ones() as u16 * FIELD_CITY_POINTS
            }
        }
    }

    /// Scores the features that the tile placed last has completed: roads and cities in the order
    /// of its segments, then monasteries. Meeples on these features return to the supply, except
    /// meeples that may cross a drawbridge. Returns the pending crossings.
    pub(super) fn score_completed(
        &mut self,
        events: &mut impl EventSink<Event>,
    ) -> ArrayVec<Crossing, MAX_CROSSINGS> {
        let last = self.map.last();
        let mut crossings = ArrayVec::new();
        for at in 0..self.map.last_features.len() {
            let (segment, feature) = self.map.last_features[at];
            if segment != Segment::Monastery && self.map.is_complete(feature) {
                self.score(last, segment, feature, &mut crossings, events);
            }
        }
        let cell = self.map.cell(last);
        for place in 0..self.map.monasteries.len() as u8 {
            let Monastery { tile, cell: at, .. } = self.map.monasteries[usize::from(place)];
            let feature = Feature::Monastery(place);
            if self.map.is_complete(feature) && at.is_near(cell) {
                self.score(tile, Segment::Monastery, feature, &mut crossings, events);
            }
        }
        for crossing in &crossings {
            events.push(Event::DrawbridgeDown {
                seat: crossing.seat,
                cell,
                road: crossing.road,
                meeples: crossing.meeples,
            });
        }
        crossings
    }

    /// Scores a feature that was just completed, and removes its meeples. The feature contains
    /// `segment` of `tile`.
    fn score(
        &mut self,
        tile: u8,
        segment: Segment,
        feature: Feature,
        crossings: &mut ArrayVec<Crossing, MAX_CROSSINGS>,
        events: &mut impl EventSink<Event>,
    ) {
        let mut meeples = self.map.meeples_on(feature);
        let (seats, points) = (majority(&meeples), self.feature_points(feature));
        events.push(Event::Scored {
            cell: self.map.cell(tile),
            segment,
            completed: true,
            points,
            seats,
        });
        if seats.is_empty() {
            return;
        }
        for seat in seats.iter() {
            if let Some(score) = self.seats[seat.index()].points.category_mut(feature) {
                *score += points;
            }
        }
        if let (Segment::Road(road), Feature::Road(root)) = (segment, feature)
            && seats.len() == 1
            && let Some(seat) = seats.iter().next()
            && self.map.down(root).next().is_some()
        {
            let meeples = std::mem::take(&mut meeples[seat.index()]);
            crossings.push(Crossing { road, seat, meeples });
        }
        for (seat, home) in self.seats.iter_mut().zip(meeples) {
            seat.supply += home;
        }
        self.map.remove_meeples(feature);
    }

    /// Returns each feature with meeples, its final points, and the seats that score them. A
    /// feature is named by its first meeple.
    fn final_scores(&self) -> impl Iterator<Item = (PlacedMeeple, Feature, u16, SeatSet)> {
        let feature = |meeple: &PlacedMeeple| self.map.feature_under(meeple);
        let meeples = &self.map.meeples;
        meeples.iter().enumerate().filter_map(move |(i, meeple)| {
            let scored = feature(meeple);
            if meeples[..i].iter().any(|other| feature(other) == scored) {
                return None;
            }
            let seats = majority(&self.map.meeples_on(scored));
            Some((*meeple, scored, self.feature_points(scored), seats))
        })
    }

    pub(super) fn emit_final_scores(&self, events: &mut impl EventSink<Event>) {
        for (meeple, _, points, seats) in self.final_scores() {
            events.push(Event::Scored {
                cell: self.map.cell(meeple.tile),
                segment: meeple.segment,
                completed: false,
                points,
                seats,
            });
        }
    }

    /// Returns each seat's points, in seat order. Open features and fields count only at the end of
    /// the match.
    fn points(&self) -> impl ExactSizeIterator<Item = (Points, Points, u16)> {
        let mut last = [(Points::default(), 0); MAX_PLAYERS];
        for (_, feature, points, seats) in self.final_scores() {
            for seat in seats.iter() {
                let (open, fields) = &mut last[seat.index()];
                *open.category_mut(feature).unwrap_or(fields) += points;
            }
        }
        let seats = self.seats.iter().zip(last);
        seats.map(|(seat, (open, fields))| (seat.points, open, fields))
    }

    /// Returns the score that each seat would have, in seat order, if the match ended now. The
    /// score covers completed features, open features and fields. Intended for bots that evaluate a
    /// position.
    pub fn scores_if_ended(&self) -> ArrayVec<u16, MAX_PLAYERS> {
        let points = self.points();
        let scores = points.map(|(completed, open, fields)| completed.sum() + open.sum() + fields);
        scores.collect()
    }

    /// Returns the result, once the match has ended.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.phase != Phase::Over {
            return None;
        }
        let seats = self.points().map(|(completed, open, fields)| {
            let lines = [
                ("roads", completed.roads),
                ("cities", completed.cities),
                ("monasteries", completed.monasteries),
                ("open_roads", open.roads),
                ("open_cities", open.cities),
                ("open_monasteries", open.monasteries),
                ("fields", fields),
            ];
            let score: u16 = lines.iter().map(|(_, points)| points).sum();
            let line = |(category, points)| ScoreLine::new(category, points);
            (score, lines.map(line).to_vec())
        });
        Some(Outcome::ranked(seats))
    }
}
