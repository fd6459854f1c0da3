//! Old London Bridge on the wire: what is not well formed is refused with the path of the field.

use std::sync::Arc;

use bridgemaster_games::{
    ChanceStream, Seat,
    old_london_bridge::{
        Area, BuildingParts, Coat, Config, Edition, EditionParts, Event, FaceChoice, Kind,
        OldLondonBridge, StartLeaders, TileKind,
    },
};
use bridgemaster_proto::{
    games::{
        WireError, WireGame,
        old_london_bridge::v1::{
            Edition as WireEdition, MoneySpace, Observation, Setup, TurnPhase, observation,
            turn_phase,
        },
    },
    v1::{self, GameEvent, game_config, game_observation, game_setup},
};
use serde_json::{Value, json};

use crate::{
    descriptors::from_json,
    random_match::{Wired, play, setup_of},
    round_trip::sent,
};

type Olb = OldLondonBridge;

fn decision(entry: &Value) -> Result<(), WireError> {
    let json = json!({ "oldLondonBridge": entry });
    let wire: v1::GameDecision = from_json("bridgemaster.v1.GameDecision", &json);
    Olb::decision_from_wire(&wire).map(drop)
}

fn event(entry: &Value) -> Result<(), WireError> {
    let json = json!({ "oldLondonBridge": entry });
    let wire: v1::GameEvent = from_json("bridgemaster.v1.GameEvent", &json);
    Olb::event_from_wire(&wire).map(drop)
}

fn config(entry: &Value) -> Result<(), WireError> {
    let json = json!({ "oldLondonBridge": entry });
    let wire: v1::GameConfig = from_json("bridgemaster.v1.GameConfig", &json);
    Olb::config_from_wire(&wire).map(drop)
}

/// Checks the path and a part of the explanation of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, field, "{error}");
    assert!(error.detail.contains(detail), "{error}");
}

#[test]
fn an_entry_of_a_game_that_this_version_does_not_know_is_refused() {
    // Field 15, a message of two bytes.
    let bytes = [0x7a, 0x02, 0x08, 0x01];
    let wire: v1::GameDecision = prost::Message::decode(bytes.as_slice()).unwrap();
    refused(
        Olb::decision_from_wire(&wire),
        "old_london_bridge",
        "must be set",
    );
}

