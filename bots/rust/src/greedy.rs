//! The bot `greedy`, which takes the decision that [`Rate`] rates highest.

use bridgemaster_games::{ChanceStream, Seed, with_game};
pub use bridgemaster_greedy::{Rate, best_decision};
use bridgemaster_sdk::{
    Bot, Choice, ClockView, Request,
    proto::games::{WireGame, game_id},
    rules::{Position, RulesBot, WithRules},
    v1,
};
use tracing::error;

/// The bot `greedy`: plays every game that implements [`Rate`].
pub struct Greedy {
    chance: ChanceStream,
    /// The player for the match's game, set when the match starts.
    player: Option<Box<dyn Bot>>,
}

impl Greedy {
    /// Creates a greedy bot that samples hidden facts from `seed`.
    pub fn new(seed: &Seed) -> Self {
        Self { chance: ChanceStream::new(seed, 0), player: None }
    }
}

impl Bot for Greedy {
    fn match_started(&mut self, started: &v1::MatchStarted) {
        let game = started.config.as_ref().and_then(|config| config.game.as_ref());
        let id = game.and_then(game_id).unwrap_or("unknown");
        let chance = self.chance.clone();
        self.player =
            with_game!(id, G => Box::new(WithRules::<G, _>::new(Chooser { chance })) as _);
        match &mut self.player {
            Some(player) => player.match_started(started),
            None => error!(game = id, "greedy does not play this game"),
        }
    }

    fn decide(&mut self, request: &Request) -> Choice {
        match &mut self.player {
            Some(player) => player.decide(request),
            None => Choice::Resign,
        }
    }
}

/// The greedy player for one game.
struct Chooser {
    chance: ChanceStream,
}

impl<G: WireGame + Rate> RulesBot<G> for Chooser {
    fn decide(&mut self, position: &Position<'_, G>, _clock: ClockView) -> G::Decision {
        let (seat, legal) = (position.seat(), position.legal());
        let best = best_decision::<G>(
            position.config(),
            position.observation(),
            seat,
            legal,
            &mut self.chance,
        );
        let best = best.unwrap_or_else(|cause| {
            error!(%cause, "cannot sample a state; choosing the first legal decision");
            0
        });
        legal[best].clone()
    }
}
