//! What a spectator sees of a match, as text and as progress.

use anyhow::Context as _;
use bridgemaster_games::{Progress, with_game};
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameConfig, GameEvent, GameObservation, WatchMatchResponse},
};

/// What a spectator of a running match sees.
pub(super) struct View<'a> {
    game: &'static str,
    config: &'a GameConfig,
    observation: &'a GameObservation,
}

impl<'a> View<'a> {
    /// The view that news hold; `None` before the match starts.
    pub(super) fn of(news: &'a WatchMatchResponse) -> anyhow::Result<Option<Self>> {
        let Some(observation) = &news.observation else {
            return Ok(None);
        };
        let config = news.r#match.as_ref().and_then(|info| info.config.as_ref());
        let config = config
            .and_then(|config| config.game.as_ref())
            .context("the server does not say which game is played")?;
        let game = game_id(config).context("the match is of a game that this version lacks")?;
        Ok(Some(Self {
            game,
            config,
            observation,
        }))
    }

    /// The table as text.
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

    /// How far the match has come.
    pub(super) fn progress(&self) -> anyhow::Result<Option<Progress>> {
        with_game!(self.game, G => {
            let config = G::config_from_wire(self.config)?;
            Ok(G::progress(&G::observation_from_wire(self.observation, &config)?))
        })
        .unwrap_or_else(|| unknown(self.game))
    }
}

/// An event as a line of text.
pub(super) fn event_line(event: &GameEvent) -> anyhow::Result<String> {
    let game = game_id(event).context("an event of a game that this version lacks")?;
    with_game!(game, G => Ok(G::event_from_wire(event)?.to_string()))
        .unwrap_or_else(|| unknown(game))
}

fn unknown<T>(game: &str) -> anyhow::Result<T> {
    anyhow::bail!("this version has no game {game}")
}
