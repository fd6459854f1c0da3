//! Formats a request for a human player and parses the decision.

use std::str::FromStr as _;

use anyhow::Context as _;
use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameConfig, GameDecision, GameRequest},
};

/// A request as text, for a human player.
pub(super) struct RequestText {
    game: &'static str,
    /// Events since the last request, one event per line.
    pub(super) events: Vec<String>,
    /// The seat's observation, rendered as text.
    pub(super) table: String,
    /// The legal decisions in notation, in the request's order.
    pub(super) legal: Vec<String>,
}

impl RequestText {
    /// Formats a request from a match with this config.
    ///
    /// # Errors
    /// The game is unknown, or the message is invalid.
    pub(super) fn new(config: &GameConfig, request: &GameRequest) -> anyhow::Result<Self> {
        let game =
            game_id(request).context("this version does not support the game of the match")?;
        with_game!(game, G => {
            let config = G::config_from_wire(config)?;
            let (observation, legal) = G::request_from_wire(request, &config)?;
            let events = G::request_events_from_wire(request)?;
            let mut table = String::new();
            G::render(&config, &observation, &mut table)?;
            Ok(Self {
                game,
                events: events.iter().map(ToString::to_string).collect(),
                table,
                legal: legal.iter().map(ToString::to_string).collect(),
            })
        })
        .unwrap_or_else(|| anyhow::bail!("this version does not support the game {game}"))
    }

    /// Parses a decision's notation. Returns `None` if the notation is invalid.
    pub(super) fn parse(&self, text: &str) -> Option<GameDecision> {
        with_game!(self.game, G => {
            let decision = <G as bridgemaster_games::Rules>::Decision::from_str(text).ok()?;
            Some(G::decision_to_wire(&decision))
        })
        .flatten()
    }
}
