//! Error texts: the field's path, the problem, and the valid values. There is one line for each
//! kind of game field; `malformed` breaks every field.

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::{WireGame, game_id},
    v1::{GameDecision, GameEvent},
};
use serde_json::{Value, json};

use crate::descriptors::from_json;

/// The error text from reading a decision.
fn decision(json: Value) -> String {
    let wire: GameDecision = from_json("bridgemaster.v1.GameDecision", &json);
    let read = with_game!(game_id(&wire).unwrap(), G => G::decision_from_wire(&wire).map(drop));
    read.unwrap().unwrap_err().to_string()
}

/// The error text from reading an event.
fn event(json: Value) -> String {
    let wire: GameEvent = from_json("bridgemaster.v1.GameEvent", &json);
    let read = with_game!(game_id(&wire).unwrap(), G => G::event_from_wire(&wire).map(drop));
    read.unwrap().unwrap_err().to_string()
}

#[test]
fn errors_state_valid_numbers() {
    let place = |place: Value| decision(json!({ "carcassonne": { "place": place } }));
    assert_eq!(place(json!({ "x": 84 })), "carcassonne.place.x: 84 is out of range (-83..=83)");
    assert_eq!(
        place(json!({ "rotation": 4 })),
        "carcassonne.place.rotation: 4 is out of range (0..=3)"
    );
    let number = json!({ "building": { "kind": "KIND_INN", "number": 61 } });
    assert_eq!(
        event(json!({ "oldLondonBridge": { "built": number } })),
        "old_london_bridge.built.building.number: 61 is out of range (0..=60)"
    );
    assert_eq!(
        event(json!({ "alhambra": { "turnStarted": { "seat": 256 } } })),
        "alhambra.turn_started.seat: 256 is out of range (0..=5)"
    );
}

#[test]
fn errors_state_valid_enum_values() {
    let take = |left: i32| {
        let card = json!({ "style": 1, "left": left, "right": 1 });
        decision(json!({ "bridgesToNowhere": { "take": { "bridgeCard": card } } }))
    };
    let left = "bridges_to_nowhere.take.bridge_card.left";
    let symbols = "SYMBOL_FISH, SYMBOL_BIRD, SYMBOL_BOAT";
    assert_eq!(take(0), format!("{left}: must be set to one of {symbols}"));
    assert_eq!(take(4), format!("{left}: 4 is not one of {symbols}"));
    assert_eq!(
        decision(json!({ "oldLondonBridge": { "useTile": { "tile": "TILE_KIND_SHARE" } } })),
        "old_london_bridge.use_tile.tile: 1 is not one of TILE_KIND_RECALL, \
         TILE_KIND_CHAPEL_PLUS_2, TILE_KIND_GATE_PLUS_2"
    );
    assert_eq!(
        event(json!({ "carcassonne": { "tileDrawn": { "tile": 37 } } })),
        "carcassonne.tile_drawn.tile: 37 is not one of TILE_KIND_A to TILE_KIND_D12"
    );
}

#[test]
fn errors_state_missing_fields() {
    assert_eq!(
        event(json!({ "alhambra": { "moneyOpened": {} } })),
        "alhambra.money_opened.card: must be set"
    );
    assert_eq!(
        decision(json!({ "alhambra": {} })),
        "alhambra.decision: one of take, buy and pass must be set"
    );
    assert_eq!(
        decision(json!({ "carcassonne": { "meeple": {} } })),
        "carcassonne.meeple.choice: none or segment must be set"
    );
}

#[test]
fn errors_state_list_lengths_and_invalid_items() {
    let take =
        |cards: Value| decision(json!({ "oldLondonBridge": { "takeCards": { "cards": cards } } }));
    let cards = "old_london_bridge.take_cards.cards";
    assert_eq!(take(json!([])), format!("{cards}: must have 5 entries, found 0"));
    assert_eq!(take(json!([0, 0, 16, 0, 0])), format!("{cards}[2]: 16 is out of range (0..=15)"));
    let card = json!({ "currency": "CURRENCY_BLUE", "value": 7 });
    assert_eq!(
        decision(json!({ "alhambra": { "take": { "cards": vec![card; 5] } } })),
        "alhambra.take.cards: must have at most 4 entries, found 5"
    );
    let buy = json!({ "slot": "CURRENCY_GREEN", "payment": [4, 4, 9, 4, 4] });
    assert_eq!(
        decision(json!({ "alhambra": { "buy": buy } })),
        "alhambra.buy.payment: must have at most 3 cards of each value"
    );
    let scored = json!({ "segment": "SEGMENT_MONASTERY", "seats": [0, 2, 2] });
    assert_eq!(
        event(json!({ "carcassonne": { "scored": scored } })),
        "carcassonne.scored.seats[2]: must be higher than the seat before it"
    );
}
