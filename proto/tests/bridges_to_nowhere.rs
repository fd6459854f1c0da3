//! Bridges to Nowhere on the wire: what is not well formed is refused with the path of the field,
//! what is rare or at the end of a range survives.

use std::sync::Arc;

use bridgemaster_games::{
    ChanceStream, Seat,
    bridges_to_nowhere::{
        BridgeCard, BridgeCardParts, BridgesToNowhere, CONTRACTS_TO_WIN, Card, Cell, Config,
        Contract, Decision, Edition, EditionParts, Event, GAMES, GameResult, LEVELS,
        MAX_CATEGORY_POINTS, MAX_COLUMN, MAX_NUMBER, Observation, Piece, Placement, SeatScore,
        Style, Symbol,
    },
};
use bridgemaster_proto::{
    games::{WireError, WireGame, bridges_to_nowhere::v1 as wire},
    v1::{self, GameDecision, GameEvent, game_config, game_observation, game_setup},
};
use serde_json::{Value, json};

use crate::{
    descriptors::from_json,
    random_match::{Wired, play, setup_of},
    round_trip::sent,
};

type Btn = BridgesToNowhere;

fn decision(entry: &Value) -> Result<(), WireError> {
    let json = json!({ "bridgesToNowhere": entry });
    let wire: v1::GameDecision = from_json("bridgemaster.v1.GameDecision", &json);
    Btn::decision_from_wire(&wire).map(drop)
}

fn event(entry: &Value) -> Result<(), WireError> {
    let json = json!({ "bridgesToNowhere": entry });
    let wire: v1::GameEvent = from_json("bridgemaster.v1.GameEvent", &json);
    Btn::event_from_wire(&wire).map(drop)
}

fn config(entry: &Value) -> Result<Config, WireError> {
    let json = json!({ "bridgesToNowhere": entry });
    let wire: v1::GameConfig = from_json("bridgemaster.v1.GameConfig", &json);
    Btn::config_from_wire(&wire)
}

/// The path of a field of this game.
fn path(field: &str) -> String {
    format!("bridges_to_nowhere.{field}")
}

/// Checks the path below the game and a part of the explanation of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, path(field), "{error}");
    assert!(error.detail.contains(detail), "{error}");
}

/// A well-formed bridge card.
fn good_card() -> Value {
    json!({ "style": "STYLE_TRUSS", "number": 4, "left": "SYMBOL_FISH", "right": "SYMBOL_BOAT" })
}

/// A well-formed bridge card with one field changed.
fn card_with(field: &str, value: Value) -> Value {
    let mut card = good_card();
    card[field] = value;
    card
}

#[test]
fn malformed_decisions_name_the_field() {
    let bridge = |card: Value| json!({ "take": { "bridgeCard": card } });
    let place = |level: u32, column: i32| json!({ "place": { "pillar": {}, "level": level, "column": column } });
    let cases = [
        (json!({}), "decision", "take, place and end"),
        (
            json!({ "take": {} }),
            "take.card",
            "bridge_card or monument",
        ),
        (
            bridge(json!({})),
            "take.bridge_card.style",
            "must be set to one of STYLE_SUSPENSION, STYLE_TRUSS, STYLE_CABLE",
        ),
        (
            bridge(card_with("style", json!(4))),
            "take.bridge_card.style",
            "4 is not one of",
        ),
        (
            bridge(card_with("number", json!(16))),
            "take.bridge_card.number",
            "16 is not in 0 to 15",
        ),
        (
            bridge(card_with("number", json!(256))),
            "take.bridge_card.number",
            "256 is not in 0 to 15",
        ),
        (
            bridge(card_with("left", json!("SYMBOL_UNSPECIFIED"))),
            "take.bridge_card.left",
            "SYMBOL_FISH, SYMBOL_BIRD, SYMBOL_BOAT",
        ),
        (
            bridge(card_with("right", json!(4))),
            "take.bridge_card.right",
            "4 is not one of",
        ),
        (
            json!({ "place": { "level": 1 } }),
            "place.piece",
            "bridge_card, monument and pillar",
        ),
        (
            json!({ "place": { "bridgeCard": card_with("left", json!(0)), "level": 1 } }),
            "place.bridge_card.left",
            "must be set",
        ),
        (place(0, 0), "place.level", "0 is not in 1 to 3"),
        (place(4, 0), "place.level", "4 is not in 1 to 3"),
        (place(1, 35), "place.column", "35 is not in -34 to 34"),
        (place(1, -35), "place.column", "-35 is not in -34 to 34"),
        (place(1, 256), "place.column", "256 is not in -34 to 34"),
    ];
    for (entry, field, detail) in cases {
        refused(decision(&entry), field, detail);
    }
}

