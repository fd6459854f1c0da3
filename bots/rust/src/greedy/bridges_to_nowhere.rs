//! Bridges to Nowhere: plans the building phase in play to its end, piece by piece, and evaluates
//! the structure that stands then. A card is drafted by what the plan with it comes to. What the
//! other seat builds changes nothing, so one sampled state is as good as many.

mod evaluation;
mod planning;
mod structure;

use bridgemaster_games::{
    ChanceStream, Game as _, Rules as _, Sample as _, Seat, Viewer,
    bridges_to_nowhere::{BridgesToNowhere, Config, Decision, Observation, Phase, State},
};
use planning::{Planner, after};

use super::Rate;

impl Rate for BridgesToNowhere {
    const RATES_HIDDEN_FACTS: bool = false;

    fn rate(
        _config: &Config,
        state: &State,
        seat: Seat,
        decisions: &[Decision],
        _chance: &mut ChanceStream,
        ratings: &mut [f64],
    ) {
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
}

/// What the best plan comes to with the cards that the seat holds after taking one more, and
/// without those that it takes later in this draft.
fn rate_take(state: &State, seen: &Observation, seat: Seat, take: &Decision) -> f64 {
    let mut held = seen.seats[seat.index()].cards.to_vec();
    if let Decision::Take(card) = take {
        held.push(*card);
    }
    let planner = Planner::for_draft(seen, seat, held);
    planner.best(&end_of_draft(after(state, seat, take)))
}

/// The state after a draft in which everybody goes on to take the first card of the table.
fn end_of_draft(mut state: State) -> State {
    let mut list = Vec::with_capacity(BridgesToNowhere::LEGAL_CAP);
    let phase = |state: &State| BridgesToNowhere::observe(state, Viewer::Spectator).phase;
    while let Phase::Draft { seat } = phase(&state) {
        BridgesToNowhere::legal(&state, seat, &mut list);
        state = after(&state, seat, &list[0]);
    }
    state
}
