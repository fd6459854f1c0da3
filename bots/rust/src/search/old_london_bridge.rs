//! Old London Bridge: plays out whole rounds, and then evaluates each seat's position.

use bridgemaster_games::{
    ChanceStream, MAX_SEATS, Sample as _, Viewer,
    old_london_bridge::{Decision, OldLondonBridge, State},
};

use super::searchable::{Estimate, Params, Root, Searchable};
use bridgemaster_greedy::{DecisionPoint, Rate as _, old_london_bridge::evaluate};

/// The number of rounds in a playout, including the root's round.
const ROUNDS: u8 = 2;
/// The uncertainty of a lead at the end of the match, and the uncertainty that each remaining round
/// adds, in pounds.
const SPREAD: (f64, f64) = (3.0, 0.7);

impl Searchable for OldLondonBridge {
    type Cache = ();

    const PARAMS: Params = Params {
        exploration: 0.4,
        temperature: 1.5,
        candidates: 8,
        samples: 512,
        rates_new_nodes: false,
    };

    fn is_simultaneous(decisions: &[Decision]) -> bool {
        matches!(decisions, [Decision::PlayCards(_), ..])
    }

    fn is_finished(root: &Root<'_, Self>, point: &DecisionPoint<'_, Self>, _passes: u32) -> bool {
        let first = point.decisions.first();
        let begins = matches!(first, Some(Decision::PlayCards(_) | Decision::TakeA2(_)));
        let round = |state| Self::observe(state, Viewer::Spectator).round;
        begins && round(point.state) >= round(&root.state) + ROUNDS
    }

    fn estimate(root: &Root<'_, Self>, state: &State, _cache: &mut ()) -> Estimate {
        let seen = Self::observe(state, Viewer::Spectator);
        let edition = &root.config.edition;
        let mut points = [0.0; MAX_SEATS];
        for seat in root.seats.seats() {
            points[seat.index()] = evaluate(edition, &seen, seat);
        }
        let remaining_rounds = seen.rounds - 1 - seen.round;
        Estimate { points, spread: SPREAD.0 + SPREAD.1 * f64::from(remaining_rounds) }
    }

    fn prior_ratings(
        _root: &Root<'_, Self>,
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        _cache: &mut (),
        ratings: &mut [f64],
    ) {
        // Rating a card requires playing whole rounds, which is too slow except at the root.
        if !Self::is_simultaneous(point.decisions) {
            Self::rate(point, chance, ratings);
        }
    }
}
