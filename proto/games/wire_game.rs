//! The entry of a game in each message of a game.

/// Implements [`WireGame`](super::WireGame) for a game by the functions `to_wire` and `from_wire`
/// of the modules `config`, `setup`, `decision`, `observation` and `event` in its folder;
/// `from_wire` of a setup and of an observation takes the config, too. The game's type and its
/// entries in the messages have one name. A game whose chance is not all in its setup adds
/// `with chance`, a further such module.
macro_rules! wire_game {
    ($game:ident) => {
        $crate::games::wire_game::wire_game!(@implement $game {
            fn chance_to_wire(chance: &Self::Chance) -> GameChance {
                match *chance {}
            }

            fn chance_from_wire(_chance: &GameChance) -> Result<Self::Chance, WireError> {
                Err(WireError::no_chance::<Self>())
            }
        });
    };
    ($game:ident with chance) => {
        $crate::games::wire_game::wire_game!(@implement $game {
            fn chance_to_wire(chance: &Self::Chance) -> GameChance {
                let entry = Box::new(chance::to_wire(chance));
                GameChance {
                    game: Some(game_chance::Game::$game(entry)),
                }
            }

            fn chance_from_wire(chance: &GameChance) -> Result<Self::Chance, WireError> {
                match &chance.game {
                    Some(game_chance::Game::$game(entry)) => {
                        chance::from_wire(entry).below(Self::ID)
                    }
                    _ => Err(WireError::entry::<Self>()),
                }
            }
        });
    };
    (@implement $game:ident { $($chance:item)* }) => {
        const _: () = {
            use bridgemaster_games::Game;
            use $crate::games::wire::{Below, WireError, WireGame};
            #[allow(unused_imports, reason = "most games have no chance after their setup")]
            use $crate::v1::{GameChance, game_chance};
            use $crate::v1::{
                GameConfig, GameDecision, GameEvent, GameObservation, GameSetup, game_config,
                game_decision, game_event, game_observation, game_setup,
            };

            impl WireGame for $game {
                fn config_to_wire(config: &Self::Config) -> GameConfig {
                    let entry = Box::new(config::to_wire(config));
                    GameConfig {
                        game: Some(game_config::Game::$game(entry)),
                    }
                }

                fn config_from_wire(config: &GameConfig) -> Result<Self::Config, WireError> {
                    match &config.game {
                        Some(game_config::Game::$game(entry)) => {
                            config::from_wire(entry).below(Self::ID)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn setup_to_wire(setup: &Self::Setup) -> GameSetup {
                    let entry = Box::new(setup::to_wire(setup));
                    GameSetup {
                        game: Some(game_setup::Game::$game(entry)),
                    }
                }

                fn setup_from_wire(
                    setup: &GameSetup,
                    config: &Self::Config,
                ) -> Result<Self::Setup, WireError> {
                    match &setup.game {
                        Some(game_setup::Game::$game(entry)) => {
                            setup::from_wire(entry, config).below(Self::ID)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn decision_to_wire(decision: &Self::Decision) -> GameDecision {
                    let entry = decision::to_wire(decision);
                    GameDecision {
                        game: Some(game_decision::Game::$game(entry)),
                    }
                }

                fn decision_from_wire(
                    decision: &GameDecision,
                ) -> Result<Self::Decision, WireError> {
                    match &decision.game {
                        Some(game_decision::Game::$game(entry)) => {
                            decision::from_wire(entry).below(Self::ID)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn observation_to_wire(observation: &Self::Observation) -> GameObservation {
                    let entry = Box::new(observation::to_wire(observation));
                    GameObservation {
                        game: Some(game_observation::Game::$game(entry)),
                    }
                }

                fn observation_from_wire(
                    observation: &GameObservation,
                    config: &Self::Config,
                ) -> Result<Self::Observation, WireError> {
                    match &observation.game {
                        Some(game_observation::Game::$game(entry)) => {
                            observation::from_wire(entry, config).below(Self::ID)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn event_to_wire(event: &Self::Event) -> GameEvent {
                    let entry = event::to_wire(event);
                    GameEvent {
                        game: Some(game_event::Game::$game(entry)),
                    }
                }

                fn event_from_wire(event: &GameEvent) -> Result<Self::Event, WireError> {
                    match &event.game {
                        Some(game_event::Game::$game(entry)) => {
                            event::from_wire(entry).below(Self::ID)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                $($chance)*
            }
        };
    };
}
pub(super) use wire_game;
