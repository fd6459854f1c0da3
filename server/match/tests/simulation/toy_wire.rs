//! The toy games on the wire. The protocol has no entries of theirs, so their numbers travel in
//! those of a game of the catalogue.

use bridgemaster_proto::{
    games::{WireError, WireGame, alhambra::v1 as alhambra, bridges_to_nowhere::v1 as carrier},
    v1::{
        GameChance, GameConfig, GameDecision, GameEvent, GameObservation, GameRequest, GameSetup,
        game_chance, game_config, game_decision, game_event, game_observation, game_request,
        game_setup,
    },
};

use crate::toy::{
    hands::{Hand, Hands, HandsConfig, HandsEvent, HandsSeen, Prize},
    heap::{Heap, HeapConfig, HeapEvent, HeapState, Take},
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

/// A request out of the messages that are in it.
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

impl WireGame for Heap {
    fn config_to_wire(from: &HeapConfig) -> GameConfig {
        config(carrier::Config {
            games: from.stones.map(u32::from),
            contracts_to_win: Some(from.most.into()),
            ..carrier::Config::default()
        })
    }

    fn config_from_wire(config: &GameConfig) -> Result<HeapConfig, WireError> {
        let entry = config_entry(config)?;
        Ok(HeapConfig {
            stones: entry.games.map(byte).transpose()?,
            most: byte(entry.contracts_to_win.unwrap_or_default())?,
        })
    }

    fn setup_to_wire(stones: &u8) -> GameSetup {
        setup((*stones).into())
    }

    fn setup_from_wire(setup: &GameSetup, _config: &HeapConfig) -> Result<u8, WireError> {
        byte(setup_number(setup)?)
    }

    fn decision_to_wire(taken: &Take) -> GameDecision {
        decision(taken.0.into())
    }

    fn decision_from_wire(decision: &GameDecision) -> Result<Take, WireError> {
        decision_number(decision).and_then(byte).map(Take)
    }

    fn observation_to_wire(seen: &HeapState) -> GameObservation {
        observation(format!("{seen:?}").bytes().map(u32::from).collect())
    }

    fn observation_from_wire(
        _observation: &GameObservation,
        _config: &HeapConfig,
    ) -> Result<HeapState, WireError> {
        Err(foreign())
    }

    fn request_to_wire(seen: &HeapState, legal: &[Take], events: &[HeapEvent]) -> GameRequest {
        request(
            Self::observation_to_wire(seen),
            legal.iter().map(Self::decision_to_wire),
            events.iter().map(Self::event_to_wire),
        )
    }

    fn request_from_wire(
        _request: &GameRequest,
        _config: &HeapConfig,
    ) -> Result<(HeapState, Vec<Take>), WireError> {
        Err(foreign())
    }

    fn request_events_from_wire(_request: &GameRequest) -> Result<Vec<HeapEvent>, WireError> {
        Err(foreign())
    }

    fn event_to_wire(happened: &HeapEvent) -> GameEvent {
        match happened {
            HeapEvent::Laid(stones) => event(0, [(*stones).into()]),
            HeapEvent::Took { seat, stones } => event(1, [(*seat).into(), (*stones).into()]),
        }
    }

    fn event_from_wire(_event: &GameEvent) -> Result<HeapEvent, WireError> {
        Err(foreign())
    }

    fn chance_to_wire(chance: &Self::Chance) -> GameChance {
        match *chance {}
    }

    fn chance_from_wire(_chance: &GameChance) -> Result<Self::Chance, WireError> {
        Err(foreign())
    }
}

fn hand(number: u32) -> Result<Hand, WireError> {
    match number {
        0 => Ok(Hand::Rock),
        1 => Ok(Hand::Paper),
        2 => Ok(Hand::Scissors),
        _ => Err(foreign()),
    }
}

impl WireGame for Hands {
    fn config_to_wire(from: &HandsConfig) -> GameConfig {
        config(carrier::Config {
            games: Some(from.rounds.into()),
            contracts: Some(from.first_settles),
            contracts_to_win: Some(from.draws_prizes.into()),
            ..carrier::Config::default()
        })
    }

    fn config_from_wire(config: &GameConfig) -> Result<HandsConfig, WireError> {
        let entry = config_entry(config)?;
        Ok(HandsConfig {
            rounds: byte(entry.games.unwrap_or_default())?,
            first_settles: entry.contracts.unwrap_or_default(),
            draws_prizes: entry.contracts_to_win == Some(1),
        })
    }

    fn setup_to_wire(_setup: &()) -> GameSetup {
        setup(0)
    }

    fn setup_from_wire(setup: &GameSetup, _config: &HandsConfig) -> Result<(), WireError> {
        setup_number(setup).map(drop)
    }

    fn decision_to_wire(hand: &Hand) -> GameDecision {
        decision(*hand as u32)
    }

    fn decision_from_wire(decision: &GameDecision) -> Result<Hand, WireError> {
        decision_number(decision).and_then(hand)
    }

    fn observation_to_wire(seen: &HandsSeen) -> GameObservation {
        observation(format!("{seen:?}").bytes().map(u32::from).collect())
    }

    fn observation_from_wire(
        _observation: &GameObservation,
        _config: &HandsConfig,
    ) -> Result<HandsSeen, WireError> {
        Err(foreign())
    }

    fn request_to_wire(seen: &HandsSeen, legal: &[Hand], events: &[HandsEvent]) -> GameRequest {
        request(
            Self::observation_to_wire(seen),
            legal.iter().map(Self::decision_to_wire),
            events.iter().map(Self::event_to_wire),
        )
    }

    fn request_from_wire(
        _request: &GameRequest,
        _config: &HandsConfig,
    ) -> Result<(HandsSeen, Vec<Hand>), WireError> {
        Err(foreign())
    }

    fn request_events_from_wire(_request: &GameRequest) -> Result<Vec<HandsEvent>, WireError> {
        Err(foreign())
    }

    fn event_to_wire(happened: &HandsEvent) -> GameEvent {
        match happened {
            HandsEvent::RoundOver { hands } => {
                let number = |hand: &Option<Hand>| hand.map_or(3, |hand| hand as u32);
                event(0, hands.iter().map(number))
            }
            HandsEvent::PrizeDrawn(Prize(seat)) => event(1, [(*seat).into()]),
        }
    }

    fn event_from_wire(_event: &GameEvent) -> Result<HandsEvent, WireError> {
        Err(foreign())
    }

    fn chance_to_wire(Prize(seat): &Prize) -> GameChance {
        let entry = alhambra::Shuffle {
            cards: vec![alhambra::MoneyCard::default(); usize::from(*seat)],
        };
        GameChance {
            game: Some(game_chance::Game::Alhambra(Box::new(entry))),
        }
    }

    fn chance_from_wire(chance: &GameChance) -> Result<Prize, WireError> {
        let Some(game_chance::Game::Alhambra(entry)) = &chance.game else {
            return Err(foreign());
        };
        byte(entry.cards.len() as u32).map(Prize)
    }
}
