//! The macro that implements `WireGame`: it connects a game with its entry in each message that has
//! one entry per game.

use super::{
    conversion::OnWire,
    wire::{Path, WireError},
};

/// Implements [`WireGame`](super::WireGame) for a game whose messages are described. The game's
/// type and its entries in the messages must have the same name. A game with chance after the setup
/// adds `with chance`. If parts of a setup or an observation follow from the match config, `setup
/// by path` or `observation by path` names the function that fills in these parts.
macro_rules! wire_game {
    ($game:ident $(, setup by $setup:path)? $(, observation by $observation:path)?) => {
        $crate::games::wire_game::wire_game!(
            @implement $game, [$($setup)?], [$($observation)?], {
                fn chance_to_wire(chance: &Self::Chance) -> GameChance {
                    match *chance {}
                }

                fn chance_from_wire(_chance: &GameChance) -> Result<Self::Chance, WireError> {
                    Err(WireError::no_chance::<Self>())
                }
            }
        );
    };
    ($game:ident with chance $(, setup by $setup:path)? $(, observation by $observation:path)?) => {
        $crate::games::wire_game::wire_game!(
            @implement $game, [$($setup)?], [$($observation)?], {
                fn chance_to_wire(chance: &Self::Chance) -> GameChance {
                    let entry = Box::new(chance.to_wire());
                    GameChance {
                        game: Some(game_chance::Game::$game(entry)),
                    }
                }

                fn chance_from_wire(chance: &GameChance) -> Result<Self::Chance, WireError> {
                    match &chance.game {
                        Some(game_chance::Game::$game(entry)) => {
                            OnWire::from_wire(Self::ID, entry.as_ref())
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }
            }
        );
    };
    (@implement $game:ident, [$($setup:path)?], [$($observation:path)?], { $($chance:item)* }) => {
        const _: () = {
            use bridgemaster_games::{Game, Rules};
            use $crate::games::conversion::OnWire;
            use $crate::games::wire::{Path, WireError, WireGame};
            use $crate::games::writer::{Writer, field_of};
            #[allow(unused_imports, reason = "most games have no chance after their setup")]
            use $crate::v1::{GameChance, game_chance};
            use $crate::v1::{
                GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, GameSetup,
                game_config, game_decision, game_event, game_observation, game_request, game_setup,
            };

            impl WireGame for $game {
                fn config_to_wire(config: &Self::Config) -> GameConfig {
                    let entry = Box::new(config.to_wire());
                    GameConfig {
                        game: Some(game_config::Game::$game(entry)),
                    }
                }

                fn config_from_wire(config: &GameConfig) -> Result<Self::Config, WireError> {
                    match &config.game {
                        Some(game_config::Game::$game(entry)) => {
                            let config = OnWire::from_wire(Self::ID, entry.as_ref())?;
                            let checked = Self::check_ranges(&config).map_err(WireError::from);
                            checked.below(Self::ID).map(|()| config)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn setup_to_wire(setup: &Self::Setup) -> GameSetup {
                    let entry = Box::new(setup.to_wire());
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
                            let mut setup = OnWire::from_wire(Self::ID, entry.as_ref())?;
                            $crate::games::wire_game::completion!($($setup)?)(&mut setup, config)
                                .below(Self::ID)?;
                            Ok(setup)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn decision_to_wire(decision: &Self::Decision) -> GameDecision {
                    GameDecision {
                        game: Some(game_decision::Game::$game(decision.to_wire())),
                    }
                }

                fn decision_from_wire(
                    decision: &GameDecision,
                ) -> Result<Self::Decision, WireError> {
                    match &decision.game {
                        Some(game_decision::Game::$game(entry)) => {
                            OnWire::from_wire(Self::ID, entry)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn observation_to_wire(observation: &Self::Observation) -> GameObservation {
                    let entry = Box::new(observation.to_wire());
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
                            let mut observation = OnWire::from_wire(Self::ID, entry.as_ref())?;
                            $crate::games::wire_game::completion!($($observation)?)(
                                &mut observation,
                                config,
                            )
                            .below(Self::ID)?;
                            Ok(observation)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn request_to_wire(
                    observation: &Self::Observation,
                    legal: &[Self::Decision],
                    events: &[Self::Event],
                ) -> GameRequest {
                    let entry = v1::Request {
                        observation: Some(observation.to_wire()),
                        legal_decisions: legal.iter().map(OnWire::to_wire).collect(),
                        events: events.iter().map(OnWire::to_wire).collect(),
                    };
                    GameRequest {
                        game: Some(game_request::Game::$game(Box::new(entry))),
                    }
                }

                fn put_request(
                    observation: &Self::Observation,
                    legal: &[Self::Decision],
                    events: &[Self::Event],
                    to: &mut Writer,
                ) {
                    let entry = const { field_of::<game_request::Game>(stringify!($game)) };
                    to.message(entry, |to| {
                        let field = const { field_of::<v1::Request>("observation") };
                        OnWire::<v1::Observation>::put(observation, field, to);
                        let field = const { field_of::<v1::Request>("legal_decisions") };
                        for decision in legal {
                            OnWire::<v1::Decision>::put(decision, field, to);
                        }
                        let field = const { field_of::<v1::Request>("events") };
                        for event in events {
                            OnWire::<v1::Event>::put(event, field, to);
                        }
                    });
                }

                fn put_config(config: &Self::Config, to: &mut Writer) {
                    let entry = const { field_of::<game_config::Game>(stringify!($game)) };
                    OnWire::<v1::Config>::put(config, entry, to);
                }

                fn put_decision(decision: &Self::Decision, to: &mut Writer) {
                    let entry = const { field_of::<game_decision::Game>(stringify!($game)) };
                    OnWire::<v1::Decision>::put(decision, entry, to);
                }

                fn put_event(event: &Self::Event, to: &mut Writer) {
                    let entry = const { field_of::<game_event::Game>(stringify!($game)) };
                    OnWire::<v1::Event>::put(event, entry, to);
                }

                fn request_from_wire(
                    request: &GameRequest,
                    config: &Self::Config,
                ) -> Result<(Self::Observation, Vec<Self::Decision>), WireError> {
                    let Some(game_request::Game::$game(entry)) = &request.game else {
                        return Err(WireError::entry::<Self>());
                    };
                    let read = || -> Result<_, WireError> {
                        const FIELD: &str = "observation";
                        let observation = entry.observation.as_ref();
                        let observation = observation
                            .ok_or_else(|| WireError::new(FIELD, "must be set"))?;
                        let mut observation: Self::Observation =
                            OnWire::from_wire(FIELD, observation)?;
                        $crate::games::wire_game::completion!($($observation)?)(
                            &mut observation,
                            config,
                        )
                        .below(FIELD)?;
                        let legal = $crate::games::wire_game::read_list(
                            "legal_decisions",
                            &entry.legal_decisions,
                        )?;
                        Ok((observation, legal))
                    };
                    read().below(Self::ID)
                }

                fn request_events_from_wire(
                    request: &GameRequest,
                ) -> Result<Vec<Self::Event>, WireError> {
                    match &request.game {
                        Some(game_request::Game::$game(entry)) => {
                            $crate::games::wire_game::read_list("events", &entry.events)
                                .below(Self::ID)
                        }
                        _ => Err(WireError::entry::<Self>()),
                    }
                }

                fn event_to_wire(event: &Self::Event) -> GameEvent {
                    GameEvent {
                        game: Some(game_event::Game::$game(event.to_wire())),
                    }
                }

                fn event_from_wire(event: &GameEvent) -> Result<Self::Event, WireError> {
                    match &event.game {
                        Some(game_event::Game::$game(entry)) => {
                            OnWire::from_wire(Self::ID, entry)
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

/// The function that fills in the parts that follow from the match config.
macro_rules! completion {
    () => {
        $crate::games::wire_game::unchanged
    };
    ($by:path) => {
        $by
    };
}
pub(super) use completion;

/// Reads the items from a list.
pub(super) fn read_list<R: OnWire<W>, W>(field: &str, list: &[W]) -> Result<Vec<R>, WireError> {
    let items = list.iter().enumerate();
    items
        .map(|(place, item)| R::from_wire("", item).at(field, place))
        .collect()
}

/// Does nothing, for messages that need no completion.
pub(super) fn unchanged<T, C>(_value: &mut T, _config: &C) -> Result<(), WireError> {
    Ok(())
}
