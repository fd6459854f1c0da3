//! Matches that continue from another match's position.

use bridgemaster_games::{ChanceStream, Game, Seat, Seed, Viewer};

/// The chance stream for redrawing hidden facts at the fork. It differs from the games' streams,
/// which are numbered up from 0, and from the house's streams, which are numbered down from the
/// maximum.
const REDRAW_STREAM: u64 = 1 << 48;

/// The origin of a forked match: another match's setup, and its steps up to the position.
#[derive(Clone, Debug)]
pub struct Fork<G: Game> {
    /// Identifier of the original match, for people.
    pub match_id: String,
    /// The original match's setup.
    pub setup: G::Setup,
    /// The original match's decisions and chance results up to the position, in order. The chance
    /// results that the last decision requires are included.
    pub steps: Vec<ForkStep<G>>,
    /// The treatment of hidden chance results in the forked match.
    pub chance: ForkChance,
}

/// A step that a forked match copies from the original match.
#[derive(Clone, Debug)]
pub enum ForkStep<G: Game> {
    /// A decision of a seat.
    Decision {
        /// The seat that decided.
        seat: Seat,
        /// The decision in full.
        decision: G::Decision,
    },
    /// A chance result that was due.
    Chance {
        /// Number of the chance stream that the result was drawn from.
        stream: u64,
        /// The result that was drawn.
        chance: G::Chance,
    },
}

/// The treatment of hidden chance results in a forked match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkChance {
    /// Hidden chance results are kept: the match uses the original match's seed.
    Keep,
    /// Everything that one seat does not know at the position is redrawn from the forked match's
    /// seed.
    Redraw {
        /// The seat whose knowledge is preserved.
        observer: Seat,
    },
}

impl<G: Game> Fork<G> {
    /// The number of decisions that are copied.
    pub fn decisions(&self) -> u32 {
        let decisions = self.steps.iter();
        let decisions = decisions.filter(|step| matches!(step, ForkStep::Decision { .. }));
        u32::try_from(decisions.count()).unwrap_or(u32::MAX)
    }

    /// Checks that every step applies to a match that starts in `state` with this config and seed.
    pub(crate) fn check(
        &self,
        config: &G::Config,
        seed: &Seed,
        mut state: G::State,
    ) -> Result<(), String> {
        for (number, step) in self.steps.iter().enumerate() {
            let applied = step.apply(&mut state, &mut Vec::new());
            applied.map_err(|problem| {
                format!("step {number} of the fork cannot be applied: {problem}")
            })?;
        }
        if G::seats_to_decide(&state).is_empty() && G::chance_due(&state).is_none() {
            return Err("the match has already ended at the position of the fork".to_owned());
        }
        if let ForkChance::Redraw { observer } = self.chance {
            if !G::seats(&state).contains(observer) {
                return Err(format!("seat {observer} does not exist in the match"));
            }
            redraw::<G>(config, &state, observer, seed).map_err(|error| {
                format!("the hidden facts at the position of the fork cannot be redrawn: {error}")
            })?;
        }
        Ok(())
    }
}

impl<G: Game> ForkStep<G> {
    /// Applies the step to `state` and appends the resulting events.
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

/// Returns the position after redrawing everything that `observer` does not know. The draws come
/// from a stream of `seed` that is reserved for this purpose.
///
/// # Errors
/// Returns an error if the rules reject the observation of the seat.
pub fn redraw<G: Game>(
    config: &G::Config,
    state: &G::State,
    observer: Seat,
    seed: &Seed,
) -> Result<G::State, bridgemaster_games::FieldError> {
    let observation = G::observe(state, Viewer::Seat(observer));
    G::sample_state(config, &observation, &mut ChanceStream::new(seed, REDRAW_STREAM))
}
