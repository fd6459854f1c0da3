//! Playouts of a position of one game, in parts.

use std::{fmt, sync::Arc};

use bridgemaster_games::{ChanceStream, NoEvents, Outcome, Seed, settle};
use bridgemaster_greedy::{Rate, playout_decision};
use bridgemaster_proto::{
    games::WireGame,
    v1::{PlayoutPolicy, RefusalReason},
};

use crate::{limits::MAX_PLAYOUT_DECISIONS, problem::Problem, root::Root};

/// Playouts of a position of any game.
pub(crate) trait AnyPlayouts: Send {
    /// Plays the playout of a number to its end; `None` if `go_on` said no before: then it goes on
    /// from there the next time. `go_on` is asked after each decision that takes long.
    fn play(
        &mut self,
        number: u32,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Outcome>, Problem>;
}

/// A state has hidden facts, which stay out of logs.
impl fmt::Debug for dyn AnyPlayouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Playouts(..)")
    }
}

/// How every seat decides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Policy {
    Random,
    Greedy,
}

impl Policy {
    /// The policy that a message asks for.
    ///
    /// # Errors
    /// When there is no such policy.
    pub(crate) fn from_wire(policy: i32) -> Result<Self, Problem> {
        match PlayoutPolicy::try_from(policy) {
            Ok(PlayoutPolicy::Unspecified | PlayoutPolicy::Random) => Ok(Self::Random),
            Ok(PlayoutPolicy::Greedy) => Ok(Self::Greedy),
            Err(_) => {
                let detail = format!("{policy} is none; 1 is RANDOM, 2 is GREEDY");
                Err(Problem::invalid("policy", detail))
            }
        }
    }
}

/// Playouts of a position of a game.
pub(crate) struct GamePlayouts<G: WireGame> {
    root: Arc<Root<G>>,
    /// Where they begin.
    state: G::State,
    /// What the position's viewer knows of it, if what is hidden from it is to be drawn anew.
    known: Option<G::Observation>,
    seed: Seed,
    policy: Policy,
    under_way: Option<Playout<G>>,
    /// Buffers.
    legal: Vec<G::Decision>,
    ratings: Vec<f64>,
}

/// One playout that is not over.
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
            known: resample.then(|| G::observe(&state, root.viewer)),
            root,
            state,
            seed,
            policy,
            under_way: None,
            legal: Vec::new(),
            ratings: Vec::new(),
        }
    }

    fn begin(&self, number: u32) -> Result<Playout<G>, Problem> {
        let mut chance = ChanceStream::new(&self.seed, number.into());
        let state = match &self.known {
            None => self.state.clone(),
            // Not checked as one from outside is: this is what the state shows.
            Some(known) => G::draw_state(&self.root.config, known, &mut chance)
                .map_err(|error| Problem::rules(RefusalReason::PositionInvalid, "", error))?,
        };
        Ok(Playout {
            state,
            chance,
            decisions: 0,
        })
    }

    /// Takes the next decision of a playout, after the chance that it waits for; whether there was
    /// one to take.
    fn step(&mut self, playout: &mut Playout<G>) -> bool {
        let Playout {
            state,
            chance,
            decisions,
        } = playout;
        settle::<G>(state, chance, &mut NoEvents);
        let Some(seat) = G::owing(state).iter().next() else {
            return false;
        };
        let legal = &mut self.legal;
        G::legal(state, seat, legal);
        let count = u32::try_from(legal.len()).unwrap_or(u32::MAX);
        if count == 0 || *decisions == MAX_PLAYOUT_DECISIONS {
            return false;
        }
        *decisions += 1;
        let config = &self.root.config;
        let place = match self.policy {
            Policy::Random => chance.below(count) as usize,
            Policy::Greedy => {
                playout_decision::<G>(config, state, seat, legal, chance, &mut self.ratings)
            }
        };
        G::apply(state, seat, &legal[place], &mut NoEvents).is_ok()
    }
}

impl<G: WireGame + Rate> AnyPlayouts for GamePlayouts<G> {
    fn play(
        &mut self,
        number: u32,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Outcome>, Problem> {
        let mut playout = match self.under_way.take() {
            Some(playout) => playout,
            None => self.begin(number)?,
        };
        while self.step(&mut playout) {
            if matches!(self.policy, Policy::Greedy) && !go_on() {
                self.under_way = Some(playout);
                return Ok(None);
            }
        }
        let outcome = G::outcome(&playout.state);
        outcome.map(Some).ok_or_else(|| {
            let detail = format!("no end comes within {MAX_PLAYOUT_DECISIONS} decisions");
            Problem::impossible("", detail)
        })
    }
}
