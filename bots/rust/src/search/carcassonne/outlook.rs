//! What the meeples of the seats may bring in the end, in points.

use bridgemaster_games::{
    MAX_SEATS, Seat,
    carcassonne::{FeatureKind, FeatureView, MEEPLES, Observation, Phase, State},
};

/// What the first meeple in the supply is worth, and each further one, in points, while the match
/// is long: most without any other, for then nothing more can be claimed.
const MEEPLE: [f64; MEEPLES as usize] = [7.0, 3.5, 1.8, 1.0, 0.5, 0.3, 0.1];
/// Turns of a seat from which on a match is long; with fewer left, meeples are worth less, at last
/// nothing.
const MANY_TURNS: f64 = 7.0;
/// Tiles to come with which an open edge of a city is closed in time with an even chance, and a
/// place beside a monastery filled.
const TILES_FOR_AN_EVEN_CHANCE: f64 = 30.0;

/// Points of a field for each completed city that it touches.
const FIELD_CITY_POINTS: f64 = 3.0;
/// Tiles round a complete monastery.
const TILES_ROUND: u8 = 8;

/// What the seats may expect of their meeples.
pub(super) struct Outlook<'a> {
    seen: &'a Observation,
    to_come: f64,
}

impl<'a> Outlook<'a> {
    pub(super) fn new(seen: &'a Observation) -> Self {
        let to_come: u8 = seen.unseen.iter().sum();
        Self {
            seen,
            to_come: to_come.into(),
        }
    }

    /// Tiles that are not drawn yet.
    pub(super) fn to_come(&self) -> f64 {
        self.to_come
    }

    /// Adds to each seat what it has and what its meeples on the table may bring.
    pub(super) fn add_points(&self, state: &State, points: &mut [f64; MAX_SEATS]) {
        for (points, seat) in points.iter_mut().zip(&self.seen.seats) {
            *points += f64::from(seat.points.sum());
        }
        let mut known = Vec::with_capacity(self.seen.meeples.len());
        for meeple in &self.seen.meeples {
            let Some(feature) = state.feature(meeple.cell, meeple.segment) else {
                continue;
            };
            if known.contains(&feature.id) {
                continue;
            }
            known.push(feature.id);
            self.add_feature(&feature, points);
        }
    }

    /// Adds what a feature may bring to the seats with the most meeples on it.
    fn add_feature(&self, feature: &FeatureView, points: &mut [f64; MAX_SEATS]) {
        let worth = self.worth(feature.kind);
        let most = feature.meeples.iter().max().copied().unwrap_or(0);
        for (points, &meeples) in points.iter_mut().zip(&feature.meeples) {
            if meeples == most {
                *points += worth;
            }
        }
    }

    /// The points that a feature may bring.
    fn worth(&self, kind: FeatureKind) -> f64 {
        // The chance that a single edge is closed in time, or a single place filled.
        let one = self.to_come / (self.to_come + TILES_FOR_AN_EVEN_CHANCE);
        match kind {
            FeatureKind::Road { tiles, .. } => f64::from(tiles),
            FeatureKind::City {
                open_ends,
                tiles,
                shields,
            } => f64::from(tiles + shields) * (1.0 + one.powi(open_ends.into())),
            FeatureKind::Monastery { tiles_round } => {
                let missing = TILES_ROUND - tiles_round;
                f64::from(tiles_round + 1) + f64::from(missing) * one
            }
            FeatureKind::Field { completed_cities } => {
                FIELD_CITY_POINTS * f64::from(completed_cities)
            }
        }
    }

    /// What the meeples of a seat are worth that stand nowhere.
    pub(super) fn supply(&self, seat: Seat) -> f64 {
        let mut free = usize::from(self.seen.seats[seat.index()].supply);
        if let Phase::Drawbridge { crossings } = &self.seen.phase {
            let own = crossings.iter().filter(|crossing| crossing.seat == seat);
            free += own
                .map(|crossing| usize::from(crossing.meeples))
                .sum::<usize>();
        }
        MEEPLE[..free].iter().sum::<f64>() * self.length()
    }

    /// How much of a long match is left, 0 to 1.
    fn length(&self) -> f64 {
        let turns = self.to_come / self.seen.seats.len() as f64;
        (turns / MANY_TURNS).min(1.0)
    }
}
