//! What is not well formed is refused with the path of the field.

use bridgemaster_games::alhambra::{Alhambra, Config, Event, MAX_SHUFFLES};
use bridgemaster_proto::{
    games::{WireError, WireGame, alhambra::v1 as wire},
    v1::{self, GameChance, GameEvent, game_chance, game_observation, game_setup},
};
use serde_json::{Value, json};

use super::{decision, start};
use crate::{descriptors::from_json, random_match::setup_of};

fn event(entry: &Value) -> Result<Event, WireError> {
    let json = json!({ "alhambra": entry });
    let wire: GameEvent = from_json("bridgemaster.v1.GameEvent", &json);
    Alhambra::event_from_wire(&wire)
}

fn config(entry: &Value) -> Result<Config, WireError> {
    let json = json!({ "alhambra": entry });
    let wire: v1::GameConfig = from_json("bridgemaster.v1.GameConfig", &json);
    Alhambra::config_from_wire(&wire)
}

/// Checks the path below the game and a part of the explanation of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, format!("alhambra.{field}"), "{error}");
    assert!(error.detail.contains(detail), "{error}");
}

/// A well-formed money card.
fn blue_7() -> Value {
    json!({ "currency": "CURRENCY_BLUE", "value": 7 })
}

/// A well-formed building.
fn garden_10() -> Value {
    json!({ "category": "CATEGORY_GARDEN", "price": 10 })
}

#[test]
fn malformed_decisions_name_the_field() {
    let take = |card: Value| json!({ "take": { "cards": [blue_7(), card] } });
    let buy = |payment: Value| json!({ "buy": { "slot": "CURRENCY_GREEN", "payment": payment } });
    let cases = [
        (json!({}), "decision", "take, buy and pass"),
        (
            take(json!({ "value": 3 })),
            "take.cards[1].currency",
            "must be set to one of CURRENCY_BLUE",
        ),
        (
            take(json!({ "currency": 5, "value": 3 })),
            "take.cards[1].currency",
            "5 is not one of",
        ),
        (
            take(json!({ "currency": 4 })),
            "take.cards[1].value",
            "0 is not in 1 to 9",
        ),
        (
            take(json!({ "currency": 4, "value": 10 })),
            "take.cards[1].value",
            "10 is not in 1 to 9",
        ),
        (
            json!({ "take": { "cards": vec![blue_7(); 5] } }),
            "take.cards",
            "at most 4 entries, found 5",
        ),
        (
            json!({ "buy": { "payment": [5] } }),
            "buy.slot",
            "must be set to one of CURRENCY_BLUE",
        ),
        (buy(json!([3, 0])), "buy.payment[1]", "0 is not in 1 to 9"),
        (
            buy(json!([4, 5, 4_000_000_000u32])),
            "buy.payment[2]",
            "1 to 9",
        ),
        (
            buy(json!([4, 4, 9, 4, 4])),
            "buy.payment",
            "at most 3 cards of each value",
        ),
        (
            buy(json!(vec![9; 300])),
            "buy.payment",
            "at most 3 cards of each value",
        ),
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
            json!({ "handDealt": { "seat": 6 } }),
            "hand_dealt.seat",
            "6 is not a seat; 0 to 5 are",
        ),
        (
            json!({ "handDealt": { "cards": [{ "value": 3 }] } }),
            "hand_dealt.cards[0].currency",
            "must be set",
        ),
        (
            json!({ "handDealt": { "cards": vec![blue_7(); 4] } }),
            "hand_dealt.cards",
            "at most 3 of each card",
        ),
        (
            json!({ "dummyDrew": { "buildings": [garden_10(), { "price": 7 }] } }),
            "dummy_drew.buildings[1].category",
            "must be set to one of CATEGORY_PAVILION",
        ),
        (
            json!({ "dummyDrew": { "buildings": vec![garden_10(); 4] } }),
            "dummy_drew.buildings",
            "at most 3 of each building",
        ),
        (
            json!({ "buildingLaid": { "building": garden_10() } }),
            "building_laid.slot",
            "must be set",
        ),
        (
            json!({ "buildingLaid": { "slot": "CURRENCY_BLUE" } }),
            "building_laid.building",
            "must be set",
        ),
        (
            json!({ "buildingLaid": {
                "slot": "CURRENCY_BLUE", "building": { "category": "CATEGORY_GARDEN", "price": 13 },
            } }),
            "building_laid.building.price",
            "13 is not in 6 to 12",
        ),
        (
            json!({ "moneyOpened": {} }),
            "money_opened.card",
            "must be set",
        ),
        (
            json!({ "moneyOpened": { "card": { "currency": 1, "value": 10 } } }),
            "money_opened.card.value",
            "10 is not in 1 to 9",
        ),
        (
            json!({ "turnStarted": { "seat": 256 } }),
            "turn_started.seat",
            "256 is not a seat",
        ),
        (
            json!({ "moneyTaken": { "cards": vec![blue_7(); 5] } }),
            "money_taken.cards",
            "at most 4 entries, found 5",
        ),
        (
            json!({ "bought": { "building": garden_10() } }),
            "bought.purchase",
            "must be set",
        ),
        (
            json!({ "bought": {
                "building": garden_10(), "purchase": { "slot": 1, "payment": [10] },
            } }),
            "bought.purchase.payment[0]",
            "10 is not in 1 to 9",
        ),
        (json!({ "passed": { "seat": 6 } }), "passed.seat", "0 to 5"),
        (
            json!({ "moneyShuffled": {} }),
            "money_shuffled.cards",
            "0 is not in 1 to 108",
        ),
        (
            json!({ "buildingAllotted": { "slot": 4, "building": garden_10(), "seat": 6 } }),
            "building_allotted.seat",
            "0 to 5",
        ),
        (
            json!({ "scored": { "seat": 0, "points": [0, 0, 0, 0, 0, 0] } }),
            "scored.scoring",
            "must be set to one of SCORING_A, SCORING_B, SCORING_C",
        ),
        (
            json!({ "scored": { "scoring": "SCORING_A", "points": [0, 0, 0, 0, 0, 0] } }),
            "scored.owner",
            "seat or dummy must be set",
        ),
        (
            json!({ "scored": { "scoring": "SCORING_A", "seat": 6 } }),
            "scored.seat",
            "0 to 5",
        ),
        (
            json!({ "scored": { "scoring": "SCORING_A", "dummy": {} } }),
            "scored.points",
            "must have 6 entries, found 0",
        ),
        (
            json!({ "scored": {
                "scoring": "SCORING_C", "dummy": {}, "points": [0, 0, 0, 0, 0, 22],
            } }),
            "scored.points[5]",
            "22 is not in 0 to 21",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(event(&entry), field, detail);
    }
}

