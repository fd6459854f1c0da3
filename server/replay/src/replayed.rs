//! A match that is rebuilt from its replay, with the state after each step.

use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{DecidedBy, Record, Replay, record},
};

use crate::opening::{
    ForkProgress, Opening, below, chance_of, decision_of, invalid_field, open, seat_of,
};

/// The states of a match, as its replay determines them.
#[derive(Debug)]
pub struct ReplayedMatch<G: WireGame> {
    /// The match's config.
    pub config: G::Config,
    /// The number of seats.
    pub seats: SeatCount,
    /// The state before the first step.
    pub start: G::State,
    /// All decisions and chance results, in order.
    pub steps: Vec<ReplayedStep<G>>,
}

/// A decision or a chance result, and the state that it leads to.
#[derive(Debug)]
pub struct ReplayedStep<G: WireGame> {
    /// The decision; `None` for a chance result.
    pub decision: Option<ReplayedDecision<G>>,
    /// The state after the step.
    pub state: G::State,
}

/// A decision of a seat.
#[derive(Debug)]
pub struct ReplayedDecision<G: WireGame> {
    /// The seat that decided.
    pub seat: Seat,
    /// The decision.
    pub decision: G::Decision,
    /// The origin of the decision: the bot, the referee, the house or another replay.
    pub decided_by: DecidedBy,
}

impl<G: WireGame> ReplayedMatch<G> {
    /// Rebuilds the states of a replay that [`verify`](crate::verify) accepts.
    ///
    /// # Errors
    ///
    /// Returns an error if the replay is of another game, or a decision or chance result does not
    /// apply. The error names the field.
    pub fn new(replay: &Replay) -> Result<Self, FieldError> {
        if replay.game_id != G::ID {
            return invalid_field("game_id", format!("expected {}", G::ID));
        }
        let Opening { rules, mut state, .. } = open::<G>(replay)?;
        let mut forked = ForkProgress::from_head(replay)?;
        forked.redraw_at_position(&rules, &mut state)?;
        let start = state.clone();
        let mut steps = Vec::new();
        for (position, record) in replay.records.iter().enumerate() {
            let at = format!("records[{position}]");
            let is_step = apply::<G>(&mut state, rules.seats, record).map_err(below(&at))?;
            let Some(decision) = is_step else {
                continue;
            };
            if decision.is_some() {
                forked.record_decision();
            }
            forked.redraw_at_position(&rules, &mut state)?;
            steps.push(ReplayedStep { decision, state: state.clone() });
        }
        Ok(Self { config: rules.config, seats: rules.seats, start, steps })
    }
}

/// Applies a record to a state. Returns `None` if the record is not a step of the game, and
/// `Some(None)` for a chance result.
fn apply<G: WireGame>(
    state: &mut G::State,
    seats: SeatCount,
    record: &Record,
) -> Result<Option<Option<ReplayedDecision<G>>>, FieldError> {
    match &record.record {
        Some(record::Record::Decision(record)) => {
            let seat = seat_of(seats, "decision.seat", record.seat)?;
            let decision = decision_of::<G>(record)?;
            G::apply(state, seat, &decision, &mut Vec::new())
                .or_else(|illegal| invalid_field("decision.decision", illegal))?;
            let decided_by = record.decided_by();
            Ok(Some(Some(ReplayedDecision { seat, decision, decided_by })))
        }
        Some(record::Record::Chance(record)) => {
            let chance = chance_of::<G>(record)?;
            G::apply_chance(state, &chance, &mut Vec::new())
                .or_else(|error| invalid_field("chance.chance", error))?;
            Ok(Some(None))
        }
        _ => Ok(None),
    }
}
