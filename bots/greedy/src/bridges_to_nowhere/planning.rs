//! Plans of a building phase: sequences of placements up to its end. A beam search keeps only the
//! structures that promise most after each placement.

use bridgemaster_games::{
    Game as _, NoEvents, Rules as _, Sample as _, Seat, Viewer,
    bridges_to_nowhere::{
        BridgesToNowhere, CARDS_A_DRAFT, Card, Decision, Observation, Piece, Placement, ROUNDS,
        SeatView, State,
    },
};

use super::evaluation::Outlook;

/// Structures that are kept after each placement, when a phase is built: more score hardly more.
const PHASE_BEAM: usize = 8;
/// As many when a card is drafted: there are several plans to make.
const DRAFT_BEAM: usize = 4;
/// What an unfinished plan is worth that cannot end yet.
const CANNOT_END: f64 = f64::NEG_INFINITY;

/// Plans one building phase of a seat.
pub(super) struct Planner {
    seat: Seat,
    /// The cards of this round that may be placed; the seat may hold others.
    usable: Option<Vec<Card>>,
    /// What may still come while the phase is built. Cards held at its start count at every stage,
    /// placed or not: that favours stages that have placed them.
    before_end: Outlook,
    /// What may still come after it.
    after_end: Outlook,
    beam: usize,
}

/// A structure that a plan leads to.
struct Stage {
    state: State,
    view: SeatView,
    /// The place of the plan's first decision.
    first: usize,
    /// What it promises before the phase has ended.
    promise: f64,
}

impl Planner {
    /// For the phase that is built now.
    pub(super) fn for_phase(seen: &Observation, seat: Seat) -> Self {
        let held = seen.seats[seat.index()].cards.len();
        Self::new(seen, seat, held, 0, PHASE_BEAM)
    }

    /// For the phase that is built now, with fewer plans.
    pub(super) fn for_quick_look(seen: &Observation, seat: Seat) -> Self {
        Self {
            beam: DRAFT_BEAM,
            ..Self::for_phase(seen, seat)
        }
    }

    /// For the phase after a draft in which the seat has taken these cards so far.
    pub(super) fn for_draft(seen: &Observation, seat: Seat, held: Vec<Card>) -> Self {
        let to_take = CARDS_A_DRAFT - held.len();
        let planner = Self::new(seen, seat, held.len(), to_take, DRAFT_BEAM);
        Self {
            usable: Some(held),
            ..planner
        }
    }

    fn new(seen: &Observation, seat: Seat, held: usize, to_take: usize, beam: usize) -> Self {
        let rounds_left = usize::from(ROUNDS - 1 - seen.round);
        let later = rounds_left * CARDS_A_DRAFT + to_take;
        let outlook = |cards: usize, building| Outlook {
            contract: seen.contract,
            cards,
            building,
        };
        Self {
            seat,
            usable: None,
            before_end: outlook(later + held, true),
            after_end: outlook(later, later > 0),
            beam,
        }
    }

    /// Rates each decision by the best plan that begins with it.
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

    /// What the best plan from `state` on comes to.
    pub(super) fn best(&self, state: &State) -> f64 {
        let view = self.view(state);
        let root = Stage {
            state: state.clone(),
            promise: 0.0,
            view,
            first: 0,
        };
        let mut best = [CANNOT_END];
        self.search(vec![root], &mut best);
        best[0]
    }

    /// Raises the entry of each plan's first decision to what the plan comes to at its end.
    fn search(&self, mut stages: Vec<Stage>, best: &mut [f64]) {
        let mut list = Vec::with_capacity(BridgesToNowhere::LEGAL_CAP);
        while !stages.is_empty() {
            let mut next = Vec::new();
            for stage in self.most_promising(stages) {
                BridgesToNowhere::legal(&stage.state, self.seat, &mut list);
                for decision in &list {
                    match decision {
                        Decision::End => {
                            let worth = self.after_end.evaluate(&stage.view);
                            best[stage.first] = best[stage.first].max(worth);
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

    /// The stages to go on from, each structure once.
    fn most_promising(&self, mut stages: Vec<Stage>) -> Vec<Stage> {
        stages.sort_by(|a, b| b.promise.total_cmp(&a.promise));
        let mut kept: Vec<Stage> = Vec::with_capacity(self.beam);
        for stage in stages {
            if kept.len() == self.beam {
                break;
            }
            if !kept
                .iter()
                .any(|other| other.view.structure == stage.view.structure)
            {
                kept.push(stage);
            }
        }
        kept
    }

    fn stage(&self, state: &State, decision: &Decision, first: usize) -> Stage {
        let state = after(state, self.seat, decision);
        let view = self.view(&state);
        Stage {
            promise: self.before_end.evaluate(&view),
            state,
            view,
            first,
        }
    }

    fn view(&self, state: &State) -> SeatView {
        let seen = BridgesToNowhere::observe(state, Viewer::Seat(self.seat));
        let [first, second] = seen.seats;
        if self.seat.index() == 0 {
            first
        } else {
            second
        }
    }

    /// Whether a plan may go on with a placement.
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

/// The state after a decision from its legal list.
pub(super) fn after(state: &State, seat: Seat, decision: &Decision) -> State {
    let mut after = state.clone();
    let applied = BridgesToNowhere::apply(&mut after, seat, decision, &mut NoEvents);
    debug_assert_eq!(applied, Ok(()), "a listed decision applies");
    after
}
