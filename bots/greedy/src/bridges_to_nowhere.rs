//! Bridges to Nowhere: plans the current building phase to its end, piece by piece, and evaluates
//! the resulting structure. In a draft, a card is rated by the value of the best plan that uses it.
//! Ratings do not depend on the other seat's structure, so one sampled state is enough.

mod evaluation;
mod planning;
mod structure;

use bridgemaster_games::{
    ChanceStream, Game as _, Rules as _, Sample as _, Seat, Viewer,
    bridges_to_nowhere::{
        BridgesToNowhere, CARDS_PER_DRAFT, Decision, Observation, Phase, ROUNDS, State,
    },
};
use evaluation::RemainingPieces;
use planning::Planner;

use super::{DecisionPoint, Rate, after, best_rated};

impl Rate for BridgesToNowhere {
    const RATES_HIDDEN_FACTS: bool = false;

    fn rate(point: &DecisionPoint<'_, Self>, _chance: &mut ChanceStream, ratings: &mut [f64]) {
        let DecisionPoint { state, seat, decisions, .. } = *point;
        let seen = Self::observe(state, Viewer::Seat(seat));
        match seen.phase {
            Phase::Draft { .. } => {
                for (decision, rating) in decisions.iter().zip(ratings) {
                    *rating += rate_take(state, &seen, seat, decision);
                }
            }
            Phase::Build => Planner::for_phase(&seen, seat).rate(state, decisions, ratings),
            Phase::Over => {}
        }
    }

    fn samples(_decisions: &[Decision]) -> u32 {
        1
    }

    /// Takes a random card, and builds by the most promising plan.
    fn quick_decision(
        point: &DecisionPoint<'_, Self>,
        chance: &mut ChanceStream,
        ratings: &mut Vec<f64>,
    ) -> usize {
        let DecisionPoint { state, seat, decisions, .. } = *point;
        let seen = Self::observe(state, Viewer::Seat(seat));
        if let Phase::Draft { .. } = seen.phase {
            return chance.below(decisions.len() as u32) as usize;
        }
        ratings.clear();
        ratings.resize(decisions.len(), 0.0);
        Planner::for_phase_quick(&seen, seat).rate(state, decisions, ratings);
        best_rated(ratings)
    }
}

/// Returns the value of a seat's best plan from the start of a building phase; `seen` is its
/// observation.
pub fn best_plan_value(state: &State, seen: &Observation, seat: Seat) -> f64 {
    Planner::for_phase_narrow(seen, seat).best(state)
}

/// Returns the value of a seat's structure, including the cards that it will still get. `seen` is
/// its observation.
pub fn structure_value(seen: &Observation, seat: Seat) -> f64 {
    let view = &seen.seats[seat.index()];
    let later = usize::from(ROUNDS - 1 - seen.round) * CARDS_PER_DRAFT;
    let of_this_round = match seen.phase {
        Phase::Draft { .. } => CARDS_PER_DRAFT,
        Phase::Build if !view.has_ended => view.cards.len(),
        Phase::Build | Phase::Over => 0,
    };
    let cards = later + of_this_round;
    let remaining = RemainingPieces {
        contract: seen.contract,
        cards,
        building: cards > 0 || (seen.phase == Phase::Build && !view.has_ended),
    };
    remaining.evaluate(view)
}

/// Returns the value of the best plan with the cards that the seat has after one more take. Cards
/// that the seat takes later in this draft are ignored.
fn rate_take(state: &State, seen: &Observation, seat: Seat, take: &Decision) -> f64 {
    let mut held = seen.seats[seat.index()].cards.to_vec();
    if let Decision::Take(card) = take {
        held.push(*card);
    }
    let planner = Planner::for_draft(seen, seat, held);
    planner.best(&end_of_draft(after::<BridgesToNowhere>(state, seat, take)))
}

/// Returns the state at the end of the draft if all seats always take the first card on the table.
fn end_of_draft(mut state: State) -> State {
    let mut list = Vec::with_capacity(BridgesToNowhere::LEGAL_CAP);
    let phase = |state: &State| BridgesToNowhere::observe(state, Viewer::Spectator).phase;
    while let Phase::Draft { seat } = phase(&state) {
        BridgesToNowhere::legal(&state, seat, &mut list);
        state = after::<BridgesToNowhere>(&state, seat, &list[0]);
    }
    state
}
