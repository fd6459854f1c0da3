//! Positions of any game.

use std::fmt;

use bridgemaster_games::{Seed, with_game};
use bridgemaster_proto::{
    games::game_id,
    v1::{RefusalReason, RulesPosition},
};

use crate::{
    game::{AnyPosition, GamePosition},
    problem::{MAX_DECISIONS, Problem},
};

/// A position in any game: a state that is consistent with a message's observation, after the
/// message's decisions.
pub struct Position {
    pub(crate) of_game: Box<dyn AnyPosition>,
}

impl Position {
    /// Rebuilds a position. Equal messages give equal positions.
    ///
    /// # Errors
    ///
    /// Returns a problem that names the first invalid field, as a path below the position, and the
    /// valid values.
    pub fn rebuild(message: &RulesPosition) -> Result<Self, Problem> {
        Self::rebuild_with_events(message, &mut Vec::new())
    }

    /// Like [`Self::rebuild`], but also adds the decisions' events to `events`.
    pub(crate) fn rebuild_with_events(
        message: &RulesPosition,
        events: &mut Vec<bridgemaster_proto::v1::GameEvent>,
    ) -> Result<Self, Problem> {
        let mut position = Self::root(message, seed("sample_seed", &message.sample_seed)?)?;
        check_count(message.decisions.len())?;
        let applied = position.of_game.apply(&message.decisions, Some(events));
        applied.map_err(to_position_problem)?;
        Ok(position)
    }

    /// Returns the position before the decisions, with `seed` instead of the message's seed.
    pub(crate) fn root(message: &RulesPosition, seed: Seed) -> Result<Self, Problem> {
        let config = message.config.as_ref();
        let config = config.ok_or_else(|| Problem::invalid("config", "must be set"))?;
        let unset = || Problem::invalid("config.game", "must be set to a game");
        let game = config.game.as_ref().ok_or_else(unset)?;
        let id = game_id(game).ok_or_else(unset)?;
        let observation = message.observation.as_ref();
        if let Some(other) = observation.and_then(game_id).filter(|other| *other != id) {
            let detail = format!("is of the game {other}, but the config is of {id}");
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
        Self { of_game: self.of_game.copy() }
    }
}

/// A state has hidden facts, which must not be logged.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Position(..)")
    }
}

/// Converts a decision's refusal to a refusal of the whole position. An illegal decision makes the
/// position impossible. A decision that cannot be read still counts as an invalid field.
pub(crate) fn to_position_problem(problem: Problem) -> Problem {
    let reason = match problem.reason {
        RefusalReason::MalformedDecision | RefusalReason::InvalidField => {
            RefusalReason::InvalidField
        }
        _ => RefusalReason::PositionInvalid,
    };
    problem.with_reason(reason)
}

/// Checks the number of decisions.
pub(crate) fn check_count(decisions: usize) -> Result<(), Problem> {
    if decisions > MAX_DECISIONS {
        let detail = format!("must have at most {MAX_DECISIONS} entries, found {decisions}");
        Err(Problem::invalid("decisions", detail))
    } else {
        Ok(())
    }
}

/// Reads a seed from a text.
pub(crate) fn seed(field: &str, text: &str) -> Result<Seed, Problem> {
    let read: Result<Seed, _> = text.parse();
    read.map_err(|error: bridgemaster_games::SeedError| Problem::invalid(field, error.to_string()))
}
