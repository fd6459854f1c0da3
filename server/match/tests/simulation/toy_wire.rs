//! Messages of the toy games. The protocol has none, so they are encoded as numbers in the messages
//! of a game of the catalogue.

use bridgemaster_games::Game;
use bridgemaster_proto::{
    games::{WireError, WireGame, alhambra::v1 as alhambra, bridges_to_nowhere::v1 as carrier},
    v1::{
        GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, GameSetup,
        game_chance, game_config, game_decision, game_event, game_observation, game_request,
        game_setup,
    },
};

use crate::toy::{
    hands::{Hand, Hands, HandsConfig, HandsEvent, Prize},
    heap::{Heap, HeapConfig, HeapEvent, Take},
};

fn foreign() -> WireError {
    WireError {
        field: "game".to_owned(),
        detail: "it is of no toy game".to_owned(),
    }
}

fn byte(number: u32) -> Result<u8, WireError> {
    u8::try_from(number).map_err(|_| foreign())
}

fn config(entry: carrier::Config) -> GameConfig {
    GameConfig {
        game: Some(game_config::Game::BridgesToNowhere(Box::new(entry))),
    }
}

fn config_entry(config: &GameConfig) -> Result<&carrier::Config, WireError> {
    match &config.game {
        Some(game_config::Game::BridgesToNowhere(entry)) => Ok(entry),
        _ => Err(foreign()),
    }
}

fn setup(number: u32) -> GameSetup {
    let deal = carrier::Deal {
        first_drafter: number,
        ..carrier::Deal::default()
    };
    let entry = carrier::Setup {
        deals: vec![deal],
        ..carrier::Setup::default()
    };
    GameSetup {
        game: Some(game_setup::Game::BridgesToNowhere(Box::new(entry))),
    }
}

fn setup_number(setup: &GameSetup) -> Result<u32, WireError> {
    let entry = match &setup.game {
        Some(game_setup::Game::BridgesToNowhere(entry)) => entry,
        _ => return Err(foreign()),
    };
    let deal = entry.deals.first();
    deal.map(|deal| deal.first_drafter).ok_or_else(foreign)
}

fn card(number: u32) -> carrier::BridgeCard {
    carrier::BridgeCard {
        number,
        ..carrier::BridgeCard::default()
    }
}

fn decision(number: u32) -> GameDecision {
    let card = carrier::Card {
        card: Some(carrier::card::Card::BridgeCard(card(number))),
    };
    let entry = carrier::Decision {
        decision: Some(carrier::decision::Decision::Take(card)),
    };
    GameDecision {
        game: Some(game_decision::Game::BridgesToNowhere(entry)),
    }
}

fn decision_number(decision: &GameDecision) -> Result<u32, WireError> {
    let Some(game_decision::Game::BridgesToNowhere(entry)) = &decision.game else {
        return Err(foreign());
    };
    match &entry.decision {
        Some(carrier::decision::Decision::Take(carrier::Card {
            card: Some(carrier::card::Card::BridgeCard(card)),
        })) => Ok(card.number),
        _ => Err(foreign()),
    }
}

fn observation(numbers: Vec<u32>) -> GameObservation {
    let seat = carrier::SeatView {
        placed: numbers,
        ..carrier::SeatView::default()
    };
    let entry = carrier::Observation {
        seats: vec![seat],
        ..carrier::Observation::default()
    };
    GameObservation {
        game: Some(game_observation::Game::BridgesToNowhere(Box::new(entry))),
    }
}

fn event(kind: u32, numbers: impl IntoIterator<Item = u32>) -> GameEvent {
    let entry = carrier::Event {
        event: Some(carrier::event::Event::RoundStarted(carrier::RoundStarted {
            round: kind,
            first_drafter: 0,
            opened: numbers.into_iter().map(card).collect(),
        })),
    };
    GameEvent {
        game: Some(game_event::Game::BridgesToNowhere(entry)),
    }
}

