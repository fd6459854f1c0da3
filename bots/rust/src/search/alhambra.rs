//! Alhambra: searches some turns ahead, considering the cards and buildings that can be drawn. In
//! playouts, every seat takes its best-rated decision.

use bridgemaster_games::{
    ChanceStream, MAX_SEATS, Sample as _, Viewer,
    alhambra::{Alhambra, Currency, Phase, State},
};

use super::searchable::{Estimate, Params, Root, Searchable};
use bridgemaster_greedy::{DecisionPoint, Rate as _, alhambra::expected_points, best_rated};

/// The number of turns in a playout that follow the root's turn.
const TURNS: u32 = 8;
/// The uncertainty of a lead at the end of the match, and the uncertainty that each remaining
/// building adds, in points.
const SPREAD: (f64, f64) = (4.0, 0.3);

impl Searchable for Alhambra {
    type Cache = ();

    const PARAMS: Params = Params {
        exploration: 0.4,
        temperature: 1.5,
        candidates: 1,
        samples: 512,
        rates_new_nodes: true,
    };

    /// Returns the content of the yard and the open row.
    fn chance_key(state: &State) -> u64 {
        let seen = Self::observe(state, Viewer::Spectator);
        let mut chance_key = 0u64;
        for slot in Currency::ALL {
            let building = seen.yard[slot.index()].map_or(0, |building| 1 + building.index());
            chance_key = chance_key << 7 | building as u64;
        }
        for card in seen.row.cards() {
            chance_key = chance_key << 7 | (1 + card.index() as u64);
        }
        chance_key
    }

    fn is_finished(_root: &Root<'_, Self>, _point: &DecisionPoint<'_, Self>, passes: u32) -> bool {
        passes >= TURNS
    }

    fn estimate(root: &Root<'_, Self>, state: &State, _cache: &mut ()) -> Estimate {
        let seen = Self::observe(state, Viewer::Spectator);
        let over = seen.phase == Phase::Over;
        let mut points = [0.0; MAX_SEATS];
        for seat in root.seats.seats() {
            let so_far = seen.seats[seat.index()].points;
            let so_far: i32 = so_far.as_flattened().iter().map(|&n| i32::from(n)).sum();
            let expected = if over { 0.0 } else { expected_points(root.config, &seen, seat) };
            points[seat.index()] = f64::from(so_far) + expected;
        }
        Estimate { points, spread: SPREAD.0 + SPREAD.1 * seen.unseen_buildings.len() as f64 }
    }

    fn play(
        _root: &Root<'_, Self>,
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        _cache: &mut (),
    ) -> usize {
        let mut ratings = vec![0.0; point.decisions.len()];
        Self::rate(point, chance, &mut ratings);
        best_rated(&ratings)
    }
}
