//! A request as text for a person, and a person's text as a decision.

use std::str::FromStr as _;

use anyhow::Context as _;
use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameConfig, GameDecision, GameRequest},
};

/// What a person is asked.
pub(super) struct Asked {
    game: &'static str,
    /// What happened since the last request, a line an event.
    pub(super) events: Vec<String>,
    /// The table as the seat sees it.
    pub(super) table: String,
    /// The notations of the legal decisions, in their order.
    pub(super) legal: Vec<String>,
}

impl Asked {
    /// Reads a request of a match with this config.
    ///
    /// # Errors
    /// When it is of a game that this version lacks, or makes no sense.
    pub(super) fn read(config: &GameConfig, request: &GameRequest) -> anyhow::Result<Self> {
        let game = game_id(request).context("the match is of a game that this version lacks")?;
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
        .unwrap_or_else(|| anyhow::bail!("this version has no game {game}"))
    }

    /// The decision that a text notes; `None` when it notes none.
    pub(super) fn parse(&self, text: &str) -> Option<GameDecision> {
        with_game!(self.game, G => {
            let decision = <G as bridgemaster_games::Rules>::Decision::from_str(text).ok()?;
            Some(G::decision_to_wire(&decision))
        })
        .flatten()
    }
}
