//! What can be read of a request without knowing its game.

use crate::v1::{GameDecision, GameRequest, game_decision, game_request};

// `legal_decision`, with an arm for each game.
include!(concat!(env!("OUT_DIR"), "/legal_decision.rs"));

impl GameRequest {
    /// The legal decision at a position of the list, as an answer in full has it; `None` beyond the
    /// list's end.
    pub fn legal_decision(&self, index: usize) -> Option<GameDecision> {
        let game = legal_decision(self.game.as_ref()?, index)?;
        Some(GameDecision { game: Some(game) })
    }
}
