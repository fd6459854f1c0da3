//! A bot that searches: information-set Monte-Carlo tree search. It samples states that its
//! observation allows, plays each a few turns on, and takes the decision that the playouts came
//! back to most.

mod alhambra;
mod bridges_to_nowhere;
mod budget;
mod carcassonne;
mod old_london_bridge;
mod searcher;
mod think;
mod tree;

use std::time::Duration;

use bridgemaster_games::{ChanceStream, Seed, with_game};
use bridgemaster_sdk::{
    Bot, Choice, ClockView, Request,
    proto::games::{WireGame, game_id},
    rules::{Position, RulesBot, WithRules},
    seat_clock, v1,
};
pub use budget::{Budget, Effort, TimeLeft};
pub use searcher::best_decision;
pub use think::{Habits, Promise, Question, Think};
use tracing::error;

/// Plays every game that it can [think](Think) about.
pub struct Search {
    chance: ChanceStream,
    effort: Effort,
    /// For the game of the match, once that is known.
    player: Option<Box<dyn Bot>>,
}

impl Search {
    /// A searching bot whose chance is drawn from `seed`. With a number of playouts it decides alike
    /// whenever seed and requests are alike, unless the clock of the match is shorter than that.
    pub fn new(seed: &Seed, effort: Effort) -> Self {
        Self {
            chance: ChanceStream::new(seed, 0),
            effort,
            player: None,
        }
    }
}

impl Bot for Search {
    fn match_started(&mut self, started: &v1::MatchStarted) {
        let config = started.config.as_ref();
        let game = config.and_then(|config| config.game.as_ref());
        let id = game.and_then(game_id).unwrap_or("unknown");
        let clock = config.map(|config| seat_clock(config, started.seat));
        let increment_ms = clock.and_then(|clock| clock.increment_ms).unwrap_or(0);
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

/// The search in one game.
struct Chooser {
    chance: ChanceStream,
    effort: Effort,
    increment: Duration,
}

impl<G: WireGame + Think> RulesBot<G> for Chooser {
    fn decide(&mut self, position: &Position<'_, G>, clock: ClockView) -> G::Decision {
        let left = TimeLeft {
            decision: clock.decision_left(),
            bank: clock.bank_left(),
            increment: self.increment,
        };
        let budget = Budget::new(self.effort, left);
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
            error!(%cause, "no state can be sampled; taking the first decision");
            0
        });
        position.legal()[best].clone()
    }
}
