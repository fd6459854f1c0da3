//! The bot `search`, which uses information-set Monte-Carlo tree search. The bot samples states
//! that are consistent with its observation, plays each state a few turns ahead, and takes the most
//! visited decision.

mod alhambra;
mod bridges_to_nowhere;
mod budget;
mod carcassonne;
mod old_london_bridge;
mod searchable;
mod searcher;
mod tree;

use std::time::Duration;

use bridgemaster_games::{ChanceStream, Seed, with_game};
use bridgemaster_sdk::{
    Bot, Choice, ClockView, Request,
    proto::games::{WireGame, game_id},
    rules::{Position, RulesBot, WithRules},
    seat_clock,
    v1::{self, time_control::Kind},
};
pub use budget::{Budget, Effort, TimeLeft};
pub use searchable::{Estimate, Params, Root, Searchable};
pub use searcher::best_decision;
use tracing::error;

/// The bot `search`: plays every game that implements [`Searchable`].
pub struct Search {
    chance: ChanceStream,
    effort: Effort,
    /// The player for the match's game, set when the match starts.
    player: Option<Box<dyn Bot>>,
}

impl Search {
    /// Creates a searching bot that draws random numbers from `seed`. With a fixed number of
    /// playouts, equal seeds and requests give equal decisions, unless the match's clock ends the
    /// search earlier.
    pub fn new(seed: &Seed, effort: Effort) -> Self {
        Self { chance: ChanceStream::new(seed, 0), effort, player: None }
    }
}

impl Bot for Search {
    fn match_started(&mut self, started: &v1::MatchStarted) {
        let config = started.config.as_ref();
        let game = config.and_then(|config| config.game.as_ref());
        let id = game.and_then(game_id).unwrap_or("unknown");
        let control = config.and_then(|config| seat_clock(config, started.seat).time_control);
        let increment_ms = match control.and_then(|control| control.kind) {
            Some(Kind::Fischer(fischer)) => fischer.increment_ms,
            // A delay is lost unless it is used, so it is time for the decision as well.
            Some(Kind::FischerDelay(delayed)) => {
                delayed.increment_ms.saturating_add(delayed.delay_ms)
            }
            None => 0,
        };
        let (chance, effort) = (self.chance.clone(), self.effort);
        self.player = with_game!(id, G => Box::new(WithRules::<G, _>::new(Chooser {
            chance,
            effort,
            increment: Duration::from_millis(increment_ms.into()),
        })) as _);
        match &mut self.player {
            Some(player) => player.match_started(started),
            None => error!(game = id, "search does not play this game"),
        }
    }

    fn decide(&mut self, request: &Request) -> Choice {
        match &mut self.player {
            Some(player) => player.decide(request),
            None => Choice::Resign,
        }
    }
}

/// The searching player for one game.
struct Chooser {
    chance: ChanceStream,
    effort: Effort,
    increment: Duration,
}

impl<G: WireGame + Searchable> RulesBot<G> for Chooser {
    fn decide(&mut self, position: &Position<'_, G>, clock: ClockView) -> G::Decision {
        let left = TimeLeft {
            decision: clock.decision_left(),
            bank: clock.bank_left(),
            increment: self.increment,
        };
        let budget = Budget::new(self.effort, left, clock);
        let searched = best_decision::<G>(
            position.config(),
            position.seats(),
            position.seat(),
            position.observation(),
            position.legal(),
            &mut self.chance,
            budget,
        );
        let best = searched.unwrap_or_else(|cause| {
            error!(%cause, "cannot sample a state; choosing the first legal decision");
            0
        });
        position.legal()[best].clone()
    }
}
