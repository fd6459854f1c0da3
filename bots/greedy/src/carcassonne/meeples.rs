//! Expected final points from the seats' meeples.

use bridgemaster_games::{
    MAX_SEATS,
    carcassonne::{FeatureKind, FeatureView, Observation, State},
};

/// The number of remaining tiles at which a city's open edge will be closed with a probability of
/// one half. The same number applies to an empty place beside a monastery.
const TILES_FOR_AN_EVEN_CHANCE: f64 = 30.0;

/// A field's points for each completed city that it touches.
const FIELD_CITY_POINTS: f64 = 3.0;
/// The number of tiles around a complete monastery.
const TILES_AROUND: u8 = 8;

/// Estimates the value of meeples.
#[derive(Debug)]
pub struct MeepleEvaluator<'a> {
    seen: &'a Observation,
    undrawn_tiles: f64,
}

impl<'a> MeepleEvaluator<'a> {
    /// Creates an evaluator for the meeples in an observation.
    pub fn new(seen: &'a Observation) -> Self {
        let undrawn_tiles: u8 = seen.unseen.iter().sum();
        Self { seen, undrawn_tiles: undrawn_tiles.into() }
    }

    /// Returns the number of undrawn tiles.
    pub fn undrawn_tiles(&self) -> f64 {
        self.undrawn_tiles
    }

    /// Adds each seat's points, and the expected points from its meeples on the table.
    pub fn add_points(&self, state: &State, points: &mut [f64; MAX_SEATS]) {
        for (points, seat) in points.iter_mut().zip(&self.seen.seats) {
            *points += f64::from(seat.points.sum());
        }
        let mut seen_features = Vec::with_capacity(self.seen.meeples.len());
        for meeple in &self.seen.meeples {
            let Some(feature) = state.feature(meeple.cell, meeple.segment) else {
                continue;
            };
            if seen_features.contains(&feature.id) {
                continue;
            }
            seen_features.push(feature.id);
            self.add_feature(&feature, points);
        }
    }

    /// Adds a feature's expected points to the seats with the most meeples on it.
    fn add_feature(&self, feature: &FeatureView, points: &mut [f64; MAX_SEATS]) {
        let expected_points = self.expected_points(feature.kind);
        let most = feature.meeples.iter().max().copied().unwrap_or(0);
        for (points, &meeples) in points.iter_mut().zip(&feature.meeples) {
            if meeples == most {
                *points += expected_points;
            }
        }
    }

    /// Returns a feature's expected points.
    fn expected_points(&self, kind: FeatureKind) -> f64 {
        // The probability that a single edge is closed, or a single place is filled, in time.
        let one = self.undrawn_tiles / (self.undrawn_tiles + TILES_FOR_AN_EVEN_CHANCE);
        match kind {
            FeatureKind::Road { tiles, .. } => f64::from(tiles),
            FeatureKind::City { open_ends, tiles, shields } => {
                f64::from(tiles + shields) * (1.0 + one.powi(open_ends.into()))
            }
            FeatureKind::Monastery { tiles_around } => {
                let missing = TILES_AROUND - tiles_around;
                f64::from(tiles_around + 1) + f64::from(missing) * one
            }
            FeatureKind::Field { completed_cities } => {
                FIELD_CITY_POINTS * f64::from(completed_cities)
            }
        }
    }
}
