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
    mistakes: Mistakes,
    /// The player for the match's game, set when the match starts.
    player: Option<Box<dyn Bot>>,
}

impl Greedy {
    /// Creates a greedy bot that samples hidden facts from `seed`.
    pub fn new(seed: &Seed) -> Self {
        Self::with_mistakes(seed, 0)
    }

    /// Creates a weaker bot, which takes a random legal decision with a probability of `percent`.
    pub fn with_mistakes(seed: &Seed, percent: u32) -> Self {
        let mistakes = Mistakes { percent, chance: ChanceStream::new(seed, 1) };
        Self { chance: ChanceStream::new(seed, 0), mistakes, player: None }
    }
}

/// Decides which decisions are random.
#[derive(Clone)]
struct Mistakes {
    /// The probability of a random decision, in percent.
    percent: u32,
    chance: ChanceStream,
}

impl Mistakes {
    /// Returns the index of a random decision; `None` to decide without a mistake. The draws do not
    /// depend on earlier decisions of the bot, only on their number.
    fn draw(&mut self, decisions: usize) -> Option<usize> {
        let is_mistake = self.chance.below(100) < self.percent;
        let place = self.chance.below(u32::try_from(decisions.max(1)).unwrap_or(u32::MAX));
        is_mistake.then_some(place as usize)
    }
}

impl Bot for Greedy {
    fn match_started(&mut self, started: &v1::MatchStarted) {
        let game = started.config.as_ref().and_then(|config| config.game.as_ref());
        let id = game.and_then(game_id).unwrap_or("unknown");
        let (chance, mistakes) = (self.chance.clone(), self.mistakes.clone());
        self.player = with_game!(id, G => {
            Box::new(WithRules::<G, _>::new(Chooser { chance, mistakes })) as _
        });
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
    mistakes: Mistakes,
}

impl<G: WireGame + Rate> RulesBot<G> for Chooser {
    fn decide(&mut self, position: &Position<'_, G>, _clock: ClockView) -> G::Decision {
        let (seat, legal) = (position.seat(), position.legal());
        if let Some(place) = self.mistakes.draw(legal.len()) {
            return legal[place].clone();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_pinned_and_have_the_given_frequency() {
        let draws = |percent, count| {
            let mut mistakes = Mistakes { percent, chance: ChanceStream::new(&Seed::from(1), 1) };
            (0..count).map(|_| mistakes.draw(7)).collect::<Vec<_>>()
        };
        assert_eq!(draws(40, 8), [None, None, None, None, None, None, Some(3), None]);
        assert!(draws(0, 1_000).iter().all(Option::is_none));
        assert!(draws(100, 1_000).iter().all(Option::is_some));
        let mistakes = draws(40, 10_000).into_iter().flatten().count();
        assert!((3_800..4_200).contains(&mistakes), "{mistakes}");
    }
}
