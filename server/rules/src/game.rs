//! Positions of one game, and the trait that makes them usable for any game.

use std::sync::Arc;

use bridgemaster_games::{
    ChanceStream, EventSink, LegalList, NoEvents, Seat, SeatCount, SeatSet, Seed, Viewer,
};
use bridgemaster_greedy::Rate;
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        GameConfig, GameDecision, GameEvent, GameObservation, RefusalReason, RulesDecision,
        RulesStatus, rules_decision::Choice,
    },
};

use crate::{
    playouts::{AnyPlayouts, GamePlayouts, Policy, Root, outcome_to_wire},
    problem::Problem,
};

/// The chance stream that draws hidden facts from a sample seed. Its number is above those of the
/// streams for chance results, which are below 2^32. It is below those of the streams for the
/// house, the server's own player.
const SAMPLE_STREAM: u64 = 1 << 41;

/// A position of any game.
pub(crate) trait AnyPosition: Send + Sync {
    /// Clones the position behind the trait object.
    fn copy(&self) -> Box<dyn AnyPosition>;
    /// Returns the seats that owe a decision, or the outcome.
    fn status(&self) -> RulesStatus;
    /// Applies all decisions, or none if one is refused. Adds the decisions' events to `events`, if
    /// given.
    fn apply(
        &mut self,
        decisions: &[RulesDecision],
        events: Option<&mut Vec<GameEvent>>,
    ) -> Result<(), Problem>;
    /// Returns a seat's legal decisions, and whether the list was cut. `None` stands for the first
    /// seat that owes a decision.
    fn legal(&self, seat: Option<u32>) -> Result<(Vec<GameDecision>, bool), Problem>;
    /// Returns a seat's observation, or a spectator's if `seat` is `None`.
    fn observe(&self, seat: Option<u32>) -> Result<GameObservation, Problem>;
    /// Returns all seats' observations, in seat order.
    fn observe_all(&self) -> Vec<GameObservation>;
    /// Creates playouts from this position.
    fn playouts(&self, seed: Seed, resample: bool, policy: Policy) -> Box<dyn AnyPlayouts>;
}

/// A position in one game: a state in which no chance result is due, and the position's origin.
pub(crate) struct GamePosition<G: WireGame> {
    root: Arc<Root<G>>,
    state: G::State,
}

impl<G: WireGame> GamePosition<G> {
    /// Rebuilds a position from its origin. An error names its field by a path relative to the
    /// position.
    pub(crate) fn new(
        config: &GameConfig,
        seats: u32,
        observation: Option<&GameObservation>,
        seed: Seed,
    ) -> Result<Self, Problem> {
        let unreadable =
            |field| move |error| Problem::rules(RefusalReason::InvalidField, field, error);
        let config = G::config_from_wire(config).map_err(unreadable("config.game"))?;
        let count = u8::try_from(seats).ok().and_then(SeatCount::new);
        let count = count.filter(|count| G::SEATS.contains(&count.get()));
        let seats = count.ok_or_else(|| {
            let (least, most) = (G::SEATS.start(), G::SEATS.end());
            let detail = format!("{} has {least} to {most} seats, not {seats}", G::NAME);
            Problem::invalid("config.seats", detail)
        })?;
        let refused = unreadable("config");
        G::check_config(&config, seats).map_err(refused)?;
        let (mut state, viewer) = match observation {
            None => {
                let setup = G::draw_setup(&config, seats, &seed).map_err(refused)?;
                let state = G::start(&config, seats, &setup, &mut NoEvents).map_err(refused)?;
                (state, Viewer::Spectator)
            }
            Some(observation) => {
                let observation = G::observation_from_wire(observation, &config)
                    .map_err(unreadable("observation"))?;
                let mut chance = ChanceStream::new(&seed, SAMPLE_STREAM);
                let state = G::sample_state(&config, &observation, &mut chance);
                let state = state.map_err(|error| {
                    let field = format!("observation.{}", G::ID);
                    Problem::rules(RefusalReason::PositionInvalid, &field, error)
                })?;
                (state, G::viewer(&observation))
            }
        };
        if G::seats(&state) != seats {
            let shown = G::seats(&state);
            let detail = format!("is {seats}, but the observation has {shown} seats");
            return Err(Problem::impossible("config.seats", detail));
        }
        resolve_chance::<G>(&mut state, &seed, &mut NoEvents);
        let root = Arc::new(Root { config, seats, viewer, seed });
        Ok(Self { root, state })
    }

    fn is_over(&self) -> bool {
        G::seats_to_decide(&self.state).is_empty()
    }

    /// Returns the seat that a decision names. The field can be 0 if only one seat owes a decision.
    fn decider(&self, state: &G::State, seat: u32) -> Result<Seat, Problem> {
        let seats_to_decide = G::seats_to_decide(state);
        let named = self.seat(seat).map_err(|problem| problem.below("seat"))?;
        if seats_to_decide.is_empty() {
            let detail = "the game is over";
            return Err(Problem::new(RefusalReason::IllegalDecision, "", detail));
        }
        let only =
            seats_to_decide.iter().next().filter(|_| seats_to_decide.len() == 1 && seat == 0);
        let decider = only.or_else(|| seats_to_decide.contains(named).then_some(named));
        decider.ok_or_else(|| {
            let detail =
                format!("seat {seat} owes no decision; expected: {}", listed(seats_to_decide));
            Problem::new(RefusalReason::IllegalDecision, "seat", detail)
        })
    }

