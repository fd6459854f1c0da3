//! Access to the legal decisions in a request, for any game.

use crate::v1::{GameDecision, GameRequest, game_decision, game_request};

// Includes `legal_decision`, a match with one arm per game.
include!(concat!(env!("OUT_DIR"), "/legal_decision.rs"));

impl GameRequest {
    /// Returns the legal decision at an index in the list, in the full form that a bot can send;
    /// `None` beyond the end of the list.
    pub fn legal_decision(&self, index: usize) -> Option<GameDecision> {
        let game = legal_decision(self.game.as_ref()?, index)?;
        Some(GameDecision { game: Some(game) })
    }
}
