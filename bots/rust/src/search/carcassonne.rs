//! Carcassonne with the Drawbridges: searches the turns of the seat and the next seat, considering
//! the tiles that can be drawn.

use bridgemaster_games::{
    ChanceStream, NoEvents, Rules as _, Sample as _, Viewer,
    carcassonne::{Carcassonne, Decision, Phase, State},
};
use bridgemaster_greedy::{
    DecisionPoint, Rate as _,
    carcassonne::{MeepleEvaluator, expected_points},
};

use super::searchable::{Estimate, Params, Root, Searchable, lead_after};

/// The number of turns in a playout, including the root's turn.
const TURNS: u32 = 2;
/// The uncertainty of a lead at the end of the match, and the uncertainty that each remaining tile
/// adds, in points.
const SPREAD: (f64, f64) = (4.0, 0.15);

impl Searchable for Carcassonne {
    type Cache = ();

    const PARAMS: Params = Params {
        exploration: 0.4,
        temperature: 1.5,
        candidates: 1,
        samples: 256,
        rates_new_nodes: true,
    };

    /// Returns the drawn tile.
    fn chance_key(state: &State) -> u64 {
        match Self::observe(state, Viewer::Spectator).phase {
            Phase::PlaceTile { tile } => 1 + tile.index() as u64,
            _ => 0,
        }
    }

    fn is_finished(_root: &Root<'_, Self>, point: &DecisionPoint<'_, Self>, passes: u32) -> bool {
        passes >= TURNS && matches!(point.decisions, [Decision::Place(_), ..])
    }

    fn estimate(_root: &Root<'_, Self>, state: &State, _cache: &mut ()) -> Estimate {
        let seen = Self::observe(state, Viewer::Spectator);
        let evaluator = MeepleEvaluator::new(&seen);
        Estimate {
            points: expected_points(state, &seen, &evaluator),
            spread: SPREAD.0 + SPREAD.1 * evaluator.undrawn_tiles(),
        }
    }

    fn play(
        _root: &Root<'_, Self>,
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        _cache: &mut (),
    ) -> usize {
        Self::quick_decision(point, chance, &mut Vec::new())
    }

    /// Rates a placement by the best meeple that it allows.
    fn prior_ratings(
        root: &Root<'_, Self>,
        point: &DecisionPoint<'_, Self>,
        _chance: &mut ChanceStream,
        cache: &mut (),
        ratings: &mut [f64],
    ) {
        let DecisionPoint { state, seat, decisions, .. } = *point;
        let mut list = Vec::new();
        for (decision, rating) in decisions.iter().zip(ratings) {
            *rating = match decision {
                Decision::Place(_) => {
                    let mut placed = state.clone();
                    let applied = Self::decide(&mut placed, seat, decision, &mut NoEvents);
                    debug_assert_eq!(applied, Ok(()), "a listed decision applies");
                    list.clear();
                    Self::list(&placed, seat, &mut list);
                    let leads =
                        list.iter().map(|meeple| lead_after(root, &placed, seat, meeple, cache));
                    leads.fold(f64::NEG_INFINITY, f64::max)
                }
                Decision::Meeple(_) | Decision::Drawbridge(_) => {
                    lead_after(root, state, seat, decision, cache)
                }
            };
        }
    }
}
