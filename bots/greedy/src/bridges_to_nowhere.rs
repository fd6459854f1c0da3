//! Bridges to Nowhere: plans the building phase in play to its end, piece by piece, and evaluates
//! the structure that stands then. A card is drafted by what the plan with it comes to. What the
//! other seat builds changes nothing, so one sampled state is as good as many.

mod evaluation;
mod planning;
mod structure;

use bridgemaster_games::{
    ChanceStream, Game as _, Rules as _, Sample as _, Seat, Viewer,
    bridges_to_nowhere::{
        BridgesToNowhere, CARDS_A_DRAFT, Config, Decision, Observation, Phase, ROUNDS, State,
    },
};
use evaluation::Outlook;
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

/// What the best plan of a seat comes to from the beginning of a building phase on; `seen` is its
/// view.
pub fn plan(state: &State, seen: &Observation, seat: Seat) -> f64 {
    Planner::for_quick_look(seen, seat).best(state)
}

/// What the structure of a seat is worth with what may still come; `seen` is its view.
pub fn worth(seen: &Observation, seat: Seat) -> f64 {
    let view = &seen.seats[seat.index()];
    let later = usize::from(ROUNDS - 1 - seen.round) * CARDS_A_DRAFT;
    let of_this_round = match seen.phase {
        Phase::Draft { .. } => CARDS_A_DRAFT,
        Phase::Build if !view.has_ended => view.cards.len(),
        Phase::Build | Phase::Over => 0,
    };
    let cards = later + of_this_round;
    let outlook = Outlook {
        contract: seen.contract,
        cards,
        building: cards > 0 || (seen.phase == Phase::Build && !view.has_ended),
    };
    outlook.evaluate(view)
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
