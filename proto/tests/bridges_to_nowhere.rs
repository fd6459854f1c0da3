//! Bridges to Nowhere on the wire: configs, rare values and secret placements.

use std::sync::Arc;

use bridgemaster_games::{
    Seat,
    bridges_to_nowhere::{
        BridgeCard, BridgesToNowhere, Card, Cell, Config, Contract, Decision, Edition,
        EditionParts, Event, GAMES, GameResult, LEVELS, MAX_CATEGORY_POINTS, MAX_COLUMN,
        MAX_NUMBER, Observation, Piece, Placement, SeatScore, Style, Symbol,
    },
};
use bridgemaster_proto::{
    games::{FieldError, WireGame, bridges_to_nowhere::v1 as wire},
    v1::{self, game_config, game_observation},
};
use serde_json::{Value, json};

use crate::{
    descriptors::from_json,
    random_match::{Rare, Wired, play, refused},
};

type Btn = BridgesToNowhere;

fn config(entry: &Value) -> Result<Config, FieldError> {
    let json = json!({ "bridgesToNowhere": entry });
    let wire: v1::GameConfig = from_json("bridgemaster.v1.GameConfig", &json);
    Btn::config_from_wire(&wire)
}

/// The seats' observations during a match, and a spectator's observation at the end.
fn observations(seed: u64) -> Vec<Observation> {
    let mut seen = Vec::new();
    let played = play::<Btn>(&Config::default(), 2, seed, |step| {
        seen.push(step.observation.clone());
    });
    seen.push(played.end);
    seen
}

#[test]
fn constants_of_a_match_are_read_from_its_config() {
    let observation = &observations(3)[0];
    let wire = Btn::observation_to_wire(observation);
    for games in GAMES {
        let config = Config { games, ..Config::default() };
        let read = Btn::observation_from_wire(&wire, &config).unwrap();
        assert_eq!(read.games, games);
    }
}

#[test]
fn unset_fields_of_a_config_get_their_defaults() {
    let set = config(&json!({ "contracts": false, "games": 1 })).unwrap();
    let expected = Config { contracts: false, games: 1, ..Config::default() };
    assert_eq!(set, expected);
}

#[test]
fn a_sent_config_has_every_field() {
    let wire = Btn::config_to_wire(&Config::default());
    let Some(game_config::Game::BridgesToNowhere(entry)) = wire.game else { unreachable!() };
    assert_eq!(entry.contracts, Some(true));
    assert_eq!(entry.contracts_to_win, Some(2));
    assert_eq!(entry.games, Some(6));
    assert_eq!(entry.next_cards(), wire::NextCards::BeforeBuilding);
    let cards = entry.edition.unwrap().cards;
    let numbers: Vec<u32> = cards.iter().map(|card| card.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 0].repeat(3), "tolls are last");
}

/// A bridge card with the last style, left and right symbol.
fn extreme(number: Option<u8>) -> BridgeCard {
    BridgeCard { style: Style::Cable, number, left: Symbol::Boat, right: Symbol::Fish }
}

fn highest_score() -> SeatScore {
    SeatScore {
        numbers: MAX_CATEGORY_POINTS,
        tolls: MAX_CATEGORY_POINTS,
        monuments: MAX_CATEGORY_POINTS,
        symbols: MAX_CATEGORY_POINTS,
        contract: MAX_CATEGORY_POINTS,
    }
}

/// Decisions at the ends of their ranges.
fn decisions() -> Vec<Decision> {
    let cards = [Some(MAX_NUMBER), Some(1), None].map(|number| Card::Bridge(extreme(number)));
    let mut decisions = vec![Decision::End];
    for card in cards.into_iter().chain([Card::Monument]) {
        decisions.push(Decision::Take(card));
        for (level, column) in [(1, -MAX_COLUMN), (1, 0), (LEVELS as u8, MAX_COLUMN)] {
            for piece in [Piece::Card(card), Piece::Pillar] {
                let cell = Cell { level, column };
                decisions.push(Decision::Place(Placement { piece, cell }));
            }
        }
    }
    decisions
}

/// Events that random play rarely reaches.
fn events() -> Vec<Event> {
    let [first, second] = [0, 1].map(|seat| Seat::new(seat).unwrap());
    let bridge_card = extreme(None);
    vec![
        Event::GameStarted { game: 0, contract: None },
        Event::GameStarted { game: 5, contract: Some(Contract::Double) },
        Event::RoundStarted { round: 3, first_drafter: second, opened: [bridge_card; 6].into() },
        Event::DraftEnded {
            discarded: [bridge_card; 3].into_iter().collect(),
            next_cards: [bridge_card; 6].into(),
        },
        Event::DraftEnded { discarded: Default::default(), next_cards: Default::default() },
        Event::BuildingEnded {
            seat: first,
            discarded: [Card::Bridge(bridge_card), Card::Monument, Card::Monument].into(),
        },
        Event::Scored { seat: second, score: highest_score() },
        Event::GameEnded { game: 5, winner: None },
        Event::GameEnded { game: 0, winner: Some(first) },
        Event::MatchEnded,
    ]
}

/// An observation with results that random play rarely reaches.
fn observation() -> Observation {
    let mut observation = observations(4).pop().unwrap();
    let won_by_none = |contract| GameResult {
        contract,
        winner: None,
        scores: [highest_score(), SeatScore::default()],
    };
    observation.results = Contract::ALL.iter().map(|&c| won_by_none(Some(c))).collect();
    observation.results[0] = won_by_none(None);
    observation.contract = None;
    observation.game = 5;
    observation
}

#[test]
fn an_invalid_or_repeated_position_in_the_structure_is_refused() {
    let seen = observations(9);
    let (observation, seat) = seen
        .iter()
        .find_map(|o| Some((o, o.seats.iter().position(|view| view.placed.len() >= 2)?)))
        .unwrap();
    let with = |change: &dyn Fn(&mut Vec<u32>)| {
        let mut wire = Btn::observation_to_wire(observation);
        let Some(game_observation::Game::BridgesToNowhere(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(&mut entry.seats[seat].placed);
        Btn::observation_from_wire(&wire, &Config::default())
    };
    let at = |i: usize| format!("bridges_to_nowhere.seats[{seat}].placed[{i}]");
    let none = "18 is not a position in a structure of";
    refused(with(&|placed| placed[0] = 18), &at(0), none);
    refused(with(&|placed| placed[1] = placed[0]), &at(1), "is repeated");
}

/// An edition with different cards from the built-in edition, some of which are equal.
fn other_edition() -> Edition {
    let built_in = Edition::built_in();
    let cards = built_in.cards().iter().rev().map(|card| BridgeCard {
        style: card.style,
        number: match card.number {
            Some(number) if number % 3 == 0 => None,
            Some(7) | None => Some(MAX_NUMBER),
            number => number,
        },
        left: card.right,
        right: Symbol::Bird,
    });
    let cards = cards.collect();
    let name = "Upside down".to_owned();
    Edition::new(&EditionParts { name, cards }).unwrap()
}

impl Wired for BridgesToNowhere {
    fn set_other_edition(config: &mut Config) {
        config.edition = Arc::new(other_edition());
    }

    fn rare() -> Rare<Self> {
        Rare {
            decisions: decisions(),
            events: events(),
            observations: vec![observation()],
            ..Rare::default()
        }
    }

    const ERROR_AT_OTHER_FIELD: &'static [(&'static str, &'static str)] =
        &[("structure", "placed")];
}