/// Combines a request from its parts.
fn request(
    observation: GameObservation,
    legal: impl Iterator<Item = GameDecision>,
    events: impl Iterator<Item = GameEvent>,
) -> GameRequest {
    let observation = match observation.game {
        Some(game_observation::Game::BridgesToNowhere(entry)) => Some(*entry),
        _ => None,
    };
    let legal = legal.filter_map(|decision| match decision.game {
        Some(game_decision::Game::BridgesToNowhere(entry)) => Some(entry),
        _ => None,
    });
    let events = events.filter_map(|event| match event.game {
        Some(game_event::Game::BridgesToNowhere(entry)) => Some(entry),
        _ => None,
    });
    let entry = carrier::Request {
        observation,
        legal_decisions: legal.collect(),
        events: events.collect(),
    };
    GameRequest {
        game: Some(game_request::Game::BridgesToNowhere(Box::new(entry))),
    }
}

/// Encodes a number as a list of cards of that length.
fn chance(number: u32) -> GameChance {
    let entry = alhambra::Shuffle {
        cards: vec![alhambra::MoneyCard::default(); number as usize],
    };
    GameChance {
        game: Some(game_chance::Game::Alhambra(Box::new(entry))),
    }
}

fn chance_number(chance: &GameChance) -> Result<u32, WireError> {
    match &chance.game {
        Some(game_chance::Game::Alhambra(entry)) => Ok(entry.cards.len() as u32),
        _ => Err(foreign()),
    }
}

/// A toy game whose messages are encoded as numbers.
trait InNumbers: Game {
    fn config_numbers(config: &Self::Config) -> carrier::Config;
    fn config_of(numbers: &carrier::Config) -> Result<Self::Config, WireError>;
    fn setup_number(setup: &Self::Setup) -> u32;
    fn setup_of(number: u32) -> Result<Self::Setup, WireError>;
    fn decision_number(decision: &Self::Decision) -> u32;
    fn decision_of(number: u32) -> Result<Self::Decision, WireError>;
    /// The kind of an event and its contents.
    fn event_numbers(event: &Self::Event) -> (u32, Vec<u32>);
    fn chance_number(chance: &Self::Chance) -> u32;
    fn chance_of(number: u32) -> Result<Self::Chance, WireError>;
}

impl InNumbers for Heap {
    fn config_numbers(config: &HeapConfig) -> carrier::Config {
        carrier::Config {
            games: config.stones.map(u32::from),
            contracts_to_win: Some(config.most.into()),
            ..carrier::Config::default()
        }
    }

    fn config_of(numbers: &carrier::Config) -> Result<HeapConfig, WireError> {
        Ok(HeapConfig {
            stones: numbers.games.map(byte).transpose()?,
            most: byte(numbers.contracts_to_win.unwrap_or_default())?,
        })
    }

    fn setup_number(stones: &u8) -> u32 {
        (*stones).into()
    }

    fn setup_of(number: u32) -> Result<u8, WireError> {
        byte(number)
    }

    fn decision_number(take: &Take) -> u32 {
        take.0.into()
    }

    fn decision_of(number: u32) -> Result<Take, WireError> {
        byte(number).map(Take)
    }

    fn event_numbers(event: &HeapEvent) -> (u32, Vec<u32>) {
        match event {
            HeapEvent::Laid(stones) => (0, vec![(*stones).into()]),
            HeapEvent::Took { seat, stones } => (1, vec![(*seat).into(), (*stones).into()]),
        }
    }

    fn chance_number(chance: &Self::Chance) -> u32 {
        match *chance {}
    }

    fn chance_of(_number: u32) -> Result<Self::Chance, WireError> {
        Err(foreign())
    }
}

impl InNumbers for Hands {
    fn config_numbers(config: &HandsConfig) -> carrier::Config {
        carrier::Config {
            games: Some(config.rounds.into()),
            contracts: Some(config.first_settles),
            contracts_to_win: Some(config.draws_prizes.into()),
            ..carrier::Config::default()
        }
    }

