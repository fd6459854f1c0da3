//! A match that goes on from a position of another one.

use bridgemaster_games::{ChanceStream, Game, Seat, Seed, Viewer};
use thiserror::Error;

/// The chance stream of what is drawn anew at the position: between those of games, which count
/// from 0, and those of the house at the far end.
const REDRAW_STREAM: u64 = 1 << 48;

/// Where a forked match goes on from: the setup of another match, and what happened there up to
/// the position.
#[derive(Clone, Debug)]
pub struct Fork<G: Game> {
    /// The match that it is taken from, for people.
    pub match_id: String,
    /// The setup of that match.
    pub setup: G::Setup,
    /// Its decisions and chance results up to the position, in order; with the last decision come
    /// the chance results that it made due.
    pub steps: Vec<ForkStep<G>>,
    /// What becomes of hidden chance.
    pub chance: ForkChance,
}

/// Something that is taken over.
#[derive(Clone, Debug)]
pub enum ForkStep<G: Game> {
    /// A decision.
    Decision {
        /// The seat.
        seat: Seat,
        /// The decision.
        decision: G::Decision,
    },
    /// A chance result that was due.
    Chance {
        /// Number of the chance stream that it was drawn from.
        stream: u64,
        /// The result.
        chance: G::Chance,
    },
}

/// What becomes of hidden chance in a match that is forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkChance {
    /// It stays as the seed of the match gives it, which is that of the other match.
    Keep,
    /// Everything that this seat does not know at the position is drawn anew from the seed of the
    /// match.
    Redraw {
        /// The seat that keeps what it knows.
        knowing: Seat,
    },
}

/// Why a match cannot be forked there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ForkError {
    /// The setup makes no match by these rules.
    #[error("its setup does not fit the rules of the match: {0}")]
    Setup(String),
    /// Something that is taken over does not apply.
    #[error("step {number} of what is taken over does not apply: {problem}")]
    Step {
        /// Its place, from 0.
        number: usize,
        /// Why.
        problem: String,
    },
    /// Nothing is left to be played.
    #[error("the match is over at that position")]
    Over,
    /// A seat that the match does not have.
    #[error("there is no seat {0} in the match")]
    NoSeat(Seat),
    /// What is hidden cannot be drawn anew.
    #[error("what is hidden there cannot be drawn anew: {0}")]
    Redraw(String),
}

impl<G: Game> Fork<G> {
    /// Decisions that are taken over.
    pub fn decisions(&self) -> u32 {
        let decisions = self.steps.iter();
        let decisions = decisions.filter(|step| matches!(step, ForkStep::Decision { .. }));
        u32::try_from(decisions.count()).unwrap_or(u32::MAX)
    }

    /// Makes sure that all of it applies to a match that begins in `state`, with these options and
    /// this seed.
    pub(crate) fn check(
        &self,
        config: &G::Config,
        seed: &Seed,
        mut state: G::State,
    ) -> Result<(), ForkError> {
        for (number, step) in self.steps.iter().enumerate() {
            let applied = step.apply(&mut state, &mut Vec::new());
            applied.map_err(|problem| ForkError::Step { number, problem })?;
        }
        if G::owing(&state).is_empty() && G::chance_due(&state).is_none() {
            return Err(ForkError::Over);
        }
        if let ForkChance::Redraw { knowing } = self.chance {
            if !G::seats(&state).contains(knowing) {
                return Err(ForkError::NoSeat(knowing));
            }
            redrawn::<G>(config, &state, knowing, seed)
                .map_err(|error| ForkError::Redraw(error.to_string()))?;
        }
        Ok(())
    }
}

impl<G: Game> ForkStep<G> {
    /// Applies it, or says why it cannot be applied.
    pub(crate) fn apply(
        &self,
        state: &mut G::State,
        events: &mut Vec<G::Event>,
    ) -> Result<(), String> {
        match self {
            Self::Decision { seat, decision } => match G::chance_due(state) {
                Some(stream) => Err(format!("the result of chance stream {stream} is missing")),
                None => G::apply(state, *seat, decision, events).map_err(|error| error.to_string()),
            },
            Self::Chance { stream, chance } => match G::chance_due(state) {
                Some(due) if due == *stream => {
                    G::apply_chance(state, chance, events).map_err(|error| error.to_string())
                }
                _ => Err(format!("no result of chance stream {stream} is due")),
            },
        }
    }
}

/// A position with everything drawn anew, from its own stream of `seed`, that a seat does not know.
///
/// # Errors
/// When the rules refuse what the seat is shown.
pub fn redrawn<G: Game>(
    config: &G::Config,
    state: &G::State,
    knowing: Seat,
    seed: &Seed,
) -> Result<G::State, bridgemaster_games::FieldError> {
    let known = G::observe(state, Viewer::Seat(knowing));
    G::sample_state(config, &known, &mut ChanceStream::new(seed, REDRAW_STREAM))
}
