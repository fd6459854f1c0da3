//! The entry of Old London Bridge in each message of a game.

use bridgemaster_games::{
    Game,
    old_london_bridge::{Config, Decision, Event, Observation, OldLondonBridge, Setup},
};

use super::{config, decision, event, observation, setup};
use crate::{
    games::wire::{Below, WireError, WireGame},
    v1::{
        GameConfig, GameDecision, GameEvent, GameObservation, GameSetup, game_config,
        game_decision, game_event, game_observation, game_setup,
    },
};

const ID: &str = OldLondonBridge::ID;

impl WireGame for OldLondonBridge {
    fn config_to_wire(config: &Config) -> GameConfig {
        let entry = Box::new(config::to_wire(config));
        GameConfig {
            game: Some(game_config::Game::OldLondonBridge(entry)),
        }
    }

    fn config_from_wire(config: &GameConfig) -> Result<Config, WireError> {
        let Some(game_config::Game::OldLondonBridge(entry)) = &config.game else {
            return Err(WireError::entry::<Self>());
        };
        config::from_wire(entry).below(ID)
    }

    fn setup_to_wire(setup: &Setup) -> GameSetup {
        let entry = Box::new(setup::to_wire(setup));
        GameSetup {
            game: Some(game_setup::Game::OldLondonBridge(entry)),
        }
    }

    fn setup_from_wire(setup: &GameSetup, config: &Config) -> Result<Setup, WireError> {
        let Some(game_setup::Game::OldLondonBridge(entry)) = &setup.game else {
            return Err(WireError::entry::<Self>());
        };
        setup::from_wire(entry, &config.edition).below(ID)
    }

    fn decision_to_wire(decision: &Decision) -> GameDecision {
        let entry = decision::to_wire(decision);
        GameDecision {
            game: Some(game_decision::Game::OldLondonBridge(entry)),
        }
    }

    fn decision_from_wire(decision: &GameDecision) -> Result<Decision, WireError> {
        let Some(game_decision::Game::OldLondonBridge(entry)) = &decision.game else {
            return Err(WireError::entry::<Self>());
        };
        decision::from_wire(entry).below(ID)
    }

    fn observation_to_wire(observation: &Observation) -> GameObservation {
        let entry = Box::new(observation::to_wire(observation));
        GameObservation {
            game: Some(game_observation::Game::OldLondonBridge(entry)),
        }
    }

    fn observation_from_wire(
        observation: &GameObservation,
        config: &Config,
    ) -> Result<Observation, WireError> {
        let Some(game_observation::Game::OldLondonBridge(entry)) = &observation.game else {
            return Err(WireError::entry::<Self>());
        };
        observation::from_wire(entry, &config.edition).below(ID)
    }

    fn event_to_wire(event: &Event) -> GameEvent {
        let entry = event::to_wire(event);
        GameEvent {
            game: Some(game_event::Game::OldLondonBridge(entry)),
        }
    }

    fn event_from_wire(event: &GameEvent) -> Result<Event, WireError> {
        let Some(game_event::Game::OldLondonBridge(entry)) = &event.game else {
            return Err(WireError::entry::<Self>());
        };
        event::from_wire(entry).below(ID)
    }
}
