//! Positions of any game.

use std::fmt;

use bridgemaster_games::{Seed, with_game};
use bridgemaster_proto::{
    games::game_id,
    v1::{RefusalReason, RulesPosition},
};

use crate::{
    game::{AnyPosition, GamePosition},
    limits::MAX_DECISIONS,
    problem::Problem,
};

/// A position: a state that looks to its viewer as the message says, and the decisions since
/// applied.
pub struct Position {
    pub(crate) of_game: Box<dyn AnyPosition>,
}

impl Position {
    /// Rebuilds a position. Equal messages give equal positions.
    ///
    /// # Errors
    /// Names the first field that is not valid, as a path below the position, with what would be.
    pub fn rebuild(message: &RulesPosition) -> Result<Self, Problem> {
        Self::rebuild_telling(message, &mut Vec::new())
    }

    /// The same; `events` gets what came of the decisions.
    pub(crate) fn rebuild_telling(
        message: &RulesPosition,
        events: &mut Vec<bridgemaster_proto::v1::GameEvent>,
    ) -> Result<Self, Problem> {
        let mut position = Self::root(message, seed("sample_seed", &message.sample_seed)?)?;
        check_count(message.decisions.len())?;
        let applied = position.of_game.apply(&message.decisions, Some(events));
        applied.map_err(of_position)?;
        Ok(position)
    }

    /// The position before the decisions, by another seed than the message's.
    pub(crate) fn root(message: &RulesPosition, seed: Seed) -> Result<Self, Problem> {
        let config = message.config.as_ref();
        let config = config.ok_or_else(|| Problem::invalid("config", "must be set"))?;
        let unset = || Problem::invalid("config.game", "says which game is played; none is set");
        let game = config.game.as_ref().ok_or_else(unset)?;
        let id = game_id(game).ok_or_else(unset)?;
        let observation = message.observation.as_ref();
        if let Some(other) = observation.and_then(game_id).filter(|other| *other != id) {
            let detail = format!("is of {other}, and the config of {id}");
            return Err(Problem::invalid("observation", detail));
        }
        let seats = config.seats;
        let built = with_game!(id, G => {
            let position = GamePosition::<G>::new(game, seats, observation, seed)?;
            Box::new(position) as Box<dyn AnyPosition>
        });
        let of_game = built.ok_or_else(unset)?;
        Ok(Self { of_game })
    }
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self {
            of_game: self.of_game.copy(),
        }
    }
}

/// A state has hidden facts, which stay out of logs.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Position(..)")
    }
}

/// A refusal of the decisions of a position: what cannot be read stays a wrong field, and a decision
/// that is not legal is a position that cannot come about.
pub(crate) fn of_position(problem: Problem) -> Problem {
    let reason = match problem.reason {
        RefusalReason::MalformedDecision | RefusalReason::InvalidField => {
            RefusalReason::InvalidField
        }
        _ => RefusalReason::PositionInvalid,
    };
    problem.because(reason)
}

/// Checks how many decisions there are.
pub(crate) fn check_count(decisions: usize) -> Result<(), Problem> {
    match decisions > MAX_DECISIONS {
        true => {
            let detail = format!("{decisions} decisions, and at most {MAX_DECISIONS} are taken");
            Err(Problem::invalid("decisions", detail))
        }
        false => Ok(()),
    }
}

/// The seed that a text is.
pub(crate) fn seed(field: &str, text: &str) -> Result<Seed, Problem> {
    let read: Result<Seed, _> = text.parse();
    read.map_err(|error: bridgemaster_games::SeedError| Problem::invalid(field, error.to_string()))
}
