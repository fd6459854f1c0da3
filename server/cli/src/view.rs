//! A spectator's or a player's view of a match, as text.

use std::str::FromStr as _;

use anyhow::Context as _;
use bridgemaster_games::{Progress, with_game};
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, WatchMatchResponse},
};

/// A spectator's view of a running match.
pub(super) struct View<'a> {
    game: &'static str,
    config: &'a GameConfig,
    observation: &'a GameObservation,
}

impl<'a> View<'a> {
    /// Returns an update's view; `None` before the match starts.
    pub(super) fn from_update(update: &'a WatchMatchResponse) -> anyhow::Result<Option<Self>> {
        let Some(observation) = &update.observation else {
            return Ok(None);
        };
        let config = update.r#match.as_ref().and_then(|info| info.config.as_ref());
        let config = config
            .and_then(|config| config.game.as_ref())
            .context("the config of the match contains no game")?;
        let game =
            game_id(config).context("this version does not support the game of the match")?;
        Ok(Some(Self { game, config, observation }))
    }

    /// Renders the table as text.
    pub(super) fn render(&self) -> anyhow::Result<String> {
        with_game!(self.game, G => {
            let config = G::config_from_wire(self.config)?;
            let observation = G::observation_from_wire(self.observation, &config)?;
            let mut text = String::new();
            G::render(&config, &observation, &mut text)?;
            Ok(text)
        })
        .unwrap_or_else(|| unknown(self.game))
    }

    /// Returns the match's progress, if the game measures progress.
    pub(super) fn progress(&self) -> anyhow::Result<Option<Progress>> {
        with_game!(self.game, G => {
            let config = G::config_from_wire(self.config)?;
            Ok(G::progress(&G::observation_from_wire(self.observation, &config)?))
        })
        .unwrap_or_else(|| unknown(self.game))
    }
}

/// Formats an event as a line of text.
pub(super) fn event_line(event: &GameEvent) -> anyhow::Result<String> {
    let game = game_id(event).context("this version does not support the game of the event")?;
    with_game!(game, G => Ok(G::event_from_wire(event)?.to_string()))
        .unwrap_or_else(|| unknown(game))
}

fn unknown<T>(game: &str) -> anyhow::Result<T> {
    anyhow::bail!("this version does not support the game {game}")
}

/// A request as text, for a human player.
pub(crate) struct RequestText {
    game: &'static str,
    /// Events since the last request, one event per line.
    pub(crate) events: Vec<String>,
    /// The seat's observation, rendered as text.
    pub(crate) table: String,
    /// The legal decisions in notation, in the request's order.
    pub(crate) legal: Vec<String>,
}

impl RequestText {
    /// Formats a request from a match with this config.
    ///
    /// # Errors
    /// Returns an error if the game is unknown, or the message is invalid.
    pub(crate) fn new(config: &GameConfig, request: &GameRequest) -> anyhow::Result<Self> {
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
        .unwrap_or_else(|| unknown(game))
    }

    /// Parses a decision's notation. Returns `None` if the notation is invalid.
    pub(crate) fn parse(&self, text: &str) -> Option<GameDecision> {
        with_game!(self.game, G => {
            let decision = <G as bridgemaster_games::Rules>::Decision::from_str(text).ok()?;
            Some(G::decision_to_wire(&decision))
        })
        .flatten()
    }
}
