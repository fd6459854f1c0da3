//! A spectator's view of a match, as text and as progress.

use anyhow::Context as _;
use bridgemaster_games::{Progress, with_game};
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameConfig, GameEvent, GameObservation, WatchMatchResponse},
};

/// A spectator's view of a running match.
pub(super) struct View<'a> {
    game: &'static str,
    config: &'a GameConfig,
    observation: &'a GameObservation,
}

impl<'a> View<'a> {
    /// Returns an update's view; `None` before the match starts.
    pub(super) fn of(update: &'a WatchMatchResponse) -> anyhow::Result<Option<Self>> {
        let Some(observation) = &update.observation else {
            return Ok(None);
        };
        let config = update
            .r#match
            .as_ref()
            .and_then(|info| info.config.as_ref());
        let config = config
            .and_then(|config| config.game.as_ref())
            .context("the config of the match contains no game")?;
        let game =
            game_id(config).context("this version does not support the game of the match")?;
        Ok(Some(Self {
            game,
            config,
            observation,
        }))
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
