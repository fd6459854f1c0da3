//! Plans for a building phase: sequences of placements up to the end of the phase. A beam search
//! keeps only the most promising structures after each placement.

use bridgemaster_games::{
    Game as _, Rules as _, Sample as _, Seat, Viewer,
    bridges_to_nowhere::{
        BridgesToNowhere, CARDS_PER_DRAFT, Card, Decision, Observation, Piece, Placement, ROUNDS,
        SeatView, State,
    },
};

use super::evaluation::RemainingPieces;
use crate::after;

/// The beam width while building. A wider beam scores hardly more.
const PHASE_BEAM: usize = 8;
/// The beam width while drafting. It is narrower than while building, because a draft needs several
/// plans.
const DRAFT_BEAM: usize = 4;
/// The value of a plan that leads to a state in which the phase cannot end.
const CANNOT_END: f64 = f64::NEG_INFINITY;

/// Plans one of a seat's building phases.
pub(super) struct Planner {
    seat: Seat,
    /// This round's cards that the plan can place. The seat might have further cards in hand.
    usable: Option<Vec<Card>>,
    /// The pieces that the seat can still place, counted at the start of the phase: cards in hand,
    /// cards still to take in this draft, and cards of later rounds. Cards in hand count even after
    /// they are placed, so a stage that has placed them is rated higher.
    before_end: RemainingPieces,
    /// The pieces that can still be placed after the phase.
    after_end: RemainingPieces,
    beam: usize,
}

/// A structure that a plan leads to.
struct Stage {
    state: State,
    view: SeatView,
    /// The index of the plan's first decision.
    first: usize,
    /// The estimated value before the phase has ended.
    estimate: f64,
}

impl Planner {
    /// Creates a planner for the current phase.
    pub(super) fn for_phase(seen: &Observation, seat: Seat) -> Self {
        let held = seen.seats[seat.index()].cards.len();
        Self::new(seen, seat, held, 0, PHASE_BEAM)
    }

    /// Creates a planner for the current phase, with a narrower beam.
    pub(super) fn for_phase_narrow(seen: &Observation, seat: Seat) -> Self {
        Self { beam: DRAFT_BEAM, ..Self::for_phase(seen, seat) }
    }

    /// Creates a planner for the current phase that follows only the most promising plan.
    pub(super) fn for_phase_quick(seen: &Observation, seat: Seat) -> Self {
        Self { beam: 1, ..Self::for_phase(seen, seat) }
    }

    /// Creates a planner for the building phase after a draft in which the seat has taken these
    /// cards so far.
    pub(super) fn for_draft(seen: &Observation, seat: Seat, held: Vec<Card>) -> Self {
        let to_take = CARDS_PER_DRAFT - held.len();
        let planner = Self::new(seen, seat, held.len(), to_take, DRAFT_BEAM);
        Self { usable: Some(held), ..planner }
    }

    fn new(seen: &Observation, seat: Seat, held: usize, to_take: usize, beam: usize) -> Self {
        let rounds_left = usize::from(ROUNDS - 1 - seen.round);
        let later = rounds_left * CARDS_PER_DRAFT + to_take;
        let remaining =
            |cards: usize, building| RemainingPieces { contract: seen.contract, cards, building };
        Self {
            seat,
            usable: None,
            before_end: remaining(later + held, true),
            after_end: remaining(later, later > 0),
            beam,
        }
    }

    /// Rates each decision by the best plan that starts with it.
    pub(super) fn rate(&self, state: &State, decisions: &[Decision], ratings: &mut [f64]) {
        let mut best = vec![CANNOT_END; decisions.len()];
        let view = self.view(state);
        let mut stages = Vec::new();
        for (first, decision) in decisions.iter().enumerate() {
            match decision {
                Decision::End => best[first] = self.after_end.evaluate(&view),
                _ => stages.push(self.stage(state, decision, first)),
            }
        }
        self.search(stages, &mut best);
        for (rating, best) in ratings.iter_mut().zip(best) {
            *rating += best;
        }
    }

    /// Returns the value of the best plan from `state`.
    pub(super) fn best(&self, state: &State) -> f64 {
        let view = self.view(state);
        let root = Stage { state: state.clone(), estimate: 0.0, view, first: 0 };
        let mut best = [CANNOT_END];
        self.search(vec![root], &mut best);
        best[0]
    }

    /// For each plan, raises the `best` entry of the plan's first decision to the plan's final
    /// value.
    fn search(&self, mut stages: Vec<Stage>, best: &mut [f64]) {
        let mut list = Vec::with_capacity(BridgesToNowhere::LEGAL_CAP);
        while !stages.is_empty() {
            let mut next = Vec::new();
            for stage in self.most_promising(stages) {
                BridgesToNowhere::legal(&stage.state, self.seat, &mut list);
                for decision in &list {
                    match decision {
                        Decision::End => {
                            let value = self.after_end.evaluate(&stage.view);
                            best[stage.first] = best[stage.first].max(value);
                        }
                        Decision::Place(placement) if self.may_place(&stage.view, placement) => {
                            next.push(self.stage(&stage.state, decision, stage.first));
                        }
                        _ => {}
                    }
                }
            }
            stages = next;
        }
    }

    /// Returns the stages to continue with, without duplicate structures.
    fn most_promising(&self, mut stages: Vec<Stage>) -> Vec<Stage> {
        stages.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        let mut retained: Vec<Stage> = Vec::with_capacity(self.beam);
        for stage in stages {
            if retained.len() == self.beam {
                break;
            }
            if !retained.iter().any(|other| other.view.structure == stage.view.structure) {
                retained.push(stage);
            }
        }
        retained
    }

    fn stage(&self, state: &State, decision: &Decision, first: usize) -> Stage {
        let state = after::<BridgesToNowhere>(state, self.seat, decision);
        let view = self.view(&state);
        Stage { estimate: self.before_end.evaluate(&view), state, view, first }
    }

    fn view(&self, state: &State) -> SeatView {
        let seen = BridgesToNowhere::observe(state, Viewer::Seat(self.seat));
        let [first, second] = seen.seats;
        if self.seat.index() == 0 { first } else { second }
    }

    /// Returns `true` if a plan can continue with a placement.
    fn may_place(&self, view: &SeatView, placement: &Placement) -> bool {
        let (Some(usable), Piece::Card(card)) = (&self.usable, placement.piece) else {
            return true;
        };
        let count = |cards: &[Card]| cards.iter().filter(|&&other| other == card).count();
        let placed = view.placed.iter();
        let placed = placed.filter(|placed| placed.piece == placement.piece);
        placed.count() < count(usable)
    }
}
