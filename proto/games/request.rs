//! What can be read of a request without knowing its game.

use crate::v1::{GameDecision, GameRequest, game_decision, game_request};

impl GameRequest {
    /// The legal decision at a position of the list, as an answer in full has it; `None` beyond the
    /// list's end.
    pub fn legal_decision(&self, index: usize) -> Option<GameDecision> {
        macro_rules! of_games {
            ($($game:ident)*) => {
                match self.game.as_ref()? {
                    $(game_request::Game::$game(request) => {
                        let decision = request.legal_decisions.get(index)?;
                        game_decision::Game::$game(decision.clone())
                    })*
                }
            };
        }
        let game = of_games!(OldLondonBridge Alhambra BridgesToNowhere Carcassonne);
        Some(GameDecision { game: Some(game) })
    }
}