#[test]
fn malformed_events_name_the_field() {
    let cases = [
        (json!({}), "event", "must be set"),
        (
            json!({ "gameStarted": { "game": 6 } }),
            "game_started.game",
            "6 is not in 0 to 5",
        ),
        (
            json!({ "gameStarted": { "contract": 7 } }),
            "game_started.contract",
            "7 is not one of CONTRACT_TRIPLE",
        ),
        (
            json!({ "roundStarted": { "round": 4 } }),
            "round_started.round",
            "4 is not in 0 to 3",
        ),
        (
            json!({ "roundStarted": { "firstDrafter": 2 } }),
            "round_started.first_drafter",
            "2 is not a seat; 0 to 1 are",
        ),
        (
            json!({ "roundStarted": { "opened": [good_card(), card_with("number", json!(99))] } }),
            "round_started.opened[1].number",
            "99 is not in 0 to 15",
        ),
        (
            json!({ "roundStarted": { "opened": vec![good_card(); 7] } }),
            "round_started.opened",
            "at most 6 entries, found 7",
        ),
        (
            json!({ "taken": { "seat": 1 } }),
            "taken.card",
            "must be set",
        ),
        (
            json!({ "taken": { "card": {} } }),
            "taken.card.card",
            "bridge_card or monument",
        ),
        (
            json!({ "draftEnded": { "discarded": vec![good_card(); 7] } }),
            "draft_ended.discarded",
            "at most 6 entries, found 7",
        ),
        (json!({ "placed": {} }), "placed.placement", "must be set"),
        (
            json!({ "placed": { "placement": { "monument": {}, "level": 9 } } }),
            "placed.placement.level",
            "9 is not in 1 to 3",
        ),
        (
            json!({ "buildingEnded": { "seat": 2 } }),
            "building_ended.seat",
            "0 to 1",
        ),
        (
            json!({ "buildingEnded": { "discarded": vec![json!({ "monument": {} }); 4] } }),
            "building_ended.discarded",
            "at most 3 entries, found 4",
        ),
        (json!({ "scored": {} }), "scored.score", "must be set"),
        (
            json!({ "scored": { "score": { "monuments": 541 } } }),
            "scored.score.monuments",
            "541 is not in 0 to 540",
        ),
        (
            json!({ "gameEnded": { "winner": 2 } }),
            "game_ended.winner",
            "2 is not a seat",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(event(&entry), field, detail);
    }
}

#[test]
fn malformed_configs_name_the_field() {
    let cards = |change: &dyn Fn(&mut Vec<Value>)| {
        let card = |style: usize| card_with("style", json!(style + 1));
        let mut cards: Vec<Value> = (0..24).map(|i| card(i / 8)).collect();
        change(&mut cards);
        json!({ "edition": { "name": "mine", "cards": cards } })
    };
    config(&cards(&|_| {})).unwrap();
    let cases = [
        (
            json!({ "contractsToWin": 0 }),
            "contracts_to_win",
            "0 is not in 1 to 3",
        ),
        (
            json!({ "contractsToWin": 4 }),
            "contracts_to_win",
            "4 is not in 1 to 3",
        ),
        (json!({ "games": 0 }), "games", "0 is not in 1 to 6"),
        (json!({ "games": 7 }), "games", "7 is not in 1 to 6"),
        (json!({ "edition": {} }), "edition.name", "1 to 64"),
        (
            json!({ "edition": { "name": "mine" } }),
            "edition.cards",
            "24 entries, found 0",
        ),
        (
            cards(&|cards| cards[3] = json!({})),
            "edition.cards[3].style",
            "must be set",
        ),
        (
            cards(&|cards| cards[23]["number"] = json!(16)),
            "edition.cards[23].number",
            "16 is not in 1 to 15",
        ),
        (
            cards(&|cards| cards[0]["style"] = json!(3)),
            "edition.cards",
            "8 of suspension, found 7",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(config(&entry), field, detail);
    }
}

#[test]
fn malformed_setups_name_the_field() {
    let config = Config::default();
    let setup = setup_of::<Btn>(&config, 2, 5);
    let with = |change: &dyn Fn(&mut wire::Setup)| {
        let mut wire = Btn::setup_to_wire(&setup);
        let Some(game_setup::Game::BridgesToNowhere(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Btn::setup_from_wire(&wire, &config)
    };
    assert_eq!(with(&|_| {}), Ok(setup.clone()));
    refused(
        with(&|s| s.contracts.truncate(5)),
        "contracts",
        "6 entries, found 5",
    );
    refused(
        with(&|s| s.contracts[2] = 0),
        "contracts[2]",
        "must be set to one of CONTRACT_TRIPLE",
    );
    refused(
        with(&|s| s.deals.push(s.deals[0].clone())),
        "deals",
        "at most 6 entries, found 7",
    );
    refused(
        with(&|s| s.deals[4].first_drafter = 2),
        "deals[4].first_drafter",
        "0 to 1",
    );
    refused(
        with(&|s| s.deals[1].deck.truncate(23)),
        "deals[1].deck",
        "24 entries, found 23",
    );
    refused(
        with(&|s| s.deals[5].deck[23].right = 0),
        "deals[5].deck[23].right",
        "must be set",
    );
}

/// What the seats see in a match, and what a spectator sees at its end.
fn observations(seed: u64) -> Vec<Observation> {
    let mut seen = Vec::new();
    let played = play::<Btn>(&Config::default(), 2, seed, |step| {
        seen.push(step.observation.clone());
    });
    seen.push(played.end);
    seen
}

#[test]
fn malformed_observations_name_the_field() {
    let seen = observations(9);
    let end = seen.last().unwrap();
    let placed = |observation: &&Observation| {
        let both = &observation.seats;
        both.iter().any(|view| view.placed.len() >= 2)
    };
    let building = seen.iter().find(placed).unwrap();
    let seat = usize::from(building.seats[1].placed.len() >= 2);
    let with = |observation: &Observation, change: &dyn Fn(&mut wire::Observation)| {
        let mut wire = Btn::observation_to_wire(observation);
        let Some(game_observation::Game::BridgesToNowhere(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Btn::observation_from_wire(&wire, &Config::default())
    };
    let of_end = |change: &dyn Fn(&mut wire::Observation)| with(end, change);
    refused(
        of_end(&|o| o.viewer_seat = Some(2)),
        "viewer_seat",
        "0 to 1",
    );
    refused(of_end(&|o| o.game = 6), "game", "6 is not in 0 to 5");
    refused(of_end(&|o| o.contract = 9), "contract", "9 is not one of");
    refused(of_end(&|o| o.round = 4), "round", "4 is not in 0 to 3");
    refused(of_end(&|o| o.first_drafter = 8), "first_drafter", "0 to 1");
    refused(
        of_end(&|o| o.phase = None),
        "phase",
        "draft, build and over",
    );
    refused(
        of_end(&|o| {
            let draft = wire::DraftPhase { seat: 2 };
            o.phase = Some(wire::observation::Phase::Draft(draft));
        }),
        "draft.seat",
        "2 is not a seat",
    );
    refused(of_end(&|o| o.monuments = 4), "monuments", "0 to 3");
    let card = wire::BridgeCard::default();
    refused(
        of_end(&|o| o.open = vec![card; 7]),
        "open",
        "at most 6 entries, found 7",
    );
    refused(
        of_end(&|o| o.unseen = vec![card; 25]),
        "unseen",
        "at most 24 entries, found 25",
    );
    refused(
        of_end(&|o| o.unseen = vec![card]),
        "unseen[0].style",
        "must be set",
    );
    refused(
        of_end(&|o| o.seats.truncate(1)),
        "seats",
        "2 entries, found 1",
    );
    refused(
        of_end(&|o| o.seats[1].pillars = 7),
        "seats[1].pillars",
        "7 is not in 0 to 6",
    );
    refused(
        of_end(&|o| o.seats[0].cards = vec![wire::Card::default()]),
        "seats[0].cards[0].card",
        "bridge_card or monument",
    );
    refused(
        of_end(&|o| o.seats[0].structure[0].level = 0),
        "seats[0].structure[0].level",
        "0 is not in 1 to 3",
    );
    refused(
        of_end(&|o| o.results[0].scores.truncate(1)),
        "results[0].scores",
        "2 entries, found 1",
    );
    refused(
        of_end(&|o| o.results[1].scores[1].numbers = 70_000),
        "results[1].scores[1].numbers",
        "70000 is not in 0 to 540",
    );
    refused(
        of_end(&|o| o.results[1].winner = Some(2)),
        "results[1].winner",
        "0 to 1",
    );
    refused(
        with(building, &|o| o.seats[seat].placed[0] = 18),
        &format!("seats[{seat}].placed[0]"),
        "18 is no position in a structure of",
    );
    refused(
        with(building, &|o| {
            o.seats[seat].placed[1] = o.seats[seat].placed[0];
        }),
        &format!("seats[{seat}].placed[1]"),
        "is there twice",
    );
}

#[test]
fn what_stays_the_same_in_a_match_is_read_from_its_config() {
    let observation = &observations(3)[0];
    let wire = Btn::observation_to_wire(observation);
    for games in GAMES {
        let config = Config {
            games,
            ..Config::default()
        };
        let read = Btn::observation_from_wire(&wire, &config).unwrap();
        assert_eq!(read.games, games);
    }
}

#[test]
fn a_config_that_is_set_in_part_has_the_defaults_for_the_rest() {
    let set = config(&json!({ "contracts": false, "games": 1 })).unwrap();
    let expected = Config {
        contracts: false,
        games: 1,
        ..Config::default()
    };
    assert_eq!(set, expected);
}

#[test]
fn a_config_that_is_sent_has_every_field() {
    let wire = Btn::config_to_wire(&Config::default());
    let Some(game_config::Game::BridgesToNowhere(entry)) = wire.game else {
        unreachable!()
    };
    assert_eq!(entry.contracts, Some(true));
    assert_eq!(entry.contracts_to_win, Some(2));
    assert_eq!(entry.games, Some(6));
    assert_eq!(entry.edition.unwrap().cards.len(), 24);
}

/// A bridge card with the lowest or the highest of everything.
fn extreme(number: Option<u8>) -> BridgeCard {
    BridgeCard {
        style: Style::Cable,
        number,
        left: Symbol::Boat,
        right: Symbol::Fish,
    }
}

#[test]
fn decisions_at_the_ends_of_their_ranges_survive_the_wire() {
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
    for decision in decisions {
        let wire: GameDecision = sent(&Btn::decision_to_wire(&decision));
        assert_eq!(Btn::decision_from_wire(&wire), Ok(decision));
    }
}

#[test]
fn events_that_random_play_hardly_reaches_survive_the_wire() {
    let [first, second] = [0, 1].map(|seat| Seat::new(seat).unwrap());
    let bridge_card = extreme(None);
    for event in [
        Event::GameStarted {
            game: 0,
            contract: None,
        },
        Event::GameStarted {
            game: 5,
            contract: Some(Contract::Double),
        },
        Event::RoundStarted {
            round: 3,
            first_drafter: second,
            opened: [bridge_card; 6].into(),
        },
        Event::DraftEnded {
            discarded: [bridge_card; 3].into_iter().collect(),
        },
        Event::DraftEnded {
            discarded: Default::default(),
        },
        Event::BuildingEnded {
            seat: first,
            discarded: [Card::Bridge(bridge_card), Card::Monument, Card::Monument].into(),
        },
        Event::Scored {
            seat: second,
            score: highest_score(),
        },
        Event::GameEnded {
            game: 5,
            winner: None,
        },
        Event::GameEnded {
            game: 0,
            winner: Some(first),
        },
        Event::MatchEnded,
    ] {
        let wire: GameEvent = sent(&Btn::event_to_wire(&event));
        assert_eq!(Btn::event_from_wire(&wire), Ok(event));
    }
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

#[test]
fn results_that_random_play_hardly_reaches_survive_the_wire() {
    let mut observation = observations(4).pop().unwrap();
    let won_by_none = |contract| GameResult {
        contract,
        winner: None,
        scores: [highest_score(), SeatScore::default()],
    };
    observation.results = Contract::ALL
        .iter()
        .map(|&c| won_by_none(Some(c)))
        .collect();
    observation.results[0] = won_by_none(None);
    observation.contract = None;
    observation.game = 5;
    let wire = sent(&Btn::observation_to_wire(&observation));
    let read = Btn::observation_from_wire(&wire, &Config::default());
    assert_eq!(read, Ok(observation));
}

#[test]
fn secret_placements_keep_their_order_on_the_wire() {
    let mut out_of_order = 0;
    for seed in 0..20 {
        for observation in observations(seed) {
            for view in &observation.seats {
                let cells: Vec<Cell> = view.placed.iter().map(|placed| placed.cell).collect();
                out_of_order += usize::from(!cells.is_sorted());
            }
            let wire = sent(&Btn::observation_to_wire(&observation));
            let read = Btn::observation_from_wire(&wire, &Config::default());
            assert_eq!(read, Ok(observation));
        }
    }
    assert!(
        out_of_order > 0,
        "every phase was built by column and level"
    );
}

/// An edition that has other cards than the house edition, some of them alike.
fn other_edition() -> Edition {
    let house = Edition::house();
    let cards = house.cards().iter().rev().map(|card| BridgeCardParts {
        style: card.style,
        number: match card.number {
            Some(number) if number % 3 == 0 => None,
            Some(7) | None => Some(MAX_NUMBER.into()),
            Some(number) => Some(number.into()),
        },
        left: card.right,
        right: Symbol::Bird,
    });
    let cards = cards.collect();
    let name = "Upside down".to_owned();
    Edition::new(&EditionParts { name, cards }).unwrap()
}

impl Wired for BridgesToNowhere {
    fn any_config(chance: &mut ChanceStream) -> Config {
        let mut config = Config {
            contracts: chance.below(2) == 0,
            contracts_to_win: chance.below((*CONTRACTS_TO_WIN.end()).into()) as u8 + 1,
            games: chance.below((*GAMES.end()).into()) as u8 + 1,
            ..Config::default()
        };
        if chance.below(2) == 0 {
            config.edition = Arc::new(other_edition());
        }
        config
    }
}
