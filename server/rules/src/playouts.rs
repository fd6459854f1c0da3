//! Playouts from a position of one game, in bounded steps, and outcomes as messages.

use std::{fmt, sync::Arc};

use bridgemaster_games::{
    ChanceStream, NoEvents, Outcome, SeatCount, Seed, Viewer, resolve_chance,
};
use bridgemaster_greedy::{DecisionPoint, Rate, playout_decision};
use bridgemaster_proto::{
    games::WireGame,
    v1::{PlayoutPolicy, RefusalReason, RulesOutcome, ScoreLine, SeatOutcome},
};

use crate::problem::{MAX_PLAYOUT_DECISIONS, Problem};

/// Playouts from a position of any game.
pub(crate) trait AnyPlayouts: Send {
    /// Plays a playout to its end. Returns `None` if `keep_going` returned `false` before the end;
    /// the next call continues the playout. `keep_going` is called after each slow decision.
    fn play(
        &mut self,
        number: u32,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Outcome>, Problem>;
}

/// A state has hidden facts, which must not be logged.
impl fmt::Debug for dyn AnyPlayouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Playouts(..)")
    }
}

/// The policy by which every seat decides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Policy {
    Random,
    Greedy,
}

impl Policy {
    /// Reads a request's policy.
    ///
    /// # Errors
    ///
    /// Returns a problem if there is no policy with this number.
    pub(crate) fn from_wire(policy: i32) -> Result<Self, Problem> {
        match PlayoutPolicy::try_from(policy) {
            Ok(PlayoutPolicy::Unspecified | PlayoutPolicy::Random) => Ok(Self::Random),
            Ok(PlayoutPolicy::Greedy) => Ok(Self::Greedy),
            Err(_) => {
                let detail = format!("{policy} is not a policy (1 is RANDOM, 2 is GREEDY)");
                Err(Problem::invalid("policy", detail))
            }
        }
    }
}

/// Playouts from a position of one game.
pub(crate) struct GamePlayouts<G: WireGame> {
    root: Arc<Root<G>>,
    /// The state in which playouts start.
    state: G::State,
    /// The observation of the position's viewer, if each playout resamples the hidden facts.
    observation: Option<G::Observation>,
    seed: Seed,
    policy: Policy,
    in_progress: Option<Playout<G>>,
    /// Buffers that playouts reuse.
    legal: Vec<G::Decision>,
    ratings: Vec<f64>,
}

/// A playout in progress.
struct Playout<G: WireGame> {
    state: G::State,
    chance: ChanceStream,
    decisions: usize,
}

impl<G: WireGame + Rate> GamePlayouts<G> {
    pub(crate) fn new(
        root: Arc<Root<G>>,
        state: G::State,
        seed: Seed,
        resample: bool,
        policy: Policy,
    ) -> Self {
        Self {
            observation: resample.then(|| G::observe(&state, root.viewer)),
            root,
            state,
            seed,
            policy,
            in_progress: None,
            legal: Vec::new(),
            ratings: Vec::new(),
        }
    }

    fn begin(&self, number: u32) -> Result<Playout<G>, Problem> {
        let mut chance = ChanceStream::new(&self.seed, number.into());
        let state = match &self.observation {
            None => self.state.clone(),
            // The observation was derived from the state, so it needs no validation.
            Some(observation) => G::draw_state(&self.root.config, observation, &mut chance)
                .map_err(|error| Problem::rules(RefusalReason::PositionInvalid, "", error))?,
        };
        Ok(Playout { state, chance, decisions: 0 })
    }

    /// Resolves chance and makes a playout's next decision. Returns `false` if there is no decision
    /// to make.
    fn step(&mut self, playout: &mut Playout<G>) -> bool {
        let Playout { state, chance, decisions } = playout;
        resolve_chance::<G>(state, chance, &mut NoEvents);
        let Some(seat) = G::seats_to_decide(state).iter().next() else {
            return false;
        };
        let legal = &mut self.legal;
        G::legal(state, seat, legal);
        let count = u32::try_from(legal.len()).unwrap_or(u32::MAX);
        if count == 0 || *decisions == MAX_PLAYOUT_DECISIONS {
            return false;
        }
        *decisions += 1;
        let place = match self.policy {
            Policy::Random => chance.below(count) as usize,
            Policy::Greedy => {
                let point =
                    DecisionPoint { config: &self.root.config, state, seat, decisions: legal };
                playout_decision::<G>(&point, chance, &mut self.ratings)
            }
        };
        G::apply(state, seat, &legal[place], &mut NoEvents).is_ok()
    }
}

impl<G: WireGame + Rate> AnyPlayouts for GamePlayouts<G> {
    fn play(
        &mut self,
        number: u32,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Outcome>, Problem> {
        let mut playout = match self.in_progress.take() {
            Some(playout) => playout,
            None => self.begin(number)?,
        };
        while self.step(&mut playout) {
            if matches!(self.policy, Policy::Greedy) && !keep_going() {
                self.in_progress = Some(playout);
                return Ok(None);
            }
        }
        let outcome = G::outcome(&playout.state);
        outcome.map(Some).ok_or_else(|| {
            let detail = format!("the game did not end within {MAX_PLAYOUT_DECISIONS} decisions");
            Problem::impossible("", detail)
        })
    }
}

/// The origin of a position.
pub(crate) struct Root<G: WireGame> {
    pub(crate) config: G::Config,
    pub(crate) seats: SeatCount,
    /// The viewer whose observation the position started from.
    pub(crate) viewer: Viewer,
    /// The seed for the chance results that follow the position.
    pub(crate) seed: Seed,
}

/// Converts an outcome with its breakdowns.
pub(crate) fn outcome_to_wire(outcome: &Outcome) -> RulesOutcome {
    let mut message = places_to_wire(outcome);
    for (seat, given) in message.seats.iter_mut().zip(&outcome.seats) {
        let lines = given
            .breakdown
            .iter()
            .map(|line| ScoreLine { category: line.category.to_owned(), points: line.points });
        seat.breakdown = lines.collect();
    }
    message
}

/// Converts an outcome without its breakdowns.
pub(crate) fn places_to_wire(outcome: &Outcome) -> RulesOutcome {
    let seats = (0..).zip(&outcome.seats).map(|(seat, given)| SeatOutcome {
        seat,
        place: given.place.into(),
        score: given.score,
        breakdown: Vec::new(),
    });
    RulesOutcome { seats: seats.collect() }
}
