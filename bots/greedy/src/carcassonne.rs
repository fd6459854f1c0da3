//! Carcassonne with the Drawbridges: tries each placement with each meeple that it allows. The
//! rating is the score that the seat would have if the match ended after the placement, plus the
//! value of the remaining meeples. The rating does not depend on the next tile, which is hidden.

mod meeples;

use bridgemaster_games::{
    ChanceStream, Game as _, MAX_SEATS, Sample as _, Seat, Viewer,
    carcassonne::{Carcassonne, Decision, MEEPLES, Observation, Phase, State},
};
pub use meeples::MeepleEvaluator;

use super::{DecisionPoint, Rate, after, lead, quick_best};

/// The values, in points, of the first meeple in the supply and of each further meeple, while the
/// match is long. The first is worth most, since a seat without meeples cannot claim anything.
/// These values won most often among a dozen candidates.
const MEEPLE: [f64; MEEPLES as usize] = [7.0, 3.5, 1.8, 1.0, 0.5, 0.3, 0.1];
/// The number of remaining turns from which the match counts as long. With fewer turns, the value
/// of meeples falls to 0.
const MANY_TURNS: f64 = 7.0;

impl Rate for Carcassonne {
    const RATES_HIDDEN_FACTS: bool = false;

    fn rate(point: &DecisionPoint<'_, Self>, _chance: &mut ChanceStream, ratings: &mut [f64]) {
        let DecisionPoint { state, seat, decisions, .. } = *point;
        for (decision, rating) in decisions.iter().zip(ratings) {
            let after = after::<Carcassonne>(state, seat, decision);
            *rating += match decision {
                Decision::Place(_) => best_meeple(&after, seat),
                Decision::Meeple(_) | Decision::Drawbridge(_) => evaluate(&after, seat),
            };
        }
    }

    fn samples(_decisions: &[Decision]) -> u32 {
        1
    }

    /// Compares some random decisions by the expected points of the meeples, because rating all
    /// decisions takes several hundred times as long.
    fn quick_decision(
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        _ratings: &mut Vec<f64>,
    ) -> usize {
        let DecisionPoint { state, seat, decisions, .. } = *point;
        quick_best(decisions.len() as u32, chance, |place| {
            let after = after::<Self>(state, seat, &decisions[place]);
            let seen = Self::observe(&after, Viewer::Spectator);
            let points = expected_points(&after, &seen, &MeepleEvaluator::new(&seen));
            lead(&points[..seen.seats.len()], seat)
        })
    }
}

/// Returns each seat's points, with the expected points of its meeples on the table and the value
/// of those in its supply.
pub fn expected_points(
    state: &State,
    seen: &Observation,
    evaluator: &MeepleEvaluator<'_>,
) -> [f64; MAX_SEATS] {
    let mut points = [0.0; MAX_SEATS];
    evaluator.add_points(state, &mut points);
    for (place, points) in points.iter_mut().enumerate().take(seen.seats.len()) {
        *points += supply_value(seen, place);
    }
    points
}

/// Returns the value of the best meeple on the tile just placed.
fn best_meeple(state: &State, seat: Seat) -> f64 {
    let mut list = Vec::new();
    Carcassonne::legal(state, seat, &mut list);
    let values =
        list.iter().map(|decision| evaluate(&after::<Carcassonne>(state, seat, decision), seat));
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Returns a seat's lead over the other seats' average, in points, meeples included.
fn evaluate(state: &State, seat: Seat) -> f64 {
    let seen = Carcassonne::observe(state, Viewer::Seat(seat));
    let scores = state.scores_if_ended();
    let mut points = [0.0; MAX_SEATS];
    for (place, score) in scores.iter().enumerate() {
        points[place] = f64::from(*score) + supply_value(&seen, place);
    }
    lead(&points[..scores.len()], seat)
}

/// Returns the value of a seat's meeples that are not on the table, in points.
fn supply_value(seen: &Observation, place: usize) -> f64 {
    let mut free = usize::from(seen.seats[place].supply);
    if let Phase::Drawbridge { crossings } = &seen.phase {
        let own = crossings.iter().filter(|crossing| crossing.seat.index() == place);
        free += own.map(|crossing| usize::from(crossing.meeples)).sum::<usize>();
    }
    let tiles: u8 = seen.unseen.iter().sum();
    let turns = f64::from(tiles) / seen.seats.len() as f64;
    MEEPLE[..free].iter().sum::<f64>() * (turns / MANY_TURNS).min(1.0)
}