#[test]
fn malformed_configs_name_the_field() {
    refused(
        config(&json!({ "withoutBuildings": 3 })),
        "without_buildings",
        "3 is not one of WITHOUT_BUILDINGS_NO_PLACE, WITHOUT_BUILDINGS_PLACE",
    );
    refused(
        config(&json!({ "dummyPlaces": -1 })),
        "dummy_places",
        "-1 is not one of DUMMY_PLACES_ALL, DUMMY_PLACES_FIRST_ONLY",
    );
}

#[test]
fn malformed_setups_name_the_field() {
    let config = Config::default();
    let setup = setup_of::<Alhambra>(&config, 6, 5);
    let with = |change: &dyn Fn(&mut wire::Setup)| {
        let mut wire = Alhambra::setup_to_wire(&setup);
        let Some(game_setup::Game::Alhambra(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Alhambra::setup_from_wire(&wire, &config)
    };
    refused(
        with(&|s| s.buildings.truncate(53)),
        "buildings",
        "must have 54 entries, found 53",
    );
    refused(
        with(&|s| s.buildings[53].category = 7),
        "buildings[53].category",
        "7 is not one of",
    );
    refused(
        with(&|s| {
            s.buildings[3] = wire::Building {
                category: 1,
                price: 9,
            }
        }),
        "buildings[3].price",
        "9 is not in 2 to 8",
    );
    refused(
        with(&|s| s.money.push(s.money[0])),
        "money",
        "at most 108 entries, found 109",
    );
    refused(
        with(&|s| s.money[107].value = 0),
        "money[107].value",
        "1 to 9",
    );
    refused(
        with(&|s| s.scoring_a_place = 108),
        "scoring_a_place",
        "108 is not in 0 to 107",
    );
    refused(
        with(&|s| s.scoring_b_place = 256),
        "scoring_b_place",
        "256 is not in 0 to 107",
    );
}

#[test]
fn malformed_shuffles_name_the_field() {
    let shuffle = |cards: Vec<wire::MoneyCard>| {
        let entry = Box::new(wire::Shuffle { cards });
        let game = Some(game_chance::Game::Alhambra(entry));
        Alhambra::chance_from_wire(&GameChance { game })
    };
    let card = wire::MoneyCard {
        currency: 1,
        value: 7,
    };
    let bad = wire::MoneyCard {
        currency: 1,
        value: 10,
    };
    refused(shuffle(vec![card, bad]), "cards[1].value", "1 to 9");
    refused(
        shuffle(vec![card; 109]),
        "cards",
        "at most 108 entries, found 109",
    );
    let nothing = Alhambra::chance_from_wire(&GameChance::default());
    assert_eq!(nothing.unwrap_err().field, "alhambra");
}

#[test]
fn malformed_observations_name_the_field() {
    let with = |change: &dyn Fn(&mut wire::Observation)| {
        let mut wire = Alhambra::observation_to_wire(&start(2));
        let Some(game_observation::Game::Alhambra(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Alhambra::observation_from_wire(&wire, &Config::default())
    };
    refused(
        with(&|o| o.viewer_seat = Some(6)),
        "viewer_seat",
        "6 is not a seat",
    );
    refused(
        with(&|o| o.phase = None),
        "phase",
        "turn, shuffle and over must be set",
    );
    refused(
        with(&|o| o.phase = Some(wire::observation::Phase::Turn(wire::TurnPhase { seat: 9 }))),
        "turn.seat",
        "0 to 5",
    );
    let shuffle = wire::ShufflePhase { seat: 6 };
    refused(
        with(&|o| o.phase = Some(wire::observation::Phase::Shuffle(shuffle))),
        "shuffle.seat",
        "0 to 5",
    );
    refused(
        with(&|o| o.turn_purchases = vec![wire::TurnPurchase::default()]),
        "turn_purchases[0].building",
        "must be set",
    );
    refused(
        with(&|o| {
            let building = wire::Building {
                category: 6,
                price: 13,
            };
            o.turn_purchases = vec![wire::TurnPurchase {
                building: Some(building),
                purchase: Some(wire::Purchase::default()),
            }];
        }),
        "turn_purchases[0].purchase.slot",
        "must be set",
    );
    refused(
        with(&|o| o.turn_purchases = vec![wire::TurnPurchase::default(); 5]),
        "turn_purchases",
        "at most 4 entries, found 5",
    );
    refused(
        with(&|o| o.seats = vec![o.seats[0].clone(); 7]),
        "seats",
        "at most 6 entries, found 7",
    );
    refused(
        with(&|o| o.seats[1].hand = None),
        "seats[1].hand",
        "must be set",
    );
    refused(
        with(&|o| o.seats[1].hand.as_mut().unwrap().yellow = vec![1, 2, 10]),
        "seats[1].hand.yellow[2]",
        "10 is not in 1 to 9",
    );
    refused(
        with(&|o| o.seats[0].buildings.as_mut().unwrap().towers = vec![7, 6]),
        "seats[0].buildings.towers[1]",
        "6 is not in 7 to 13",
    );
    refused(
        with(&|o| o.seats[0].buildings.as_mut().unwrap().gardens = vec![8, 8, 8, 8]),
        "seats[0].buildings.gardens[3]",
        "the box has only 3 of garden 8",
    );
    refused(
        with(&|o| o.seats[0].points.as_mut().unwrap().b = vec![1; 5]),
        "seats[0].points.b",
        "must have 6 entries, found 5",
    );
    refused(
        with(&|o| o.seats[0].points.as_mut().unwrap().c = vec![0, 0, 22, 0, 0, 0]),
        "seats[0].points.c[2]",
        "22 is not in 0 to 21",
    );
    refused(
        with(&|o| o.dummy.as_mut().unwrap().buildings = None),
        "dummy.buildings",
        "must be set",
    );
    refused(with(&|o| o.yard = None), "yard", "must be set");
    refused(
        with(&|o| o.yard.as_mut().unwrap().orange = Some(wire::Building::default())),
        "yard.orange.category",
        "must be set",
    );
    refused(
        with(&|o| o.row.push(o.row[0])),
        "row",
        "at most 4 entries, found 5",
    );
    refused(with(&|o| o.discard = None), "discard", "must be set");
    refused(
        with(&|o| o.unseen_money.as_mut().unwrap().green = vec![1; 4]),
        "unseen_money.green",
        "at most 3 cards of each value",
    );
    refused(
        with(&|o| o.unseen_buildings = None),
        "unseen_buildings",
        "must be set",
    );
    refused(
        with(&|o| o.scoring_card_a.as_mut().unwrap().first = 108),
        "scoring_card_a.first",
        "108 is not in 0 to 107",
    );
    refused(
        with(&|o| o.scoring_card_b.as_mut().unwrap().last = 300),
        "scoring_card_b.last",
        "300 is not in 0 to 107",
    );
    refused(
        with(&|o| o.shuffles = u32::from(MAX_SHUFFLES) + 1),
        "shuffles",
        "55 is not in 0 to 54",
    );
}
