//! Bridges to Nowhere: in a draft, the search covers both seats' takes. Takes are evaluated by the
//! best plans for the cards that the seats have at the end of the draft. In a building phase, the
//! search covers only the seat's own placements, because the other seat builds in secret and cannot
//! interfere.

use bridgemaster_games::{
    MAX_SEATS, Sample as _, Seat, Viewer,
    bridges_to_nowhere::{BridgesToNowhere, Card, Decision, Observation, Phase, ROUNDS, State},
};

use super::searchable::{Estimate, Params, Root, Searchable};
use bridgemaster_greedy::{
    DecisionPoint,
    bridges_to_nowhere::{best_plan_value, structure_value},
};

/// The uncertainty of a lead after the last round, and the uncertainty that each remaining round
/// adds, in points.
const SPREAD: (f64, f64) = (4.0, 5.0);

/// A plan's value, for each seat and each set of cards that the seat can have.
#[derive(Debug, Default)]
pub struct Plans(Vec<(Seat, Vec<Card>, f64)>);

impl Plans {
    fn best(&mut self, state: &State, seat: Seat, seen: &Observation) -> f64 {
        let cards = &seen.seats[seat.index()].cards;
        let existing = self.0.iter().find(|(of, held, _)| *of == seat && held[..] == cards[..]);
        if let Some((_, _, points)) = existing {
            return *points;
        }
        let points = best_plan_value(state, seen, seat);
        self.0.push((seat, cards.to_vec(), points));
        points
    }
}

impl Searchable for BridgesToNowhere {
    type Cache = Plans;

    const PARAMS: Params = Params {
        exploration: 0.6,
        temperature: 4.0,
        candidates: 1,
        samples: 16,
        rates_new_nodes: false,
    };

    fn is_simultaneous(decisions: &[Decision]) -> bool {
        matches!(decisions, [Decision::Place(_) | Decision::End, ..])
    }

    /// A playout in a draft continues to the end of the draft. A playout in a building phase
    /// continues until the seat has finished building.
    fn is_finished(root: &Root<'_, Self>, point: &DecisionPoint<'_, Self>, passes: u32) -> bool {
        let drafts = |decisions: &[Decision]| matches!(decisions, [Decision::Take(_), ..]);
        let root_phase = Self::observe(&root.state, Viewer::Spectator).phase;
        match root_phase {
            Phase::Draft { .. } => !drafts(point.decisions),
            Phase::Build | Phase::Over => drafts(point.decisions) || passes > 0,
        }
    }

    fn estimate(root: &Root<'_, Self>, state: &State, plans: &mut Plans) -> Estimate {
        let seats = root.seats.seats();
        let mut points = [0.0; MAX_SEATS];
        let seen = Self::observe(state, Viewer::Spectator);
        let games_before = Self::observe(&root.state, Viewer::Spectator).results.len();
        if let Some(result) = seen.results.get(games_before) {
            for seat in seats {
                points[seat.index()] = f64::from(result.scores[seat.index()].total());
            }
            return Estimate { points, spread: SPREAD.0 };
        }
        for seat in seats {
            let seen = Self::observe(state, Viewer::Seat(seat));
            let view = &seen.seats[seat.index()];
            let to_plan = seen.phase == Phase::Build && !view.has_ended;
            points[seat.index()] = if to_plan && view.placed.is_empty() {
                plans.best(state, seat, &seen)
            } else {
                structure_value(&seen, seat)
            };
        }
        Estimate { points, spread: SPREAD.0 + SPREAD.1 * f64::from(ROUNDS - 1 - seen.round) }
    }
}