    fn seat(&self, seat: u32) -> Result<Seat, Problem> {
        let parsed = u8::try_from(seat).ok().and_then(Seat::new);
        let parsed = parsed.filter(|seat| self.root.seats.contains(*seat));
        parsed.ok_or_else(|| {
            let last = self.root.seats.get() - 1;
            let detail = format!("{seat} is out of range (0..={last})");
            Problem::invalid("", detail)
        })
    }

    fn viewer(&self, seat: Option<u32>) -> Result<Viewer, Problem> {
        match seat {
            None => Ok(Viewer::Spectator),
            Some(seat) => self.seat(seat).map(Viewer::Seat),
        }
    }

    /// Returns the state after these decisions.
    fn state_after(
        &self,
        decisions: &[RulesDecision],
        events: &mut impl EventSink<G::Event>,
    ) -> Result<G::State, Problem> {
        let mut state = self.state.clone();
        for (place, decision) in decisions.iter().enumerate() {
            let applied = self.apply_one(&mut state, decision, events);
            applied.map_err(|problem| problem.below(&format!("decisions[{place}]")))?;
        }
        Ok(state)
    }

    /// Applies a decision to a state, and resolves the chance results that become due.
    fn apply_one(
        &self,
        state: &mut G::State,
        decision: &RulesDecision,
        events: &mut impl EventSink<G::Event>,
    ) -> Result<(), Problem> {
        let seat = self.decider(state, decision.seat)?;
        let applied = match &decision.choice {
            None => {
                let detail = "index or decision must be set";
                return Err(Problem::new(RefusalReason::MalformedDecision, "", detail));
            }
            Some(Choice::Index(index)) => {
                let mut legal = Vec::new();
                G::legal(state, seat, &mut legal);
                let listed = usize::try_from(*index).ok().and_then(|index| legal.get(index));
                let listed = listed.ok_or_else(|| {
                    let detail = format!(
                        "{index} is not below {}, the length of the legal list",
                        legal.len()
                    );
                    Problem::new(RefusalReason::IndexOutOfRange, "index", detail)
                })?;
                G::apply(state, seat, listed, events)
            }
            Some(Choice::Decision(given)) => {
                let given = G::decision_from_wire(given).map_err(|error| {
                    Problem::rules(RefusalReason::MalformedDecision, "decision", error)
                })?;
                G::apply(state, seat, &given, events)
            }
        };
        applied.map_err(|illegal| {
            Problem::new(RefusalReason::IllegalDecision, "", illegal.to_string())
        })?;
        resolve_chance::<G>(state, &self.root.seed, events);
        Ok(())
    }
}

impl<G: WireGame + Rate> AnyPosition for GamePosition<G> {
    fn copy(&self) -> Box<dyn AnyPosition> {
        Box::new(Self { root: Arc::clone(&self.root), state: self.state.clone() })
    }

    fn status(&self) -> RulesStatus {
        let seats_to_decide = G::seats_to_decide(&self.state);
        RulesStatus {
            seats_to_decide: seats_to_decide.iter().map(|seat| seat.number().into()).collect(),
            outcome: G::outcome(&self.state).as_ref().map(outcome_to_wire),
        }
    }

    fn apply(
        &mut self,
        decisions: &[RulesDecision],
        events: Option<&mut Vec<GameEvent>>,
    ) -> Result<(), Problem> {
        let Some(events) = events else {
            self.state = self.state_after(decisions, &mut NoEvents)?;
            return Ok(());
        };
        let mut happened = Vec::new();
        self.state = self.state_after(decisions, &mut happened)?;
        events.extend(happened.iter().map(G::event_to_wire));
        Ok(())
    }

    fn legal(&self, seat: Option<u32>) -> Result<(Vec<GameDecision>, bool), Problem> {
        let seat = match seat {
            Some(seat) => Some(self.seat(seat).map_err(|problem| problem.below("seat"))?),
            None => G::seats_to_decide(&self.state).iter().next(),
        };
        let mut legal = Vec::new();
        let list = match seat {
            Some(seat) if !self.is_over() => G::legal(&self.state, seat, &mut legal),
            _ => LegalList::Complete,
        };
        let legal = legal.iter().map(G::decision_to_wire).collect();
        Ok((legal, list == LegalList::Cut))
    }

    fn observe(&self, seat: Option<u32>) -> Result<GameObservation, Problem> {
        let viewer = self.viewer(seat)?;
        Ok(G::observation_to_wire(&G::observe(&self.state, viewer)))
    }

    fn observe_all(&self) -> Vec<GameObservation> {
        let observe = |seat| G::observation_to_wire(&G::observe(&self.state, Viewer::Seat(seat)));
        self.root.seats.seats().map(observe).collect()
    }

    fn playouts(&self, seed: Seed, resample: bool, policy: Policy) -> Box<dyn AnyPlayouts> {
        let root = Arc::clone(&self.root);
        let state = self.state.clone();
        Box::new(GamePlayouts::new(root, state, seed, resample, policy))
    }
}

/// Draws and applies a state's due chance results, each from its own random stream, derived from
/// the seed. The referee of a match with this seed draws the same results.
fn resolve_chance<G: WireGame>(
    state: &mut G::State,
    seed: &Seed,
    events: &mut impl EventSink<G::Event>,
) {
    while let Some(stream) = G::chance_due(state) {
        let drawn = G::draw_chance(state, &mut ChanceStream::new(seed, stream));
        let applied = drawn.map(|drawn| G::apply_chance(state, &drawn, events));
        debug_assert!(matches!(applied, Some(Ok(()))), "a due result is drawn and applies");
        if !matches!(applied, Some(Ok(()))) {
            return;
        }
    }
}

fn listed(seats: SeatSet) -> String {
    let names: Vec<String> = seats.iter().map(|seat| format!("seat {seat}")).collect();
    names.join(", ")
}