#[test]
fn malformed_decisions_name_the_field() {
    let cases = [
        (json!({}), "decision", "take_a_2, play_cards"),
        (
            json!({ "playCards": { "first": 5 } }),
            "play_cards.first",
            "5 is not in 0 to 4",
        ),
        (
            json!({ "playCards": { "second": 4_000_000_000u32 } }),
            "play_cards.second",
            "0 to 4",
        ),
        (
            json!({ "raiseCards": { "first": 4 } }),
            "raise_cards.first",
            "4 is not in 0 to 3",
        ),
        (
            json!({ "raiseCards": { "second": 256 } }),
            "raise_cards.second",
            "0 to 3",
        ),
        (
            json!({ "place": { "stack": "KIND_INN" } }),
            "place.spot",
            "SPOT_OUTER, SPOT_CENTRE",
        ),
        (
            json!({ "place": { "spot": "SPOT_OUTER" } }),
            "place.stack",
            "must be set to one of",
        ),
        (
            json!({ "place": { "spot": "SPOT_OUTER", "stack": 7 } }),
            "place.stack",
            "7 is not one of KIND_CHAPEL",
        ),
        (
            json!({ "replace": { "slot": 12 } }),
            "replace.slot",
            "12 is not in 0 to 11",
        ),
        (
            json!({ "takeTile": { "bonusStack": 3 } }),
            "take_tile.bonus_stack",
            "0 to 2",
        ),
        (
            json!({ "takeCards": {} }),
            "take_cards.cards",
            "must have 5 entries, found 0",
        ),
        (
            json!({ "takeCards": { "cards": [0, 0, 16, 0, 0] } }),
            "take_cards.cards[2]",
            "16 is not in 0 to 15",
        ),
        (
            json!({ "useTile": { "tile": "TILE_KIND_SHARE" } }),
            "use_tile.tile",
            "TILE_KIND_RECALL, TILE_KIND_CHAPEL_PLUS_2, TILE_KIND_GATE_PLUS_2",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(
            decision(&entry),
            &format!("old_london_bridge.{field}"),
            detail,
        );
    }
}

#[test]
fn malformed_events_name_the_field() {
    let cases = [
        (json!({}), "event", "must be set"),
        (
            json!({ "turnSkipped": { "seat": 4 } }),
            "turn_skipped.seat",
            "0 to 3",
        ),
        (
            json!({ "roundStarted": { "round": 12 } }),
            "round_started.round",
            "0 to 11",
        ),
        (
            json!({ "roundStarted": {} }),
            "round_started.marker",
            "0 is not in 1 to 3",
        ),
        (
            json!({ "cardsRevealed": {} }),
            "cards_revealed.cards",
            "must be set",
        ),
        (
            json!({ "cardsRevealed": { "cards": { "first": 9 } } }),
            "cards_revealed.cards.first",
            "9",
        ),
        (
            json!({ "placed": { "pawn": {} } }),
            "placed.pawn.place",
            "off, outer and centre",
        ),
        (
            json!({ "placed": { "pawn": { "outer": 6 } } }),
            "placed.pawn.outer",
            "0 to 5",
        ),
        (
            json!({ "built": { "building": { "kind": "KIND_INN", "number": 61 } } }),
            "built.building.number",
            "61 is not in 0 to 60",
        ),
        (
            json!({ "stackRevealed": { "stack": "KIND_INN", "top": { "number": 20 } } }),
            "stack_revealed.top.kind",
            "KIND_CHAPEL",
        ),
        (
            json!({ "orderFixed": { "turns": [{ "value": 7 }, { "value": 8 }] } }),
            "order_fixed.turns[1].value",
            "8 is not in 0 to 7",
        ),
        (
            json!({ "orderFixed": { "turns": [{}, {}, {}, {}, {}] } }),
            "order_fixed.turns",
            "at most 4 entries, found 5",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(event(&entry), &format!("old_london_bridge.{field}"), detail);
    }
}

#[test]
fn malformed_configs_name_the_field() {
    let cases = [
        (
            json!({ "faces": { "gate": {} } }),
            "faces.gate.choice",
            "face or random",
        ),
        (
            json!({ "faces": { "inn": { "face": "FACE_MOST_GATES" } } }),
            "faces.inn.face",
            "most_gates is a face of the gate area",
        ),
        (
            json!({ "faces": { "inn": { "face": 21 } } }),
            "faces.inn.face",
            "21 is not one of",
        ),
        (json!({ "edition": {} }), "edition.name", "1 to 64"),
        (
            json!({ "startLeaders": 3 }),
            "start_leaders",
            "3 is not one of START_LEADERS_UNPAID, START_LEADERS_PAID",
        ),
        (
            json!({ "edition": { "ring": ["KIND_INN", "KIND_UNSPECIFIED"] } }),
            "edition.ring[1]",
            "must be set",
        ),
        (
            json!({ "edition": { "bonusStacks": [{ "tiles": [9] }] } }),
            "edition.bonus_stacks[0].tiles[0]",
            "9 is not one of",
        ),
        (
            json!({ "edition": { "buildings": [{ "kind": "KIND_INN", "coat": 5 }] } }),
            "edition.buildings[0].coat",
            "COAT_BLUE",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(
            config(&entry),
            &format!("old_london_bridge.{field}"),
            detail,
        );
    }
}

/// Changes the house edition and reads the result.
fn with_edition(change: impl FnOnce(&mut WireEdition)) -> Result<Config, WireError> {
    let mut wire = Olb::config_to_wire(&Config::default());
    let Some(game_config::Game::OldLondonBridge(entry)) = &mut wire.game else {
        unreachable!()
    };
    change(entry.edition.as_mut().unwrap());
    Olb::config_from_wire(&wire)
}

#[test]
fn an_edition_that_the_rules_refuse_names_the_field_of_the_wire() {
    let path = |entry: &str| format!("old_london_bridge.edition.{entry}");
    refused(
        with_edition(|e| e.rondel_incomes[2] = 4),
        &path("rondel_incomes[2]"),
        "1 to 3",
    );
    refused(
        with_edition(|e| e.rondel_incomes[3] = 0),
        &path("rondel_incomes"),
        "one space",
    );
    refused(
        with_edition(|e| {
            e.chapel_money = vec![MoneySpace {
                space: 2,
                money: 101,
            }]
        }),
        &path("chapel_money[0].money"),
        "101 is not in 1 to 100",
    );
    refused(
        with_edition(|e| {
            e.chapel_money = vec![MoneySpace {
                space: 61,
                money: 1,
            }]
        }),
        &path("chapel_money[0].space"),
        "61",
    );
    refused(
        with_edition(|e| e.gate_bonus = vec![3, 2]),
        &path("gate_bonus[1]"),
        "2",
    );
    refused(
        with_edition(|e| e.gate_bonus = vec![3, 99]),
        &path("gate_bonus[1]"),
        "99",
    );
    refused(
        with_edition(|e| e.buildings[0].number = 0),
        &path("buildings[0].number"),
        "missing",
    );
    refused(
        with_edition(|e| e.ring.truncate(5)),
        &path("ring"),
        "6 entries, found 5",
    );
}

#[test]
fn malformed_setups_name_the_field() {
    let config = Config::default();
    let setup = setup_of::<Olb>(&config, 4, 5);
    let with = |change: &dyn Fn(&mut Setup)| {
        let mut wire = Olb::setup_to_wire(&setup);
        let Some(game_setup::Game::OldLondonBridge(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Olb::setup_from_wire(&wire, &config)
    };
    let path = |entry: &str| format!("old_london_bridge.{entry}");
    refused(with(&|s| s.orientation = 6), &path("orientation"), "0 to 5");
    refused(
        with(&|s| s.stacks[5].buildings[11] = 72),
        &path("stacks[5].buildings[11]"),
        "0 to 71",
    );
    refused(
        with(&|s| s.stacks.truncate(5)),
        &path("stacks"),
        "6 entries, found 5",
    );
    refused(with(&|s| s.markers[4] = 0), &path("markers[4]"), "1 to 3");
    refused(with(&|s| s.markers.push(1)), &path("markers"), "at most 12");
    refused(
        with(&|s| s.bonus_stacks[2].tiles[7] = 0),
        &path("bonus_stacks[2].tiles[7]"),
        "set",
    );
    refused(with(&|s| s.stairs[0] = 4), &path("stairs[0]"), "0 to 3");
    refused(with(&|s| s.faces = None), &path("faces"), "must be set");
    refused(
        with(&|s| s.faces.as_mut().unwrap().gate = 1),
        &path("faces.gate"),
        "chapel area",
    );
}

#[test]
fn malformed_observations_name_the_field() {
    let config = Config::default();
    let end = play::<Olb>(&config, 4, 9, |_| {}).end;
    let with = |change: &dyn Fn(&mut Observation)| {
        let mut wire = Olb::observation_to_wire(&end);
        let Some(game_observation::Game::OldLondonBridge(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Olb::observation_from_wire(&wire, &config)
    };
    let chapels = end
        .stacks
        .iter()
        .position(|stack| stack.kind.index() == 0)
        .unwrap();
    let parks = end
        .stacks
        .iter()
        .position(|stack| stack.kind.index() == 5)
        .unwrap();
    let path = |entry: &str| format!("old_london_bridge.{entry}");
    refused(
        with(&|o| o.viewer_seat = Some(7)),
        &path("viewer_seat"),
        "0 to 3",
    );
    refused(with(&|o| o.phase = None), &path("phase"), "choose_cards");
    refused(
        with(&|o| {
            let step = turn_phase::Step::Replace(Default::default());
            let phase = TurnPhase {
                step: Some(step),
                ..Default::default()
            };
            o.phase = Some(observation::Phase::Turn(phase));
        }),
        &path("turn.replace.building"),
        "must be set",
    );
    refused(
        with(&|o| o.stacks[chapels].unseen_numbers = vec![1]),
        &path(&format!("stacks[{chapels}].unseen_numbers[0]")),
        "has no chapel of number 1",
    );
    refused(
        with(&|o| o.stacks[chapels].unseen_coats = vec![1]),
        &path(&format!("stacks[{chapels}].unseen_coats")),
        "must be empty",
    );
    refused(
        with(&|o| o.stacks[parks].unseen_numbers = vec![1]),
        &path(&format!("stacks[{parks}].unseen_numbers")),
        "parks have no numbers",
    );
    refused(
        with(&|o| o.supply.truncate(4)),
        &path("supply"),
        "5 entries, found 4",
    );
    refused(
        with(&|o| o.seats[2].tiles = vec![1; 4]),
        &path("seats[2].tiles[3]"),
        "only 3",
    );
    refused(
        with(&|o| o.seats[3].hand[4] = 99),
        &path("seats[3].hand[4]"),
        "0 to 15",
    );
    refused(
        with(&|o| o.seats[0].pawn = None),
        &path("seats[0].pawn"),
        "must be set",
    );
    refused(
        with(&|o| o.seats.push(o.seats[0].clone())),
        &path("seats"),
        "at most 4",
    );
}

#[test]
fn events_that_random_play_hardly_reaches_survive_the_wire() {
    let seat = Seat::new(3).unwrap();
    for event in [
        Event::TurnSkipped { seat },
        Event::GameEnded { early: true },
        Event::StackRevealed {
            stack: Kind::Park,
            top: None,
        },
        Event::TileTaken {
            seat,
            stack: 2,
            tile: TileKind::TakeA2,
            revealed: None,
        },
    ] {
        let wire: GameEvent = sent(&Olb::event_to_wire(&event));
        assert_eq!(Olb::event_from_wire(&wire), Ok(event));
    }
}

/// The house edition with other data in every entry.
fn other_edition() -> Edition {
    let house = Edition::house();
    let mut bonus_stacks: Vec<Vec<_>> = house.bonus_stacks().iter().map(|s| s.to_vec()).collect();
    let tile = bonus_stacks[0][0];
    let place = bonus_stacks[1]
        .iter()
        .position(|other| *other != tile)
        .unwrap();
    bonus_stacks[0][0] = std::mem::replace(&mut bonus_stacks[1][place], tile);
    Edition::new(&EditionParts {
        name: "Upside down".to_owned(),
        ring: house.ring().iter().rev().copied().collect(),
        rondel: vec![None, Some(3), Some(3), Some(1), Some(2), Some(1)],
        chapel_last_space: 60,
        chapel_money: vec![(1, 100), (60, 1)],
        gate_last_space: 7,
        gate_bonus: vec![1, 2, 3, 7],
        bonus_stacks,
        buildings: house
            .buildings()
            .iter()
            .rev()
            .map(|building| BuildingParts {
                kind: building.kind,
                number: building.number.map(|number| 61 - u32::from(number)),
                coat: match building.kind {
                    Kind::Guildhall => None,
                    _ => Some(Coat::Grey),
                },
            })
            .collect(),
    })
    .unwrap()
}

impl Wired for OldLondonBridge {
    fn any_config(chance: &mut ChanceStream) -> Config {
        let mut config = Config::default();
        for (choice, area) in config.faces.iter_mut().zip(Area::ALL) {
            *choice = match area.faces().get(chance.below(6) as usize) {
                Some(&face) => FaceChoice::Face(face),
                None => FaceChoice::Random,
            };
        }
        if chance.below(2) == 0 {
            config.start_leaders = StartLeaders::Paid;
        }
        if chance.below(2) == 0 {
            config.edition = Arc::new(other_edition());
        }
        config
    }
}