    fn config_of(numbers: &carrier::Config) -> Result<HandsConfig, WireError> {
        Ok(HandsConfig {
            rounds: byte(numbers.games.unwrap_or_default())?,
            first_settles: numbers.contracts.unwrap_or_default(),
            draws_prizes: numbers.contracts_to_win == Some(1),
        })
    }

    fn setup_number((): &()) -> u32 {
        0
    }

    fn setup_of(_number: u32) -> Result<(), WireError> {
        Ok(())
    }

    fn decision_number(hand: &Hand) -> u32 {
        *hand as u32
    }

    fn decision_of(number: u32) -> Result<Hand, WireError> {
        match number {
            0 => Ok(Hand::Rock),
            1 => Ok(Hand::Paper),
            2 => Ok(Hand::Scissors),
            _ => Err(foreign()),
        }
    }

    fn event_numbers(event: &HandsEvent) -> (u32, Vec<u32>) {
        match event {
            HandsEvent::RoundOver { hands } => {
                let number = |hand: &Option<Hand>| hand.map_or(3, |hand| hand as u32);
                (0, hands.iter().map(number).collect())
            }
            HandsEvent::PrizeDrawn(Prize(seat)) => (1, vec![(*seat).into()]),
        }
    }

    fn chance_number(Prize(seat): &Prize) -> u32 {
        (*seat).into()
    }

    fn chance_of(number: u32) -> Result<Prize, WireError> {
        byte(number).map(Prize)
    }
}

/// Implements the messages of a toy game by its numbers.
macro_rules! carried {
    ($game:ident) => {
        impl WireGame for $game {
            fn config_to_wire(from: &Self::Config) -> GameConfig {
                config(Self::config_numbers(from))
            }

            fn config_from_wire(config: &GameConfig) -> Result<Self::Config, WireError> {
                config_entry(config).and_then(Self::config_of)
            }

            fn setup_to_wire(from: &Self::Setup) -> GameSetup {
                setup(Self::setup_number(from))
            }

            fn setup_from_wire(
                setup: &GameSetup,
                _config: &Self::Config,
            ) -> Result<Self::Setup, WireError> {
                setup_number(setup).and_then(Self::setup_of)
            }

            fn decision_to_wire(from: &Self::Decision) -> GameDecision {
                decision(Self::decision_number(from))
            }

            fn decision_from_wire(decision: &GameDecision) -> Result<Self::Decision, WireError> {
                decision_number(decision).and_then(Self::decision_of)
            }

            fn observation_to_wire(seen: &Self::Observation) -> GameObservation {
                observation(format!("{seen:?}").bytes().map(u32::from).collect())
            }

            fn observation_from_wire(
                _observation: &GameObservation,
                _config: &Self::Config,
            ) -> Result<Self::Observation, WireError> {
                Err(foreign())
            }

            fn request_to_wire(
                seen: &Self::Observation,
                legal: &[Self::Decision],
                events: &[Self::Event],
            ) -> GameRequest {
                request(
                    Self::observation_to_wire(seen),
                    legal.iter().map(Self::decision_to_wire),
                    events.iter().map(Self::event_to_wire),
                )
            }

            fn request_from_wire(
                _request: &GameRequest,
                _config: &Self::Config,
            ) -> Result<(Self::Observation, Vec<Self::Decision>), WireError> {
                Err(foreign())
            }

            fn request_events_from_wire(
                _request: &GameRequest,
            ) -> Result<Vec<Self::Event>, WireError> {
                Err(foreign())
            }

            fn event_to_wire(happened: &Self::Event) -> GameEvent {
                let (kind, numbers) = Self::event_numbers(happened);
                event(kind, numbers)
            }

            fn event_from_wire(_event: &GameEvent) -> Result<Self::Event, WireError> {
                Err(foreign())
            }

            fn chance_to_wire(drawn: &Self::Chance) -> GameChance {
                chance(Self::chance_number(drawn))
            }

            fn chance_from_wire(chance: &GameChance) -> Result<Self::Chance, WireError> {
                chance_number(chance).and_then(Self::chance_of)
            }
        }
    };
}

carried! { Heap }
carried! { Hands }
